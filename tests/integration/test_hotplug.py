# SPDX-License-Identifier: GPL-2.0-or-later
"""CPUs that go offline and come back."""

import shutil
import time

import harness
from harness import Case, wait_for


class Hotplug(Case):
    def offline(self, cpu):
        self.machine.command(f"offline {cpu}")
        wait_for(lambda: str(cpu) not in self.online(), "the uevent to be seen")

    def online(self):
        return [cpu["device"][3:] for cpu in self.machine.json("cpus")["devices"] if cpu["online"]]

    def test_owner_and_values_come_back_without_a_call(self):  # F27
        self.ctl("create", "fast", "2-3", "governor=performance", "energy_perf_bias=0")
        self.offline(3)
        wait_for(lambda: self.machine.instance("fast", "State") == "pending", "pending")
        self.assertEqual(self.machine.instance("fast", "Devices"), "2-3")
        self.assertEqual({p[:3] for p in self.machine.instance("fast", "Problems")},
                         {("governor", "3", "pending"), ("energy_perf_bias", "3", "pending")})
        self.ctl("verify", "fast")
        self.ctl("set", "fast", "energy_perf_bias=1")
        self.machine.command("online 3")
        wait_for(lambda: self.machine.read("cpu3/power/energy_perf_bias") == "1", "the value")
        wait_for(lambda: self.machine.instance("fast", "State") == "active", "active")
        self.ctl("destroy", "fast")
        self.assert_unchanged()

    def test_values_lost_while_offline_are_repaired(self):
        self.ctl("create", "fast", "3", "governor=performance", "pm_qos_resume_latency_us=2")
        self.offline(3)
        self.machine.command("set cpu3/power/pm_qos_resume_latency_us 0")
        self.machine.command("online 3")
        wait_for(lambda: self.machine.read("cpu3/power/pm_qos_resume_latency_us") == "2", "it")

    def test_created_while_offline(self):  # F28
        self.offline(3)
        self.ctl("create", "fast", "2-3", "governor=performance", "energy_perf_bias=0")
        self.assertEqual(self.machine.instance("fast", "State"), "pending")
        self.assert_value("cpu2/power/energy_perf_bias", "0")
        self.machine.command("online 3")
        wait_for(lambda: self.machine.instance("fast", "State") == "active", "active")
        self.assert_value("cpu3/power/energy_perf_bias", "0")
        self.ctl("destroy", "fast")
        self.assert_unchanged()

    def test_destroyed_while_offline(self):
        self.ctl("create", "fast", "2-3", "governor=performance", "energy_perf_bias=0",
                 "pm_qos_resume_latency_us=2")
        self.offline(3)
        self.ctl("destroy", "fast")
        self.assert_value("cpu2/power/energy_perf_bias", "6")
        self.machine.command("online 3")
        wait_for(lambda: self.machine.read("cpu3/power/energy_perf_bias") == "6", "the baseline")
        wait_for(lambda: self.machine.read("cpufreq/policy3/scaling_governor") == "powersave",
                 "the governor")
        self.ctl("create", "fence", "9")  # after the task of the event
        self.ctl("destroy", "fence")
        self.assert_unchanged()

    def test_offline_without_a_word(self):
        """The event may come late: the call itself sees that the CPU is off."""
        self.ctl("create", "fast", "2", "governor=performance")
        self.machine.command("offline 3")
        self.ctl("move", "3", "fast")
        self.assertIn(self.machine.instance("fast", "State"), ("pending",))

    def test_busy_for_a_moment(self):
        """A policy whose CPU is just being switched answers EBUSY."""
        self.machine.faults("write cpufreq/policy3/scaling_governor EBUSY times 1")
        self.ctl("create", "fast", "3", "governor=performance")
        self.assertEqual(self.machine.instance("fast", "State"), "active")
        self.ctl("destroy", "fast")
        self.assert_unchanged()

    def test_offline_in_the_middle_of_a_call(self):
        self.machine.faults("delay cpufreq/policy2/scaling_governor 500")
        self.machine.connection.call(
            harness.BUS_NAME, harness.PATH, harness.MANAGER, "CreateInstance",
            harness.GLib.Variant("(sssa{sv})", ("cpu", "fast", "2-3", {
                "governor": harness.GLib.Variant("s", "performance")})),
            None, 0, -1, None, None)
        self.machine.connection.flush_sync()
        time.sleep(0.2)
        self.machine.command("offline 3")
        wait_for(lambda: self.machine.json("list") != [], "the call")
        self.assertEqual(self.machine.instance("fast", "State"), "pending")
        self.assert_value("cpufreq/policy2/scaling_governor", "performance")
        self.machine.faults()
        self.machine.command("online 3")
        wait_for(lambda: self.machine.instance("fast", "State") == "active", "active")
        self.assert_value("cpufreq/policy3/scaling_governor", "performance")
        self.ctl("destroy", "fast")
        self.assert_unchanged()

    def test_after_a_sleep(self):
        """All that was lost is put right, and nothing else is written."""
        self.ctl("create", "fast", "2-3", "governor=performance", "energy_perf_bias=0",
                 "max_perf_pct=80")
        self.machine.command("set cpu3/power/energy_perf_bias 6")
        self.machine.command("set intel_pstate/max_perf_pct 100")
        n_writes = len(self.machine.writes())
        self.machine.say_sleep(True)
        self.machine.say_sleep(False)
        wait_for(lambda: self.machine.read("cpu3/power/energy_perf_bias") == "0", "the value")
        wait_for(lambda: "slept; 2 value(s)" in self.machine.logged(), "the message")
        self.assertEqual(self.machine.property("RepairedValues"), 2)
        self.assertEqual({path for path, _, _ in self.machine.writes()[n_writes:]},
                         {"cpu3/power/energy_perf_bias", "intel_pstate/max_perf_pct"})
        self.ctl("destroy", "fast")
        self.assert_unchanged()

    def test_lists(self):  # F29
        self.machine.command("offline 5")
        wait_for(lambda: self.machine.property("OnlineDevices") == "0-4,6-31", "OnlineDevices")
        self.assertEqual(self.machine.property("FreeDevices"), "0-31")
        row = [r for r in self.machine.json("options") if r["name"] == "governor"][0]
        self.assertEqual([part["devices"] for part in row["supported"]], ["0-4,6-31"])
        self.assertEqual(row["unsupported"],
                         [{"devices": "5", "reason": "offline", "message": "offline"}])


class SharedPolicy(Case):
    machine_name = "acpi-pairs"

    def test_the_first_cpu_of_a_policy_offline(self):  # F25
        self.machine.command("offline 2")
        self.ctl("create", "fast", "2-3", "governor=performance")
        self.assert_value("cpufreq/policy2/scaling_governor", "performance")
        self.ctl("verify", "fast")
        self.ctl("destroy", "fast")
        self.machine.command("online 2")
        wait_for(lambda: self.machine.property("OnlineDevices") == "0-7", "OnlineDevices")
        self.assert_unchanged()


class Preference(Case):
    machine_name = "amd-epp-shmem"

    def test_a_preference_lost_while_offline(self):
        """amd_pstate has balance_power when the policy comes back."""
        preference = "cpufreq/policy{}/energy_performance_preference"
        self.ctl("create", "wish", "2", "energy_performance_preference=power")
        self.ctl("create", "other", "3", "governor=powersave")
        for cpu in (2, 3):
            self.machine.command(f"offline {cpu}")
            self.machine.command(f"online {cpu}")
        wait_for(lambda: self.machine.read(preference.format(2)) == "power", "the wish")
        wait_for(lambda: self.machine.read(preference.format(3)) == "balance_performance",
                 "what it was, since the governor is ours")
        self.ctl("destroy", "wish")
        self.ctl("destroy", "other")
        self.assert_unchanged()


class Modes(Case):
    """As in tests/vm/test_epp.py, where a real amd_pstate does it."""
    machine_name = "amd-epp"

    def test_a_call_that_finds_other_policies_has_all_set_again(self):
        """As after another driver's module is loaded, which nothing tells of."""
        self.ctl("create", "save", "1", "governor=powersave")
        self.ctl("create", "other", "3", "energy_performance_preference=power")
        policy = self.machine.sysfs / "cpufreq/policy0"
        shutil.copytree(policy, f"{policy}.new", symlinks=True)
        shutil.rmtree(policy)
        (self.machine.sysfs / "cpufreq/policy0.new").rename(policy)
        self.machine.command("set cpufreq/policy1/scaling_governor performance")
        self.ctl("set", "other", "energy_performance_preference=balance_power")
        wait_for(lambda: self.machine.read("cpufreq/policy1/scaling_governor") == "powersave",
                 "the value of the instance that was not called for")
        self.ctl("destroy", "save")
        self.assert_value("cpufreq/policy1/scaling_governor", "performance")

    def test_values_are_set_again(self):
        governor = "cpufreq/policy1/scaling_governor"
        self.ctl("create", "save", "1-2", "governor=powersave", "scaling_max_freq=50%",
                 "energy_performance_preference=power", "best_effort=true")
        limit = self.machine.read("cpufreq/policy1/scaling_max_freq")
        for mode, state in (("passive", "degraded"), ("guided", "degraded"), ("active", "active")):
            self.machine.put("amd_pstate/status", mode)
            wait_for(lambda: self.machine.read(governor) == "powersave"
                     and self.machine.read("cpufreq/policy1/scaling_max_freq") == limit, mode)
            wait_for(lambda: self.machine.instance("save", "State") == state, state)
        self.assert_value("cpufreq/policy1/energy_performance_preference", "power")
        self.ctl("destroy", "save")
        self.assert_value(governor, "performance")  # what active starts with
        self.assert_value("cpufreq/policy1/scaling_max_freq", "4500000")


if __name__ == "__main__":
    harness.main()
