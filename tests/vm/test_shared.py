# SPDX-License-Identifier: GPL-2.0-or-later
"""Policies of two CPUs: {0,1}, {2,3}, and freqdomains that are not policies."""

import guest
import harness


class Shared(guest.Case):
    def tearDown(self):
        guest.online((2, 3), True)
        super().tearDown()

    def governor(self, cpu):
        return self.machine.cpupower_governor(cpu)

    def test_two_instances_in_one_policy(self):
        self.ctl("create", "fast", "2", "governor=performance", "priority=-1")
        self.ctl("create", "save", "3", "governor=powersave")
        self.assertEqual((self.governor(2), self.governor(3)), ("performance", "performance"))
        show = self.machine.json("show", "save")
        self.assertEqual([(row["option"], row["outcome"]) for row in show["Values"]],
                         [("governor", "shadowed")])
        self.ctl("destroy", "fast")
        self.assertEqual((self.governor(2), self.governor(3)), ("powersave", "powersave"))
        self.ctl("destroy", "save")
        self.assert_unchanged()

    def test_limits_of_one_policy(self):
        self.ctl("create", "low", "0", "scaling_max_freq=1.8GHz", "priority=-1")
        self.ctl("create", "high", "1", "scaling_max_freq=max", "scaling_min_freq=1.2GHz")
        self.assert_value("cpufreq/policy0/scaling_max_freq", "1800000")
        self.assert_value("cpufreq/policy0/scaling_min_freq", "1200000")
        self.ctl("move", "0", "high")
        self.assert_value("cpufreq/policy0/scaling_max_freq", "3000000")
        self.ctl("destroy", "high")
        self.assert_value("cpufreq/policy0/scaling_max_freq", "1800000")
        self.ctl("destroy", "low")
        self.assert_unchanged()

    def test_the_first_cpu_offline(self):
        guest.online((2,), False)
        self.ctl("create", "fast", "2-3", "governor=performance", "pm_qos_resume_latency_us=3")
        self.assertEqual(self.governor(3), "performance")
        self.assertEqual(self.machine.instance("fast", "State"), "pending")
        guest.online((2,), True)
        harness.wait_for(lambda: self.machine.instance("fast", "State") == "active", "active")
        self.assertEqual(self.governor(2), "performance")
        self.assert_value("cpu2/power/pm_qos_resume_latency_us", "3")
        self.ctl("destroy", "fast")
        self.assert_unchanged()

    def test_destroyed_while_all_are_offline(self):
        self.ctl("create", "fast", "2-3", "governor=performance", "scaling_min_freq=1.8GHz")
        guest.online((2, 3), False)
        self.ctl("destroy", "fast")
        guest.online((3,), True)
        harness.wait_for(lambda: self.governor(3) == "schedutil", "the baseline")
        harness.wait_for(lambda: self.machine.read("cpu3/cpufreq/scaling_min_freq") == "800000",
                         "the limit")
        guest.online((2,), True)
        self.ctl("create", "fence", "7")
        self.ctl("destroy", "fence")
        self.assert_unchanged()

    def test_hardware_coordination_is_no_policy(self):
        """CPUs 4 and 5 share a frequency in hardware, but have a policy each."""
        self.ctl("create", "fast", "4", "governor=performance")
        self.assertEqual((self.governor(4), self.governor(5)), ("performance", "schedutil"))
        self.ctl("destroy", "fast")
        self.assert_unchanged()


if __name__ == "__main__":
    harness.main()
