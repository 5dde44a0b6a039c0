# SPDX-License-Identifier: GPL-2.0-or-later
"""What went wrong for users of other tools, and what retune does there. Reports that
have a test elsewhere name it there; here are the others about options."""

import tempfile
import threading

import harness
from harness import Case, GLib, wait_for

EPP = "cpufreq/policy{}/energy_performance_preference"
GOVERNOR = "cpufreq/policy{}/scaling_governor"


class Reports(Case):
    def outcomes(self, name):
        return {(row["option"], row["outcome"]): row["devices"]
                for row in self.machine.json("verify", name)}

    def refused(self, *words, status=1):
        """The call fails and writes nothing; returns the message."""
        written = len(self.machine.writes())
        message = self.ctl(*words, status=status)
        self.assertEqual(len(self.machine.writes()), written)
        return message


class Intel(Reports):
    def test_f01_a_contradiction_is_found_before_anything_is_written(self):
        message = self.refused("create", "a", "1-3", "governor=performance",
                               "energy_performance_preference=balance_performance")
        self.assertIn("contradicts governor=performance", message)

    def test_f02_one_refused_write_is_no_end(self):
        self.machine.put(GOVERNOR.format(1), "performance")
        self.ctl("create", "a", "1-3", "energy_performance_preference=power",
                 "pm_qos_resume_latency_us=5", "best_effort=1")
        self.assertEqual(self.outcomes("a"), {
            ("energy_performance_preference", "refused"): "1",
            ("energy_performance_preference", "applied"): "2-3",
            ("pm_qos_resume_latency_us", "applied"): "1-3"})
        self.assertEqual(self.machine.instance("a", "State"), "degraded")
        self.assertIn("EBUSY", str(self.machine.instance("a", "Problems")))

    def test_f04_what_was_asked_for_and_what_is_there(self):
        self.machine.faults("ignore " + EPP.format(1))
        self.ctl("create", "a", "1-2", "energy_performance_preference=power")
        row = next(row for row in self.machine.json("verify", "a") if row["devices"] == "1")
        self.assertEqual((row["wanted"], row["actual"], row["outcome"]),
                         ("power", "balance_performance", "ineffective"))

    def test_f05_the_text_from_before_comes_back(self):
        self.machine.put(EPP.format(1), "37")
        self.before = self.machine.snapshot()
        self.ctl("create", "a", "1-2", "energy_performance_preference=128")
        self.assert_value(EPP.format(1), "balance_performance")
        self.assertEqual(set(self.outcomes("a")), {("energy_performance_preference", "applied")})
        self.ctl("destroy", "a")
        self.assert_unchanged()

    def test_f06_a_wrong_word_names_the_right_ones(self):
        message = self.refused("create", "a", "1", "energy_performance_preference=powersave",
                               "pm_qos_resume_latency_us=5")
        self.assertIn("balance_performance, balance_power, power", message)

    def test_f09_nothing_else_is_put_in_the_place_of_what_was(self):
        self.ctl("create", "a", "1", "governor=performance")
        self.machine.faults("write " + GOVERNOR.format(1) + " EINVAL")
        self.machine.stop()
        self.assert_value(GOVERNOR.format(1), "performance")
        self.assertIn("could not be put back, to begin with policy1: the kernel refused governor "
                      "'powersave'", self.machine.logged())
        self.expected_status = 1

    def test_f11_which_alternative_was_taken(self):
        self.ctl("create", "a", "1", "governor=ondemand|schedutil|performance")
        row = self.machine.json("verify", "a")[0]
        self.assertEqual((row["wanted"], row["actual"]), ("performance", "performance"))
        self.assertIn("it offers: performance powersave",
                      self.ctl("create", "b", "2", "governor=ondemand|schedutil", status=1))

    def test_f13_limits_without_effect_are_found_when_asked_for(self):
        self.ctl("create", "a", "1-2", "scaling_max_freq=2GHz", "cpuidle_max_state=C1",
                 "pm_qos_resume_latency_us=5")
        self.assertEqual({row["outcome"] for row in self.machine.json("observe", "a")},
                         {"applied"})
        self.machine.command("set cpufreq/policy1/scaling_cur_freq 3570000")
        rows = {(row["option"], row["devices"]): row for row in self.machine.json("observe", "a")}
        self.assertEqual(rows["scaling_max_freq", "1"]["outcome"], "ineffective")
        self.assertIn("above the limit, which reads 2000000",
                      rows["scaling_max_freq", "1"]["message"])
        self.assertEqual(rows["scaling_max_freq", "2"]["outcome"], "applied")
        self.ctl("observe", "a", status=1)
        self.ctl("verify", "a")  # the values are as they should be
        usage = self.machine.sysfs / "cpu2/cpuidle/state3/usage"
        stop = threading.Event()

        def use():
            while not stop.wait(0.02):
                usage.write_text(f"{int(usage.read_text()) + 1}\n")

        thread = threading.Thread(target=use)
        thread.start()
        rows = [(row["option"], row["devices"], row["actual"]) for row in
                self.machine.json("observe", "a") if row["outcome"] == "ineffective"]
        stop.set()
        thread.join()
        self.assertIn(("cpuidle_max_state", "2", "C6"), rows)
        self.assertIn(("pm_qos_resume_latency_us", "2", "C6"), rows)

    def test_f14_the_lowest_frequency_must_be_meant(self):
        for value in ("1GHz", "1000000", "0%", "<1GHz"):
            self.assertIn("if that is meant, say min",
                          self.refused("create", "a", "1", f"scaling_max_freq={value}"))
        output = self.ctl("create", "a", "1", "scaling_max_freq=min")
        self.assertIn("Note: scaling_max_freq on CPU 1: this holds it at its lowest frequency",
                      output)
        self.ctl("destroy", "a")
        self.assert_unchanged()

    def test_f20_both_limits_are_one_pair(self):
        self.assertIn("scaling_min_freq 3000000 is above scaling_max_freq 2500000",
                      self.refused("create", "a", "1", "scaling_min_freq=3GHz",
                                   "scaling_max_freq=2.5GHz"))
        self.ctl("create", "a", "1", "scaling_min_freq=1.5GHz", "scaling_max_freq=2.5GHz")
        self.ctl("set", "a", "scaling_min_freq=3GHz", "scaling_max_freq=3.5GHz")
        self.assert_value("cpufreq/policy1/scaling_min_freq", "3000000")

    def test_f21_limits_do_not_need_a_table(self):
        self.assertFalse(
            (self.machine.sysfs / "cpufreq/policy1/scaling_available_frequencies").exists())
        self.ctl("create", "a", "1", "scaling_max_freq=50%")
        self.assert_value("cpufreq/policy1/scaling_max_freq", "2450000")

    def test_f21_without_limits_it_is_refused_and_not_zero(self):
        for name in ("cpuinfo_min_freq", "cpuinfo_max_freq"):
            self.machine.faults(f"read cpufreq/policy1/{name} EIO")
            self.assertIn("limits are not known",
                          self.refused("create", "a", "1", "scaling_max_freq=50%", status=3))

    def test_f22_a_cap_by_others_is_told_and_not_undone(self):
        self.ctl("create", "a", "1", "max_perf_pct=90")
        self.machine.put("intel_pstate/max_perf_pct", "60")
        self.assertEqual(set(self.outcomes("a")), {("max_perf_pct", "drifted")})
        self.ctl("create", "b", "2", "pm_qos_resume_latency_us=5")
        self.ctl("destroy", "b")
        self.assert_value("intel_pstate/max_perf_pct", "60")

    def test_a_cap_found_at_first_is_named(self):
        self.machine.put("cpufreq/policy1/scaling_max_freq", "1800000")
        self.assertIn("1800000 kHz will be put back, which is below the hardware's 3900000",
                      self.ctl("create", "a", "1", "scaling_max_freq=max"))

    def test_f30_half_of_the_cpus_are_offline(self):
        for cpu in range(16, 32):
            self.machine.command(f"offline {cpu}")
        wait_for(lambda: self.machine.property("OnlineDevices") == "0-15", "the CPUs to go")
        self.ctl("create", "a", "all", "energy_perf_bias=3")
        self.assertEqual(self.outcomes("a"), {("energy_perf_bias", "applied"): "0-15",
                                              ("energy_perf_bias", "pending"): "16-31"})

    def test_f32_there_are_no_claims_that_nobody_made(self):
        self.refused("create", "a", "")
        self.ctl("create", "a", "all")
        self.ctl("create", "b", "3")
        self.assertEqual(self.machine.instance("b", "Devices"), "3")

    def test_f36_idle_states_enabled_while_offline_are_disabled_again(self):
        self.ctl("create", "a", "3", "cpuidle_disable=C6")
        self.machine.command("offline 3")
        self.machine.command("set cpu3/cpuidle/state3/disable 0")
        self.machine.command("online 3")
        wait_for(lambda: self.machine.read("cpu3/cpuidle/state3/disable") == "1", "the repair")

    def test_f48_what_was_there_is_remembered_once(self):
        for value in ("3", "4", "3"):
            if value == "3" and self.machine.ctl("show", "a").returncode != 0:
                self.ctl("create", "a", "1", "energy_perf_bias=3")
            self.ctl("set", "a", f"energy_perf_bias={value}")
            self.ctl("reapply", "a")
        self.ctl("destroy", "a")
        self.assert_unchanged()

    def test_f52_the_same_again_writes_nothing(self):
        self.ctl("create", "a", "1-3", "governor=performance", "force_latency=20",
                 "cpuidle_max_state=C1", "max_perf_pct=70")
        written = len(self.machine.writes())
        for _ in range(5):
            self.ctl("set", "a", "governor=performance", "force_latency=20",
                     "cpuidle_max_state=C1", "max_perf_pct=70")
            self.ctl("move", "1-3", "a")
            self.ctl("reapply", "a")
        self.assertEqual(len(self.machine.writes()), written)

    def test_f57_one_error_with_the_names_there_are(self):
        message = self.refused("create", "a", "all", "cpuidle_disable=C0", status=3)
        self.assertEqual(message.count("C0"), 1)
        self.assertIn("on CPU 0-31: no idle state 'C0'; there is: 0=POLL 1=C1 2=C1E 3=C6", message)

    def test_f58_which_states_are_allowed_is_shown(self):
        self.ctl("create", "a", "1", "cpuidle_max_state=C1")
        self.ctl("create", "b", "2", "cpuidle_disable=C1")
        values = self.machine.call("ReadValues", "(ssas)", "cpu", "1-3", ["cpuidle_disable"])[0]
        self.assertEqual({(value, devices) for _, value, devices in values},
                         {("C1E,C6", "1"), ("C1", "2"), ("", "3")})

    def test_f63_words_of_all_tools_and_one_line_in_the_log(self):
        self.ctl("create", "a", "0-15", "energy_perf_bias=powersave")
        self.assert_value("cpu3/power/energy_perf_bias", "15")
        self.machine.faults("write */power/energy_perf_bias EINVAL")
        self.ctl("create", "b", "16-31", "energy_perf_bias=balance_power", "best_effort=1")
        self.assertEqual(self.machine.logged().count("energy_perf_bias is refused"), 1)
        self.machine.faults()

    def test_f64_threads_off_after_pinning(self):
        self.ctl("create", "a", "all", "energy_perf_bias=3")
        for cpu in range(16, 32):
            self.machine.command(f"offline {cpu}")
        wait_for(lambda: self.machine.instance("a", "State") == "pending", "pending")
        for cpu in range(16, 32):
            self.machine.command(f"online {cpu}")
        wait_for(lambda: self.machine.instance("a", "State") == "active", "active")
        self.ctl("verify", "a")


class Tuned(Reports):
    """Defects of TuneD's CPU plugin."""

    def test_boost_leaves_no_turbo_alone(self):
        self.refused("create", "a", "1", "boost=0", status=3)
        self.assertIn("contradicts", self.refused("create", "a", "1", "boost=1", "no_turbo=1"))

    def test_values_are_never_executed(self):
        with tempfile.TemporaryDirectory() as folder:
            trap = f"{folder}/trap"
            for value in (f"$(touch {trap})", f"`touch {trap}`", f"${{f:exec:touch:{trap}}}",
                          f"|touch {trap}", f"; touch {trap}"):
                for option in ("governor", "energy_perf_bias", "force_latency",
                               "cpuidle_disable", "pm_qos_resume_latency_us", "priority"):
                    self.refused("create", "a", "1", f"{option}={value}")
            self.assertEqual(list(harness.pathlib.Path(folder).iterdir()), [])

    def test_a_change_by_others_is_told_before_it_is_put_back(self):
        heard = []
        subscription = self.machine.connection.signal_subscribe(
            harness.BUS_NAME, harness.MANAGER, "Drifted", harness.PATH, None, 0,
            lambda *arguments: heard.append(arguments[5].unpack()))
        self.ctl("create", "a", "1", "energy_perf_bias=3")
        self.machine.put("cpu1/power/energy_perf_bias", "9")
        self.ctl("destroy", "a")
        context = GLib.MainContext.default()
        wait_for(lambda: context.iteration(False) or heard, "the signal")
        self.assertEqual(heard, [("a", "cpu1", "energy_perf_bias", "3", "9")])
        self.assertIn("changed by somebody else from '3' to '9'", self.machine.logged())
        self.machine.connection.signal_unsubscribe(subscription)
        self.assert_unchanged()

    def test_a_move_that_works_in_part_is_no_failure_for_best_effort(self):
        self.ctl("create", "a", "1", "energy_perf_bias=3", "best_effort=1")
        self.machine.faults("write cpu2/power/energy_perf_bias EIO")
        self.assertIn("CPU 2-3: from free", self.ctl("move", "2-3", "a"))
        self.assertEqual(self.outcomes("a"), {("energy_perf_bias", "applied"): "1,3",
                                              ("energy_perf_bias", "refused"): "2"})

    def test_an_offline_cpu_that_is_released(self):
        self.ctl("create", "a", "3", "energy_perf_bias=3")
        self.machine.command("offline 3")
        self.ctl("release", "3")
        self.machine.command("online 3")
        wait_for(lambda: self.machine.read("cpu3/power/energy_perf_bias") == "6", "the bias")


class SharedPreference(Reports):
    """Policies of two CPUs with a preference and a boost of their own."""

    def make_machine(self):
        with tempfile.NamedTemporaryFile("w", suffix=".machine", dir=harness.SOURCE /
                                         "tests/lib/machines", prefix=".") as file:
            file.write("[machine]\ninherit=amd-epp\n[cpufreq]\npolicies=pairs\n")
            file.flush()
            return harness.Machine(file.name)

    def test_cpus_that_are_not_the_first_of_their_policy(self):
        self.ctl("create", "a", "3,5", "energy_performance_preference=power", "boost=0")
        for policy in (2, 4):
            self.assert_value(EPP.format(policy), "power")
            self.assert_value(f"cpufreq/policy{policy}/boost", "0")
        self.ctl("verify", "a")
        self.ctl("destroy", "a")
        self.assert_unchanged()

    def test_f07_the_name_of_the_driver_says_nothing(self):
        self.machine.command("set cpufreq/policy2/scaling_driver another-driver")
        self.before = self.machine.snapshot()
        self.ctl("create", "a", "2-5", "energy_performance_preference=power")
        self.ctl("verify", "a")
        self.ctl("destroy", "a")
        self.assert_unchanged()


class Hybrid(Reports):
    machine_name = "hybrid"

    def test_f23_every_kind_of_cpu_has_its_own_range(self):
        self.ctl("create", "a", "all", "scaling_max_freq=50%", "cpuidle_max_state=C2_ACPI")
        self.assert_value("cpufreq/policy0/scaling_max_freq", "2900000")
        self.assert_value("cpufreq/policy8/scaling_max_freq", "2150000")
        self.assert_value("cpu0/cpuidle/state3/disable", "1")
        self.ctl("destroy", "a")
        self.assertIn("on CPU 8-15: '5GHz' is out of range: 400000 to 3900000 kHz",
                      self.refused("create", "a", "all", "scaling_max_freq=5GHz"))
        self.ctl("create", "a", "all", "scaling_max_freq=5GHz", "best_effort=1")
        self.assertEqual(self.outcomes("a"), {("scaling_max_freq", "applied"): "0-7",
                                              ("scaling_max_freq", "refused"): "8-15"})
        self.ctl("set", "a", "scaling_max_freq=clamp:5GHz")
        self.assert_value("cpufreq/policy0/scaling_max_freq", "5000000")
        self.assert_value("cpufreq/policy8/scaling_max_freq", "3900000")
        self.ctl("destroy", "a")
        self.assert_unchanged()

    def test_a_bound_for_all_kinds_is_the_smallest(self):
        self.ctl("create", "a", "type:core", "force_latency=cstate.name:C2_ACPI")
        self.assertEqual(self.machine.latency(), 127)
        self.ctl("move", "8", "a")
        self.assertEqual(self.machine.latency(), 64)
        self.ctl("destroy", "a")
        self.assert_unchanged()

    def test_f15_what_is_possible_is_told_kind_by_kind(self):
        row = next(row for row in self.machine.json("options")
                   if row["name"] == "cpuidle_max_state")
        self.assertEqual([(part["devices"], part["values"]) for part in row["supported"]],
                         [("0-7", "0=POLL 1=C1_ACPI 2=C2_ACPI 3=C3_ACPI"),
                          ("8-15", "0=POLL 1=C1_ACPI 2=C2_ACPI")])


if __name__ == "__main__":
    harness.main()
