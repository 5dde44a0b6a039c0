# SPDX-License-Identifier: GPL-2.0-or-later
"""Places that several instances wish for: policies, the system, owners of CPUs."""

import harness
from harness import Case

GOVERNOR = "cpufreq/policy2/scaling_governor"


class Policies(Case):
    machine_name = "acpi-pairs"

    def outcomes(self, name):
        return {(row["option"], row["outcome"]) for row in self.machine.json("verify", name)}

    def test_priority_decides_whatever_the_order(self):
        self.ctl("create", "weak", "2", "governor=powersave", "priority=5")
        self.ctl("create", "strong", "3", "governor=performance", "priority=1")
        self.assert_value(GOVERNOR, "performance")
        self.assertEqual(self.outcomes("weak"), {("governor", "shadowed")})
        self.assertEqual(self.outcomes("strong"), {("governor", "applied")})
        self.assertEqual(self.machine.instance("weak", "State"), "active")
        self.assertIn("instance 'strong' decides here", self.ctl("show", "weak"))
        self.ctl("destroy", "strong")
        self.assert_value(GOVERNOR, "powersave")
        self.ctl("destroy", "weak")
        self.assert_unchanged()

    def test_age_decides_at_equal_priority(self):
        self.ctl("create", "old", "2", "governor=powersave")
        self.ctl("create", "young", "3", "governor=performance")
        self.assert_value(GOVERNOR, "powersave")
        self.ctl("set", "young", "priority=-1")
        self.assert_value(GOVERNOR, "performance")
        self.ctl("destroy", "old")
        self.assert_value(GOVERNOR, "performance")
        self.ctl("destroy", "young")
        self.assert_unchanged()

    def test_exclusive_makes_it_an_error(self):  # F24
        self.ctl("create", "one", "2", "governor=powersave")
        message = self.ctl("create", "two", "3", "governor=performance", "exclusive=true", status=1)
        self.assertIn("governor of policy2 is wished for by 'one' and by 'two'", message)
        self.ctl("create", "two", "3", "pm_qos_resume_latency_us=3", "exclusive=true")

    def test_members_that_leave_together(self):
        self.ctl("create", "both", "2-3", "governor=powersave", "scaling_max_freq=50%")
        self.ctl("release", "2")
        self.assert_value(GOVERNOR, "powersave")
        self.ctl("release", "3")
        self.assert_unchanged()


class System(Case):
    def test_latency_is_the_smallest(self):
        self.ctl("create", "a", "1", "force_latency=100", "priority=-5")
        self.ctl("create", "b", "2", "force_latency=20", "priority=5")
        self.assertEqual(self.machine.latency(), 20)
        self.assertIn("instance 'b' decides here", self.ctl("verify", "a"))
        self.ctl("destroy", "b")
        self.assertEqual(self.machine.latency(), 100)
        self.ctl("destroy", "a")
        self.assert_unchanged()

    def test_a_value_stays_while_another_instance_wants_it(self):
        self.ctl("create", "a", "1", "min_perf_pct=80")
        self.ctl("create", "b", "2", "min_perf_pct=80", "max_perf_pct=90")
        self.ctl("destroy", "a")
        self.assert_value("intel_pstate/min_perf_pct", "80")
        self.ctl("destroy", "b")
        self.assert_unchanged()

    def test_percentages_that_the_kernel_would_cut_for_good(self):
        self.ctl("create", "a", "1", "min_perf_pct=80")
        self.assertIn("the other is instance 'a'",
                      self.ctl("create", "b", "2", "max_perf_pct=50", status=1))
        self.ctl("destroy", "a")
        self.assertIn("min_perf_pct is, 25, and the kernel does not take that; give both",
                      self.ctl("create", "c", "3", "max_perf_pct=20", status=1))
        self.ctl("create", "b", "2", "min_perf_pct=40", "max_perf_pct=50")
        self.ctl("set", "b", "min_perf_pct=90", "max_perf_pct=95")
        self.assert_value("intel_pstate/min_perf_pct", "90")
        self.ctl("destroy", "b")
        self.assert_unchanged()

    def test_no_turbo_does_not_cut_the_minimum_for_good(self):
        self.machine.command("set intel_pstate/min_perf_pct 100")
        self.before = self.machine.snapshot()
        self.ctl("create", "a", "1", "no_turbo=1")
        self.assert_value("intel_pstate/min_perf_pct", "100")
        self.ctl("destroy", "a")
        self.assert_unchanged()
        self.ctl("create", "a", "1", "no_turbo=1", "min_perf_pct=90")
        self.ctl("verify", "a")
        self.ctl("destroy", "a")
        self.assert_unchanged()

    def test_a_second_instance_is_not_ignored(self):
        self.ctl("create", "a", "1", "no_turbo=1")
        self.ctl("create", "b", "2", "max_perf_pct=90")
        self.assert_value("intel_pstate/no_turbo", "1")
        self.assert_value("intel_pstate/max_perf_pct", "90")

    def test_it_holds_without_cpus(self):
        self.ctl("create", "a", "1", "max_perf_pct=90")
        self.ctl("create", "b", "2")
        self.ctl("move", "1", "b")
        self.assert_value("intel_pstate/max_perf_pct", "90")
        self.ctl("destroy", "a")
        self.assert_unchanged()


class Owners(Case):
    def devices(self):
        return {row["name"]: row["devices"] for row in self.machine.json("list")}

    def test_a_stronger_owner_keeps_its_cpus(self):
        self.ctl("create", "strong", "1-4", "priority=-1", "energy_perf_bias=3")
        output = self.ctl("create", "weak", "3-8", "energy_perf_bias=9")
        self.assertIn("CPU 5-8: from free", output)
        self.assertIn("CPU 3-4: stays with strong", output)
        self.assertEqual(self.machine.instance("weak", "Held"), [("3-4", "strong")])
        self.assert_value("cpu3/power/energy_perf_bias", "3")
        self.ctl("destroy", "strong")
        self.assertEqual(self.devices(), {"weak": "3-8"})
        self.assert_value("cpu3/power/energy_perf_bias", "9")
        self.assert_value("cpu1/power/energy_perf_bias", "6")
        self.ctl("destroy", "weak")
        self.assert_unchanged()

    def test_an_equal_owner_gives_them_up(self):  # F55
        self.ctl("create", "a", "1-4")
        self.assertIn("CPU 3-4: from a", self.ctl("create", "b", "3-6"))
        self.assertEqual(self.devices(), {"a": "1-2", "b": "3-6"})
        self.assertIn("CPU 3-4: to a", self.ctl("destroy", "b"))
        self.assertEqual(self.devices(), {"a": "1-4"})

    def test_an_exclusive_one_refuses_overlap(self):
        self.ctl("create", "a", "1-4", "exclusive=true")
        self.assertIn("'a' is exclusive", self.ctl("create", "b", "4-5", status=1))
        self.ctl("create", "b", "5")
        self.assertIn("'c' is exclusive", self.ctl("create", "c", "5-6", "exclusive=1", status=1))

    def test_a_destroy_does_not_fail_for_its_heir(self):
        self.ctl("create", "heir", "1-2", "energy_perf_bias=3")
        self.ctl("create", "owner", "2", "energy_perf_bias=9")
        self.machine.faults("write cpu2/power/energy_perf_bias EIO")
        self.ctl("destroy", "owner")
        self.assertEqual(self.devices(), {"heir": "1-2"})
        self.assertEqual([p[:3] for p in self.machine.instance("heir", "Problems")],
                         [("energy_perf_bias", "2", "refused")])
        self.machine.faults()
        self.ctl("destroy", "heir")
        self.assert_unchanged()

    def test_mixed_baselines_come_back_each(self):  # F08
        self.machine.command("set cpufreq/policy3/scaling_governor performance")
        self.machine.command("set cpufreq/policy3/energy_performance_preference performance")
        self.machine.command("set cpu4/power/energy_perf_bias 11")
        self.before = self.machine.snapshot()
        self.ctl("create", "a", "2-5", "governor=powersave", "energy_perf_bias=0")
        self.ctl("move", "2-5", "a")
        self.ctl("destroy", "a")
        self.assert_unchanged()


if __name__ == "__main__":
    harness.main()
