# SPDX-License-Identifier: GPL-2.0-or-later
"""CPUs that instances hold offline or switch on."""

import signal

import harness
from harness import Case, wait_for


class Switch(Case):
    machine_name = "acpi-pairs"

    def online(self):
        return self.machine.read("online")

    def test_held_offline_and_given_back(self):
        self.ctl("create", "a", "2-3,5", "online=0")
        self.assertEqual(self.online(), "0-1,4,6-7")
        self.assertEqual(self.machine.instance("a", "State"), "active")
        wait_for(lambda: self.machine.property("OnlineDevices") == "0-1,4,6-7", "the property")
        self.ctl("verify", "a")
        self.ctl("destroy", "a")
        self.assertEqual(self.online(), "0-7")
        self.assert_unchanged()

    def test_other_values_wait_and_are_set_before_the_call_returns(self):
        self.ctl("create", "a", "2-3", "online=0", "governor=performance",
                 "pm_qos_resume_latency_us=7", "cpuidle_max_state=C1")
        self.assertEqual(self.machine.instance("a", "State"), "pending")
        self.assertEqual({(row["option"], row["outcome"])
                          for row in self.machine.json("verify", "a")},
                         {("online", "applied"), ("governor", "pending"),
                          ("pm_qos_resume_latency_us", "pending"), ("cpuidle_max_state", "pending")})
        self.ctl("set", "a", "online=1")
        self.assert_value("cpu2/power/pm_qos_resume_latency_us", "7")
        self.assert_value("cpu3/cpuidle/state3/disable", "1")
        self.assert_value("cpufreq/policy2/scaling_governor", "performance")
        self.assertEqual(self.machine.instance("a", "State"), "active")
        self.ctl("destroy", "a")
        self.assert_unchanged()

    def test_values_from_before_come_back_with_the_cpu(self):
        self.ctl("create", "a", "2-3", "governor=performance", "pm_qos_resume_latency_us=7")
        self.ctl("set", "a", "online=0")
        self.ctl("destroy", "a")
        self.assert_unchanged()

    def test_they_do_when_the_daemon_stops_too(self):
        self.ctl("create", "a", "2-3", "governor=performance", "pm_qos_resume_latency_us=7")
        self.ctl("set", "a", "online=0")
        self.machine.stop()
        self.assert_unchanged()

    def test_a_cpu_that_was_offline_before(self):
        self.machine.command("offline 6")
        wait_for(lambda: self.machine.property("OnlineDevices") == "0-5,7", "CPU 6 to go")
        before = self.machine.snapshot()
        self.ctl("create", "a", "6", "online=1", "pm_qos_resume_latency_us=7")
        self.assertEqual(self.online(), "0-7")
        self.assert_value("cpu6/power/pm_qos_resume_latency_us", "7")
        self.ctl("destroy", "a")
        self.assertEqual(self.online(), "0-5,7")
        self.assertEqual(self.machine.read("cpu6/power/pm_qos_resume_latency_us"), "0")
        self.assertEqual(self.machine.snapshot(), before)

    def test_cpu0_cannot_and_says_so(self):  # F31
        message = self.ctl("create", "a", "0-3", "online=0", status=3)
        self.assertIn("online is not supported on CPU 0: it cannot be switched off", message)
        self.assertEqual(self.online(), "0-7")
        self.ctl("create", "a", "0-3", "online=0", "best_effort=1")
        self.assertEqual(self.online(), "0,4-7")
        self.assertEqual(self.machine.instance("a", "Problems")[0][:3],
                         ("online", "0", "unsupported"))
        self.ctl("set", "a", "online=1")
        self.assertEqual(self.machine.instance("a", "Problems"), [])

    def test_moved_to_one_that_wants_it_online(self):
        self.ctl("create", "off", "2-5", "online=0")
        self.ctl("create", "on", "7", "pm_qos_resume_latency_us=3")
        self.ctl("move", "4", "on")
        self.assertEqual(self.online(), "0-1,4,6-7")
        self.assert_value("cpu4/power/pm_qos_resume_latency_us", "3")
        self.ctl("release", "2")
        self.assertEqual(self.online(), "0-2,4,6-7")

    def test_a_foreign_switch_is_told_and_not_fought(self):
        self.ctl("create", "a", "5", "online=0", "energy_perf_bias=3", "best_effort=1",
                 "pm_qos_resume_latency_us=7")
        written = len(self.machine.writes())
        self.machine.put("cpu5/online", "1")
        wait_for(lambda: self.machine.instance("a", "State") == "degraded", "the remark")
        self.assertEqual(self.online(), "0-7")
        wait_for(lambda: self.machine.read("cpu5/power/pm_qos_resume_latency_us") == "7",
                 "the value of a CPU that is online")
        self.assertEqual(len(self.machine.writes()), written + 2)
        self.assertIn("drifted", [row["outcome"] for row in self.machine.json("verify", "a")])
        self.assertIn("online of cpu5 was changed by somebody else", self.machine.logged())
        self.ctl("reapply", "a")
        self.assertEqual(self.online(), "0-4,6-7")

    def test_a_crash_in_between(self):
        self.ctl("create", "a", "2,5", "online=0", "pm_qos_resume_latency_us=7")
        self.machine.stop(signal.SIGKILL)
        written = len(self.machine.writes())
        self.machine.start_again()
        self.assertEqual(self.online(), "0-1,3-4,6-7")
        self.assertEqual(len(self.machine.writes()), written)
        self.ctl("destroy", "a")
        self.assert_unchanged()

    def test_all_or_nothing(self):
        for position in range(12):
            self.machine.faults(f"write * EIO skip {position} times 1")
            result = self.machine.ctl("create", "a", "2-5", "online=0")
            self.machine.faults()
            if result.returncode == 0:
                break
            self.assertIn("EIO", result.stderr)
            self.assert_unchanged()
        self.assertEqual(position, 4)
        self.ctl("destroy", "a")
        self.assert_unchanged()


class LastCpu(Case):
    machine_name = "biglittle"  # where cpu0 can be switched off

    def test_on_comes_before_off(self):
        for cpu in range(1, 8):
            self.machine.command(f"offline {cpu}")
        wait_for(lambda: self.machine.property("OnlineDevices") == "0", "one CPU")
        with harness.tempfile.NamedTemporaryFile("w", suffix=".conf") as profile:
            profile.write("[a]\ntype=cpu\ndevices=0\nonline=0\n"
                          "[b]\ntype=cpu\ndevices=1\nonline=1\n")
            profile.flush()
            self.ctl("load", profile.name)
        self.assertEqual(self.machine.read("online"), "1")

    def test_one_must_stay(self):
        message = self.ctl("create", "a", "all", "online=0", status=3)
        self.assertIn("one must stay online", message)
        self.assert_unchanged()
        self.ctl("create", "a", "0-6", "online=0")
        self.assertIn("one must stay online", self.ctl("create", "b", "7", "online=0", status=3))
        self.assertEqual(self.machine.read("online"), "7")
        self.ctl("destroy", "a")
        self.assert_unchanged()


class Forgetful(Case):
    """What the kernel forgets while all CPUs of a policy are offline."""

    machine_name = "amd-epp-shmem"

    def test_the_preference(self):
        self.ctl("create", "a", "1-3", "online=0")
        self.ctl("create", "b", "5", "pm_qos_resume_latency_us=5")
        self.ctl("set", "a", "online=1")
        self.assert_value("cpufreq/policy2/energy_performance_preference", "balance_performance")
        self.ctl("set", "a", "online=0")
        self.machine.stop(signal.SIGKILL)
        self.machine.start_again()
        self.ctl("destroy", "b")
        self.ctl("destroy", "a")
        self.assert_unchanged()


class Tunables(Case):
    machine_name = "biglittle"

    def test_tunables_of_the_policy(self):
        self.machine.put("cpufreq/policy4/schedutil/rate_limit_us", "77")
        self.before = self.machine.snapshot()
        self.ctl("create", "a", "4-7", "online=0")
        self.ctl("destroy", "a")
        self.assert_unchanged()

    def test_tunables_of_the_system(self):
        pairs = harness.Machine("acpi-pairs")
        try:
            for policy in (0, 2, 4):
                pairs.put(f"cpufreq/policy{policy}/scaling_governor", "performance")
            pairs.put("cpufreq/schedutil/rate_limit_us", "77")
            before = pairs.snapshot()
            pairs.call("CreateInstance", "(sssa{sv})", "cpu", "a", "6-7",
                       {"online": harness.GLib.Variant("s", "0")})
            self.assertFalse((pairs.sysfs / "cpufreq/schedutil").exists())
            pairs.call("CreateInstance", "(sssa{sv})", "cpu", "b", "1", {})
            pairs.call("DestroyInstance", "(s)", "a")
            self.assertEqual(pairs.snapshot(), before)
            pairs.stop()
        finally:
            pairs.close()


if __name__ == "__main__":
    harness.main()
