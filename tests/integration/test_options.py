# SPDX-License-Identifier: GPL-2.0-or-later
"""Every option with good and bad values, on machines that have it and that lack it."""

import harness
from harness import Case

ALL = {"governor", "energy_performance_preference", "scaling_min_freq", "scaling_max_freq", "boost",
       "energy_perf_bias", "pm_qos_resume_latency_us", "cpuidle_max_state", "cpuidle_disable",
       "force_latency", "min_perf_pct", "max_perf_pct", "no_turbo", "online", "scaling_setspeed",
       "sampling_down_factor", "governor.sampling_rate", "governor.up_threshold",
       "governor.down_threshold", "governor.sampling_down_factor", "governor.ignore_nice_load",
       "governor.freq_step", "governor.powersave_bias", "governor.io_is_busy",
       "governor.rate_limit_us", "sched_util_clamp_min", "sched_util_clamp_max",
       "sched_util_clamp_min_rt_default"}
# Not there unless another governor runs.
GOVERNED = {name for name in ALL if name.startswith("governor.")} | {"scaling_setspeed",
                                                                     "sampling_down_factor"}
CLAMPS = {name for name in ALL if name.startswith("sched_util")}


class Options(Case):
    """Helpers; the machines are below."""

    def supported(self):
        """Option -> the CPUs that have it, kind by kind."""
        return {row["name"]: [part["devices"] for part in row["supported"]]
                for row in self.machine.json("options") if row["supported"]}

    def lacking(self, option):
        """(CPUs, reason, message) of where an option is not supported."""
        row = next(row for row in self.machine.json("options") if row["name"] == option)
        return [tuple(part.values()) for part in row["unsupported"]]

    def accepted(self):
        """How many writes the kernel has accepted so far."""
        return len([result for _, _, result in self.machine.writes() if result == "ok"])

    def good(self, option, value, files, devices="2"):
        """The value gives these files these contents; destroy gives all back."""
        with self.subTest(option=option, value=value):
            self.ctl("create", "x", devices, f"{option}={value}")
            for path, content in files.items():
                if path == "cpu_dma_latency":
                    self.assertEqual(self.machine.latency(), content)
                else:
                    self.assert_value(path, content)
            self.ctl("verify", "x")
            self.ctl("destroy", "x")
            self.assert_unchanged()

    def bad(self, option, value, status, *words, devices="2"):
        """The value is refused with this exit status and these words; nothing is written."""
        with self.subTest(option=option, value=value):
            written = self.accepted()
            message = self.ctl("create", "x", devices, f"{option}={value}", status=status)
            for word in (option,) + words:
                self.assertIn(word, message)
            self.assertEqual(self.accepted(), written)
            self.assert_unchanged()


class Intel(Options):
    def test_support(self):
        supported = self.supported()
        self.assertEqual(set(supported), ALL - {"boost"} - GOVERNED - CLAMPS)
        self.assertEqual(supported.pop("online"), ["1-31"])
        self.assertEqual({tuple(cpus) for cpus in supported.values()}, {("0-31",)})
        self.assertEqual(self.lacking("boost"), [("0-31", "absent", "no such file; with "
                                                  "intel_pstate, use no_turbo")])
        self.assertEqual(self.lacking("online"), [("0", "absent", "no such file; this CPU is "
                                                   "always online")])
        self.assertEqual(self.lacking("governor.rate_limit_us"),
                         [("0-31", "needs-governor", "it needs governor schedutil, and powersave "
                           "runs")])
        self.assertEqual(self.lacking("sched_util_clamp_min")[0][:2], ("0-31", "needs-governor"))

    def test_governor(self):
        path = "cpufreq/policy2/scaling_governor"
        self.good("governor", "performance", {path: "performance",
                                              "cpufreq/policy2/energy_performance_preference":
                                                  "performance"})
        self.good("governor", "Performance", {path: "performance"})
        self.good("governor", "ondemand|schedutil|performance", {path: "performance"})
        self.bad("governor", "ondemand", 1, "it offers: performance powersave", "EINVAL")
        self.bad("governor", "ondemand|schedutil", 1, "'ondemand|schedutil'",
                 "it offers: performance powersave")
        self.bad("governor", "performance x", 1)
        self.bad("governor", "performance|", 1)
        self.bad("governor", "<performance", 1, "takes no '<'")

    def test_frequency_limits(self):
        low, high = ("cpufreq/policy2/scaling_min_freq", "cpufreq/policy2/scaling_max_freq")
        for value, khz in (("1500000", "1500000"), ("1.5GHz", "1500000"), ("1500 MHz", "1500000"),
                           ("1500000kHz", "1500000"), ("50%", "2450000"), ("0%", "1000000"),
                           ("max", "3900000"), (">1.2GHz", "1200000"), ("<3GHz", "1000000")):
            self.good("scaling_min_freq", value, {low: khz})
        for value, khz in (("1.2GHz", "1200000"), ("min", "1000000"), ("100%", "3900000"),
                           ("<2GHz", "2000000"), (">2GHz", "3900000")):
            self.good("scaling_max_freq", value, {high: khz})
        for value in ("999999", "3.91GHz", "1Hz", "1GHz2", "101%", "-1", "0x124f80", "1e99", "nan",
                      "inf", "1,5GHz", "GHz", "%"):
            self.bad("scaling_max_freq", value, 1)

    def test_frequency_pairs_in_every_order(self):
        low, high = ("cpufreq/policy2/scaling_min_freq", "cpufreq/policy2/scaling_max_freq")
        values = ("1000000", "1500000", "2500000", "3900000")
        pairs = [(a, b) for a in values for b in values if int(a) <= int(b)]
        self.ctl("create", "x", "2")
        for first in pairs:
            for second in (pairs[0], pairs[3], pairs[-1]):
                for a, b in (first, second):
                    self.ctl("set", "x", f"scaling_min_freq={a}",
                             f"scaling_max_freq={b if b != values[0] else 'min'}")
                    self.assert_value(low, a)
                    self.assert_value(high, b)
        self.ctl("destroy", "x")
        self.assert_unchanged()
        message = self.ctl("create", "x", "2", "scaling_min_freq=3GHz", "scaling_max_freq=2GHz",
                           status=1)
        self.assertIn("scaling_min_freq 3000000 is above scaling_max_freq 2000000", message)

    def test_energy_performance_preference(self):
        path = "cpufreq/policy2/energy_performance_preference"
        for value, word in (("power", "power"), ("balance-power", "balance_power"),
                            ("POWER", "power"), ("64", "64"), ("128", "balance_performance"),
                            ("nothing|power", None), ("255", "power")):
            if word is not None:
                self.good("energy_performance_preference", value, {path: word})
        self.good("energy_performance_preference", "default", {path: "balance_performance"})
        self.bad("energy_performance_preference", "powersave", 1, "balance_power")
        self.bad("energy_performance_preference", "256", 1)
        message = self.ctl("create", "x", "2", "governor=performance",
                           "energy_performance_preference=power", status=1)
        self.assertIn("contradicts governor=performance", message)
        self.ctl("create", "x", "2", "governor=performance", "energy_performance_preference=0")
        self.ctl("create", "y", "3", "governor=performance",
                 "energy_performance_preference=performance")

    def test_preference_is_refused_while_the_governor_is_performance(self):
        self.machine.command("set cpufreq/policy2/scaling_governor performance")
        before = self.machine.snapshot()
        message = self.ctl("create", "x", "2", "energy_performance_preference=power", status=1)
        self.assertIn("EBUSY", message)
        self.assertIn("governor is 'performance' there", message)
        self.assertEqual(self.machine.snapshot(), before)
        self.ctl("create", "x", "2", "energy_performance_preference=power", "governor=powersave")
        self.assert_value("cpufreq/policy2/energy_performance_preference", "power")

    def test_energy_perf_bias(self):
        path = "cpu2/power/energy_perf_bias"
        for value, number in (("performance", "0"), ("balance-performance", "4"),
                              ("balance_performance", "4"), ("normal", "6"), ("power", "15"),
                              ("powersave", "15"), ("balance-power", "8"), ("11", "11"),
                              (">9", "9"), ("<9", "6"), ("power|powersave", "15")):
            self.good("energy_perf_bias", value, {path: number})
        for value in ("16", "-1", "fast", "1.5", "6 x", ""):
            if value:
                self.bad("energy_perf_bias", value, 1, "balance-performance")

    def test_resume_latency(self):
        path = "cpu2/power/pm_qos_resume_latency_us"
        for value, text in (("2", "2"), ("n/a", "n/a"), ("2147483646", "2147483646"),
                            ("cstate.id:3", "133"), ("cstate.name:C1E", "10"),
                            ("cstate.name:c6", "133"), ("cstate.id:0", "n/a"),
                            ("cstate.id_no_zero:0|cstate.id_no_zero:1", "2"),
                            ("cstate.name:C7|cstate.name:C6|5", "133"),
                            ("cstate.name_no_zero:POLL|77", "77"), ("<50", "50")):
            self.good("pm_qos_resume_latency_us", value, {path: text})
        self.good("pm_qos_resume_latency_us", "0", {path: "0"})
        for value in ("-1", "2147483647", "auto", "N/A", "cstate.id:", "cstate.nr:3", "1us"):
            self.bad("pm_qos_resume_latency_us", value, 1, "cstate.name")
        for value in ("cstate.id:4", "cstate.name:C7", "cstate.id_no_zero:0"):
            self.bad("pm_qos_resume_latency_us", value, 3, "POLL")

    def test_idle_states(self):
        def states(*values):
            return {f"cpu2/cpuidle/state{i}/disable": v for i, v in enumerate(values)}

        for value, expected in (("C1", "0011"), ("POLL", "0111"), ("2", "0001"), ("C6", "0000"),
                                ("c1e", "0001"), ("C9|C1E", "0001")):
            self.good("cpuidle_max_state", value, states(*expected))
        for value, expected in (("C6", "0001"), ("C1,C6", "0101"), ("C1, 3", "0101"),
                                ("C6,C6", "0001")):
            self.good("cpuidle_disable", value, states(*expected))
        self.bad("cpuidle_max_state", "C9", 3, "0=POLL 1=C1 2=C1E 3=C6")
        self.bad("cpuidle_disable", "C0", 3, "0=POLL 1=C1 2=C1E 3=C6")
        self.bad("cpuidle_disable", "C6;C1", 1)
        self.bad("cpuidle_disable", "C1,,C6", 1, "commas")
        message = self.ctl("create", "x", "2", "cpuidle_max_state=C1", "cpuidle_disable=C6",
                           status=1)
        self.assertIn("give one of them", message)

    def test_a_state_that_was_disabled_before_stays_so(self):
        self.machine.command("set cpu2/cpuidle/state1/disable 1")
        self.before = self.machine.snapshot()
        self.good("cpuidle_max_state", "C1", {"cpu2/cpuidle/state1/disable": "1",
                                              "cpu2/cpuidle/state3/disable": "1"})

    def test_force_latency(self):
        for value, us in (("50", 50), ("0", 0), ("cstate.id_no_zero:3|170", 133),
                          ("cstate.id_no_zero:9|170", 170), ("cstate.name:C1", 2)):
            self.good("force_latency", value, {"cpu_dma_latency": us})
        for value in ("n/a", "-1", "none", "2147483648"):
            self.bad("force_latency", value, 1)

    def test_intel_pstate(self):
        self.good("min_perf_pct", "50", {"intel_pstate/min_perf_pct": "50"})
        self.good("max_perf_pct", "70", {"intel_pstate/max_perf_pct": "70"})
        self.good("max_perf_pct", "<80", {"intel_pstate/max_perf_pct": "80"})
        self.good("no_turbo", "1", {"intel_pstate/no_turbo": "1"})
        self.good("no_turbo", "yes", {"intel_pstate/no_turbo": "1"})
        self.good("no_turbo", "off", {"intel_pstate/no_turbo": "0"})
        for option, value in (("min_perf_pct", "101"), ("max_perf_pct", "-1"), ("no_turbo", "2"),
                              ("max_perf_pct", "50%"), ("no_turbo", "maybe")):
            self.bad(option, value, 1)
        message = self.ctl("create", "x", "2", "min_perf_pct=60", "max_perf_pct=50", status=1)
        self.assertIn("min_perf_pct 60 is above max_perf_pct 50", message)


class AmdEpp(Options):
    machine_name = "amd-epp"

    def test_support(self):
        self.assertEqual(set(self.supported()),
                         ALL - {"energy_perf_bias", "min_perf_pct", "max_perf_pct", "no_turbo"} -
                         GOVERNED - CLAMPS)

    def test_preference_comes_back_though_the_kernel_does_not_bring_it(self):  # F03
        self.good("governor", "performance",
                  {"cpufreq/policy2/energy_performance_preference": "performance"})

    def test_preference_comes_back_in_an_instance_that_is_not_performance(self):
        before = self.machine.read("cpufreq/policy2/energy_performance_preference")
        self.ctl("create", "fast", "2", "governor=performance")
        self.ctl("create", "slow", "3", "governor=powersave")
        self.ctl("move", "2", "slow")
        self.assert_value("cpufreq/policy2/energy_performance_preference", before)

    def test_a_refusal_after_the_governor_brings_the_preference_back(self):
        self.machine.faults("write cpu2/power/pm_qos_resume_latency_us EIO")
        self.ctl("create", "fast", "2", "governor=performance", "pm_qos_resume_latency_us=2",
                 status=1)
        self.assert_unchanged()

    def test_numbers_are_refused_by_the_kernel(self):  # F05
        message = self.ctl("create", "x", "2", "energy_performance_preference=128", status=1)
        self.assertIn("EINVAL", message)
        self.assert_unchanged()

    def test_boost(self):  # F18
        self.good("boost", "0", {"cpufreq/policy2/boost": "0", "cpufreq/policy3/boost": "1",
                                 "cpufreq/boost": "1"})
        for cpu in range(8):
            self.machine.command(f"set cpufreq/policy{cpu}/boost 0")
        self.machine.command("set cpufreq/boost 0")
        self.before = self.machine.snapshot()
        self.good("boost", "1", {"cpufreq/policy2/boost": "1", "cpufreq/policy3/boost": "0",
                                 "cpufreq/policy7/boost": "0", "cpufreq/boost": "1"})

    def test_boost_of_one_instance_stays_when_another_goes(self):  # F18
        for cpu in range(8):
            self.machine.command(f"set cpufreq/policy{cpu}/boost 0")
        self.machine.command("set cpufreq/boost 0")
        self.before = self.machine.snapshot()
        self.ctl("create", "x", "2", "boost=1")
        self.ctl("create", "y", "3", "boost=1")
        self.ctl("create", "z", "4", "boost=0")
        self.ctl("destroy", "x")
        for cpu in range(8):
            self.assert_value(f"cpufreq/policy{cpu}/boost", "1" if cpu == 3 else "0")
        self.ctl("destroy", "y")
        self.assert_value("cpufreq/boost", "0")
        self.ctl("destroy", "z")
        self.assert_unchanged()

    def test_boost_is_all_or_nothing_too(self):
        for cpu in range(8):
            self.machine.command(f"set cpufreq/policy{cpu}/boost 0")
        self.machine.command("set cpufreq/boost 0")
        self.before = self.machine.snapshot()
        for position in range(20):
            self.machine.faults(f"write * EIO skip {position} times 1")
            result = self.machine.ctl("create", "x", "2-3", "boost=1")
            self.machine.faults()
            if result.returncode == 0:
                break
            self.assert_unchanged()
        self.assertGreater(position, 5)

    def test_no_turbo_says_to_use_boost(self):
        self.assertIn("use boost", self.ctl("create", "x", "2", "no_turbo=1", status=3))


class AcpiPairs(Options):
    machine_name = "acpi-pairs"

    def test_support(self):
        self.assertEqual(set(self.supported()),
                         ALL - {"energy_performance_preference", "energy_perf_bias", "min_perf_pct",
                                "max_perf_pct", "no_turbo"} - GOVERNED |
                         {"governor.rate_limit_us"})

    def test_a_policy_has_one_value(self):
        for path in ("cpu2/cpufreq/scaling_governor", "cpu3/cpufreq/scaling_governor"):
            self.good("governor", "userspace", {path: "userspace"})

    def test_limits_between_the_steps_of_a_table(self):
        """The next higher is the minimum, the next lower the maximum, as in the kernel."""
        for option, value, khz in (("scaling_min_freq", "900MHz", "1200000"),
                                   ("scaling_min_freq", "2400000", "2400000"),
                                   ("scaling_max_freq", "60%", "1800000"),
                                   ("scaling_max_freq", "2.9GHz", "2400000")):
            self.good(option, value, {f"cpufreq/policy2/{option}": khz})

    def test_boost_of_the_whole_machine(self):
        self.good("boost", "0", {"cpufreq/boost": "0"})


class Guest(Options):
    machine_name = "guest"

    def test_support(self):  # F38
        self.assertEqual(set(self.supported()), {"pm_qos_resume_latency_us", "force_latency",
                                                 "online"})

    def test_what_it_lacks_is_not_supported(self):  # F39
        for option, value in (("governor", "performance"), ("scaling_min_freq", "1GHz"),
                              ("energy_performance_preference", "power"), ("boost", "1"),
                              ("energy_perf_bias", "0"), ("cpuidle_max_state", "C1"),
                              ("cpuidle_disable", "C1"), ("min_perf_pct", "1"),
                              ("no_turbo", "1"), ("pm_qos_resume_latency_us", "cstate.id:1")):
            self.bad(option, value, 3, "not supported",
                     "by this machine" if option in ("min_perf_pct", "no_turbo") else "CPU 0-3",
                     devices="all")

    def test_best_effort(self):  # F40, F59
        self.ctl("create", "x", "1-2", "governor=performance", "energy_perf_bias=performance",
                 "pm_qos_resume_latency_us=10", "best_effort=1")
        self.assert_value("cpu1/power/pm_qos_resume_latency_us", "10")
        self.assertEqual({(p[0], p[1], p[2]) for p in self.machine.instance("x", "Problems")},
                         {("governor", "1-2", "unsupported"),
                          ("energy_perf_bias", "1-2", "unsupported"),
                          ("pm_qos_resume_latency_us", "1-2", "applied")})  # without effect
        self.ctl("verify", "x", status=3)


if __name__ == "__main__":
    harness.main()
