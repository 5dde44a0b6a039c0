# SPDX-License-Identifier: GPL-2.0-or-later
"""energy_performance_preference on a real amd_pstate, and its modes."""

import guest
import harness

EPP = "energy_performance_preference"
MODE = "amd_pstate/status"


class Preference(guest.Case):
    def preference(self, cpu):
        return self.machine.read(f"cpufreq/policy{cpu}/{EPP}")

    def set_by_hand(self, cpu, governor, preference=None):
        self.assertIsNone(guest.write(f"cpufreq/policy{cpu}/scaling_governor", governor))
        if preference is not None:
            self.assertIsNone(guest.write(f"cpufreq/policy{cpu}/{EPP}", preference))

    def setUp(self):
        super().setUp()
        for cpu in range(4):
            self.set_by_hand(cpu, "powersave", "balance_power")
        self.before = self.machine.snapshot()

    def test_words(self):
        self.ctl("create", "one", "1")
        for word in ("power", "performance", "balance_performance", "balance_power"):
            self.ctl("set", "one", f"{EPP}={word}")
            self.assertEqual(self.preference(1), word)
            self.assertEqual(self.preference(2), "balance_power")
        self.ctl("set", "one", f"{EPP}=default")
        self.assertNotEqual(self.preference(1), "default")  # what it is reads back
        self.assertEqual(self.machine.instance("one", "State"), "active")
        self.assertIn("balance_power", self.ctl("set", "one", f"{EPP}=nonesuch", status=1))
        self.assertIn("EINVAL", self.ctl("set", "one", f"{EPP}=128", status=1))
        self.ctl("destroy", "one")
        self.assert_unchanged()

    def test_the_governor_takes_the_preference_along(self):
        """The kernel does not bring it back; retune does."""
        self.ctl("create", "fast", "1", "governor=performance")
        self.assertEqual(self.preference(1), "performance")
        self.ctl("set", "fast", "governor=powersave")
        self.assertEqual(self.preference(1), "balance_power")
        self.ctl("set", "fast", "governor=performance")
        self.ctl("destroy", "fast")
        self.assertEqual(self.preference(1), "balance_power")
        self.assert_unchanged()

    def test_between_two_instances(self):
        self.ctl("create", "fast", "1-2", "governor=performance")
        self.ctl("create", "save", "3", "governor=powersave", f"{EPP}=power")
        self.ctl("move", "2", "save")
        self.assertEqual(self.preference(2), "power")
        self.ctl("move", "2", "fast")
        self.assertEqual(self.preference(2), "performance")
        self.ctl("destroy", "fast")
        self.ctl("destroy", "save")
        self.assert_unchanged()

    def test_contradiction(self):
        message = self.ctl("create", "fast", "1", "governor=performance", f"{EPP}=power", status=1)
        self.assertIn("contradicts", message)
        self.assert_unchanged()

    def test_busy(self):
        """The kernel's EBUSY arrives, says why, and nothing is half done."""
        self.set_by_hand(1, "performance")
        before = self.machine.snapshot()
        message = self.ctl("create", "one", "1-2", "pm_qos_resume_latency_us=5", f"{EPP}=power",
                           status=1)
        for word in ("EBUSY", f"policy1/{EPP}", "governor is 'performance'"):
            self.assertIn(word, message)
        self.assertEqual(self.machine.snapshot(), before)

    def test_best_effort(self):
        self.set_by_hand(1, "performance")
        before = self.machine.snapshot()
        self.ctl("create", "one", "1-2", f"{EPP}=power", "best_effort=true")
        self.assertEqual(self.preference(2), "power")
        self.assertEqual(self.machine.instance("one", "State"), "degraded")
        self.assertEqual([problem[:3] for problem in self.machine.instance("one", "Problems")],
                         [(EPP, "1", "refused")])
        self.ctl("destroy", "one")
        self.assertEqual(self.machine.snapshot(), before)


class Modes(guest.Case):
    def tearDown(self):
        guest.write(MODE, "active")
        super().tearDown()

    def switch(self, mode):
        self.assertIsNone(guest.write(MODE, mode))
        self.assert_value(MODE, mode)

    def supported(self, option):
        """The CPUs that have it."""
        return ",".join(part["devices"] for row in self.machine.json("options")
                        if row["name"] == option for part in row["supported"])

    def governor(self, cpu):
        return self.machine.read(f"cpufreq/policy{cpu}/scaling_governor")

    def test_options_follow_the_mode(self):
        self.assertEqual(self.supported(EPP), "0-3")
        for mode in ("passive", "guided"):
            self.switch(mode)
            self.assertEqual(self.supported(EPP), "")
            self.ctl("create", "one", "1", "governor=ondemand", "scaling_max_freq=60%")
            self.assertEqual(self.governor(1), "ondemand")
            self.assertIn("active mode", self.ctl("set", "one", f"{EPP}=power", status=3))
            self.ctl("destroy", "one")
        self.switch("disable")
        self.assertEqual(self.supported("governor"), "")
        self.ctl("create", "one", "1", "governor=powersave", status=3)
        self.switch("active")
        self.assertEqual(self.supported(EPP), "0-3")
        self.ctl("create", "one", "1", "governor=powersave", f"{EPP}=power")
        self.assert_value(f"cpufreq/policy1/{EPP}", "power")
        self.ctl("destroy", "one")

    def test_values_are_put_back_after_a_switch(self):
        """The kernel forgets all limits and governors; the owner's come back."""
        self.ctl("create", "save", "1-2", "governor=powersave", "scaling_max_freq=60%")
        limit = self.machine.read("cpufreq/policy1/scaling_max_freq")
        for mode in ("passive", "guided", "passive", "active"):
            self.switch(mode)
            harness.wait_for(lambda: self.governor(1) == "powersave"
                             and self.machine.read("cpufreq/policy1/scaling_max_freq") == limit,
                             f"the values in mode {mode}")
            harness.wait_for(lambda: self.machine.instance("save", "State") == "active", "active")
        self.ctl("destroy", "save")
        self.assertEqual(self.governor(1), "performance")

    def test_what_a_mode_lacks_is_a_problem(self):
        self.ctl("create", "save", "1-2", "governor=powersave", f"{EPP}=power")
        self.switch("passive")
        harness.wait_for(lambda: self.machine.instance("save", "State") == "degraded", "degraded")
        self.assertEqual([problem[:3] for problem in self.machine.instance("save", "Problems")],
                         [(EPP, "1-2", "unsupported")])
        self.assertEqual(self.governor(1), "powersave")
        self.switch("active")
        harness.wait_for(lambda: self.machine.instance("save", "State") == "active", "active")
        self.assert_value(f"cpufreq/policy1/{EPP}", "power")
        self.ctl("destroy", "save")

    def test_destroyed_in_another_mode(self):
        self.ctl("create", "save", "1-2", "governor=powersave", f"{EPP}=power",
                 "pm_qos_resume_latency_us=7")
        self.switch("passive")
        self.ctl("destroy", "save")
        self.assert_value("cpu1/power/pm_qos_resume_latency_us", "0")
        self.assertEqual(self.machine.stop(), 0)


if __name__ == "__main__":
    harness.main()
