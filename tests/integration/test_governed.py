# SPDX-License-Identifier: GPL-2.0-or-later
"""What exists only while a governor runs: its tunables, and the speed of userspace."""

import signal

import harness
from harness import Case

UP = "cpufreq/ondemand/up_threshold"
RATE = "cpufreq/schedutil/rate_limit_us"


class Common(Case):
    machine_name = "acpi-pairs"

    def written(self, since=0):
        return [f"{path} {value}" for path, value, result in self.machine.writes()[since:]
                if result == "ok"]

    def governors(self, governor, policies=(0, 2, 4, 6)):
        """An admin gives policies a governor."""
        for policy in policies:
            self.machine.put(f"cpufreq/policy{policy}/scaling_governor", governor)


class System(Common):
    """The kernel keeps one of each tunable, for all policies of a governor."""

    def test_written_after_the_governor(self):
        self.ctl("create", "a", "2", "governor=ondemand", "governor.up_threshold=60",
                 "sampling_down_factor=3")
        self.assertEqual(self.written(), ["cpufreq/policy2/scaling_governor ondemand", UP + " 60",
                                          "cpufreq/ondemand/sampling_down_factor 3"])
        self.ctl("verify", "a")
        self.ctl("destroy", "a")
        self.assert_unchanged()

    def test_needs_its_governor(self):
        message = self.ctl("create", "a", "2", "governor.up_threshold=60", status=3)
        self.assertIn("needs governor conservative or ondemand, and 'schedutil' will run", message)
        message = self.ctl("create", "a", "2", "governor=performance", "scaling_setspeed=max",
                           status=3)
        self.assertIn("needs governor userspace, and 'performance' will run", message)
        self.ctl("create", "a", "2", "governor=ondemand", "governor.up_threshold=60")
        self.assertIn("not supported", self.ctl("set", "a", "governor=schedutil", status=3))
        self.assert_value(UP, "60")
        self.ctl("set", "a", "governor=schedutil", "governor.up_threshold=")
        self.ctl("destroy", "a")
        self.assert_unchanged()

    def test_a_tunable_of_a_governor_that_runs_already(self):
        self.machine.put(RATE, "777")
        self.before = self.machine.snapshot()
        self.ctl("create", "a", "2", "governor.rate_limit_us=5000")
        self.assert_value(RATE, "5000")
        self.ctl("destroy", "a")
        self.assert_unchanged()

    def test_tunables_come_back_with_their_governor(self):
        """The kernel forgets them when the last policy leaves."""
        self.governors("ondemand")
        self.machine.put(UP, "71")
        self.machine.put("cpufreq/ondemand/io_is_busy", "1")
        self.before = self.machine.snapshot()
        self.ctl("create", "a", "all", "governor=performance")
        self.assertFalse((self.machine.sysfs / "cpufreq/ondemand").exists())
        self.ctl("create", "b", "5", "governor=powersave", "pm_qos_resume_latency_us=9")
        self.ctl("destroy", "b")
        self.ctl("set", "a", "governor=powersave")
        self.ctl("destroy", "a")
        self.assert_unchanged()

    def test_they_come_back_after_a_crash_too(self):
        self.governors("ondemand")
        self.machine.put(UP, "71")
        self.before = self.machine.snapshot()
        self.ctl("create", "a", "all", "governor=performance")
        self.machine.stop(signal.SIGKILL)
        self.machine.start_again()
        self.ctl("destroy", "a")
        self.assert_unchanged()

    def test_they_come_back_when_a_call_is_undone(self):
        self.governors("ondemand")
        self.machine.put(UP, "71")
        self.before = self.machine.snapshot()
        for position in range(30):
            self.machine.faults(f"write * EIO skip {position} times 1")
            result = self.machine.ctl("create", "a", "all", "governor=performance",
                                      "scaling_max_freq=60%", "pm_qos_resume_latency_us=3")
            self.machine.faults()
            if result.returncode == 0:
                break
            self.assert_unchanged()
        self.assertGreater(position, 8)
        self.ctl("destroy", "a")
        self.assert_unchanged()

    def test_they_come_back_one_policy_after_the_other(self):
        self.governors("ondemand")
        self.machine.put(UP, "71")
        self.before = self.machine.snapshot()
        self.ctl("create", "a", "all", "governor=performance")
        self.ctl("release", "0-5")
        self.assert_value(UP, "71")
        self.ctl("destroy", "a")
        self.assert_unchanged()

    def test_two_instances_and_one_tunable(self):
        self.ctl("create", "strong", "2", "governor=ondemand", "governor.up_threshold=60",
                 "priority=-1")
        self.ctl("create", "weak", "4", "governor=ondemand", "governor.up_threshold=70")
        self.assert_value(UP, "60")
        self.assertIn("'strong' decides here", self.ctl("show", "weak"))
        self.ctl("destroy", "strong")
        self.assert_value(UP, "70")
        self.ctl("destroy", "weak")
        self.assert_unchanged()

    def test_a_stronger_instance_takes_the_governor_away(self):
        self.ctl("create", "weak", "2", "governor=ondemand", "governor.up_threshold=60")
        self.ctl("create", "strong", "3", "governor=performance", "priority=-1")
        rows = {row["option"]: row["outcome"] for row in self.machine.json("verify", "weak")}
        self.assertEqual(rows, {"governor": "shadowed", "governor.up_threshold": "unsupported"})
        self.ctl("destroy", "strong")
        self.assert_value(UP, "60")
        self.ctl("verify", "weak")
        self.ctl("destroy", "weak")
        self.assert_unchanged()

    def test_a_pair_that_the_kernel_refuses(self):
        written = len(self.machine.writes())
        message = self.ctl("create", "a", "2", "governor=conservative", "governor.up_threshold=40",
                           "governor.down_threshold=40", status=1)
        self.assertIn("governor.down_threshold 40 is not below governor.up_threshold 40", message)
        self.assertEqual(len(self.machine.writes()), written)
        self.ctl("create", "b", "4", "governor=conservative", "governor.up_threshold=15",
                 "governor.down_threshold=10")  # below what the governor starts with
        self.ctl("destroy", "b")
        self.assert_unchanged()
        for up, down in ((40, 20), (90, 80), (30, 10), (100, 99), (2, 1)):
            words = (f"governor.up_threshold={up}", f"governor.down_threshold={down}")
            if self.machine.ctl("show", "a").returncode != 0:
                self.ctl("create", "a", "2", "governor=conservative", *words)
            else:
                self.ctl("set", "a", *words)
            self.assert_value("cpufreq/conservative/up_threshold", str(up))
            self.assert_value("cpufreq/conservative/down_threshold", str(down))
        self.ctl("destroy", "a")
        self.assert_unchanged()

    def test_a_low_pair_comes_back(self):
        self.governors("conservative")
        self.machine.put("cpufreq/conservative/down_threshold", "10")
        self.machine.put("cpufreq/conservative/up_threshold", "15")
        self.before = self.machine.snapshot()
        self.ctl("create", "a", "all", "governor=performance")
        self.ctl("destroy", "a")
        self.assert_unchanged()
        self.ctl("create", "a", "all", "governor=performance")
        self.machine.stop()
        self.assert_unchanged()

    def test_an_instance_that_goes_while_the_policy_is_offline(self):
        self.governors("performance", (0, 4, 6))
        self.machine.put(RATE, "12345")
        self.before = self.machine.snapshot()
        self.ctl("create", "a", "2-3", "governor=powersave")
        for cpu in (2, 3):
            self.machine.command(f"offline {cpu}")
        self.ctl("destroy", "a")
        for cpu in (2, 3):
            self.machine.command(f"online {cpu}")
        harness.wait_for(lambda: (self.machine.sysfs / RATE).exists() and
                         self.machine.read(RATE) == "12345", "the tunable")
        harness.wait_for(lambda: self.machine.property("OnlineDevices") == "0-7", "the CPUs")
        self.assert_unchanged()

    def test_a_tunable_changed_by_hand_meanwhile_is_told(self):
        self.machine.put(RATE, "111")
        self.ctl("create", "a", "2", "governor=performance")
        self.machine.put(RATE, "222")
        self.ctl("destroy", "a")
        self.assertIn("governor.rate_limit_us of system was changed by somebody else from '111' to "
                      "'222'", self.machine.logged())
        self.assert_value(RATE, "222")  # it was never ours

    def test_calls_that_are_not_about_a_policy_do_not_fail_for_it(self):
        self.governors("ondemand")
        self.ctl("create", "a", "0-3", "governor.up_threshold=50")
        self.governors("schedutil", (0,))
        self.ctl("move", "4-5", "a")
        self.ctl("release", "2")

    def test_tunables_of_a_governor_that_was_wished_for_at_first(self):
        self.governors("ondemand")
        self.machine.put(UP, "80")
        self.before = self.machine.snapshot()
        self.ctl("create", "a", "all", "governor=ondemand")
        self.ctl("set", "a", "governor=performance")
        self.ctl("destroy", "a")
        self.assert_unchanged()

    def test_thresholds_of_another_governor_are_no_contradiction(self):
        self.governors("conservative", (0,))
        self.governors("ondemand", (2,))
        self.ctl("create", "a", "2", "governor.up_threshold=15")
        self.assert_value(UP, "15")

    def test_an_unused_switch_does_not_keep_tunables(self):
        self.governors("ondemand")
        self.ctl("create", "a", "2", "online=1", "governor.up_threshold=50")
        self.ctl("destroy", "a")
        self.machine.put(UP, "60")
        self.ctl("create", "b", "5", "pm_qos_resume_latency_us=5")
        self.assert_value(UP, "60")

    def test_an_alternative_that_the_kernel_must_load(self):
        one = harness.Machine("acpi-one")
        try:
            one.call("CreateInstance", "(sssa{sv})", "cpu", "a", "all", {
                key: harness.GLib.Variant("s", value) for key, value in
                {"governor": "bogus|ondemand", "governor.up_threshold": "50"}.items()})
            self.assertEqual(one.read(UP), "50")
            one.stop()
        finally:
            one.close()

    def test_verify_says_each_cpu_once(self):
        self.governors("ondemand", (2,))
        self.ctl("create", "a", "0-3", "governor.up_threshold=50", "best_effort=1")
        self.assertEqual([(row["devices"], row["outcome"]) for row in
                          self.machine.json("verify", "a")],
                         [("0-1", "unsupported"), ("2-3", "applied")])

    def test_speed_under_userspace(self):
        speed = "cpufreq/policy2/scaling_setspeed"
        for value, khz in (("2GHz", "2400000"), ("min", "800000"), ("max", "3000000")):
            self.ctl("create", "a", "2-3", "governor=userspace", f"scaling_setspeed={value}")
            self.assert_value(speed, khz)
            self.ctl("verify", "a")
            self.ctl("destroy", "a")
            self.assert_unchanged()
        self.ctl("create", "a", "2", "governor=userspace", "scaling_setspeed=max",
                 "scaling_max_freq=1.8GHz")
        self.assertEqual({row["option"]: row["outcome"] for row in self.machine.json("verify", "a")},
                         {"governor": "applied", "scaling_max_freq": "applied",
                          "scaling_setspeed": "ineffective"})
        self.ctl("set", "a", "scaling_max_freq=", "scaling_setspeed=min",
                 "scaling_min_freq=1.8GHz")
        self.assertEqual({row["option"]: row["outcome"] for row in self.machine.json("verify", "a")},
                         {"governor": "applied", "scaling_min_freq": "applied",
                          "scaling_setspeed": "ineffective"})
        self.ctl("destroy", "a")
        self.assert_unchanged()

    def test_the_speed_comes_back_with_userspace(self):
        self.governors("userspace", (2,))
        self.machine.put("cpufreq/policy2/scaling_setspeed", "1800000")
        self.before = self.machine.snapshot()
        self.ctl("create", "a", "2", "governor=performance")
        self.ctl("destroy", "a")
        self.assert_unchanged()

    def test_two_names_for_one_tunable(self):
        self.assertIn("give one of them", self.ctl(
            "create", "a", "2", "governor=ondemand", "governor.sampling_down_factor=2",
            "sampling_down_factor=2", status=1))

    def test_a_name_of_no_governor(self):
        self.assertIn("did you mean 'governor.up_threshold'?", self.ctl(
            "create", "a", "2", "governor.up_treshold=2", status=1))


class Policy(Common):
    """The kernel keeps tunables for each policy."""

    machine_name = "biglittle"

    def test_each_policy_has_its_own(self):
        self.ctl("create", "little", "0-3", "governor=ondemand", "governor.up_threshold=60")
        self.ctl("create", "big", "4-7", "governor=ondemand", "governor.up_threshold=70")
        self.assert_value("cpufreq/policy0/ondemand/up_threshold", "60")
        self.assert_value("cpufreq/policy4/ondemand/up_threshold", "70")
        self.assertEqual([(row["devices"], row["outcome"]) for row in
                          self.machine.json("verify", "big")], [("4-7", "applied")] * 2)
        self.ctl("destroy", "little")
        self.assert_value("cpufreq/policy4/ondemand/up_threshold", "70")
        self.ctl("destroy", "big")
        self.assert_unchanged()

    def test_where_they_are_is_learnt_when_nothing_shows_it(self):
        self.governors("performance", (0, 4))
        self.before = self.machine.snapshot()
        self.ctl("create", "a", "all", "governor=ondemand", "governor.up_threshold=60")
        for policy in (0, 4):
            self.assert_value(f"cpufreq/policy{policy}/ondemand/up_threshold", "60")
        self.ctl("destroy", "a")
        self.assert_unchanged()

    def test_tunables_come_back_with_their_governor(self):
        self.machine.put("cpufreq/policy4/schedutil/rate_limit_us", "123")
        self.before = self.machine.snapshot()
        self.ctl("create", "a", "4", "governor=performance")
        self.ctl("create", "b", "6", "governor=powersave")
        self.ctl("destroy", "a")
        self.ctl("destroy", "b")
        self.assert_unchanged()


if __name__ == "__main__":
    harness.main()
