# SPDX-License-Identifier: GPL-2.0-or-later
"""Utilisation clamps of the scheduler: two limits that the kernel keeps in order, and
files that no equal value is written to."""

import harness
from harness import Case

FOLDER = "proc/sys/kernel/"
MIN, MAX, RT = ("sched_util_clamp_min", "sched_util_clamp_max", "sched_util_clamp_min_rt_default")


class Clamps(Case):
    machine_name = "acpi-pairs"

    def setUp(self):
        super().setUp()
        self.before = self.machine.snapshot()
        self.clamps = self.values()

    def values(self):
        return tuple((self.machine.root / FOLDER / name).read_text().strip()
                     for name in (MIN, MAX, RT))

    def written(self):
        return [(path[len(FOLDER):], value) for path, value, _ in self.machine.writes()
                if path.startswith(FOLDER)]

    def test_every_order(self):
        pairs = [(a, b) for a in (0, 300, 512, 1024) for b in (0, 300, 512, 1024) if a <= b]
        self.ctl("create", "x", "1")
        for first in pairs:
            for second in pairs:
                for low, high in (first, second):
                    self.ctl("set", "x", f"{MIN}={low}", f"{MAX}={high}")
                    self.assertEqual(self.values()[:2], (str(low), str(high)))
        self.ctl("destroy", "x")
        self.assertEqual(self.values(), self.clamps)

    def test_percentages(self):
        for value, number in (("50%", "512"), ("0%", "0"), ("100%", "1024"), ("20%", "205"),
                              ("0.1%", "1")):
            self.ctl("create", "x", "1", f"{RT}={value}")
            self.assertEqual(self.values()[2], number)
            self.ctl("destroy", "x")
        self.assertEqual(self.values(), self.clamps)

    def test_a_limit_against_what_is_there(self):
        message = self.ctl("create", "x", "1", f"{MAX}=512", status=1)
        self.assertIn(f"{MAX} 512 is not above what {MIN} is, 1024", message)
        self.assertIn("give both", message)
        self.assertEqual(self.written(), [])
        self.ctl("create", "x", "1", f"{MIN}=100")
        message = self.ctl("create", "y", "2", f"{MAX}=50", status=1)
        self.assertIn("the other is instance 'x'", message)
        self.ctl("create", "y", "2", f"{MAX}=500")
        self.assertEqual(self.values()[:2], ("100", "500"))
        self.ctl("destroy", "x", status=0)  # the minimum of 1024 comes back once it can
        self.ctl("destroy", "y")
        self.assertEqual(self.values(), self.clamps)

    def test_no_equal_value_is_written(self):
        self.ctl("create", "x", "1", f"{MIN}=1024", f"{MAX}=100%", f"{RT}=1024")
        self.machine.call("Reapply", "(sb)", "x", True)
        self.ctl("verify", "x")
        self.ctl("preview", "set", "x", f"{MIN}=5")
        self.ctl("destroy", "x")
        self.assertEqual(self.written(), [])
        self.ctl("create", "x", "1", f"{RT}=7")
        self.machine.call("Reapply", "(sb)", "x", True)
        self.assertEqual(self.written(), [(RT, "7")])
        self.machine.command(f"set {FOLDER}{RT} 9")
        self.ctl("set", "x", f"{RT}=9")
        self.assertEqual(self.written(), [(RT, "7")])

    def test_the_first_use_says_what_it_costs(self):
        self.assertIn("until the next boot", self.ctl("create", "x", "1", f"{RT}=7"))
        self.assertIn("until the next boot", self.ctl("verify", "x"))
        self.assertNotIn("no CPU runs governor schedutil", self.ctl("show", "x"))

    def test_no_effect_without_schedutil(self):  # F62
        for policy in (0, 2, 4, 6):
            self.machine.put(f"cpufreq/policy{policy}/scaling_governor", "performance")
        self.assertIn("no CPU runs governor schedutil, so no effect is to be expected",
                      self.ctl("create", "x", "1", f"{RT}=7"))
        row = next(row for row in self.machine.json("options") if row["name"] == RT)
        self.assertEqual((row["supported"], row["unsupported"][0]["reason"]),
                         ([], "needs-governor"))
        self.machine.put("cpufreq/policy4/scaling_governor", "schedutil")
        row = next(row for row in self.machine.json("options") if row["name"] == RT)
        self.assertEqual([part["devices"] for part in row["supported"]], ["4-5"])

    def test_an_instance_between_others(self):
        """What a stronger one wants is put back to what a weaker one wants."""
        self.ctl("create", "weak", "1", f"{MIN}=10", f"{MAX}=900")
        self.ctl("create", "strong", "2", f"{MIN}=20", f"{MAX}=800", "priority=-1")
        self.assertEqual(self.values()[:2], ("20", "800"))
        self.ctl("destroy", "strong")
        self.assertEqual(self.values()[:2], ("10", "900"))
        self.ctl("destroy", "weak")
        self.assertEqual(self.values(), self.clamps)


class WithoutClamps(Case):
    machine_name = "guest"

    def test_not_supported(self):
        self.assertIn("CONFIG_UCLAMP_TASK", self.ctl("create", "x", "1", f"{MIN}=5", status=3))


if __name__ == "__main__":
    harness.main()
