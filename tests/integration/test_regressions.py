# SPDX-License-Identifier: GPL-2.0-or-later
"""Situations in which retune was once wrong."""

import harness
from harness import Case, wait_for


class AmdEpp(Case):
    machine_name = "amd-epp"

    def test_preference_of_a_cpu_that_was_offline_at_first_comes_back(self):
        self.machine.command("offline 3")
        self.ctl("create", "a", "3", "governor=performance")
        self.machine.command("online 3")
        wait_for(lambda: self.machine.read("cpufreq/policy3/scaling_governor") == "performance",
                 "the governor")
        self.ctl("destroy", "a")
        self.assert_unchanged()

    def test_preference_that_was_pinned_before_is_no_baseline(self):
        self.machine.command("set cpufreq/policy1/scaling_governor performance")
        self.machine.command("set cpufreq/policy1/energy_performance_preference performance")
        self.ctl("create", "a", "1", "governor=powersave")
        self.ctl("set", "a", "pm_qos_resume_latency_us=9")
        self.assertEqual([path for path, _, _ in self.machine.writes()
                          if path.endswith("preference")], [])

    def test_boost_wished_for_twice_is_agreed(self):
        self.ctl("create", "a", "1", "boost=1", "exclusive=true")
        self.ctl("create", "b", "2", "boost=1")
        self.assertEqual([row["outcome"] for row in self.machine.json("verify", "b")],
                         ["applied"])
        self.assertEqual(self.machine.instance("b", "Problems"), [])

    def test_a_contradiction_of_an_heir_does_not_fail_the_call(self):
        self.ctl("create", "b", "0", "priority=-1")
        self.ctl("create", "a", "0", "governor=performance", "energy_performance_preference=power")
        self.ctl("destroy", "b")
        self.assertEqual(self.machine.instance("a", "Devices"), "0")
        self.assertEqual([p[0] for p in self.machine.instance("a", "Problems")],
                         ["energy_performance_preference"])
        self.ctl("destroy", "a")
        self.assert_unchanged()

    def test_errors_name_the_cpus_asked_for(self):
        self.machine.faults("read cpufreq/policy5/scaling_governor ENOENT")
        self.assertIn("not supported on CPU 5", self.ctl("create", "a", "4-5",
                                                         "governor=powersave", status=3))


class AcpiPairs(Case):
    machine_name = "acpi-pairs"

    def test_a_policy_whose_cpus_return_one_by_one(self):
        self.machine.command("offline 2")
        self.machine.command("offline 3")
        self.ctl("create", "a", "2-3", "governor=powersave")
        self.machine.command("online 2")
        wait_for(lambda: self.machine.property("OnlineDevices") == "0-2,4-7", "CPU 2")
        self.ctl("verify", "a")
        self.machine.command("online 3")
        wait_for(lambda: self.machine.instance("a", "State") == "active", "active")
        self.ctl("verify", "a")
        self.ctl("destroy", "a")
        self.assert_unchanged()

    def test_a_maximum_that_bends_the_minimum_is_no_drift(self):
        self.ctl("create", "a", "2", "scaling_min_freq=1800000")
        self.ctl("create", "b", "3", "scaling_max_freq=1200000")
        self.assertEqual([row["outcome"] for row in self.machine.json("verify", "a")],
                         ["ineffective"])
        self.ctl("destroy", "b")
        self.assert_value("cpufreq/policy2/scaling_min_freq", "1800000")
        self.ctl("verify", "a")
        self.ctl("destroy", "a")
        self.assert_unchanged()
        self.assertNotIn("somebody else", self.machine.logged())


class Intel(Case):
    def test_the_minimum_bent_by_a_maximum_is_no_baseline(self):
        self.machine.command("set cpufreq/policy4/scaling_min_freq 1500000")
        self.before = self.machine.snapshot()
        self.ctl("create", "a", "4", "scaling_max_freq=1.2GHz")
        self.ctl("set", "a", "scaling_min_freq=1GHz")
        self.ctl("set", "a", "scaling_min_freq=")
        self.ctl("destroy", "a")
        self.assert_unchanged()

    def test_a_bound_that_does_not_apply_leaves_that_of_others(self):
        self.ctl("create", "b", "1", "force_latency=100")
        self.ctl("create", "a", "0", "force_latency=>10")
        self.assertEqual(self.machine.latency(), 100)

    def test_a_cpu_that_was_off_for_a_moment(self):
        """Off and on again while a call is under way: no list shows that, only the events."""
        self.ctl("create", "a", "3-4", "energy_perf_bias=1")
        self.machine.faults("delay cpu4/power/energy_perf_bias 1500")
        self.machine.connection.call(
            harness.BUS_NAME, harness.PATH, harness.MANAGER, "SetOptions",
            harness.GLib.Variant("(sa{sv})",
                                 ("a", {"energy_perf_bias": harness.GLib.Variant("i", 2)})),
            None, 0, -1, None, None)
        wait_for(lambda: self.machine.read("cpu3/power/energy_perf_bias") == "2", "the first write")
        self.machine.command("offline 3")
        self.machine.command("online 3")
        self.machine.command("set cpu3/power/energy_perf_bias 6")
        wait_for(lambda: self.machine.read("cpu3/power/energy_perf_bias") == "2", "the repair")

    def test_a_reply_that_cannot_be_read_back(self):
        self.machine.faults("read cpu3/power/energy_perf_bias EIO skip 1",
                            "write cpu4/power/energy_perf_bias EIO")
        self.ctl("create", "a", "3-4", "energy_perf_bias=7", status=1)
        self.assert_unchanged()

    def test_bytes_are_numbers_too(self):
        self.machine.call("CreateInstance", "(sssa{sv})", "cpu", "a", "1",
                          {"energy_perf_bias": harness.GLib.Variant("y", 5)})
        self.assert_value("cpu1/power/energy_perf_bias", "5")


class Guest(Case):
    machine_name = "guest"

    def test_problems_go_with_their_instance(self):
        self.ctl("create", "a", "1", "governor=performance", "best_effort=1")
        self.ctl("destroy", "a")
        self.ctl("create", "a", "1")
        self.assertEqual(self.machine.instance("a", "Problems"), [])


if __name__ == "__main__":
    harness.main()
