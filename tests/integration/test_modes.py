# SPDX-License-Identifier: GPL-2.0-or-later
"""Drivers that are switched to another mode while instances own their policies."""

import harness
from harness import Case, wait_for

GOVERNOR = "cpufreq/policy1/scaling_governor"
EPP = "cpufreq/policy1/energy_performance_preference"


class Modes(Case):
    status = "intel_pstate/status"

    def switch(self, mode):
        self.machine.put(self.status, mode)

    def support(self, option):
        """(CPUs with it, what is possible there), and the reasons why not elsewhere."""
        row = next(row for row in self.machine.json("options") if row["name"] == option)
        return ([(part["devices"], part["values"]) for part in row["supported"]],
                [(part["devices"], part["reason"]) for part in row["unsupported"]])

    def outcomes(self, name):
        return {row["option"]: row["outcome"] for row in self.machine.json("verify", name)}


class Intel(Modes):
    generic = "conservative ondemand userspace powersave performance schedutil"

    def test_what_is_possible_is_read_again(self):  # F12
        self.assertEqual(self.support("governor"), ([("0-31", "performance powersave")], []))
        self.assertEqual(self.support("governor.rate_limit_us")[1], [("0-31", "needs-governor")])
        self.switch("passive")
        self.assertEqual(self.support("governor"), ([("0-31", self.generic)], []))
        self.assertEqual(self.support("governor.rate_limit_us"), ([("0-31", "")], []))
        self.assertEqual(self.support("sched_util_clamp_min"), ([("0-31", "")], []))

    def test_values_are_set_again_in_the_new_mode(self):
        self.ctl("create", "a", "1", "scaling_max_freq=60%", "energy_perf_bias=3",
                 "governor=schedutil|powersave")
        self.switch("passive")
        wait_for(lambda: self.machine.read(GOVERNOR) == "schedutil", "the governor")
        wait_for(lambda: self.machine.read("cpufreq/policy1/scaling_max_freq") == "2740000", "max")
        self.assertEqual(set(self.outcomes("a").values()), {"applied"})
        before = self.machine.read("cpufreq/policy2/scaling_governor")
        self.ctl("destroy", "a")
        self.assert_value(GOVERNOR, before)
        self.assert_value("cpufreq/policy1/scaling_max_freq", "3900000")

    def test_performance_holds_the_preference_in_active_mode_only(self):
        self.assertIn("contradicts governor=performance", self.ctl(
            "create", "a", "1", "governor=performance", "energy_performance_preference=power",
            status=1))
        self.switch("passive")
        self.before = self.machine.snapshot()
        self.ctl("create", "a", "1", "governor=performance", "energy_performance_preference=power")
        self.assert_value(EPP, "power")
        self.ctl("destroy", "a")
        self.assert_unchanged()
        self.machine.put(GOVERNOR, "performance")
        self.before = self.machine.snapshot()
        self.ctl("create", "a", "1", "governor=powersave", "energy_performance_preference=power")
        self.ctl("destroy", "a")
        self.assert_unchanged()

    def test_what_the_new_mode_lacks_is_said_and_comes_back(self):
        self.switch("passive")
        self.ctl("create", "a", "1", "governor=userspace", "scaling_setspeed=2GHz",
                 "pm_qos_resume_latency_us=9")
        self.switch("active")
        wait_for(lambda: self.machine.instance("a", "State") == "degraded", "the problem")
        self.assertEqual(self.outcomes("a"), {"governor": "refused",
                                              "scaling_setspeed": "unsupported",
                                              "pm_qos_resume_latency_us": "applied"})
        self.switch("passive")
        wait_for(lambda: self.machine.instance("a", "State") == "active", "no problem")
        self.assert_value("cpufreq/policy1/scaling_setspeed", "2000000")


class NoHwp(Modes):
    machine_name = "cascadelake-nohwp"

    def test_no_driver_at_all(self):
        self.ctl("create", "a", "1", "governor=performance", "max_perf_pct=70",
                 "pm_qos_resume_latency_us=9")
        self.switch("off")
        wait_for(lambda: self.machine.instance("a", "State") == "degraded", "the problem")
        self.assertEqual(self.outcomes("a")["governor"], "unsupported")
        self.assertEqual(self.outcomes("a")["pm_qos_resume_latency_us"], "applied")
        self.assertEqual(self.support("governor"), ([], [("0-31", "absent")]))
        self.assertIn("no such file", self.ctl("create", "b", "2", "governor=performance",
                                               status=3))
        self.switch("passive")
        wait_for(lambda: self.machine.read(GOVERNOR) == "performance", "the governor")
        wait_for(lambda: self.machine.instance("a", "State") == "active", "no problem")
        self.ctl("destroy", "a")
        self.assert_value(GOVERNOR, "schedutil")


class Amd(Modes):
    machine_name = "amd-epp"
    status = "amd_pstate/status"

    def test_preference_goes_and_comes(self):
        self.ctl("create", "a", "1", "energy_performance_preference=power", "governor=powersave")
        self.switch("guided")
        wait_for(lambda: self.machine.instance("a", "State") == "degraded", "the problem")
        self.assertEqual(self.outcomes("a"), {"governor": "applied",
                                              "energy_performance_preference": "unsupported"})
        self.assertEqual(self.support("energy_performance_preference"),
                         ([], [("0-7", "absent")]))
        self.switch("active")
        wait_for(lambda: self.machine.instance("a", "State") == "active", "no problem")
        self.assert_value(EPP, "power")

    def test_no_driver_at_all(self):
        self.ctl("create", "a", "1", "boost=0", "scaling_max_freq=60%")
        self.switch("disable")
        wait_for(lambda: self.machine.instance("a", "State") == "degraded", "the problem")
        self.assertEqual(set(self.outcomes("a").values()), {"unsupported"})
        self.ctl("destroy", "a")


class Locked(Modes):
    machine_name = "turbo-locked"

    def test_turbo_locked_by_the_firmware(self):  # F16, F17
        self.assertEqual(self.support("no_turbo"), ([("0-31", "")], []))
        message = self.ctl("create", "a", "1", "no_turbo=0", status=3)
        self.assertIn("the firmware locks turbo off", message)
        self.assertIn("EPERM", message)
        self.assertEqual(self.support("no_turbo"), ([], [("0-31", "locked")]))
        self.ctl("create", "a", "1", "no_turbo=0", "max_perf_pct=60", "best_effort=1")
        self.assertEqual(self.outcomes("a"), {"max_perf_pct": "applied",
                                              "no_turbo": "unsupported"})
        written = len(self.machine.writes())
        self.ctl("create", "b", "2", "pm_qos_resume_latency_us=9")  # not tried with each call
        self.assertEqual(len(self.machine.writes()), written + 1)
        self.ctl("verify", "a", status=3)
        self.ctl("create", "c", "3", "no_turbo=1")


if __name__ == "__main__":
    harness.main()
