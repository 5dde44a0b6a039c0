# SPDX-License-Identifier: GPL-2.0-or-later
"""Every option that this kernel has, with good and bad values."""

import itertools

import guest
import harness
from harness import GLib

CPU = 4  # in a policy of its own
POLICY = f"cpufreq/policy{CPU}"
DMA = "cpu_dma_latency"
CLAMPS = guest.CLAMPS[0].parent

# Option and value; then what the file holds, by the kernel's own word.
GOOD = (
    ("governor", "performance", f"{POLICY}/scaling_governor", "performance"),
    ("governor", "userspace", f"{POLICY}/scaling_governor", "userspace"),
    ("governor", "nonesuch|conservative", f"{POLICY}/scaling_governor", "conservative"),
    ("scaling_max_freq", "1800000", f"{POLICY}/scaling_max_freq", "1800000"),
    ("scaling_max_freq", "2.4GHz", f"{POLICY}/scaling_max_freq", "2400000"),
    ("scaling_max_freq", "min", f"{POLICY}/scaling_max_freq", "800000"),
    # Between the steps of the table, which are 800, 1200, 1800, 2400 and 3000 MHz.
    ("scaling_max_freq", "60%", f"{POLICY}/scaling_max_freq", "1800000"),
    ("scaling_max_freq", "clamp:7GHz", f"{POLICY}/scaling_max_freq", "3000000"),
    ("scaling_min_freq", "clamp:1", f"{POLICY}/scaling_min_freq", "800000"),
    ("scaling_min_freq", "900MHz", f"{POLICY}/scaling_min_freq", "1200000"),
    ("scaling_min_freq", "max", f"{POLICY}/scaling_min_freq", "3000000"),
    ("pm_qos_resume_latency_us", "1", f"cpu{CPU}/power/pm_qos_resume_latency_us", "1"),
    ("pm_qos_resume_latency_us", "n/a", f"cpu{CPU}/power/pm_qos_resume_latency_us", "n/a"),
    ("pm_qos_resume_latency_us", "2147483646", f"cpu{CPU}/power/pm_qos_resume_latency_us",
     "2147483646"),
    ("pm_qos_resume_latency_us", "cstate.id:2", f"cpu{CPU}/power/pm_qos_resume_latency_us", "80"),
    ("pm_qos_resume_latency_us", "cstate.name:C3", f"cpu{CPU}/power/pm_qos_resume_latency_us",
     "300"),
    ("pm_qos_resume_latency_us", "cstate.name:C6|17", f"cpu{CPU}/power/pm_qos_resume_latency_us",
     "17"),
    ("cpuidle_max_state", "C1", f"cpu{CPU}/cpuidle/state2/disable", "1"),
    ("cpuidle_disable", "C1,C3", f"cpu{CPU}/cpuidle/state1/disable", "1"),
    ("force_latency", "20", DMA, 20),
    ("force_latency", "0", DMA, 0),
    ("force_latency", "cstate.name_no_zero:C2", DMA, 80),
    ("online", "0", f"cpu{CPU}/online", "0"),
    ("online", "1", f"cpu{CPU}/online", "1"),
    ("governor.rate_limit_us", "777", "cpufreq/schedutil/rate_limit_us", "777"),
    # Debian's kernels have no clamps of utilisation, no boost and no bias here;
    # that of build-kernel has.
    ("sched_util_clamp_min", "50%", CLAMPS / "sched_util_clamp_min", "512"),
    ("sched_util_clamp_min_rt_default", "0", CLAMPS / "sched_util_clamp_min_rt_default", "0"),
    ("boost", "0", f"{POLICY}/boost", "0"),
    ("boost", "1", f"{POLICY}/boost", "1"),
    ("energy_perf_bias", "balance-power", f"cpu{CPU}/power/energy_perf_bias", "8"),
    ("energy_perf_bias", "15", f"cpu{CPU}/power/energy_perf_bias", "15"),
)
# What is refused, and how. The kernel's own refusal comes with its errno.
BAD = (
    ("governor", "nonesuch", "InvalidValue", "Invalid argument (EINVAL)"),
    ("scaling_max_freq", "7GHz", "InvalidValue", "800000"),
    ("scaling_max_freq", "800000", "InvalidValue", "say min"),
    ("scaling_min_freq", "1", "InvalidValue", "800000"),
    ("scaling_min_freq", "-1", "InvalidValue", "kHz"),
    ("scaling_min_freq", "4294967296000", "InvalidValue", "kHz"),
    ("pm_qos_resume_latency_us", "auto", "InvalidValue", "n/a"),
    ("pm_qos_resume_latency_us", "2147483647", "InvalidValue", "2147483646"),
    ("pm_qos_resume_latency_us", "cstate.name:C9", "NotSupported", "C9"),
    ("cpuidle_max_state", "C9", "NotSupported", "C9"),
    ("cpuidle_disable", "C1,,C2", "InvalidValue", "idle state"),
    ("force_latency", "-1", "InvalidValue", "0"),
    ("force_latency", "bogus", "InvalidValue", "cstate"),
    ("energy_perf_bias", "16", "InvalidValue", "15"),
    ("min_perf_pct", "50", "NotSupported", "intel_pstate"),
    ("no_turbo", "1", "NotSupported", "intel_pstate"),
    ("energy_performance_preference", "power", "NotSupported", "active mode"),
)
LIMITS = (800000, 1200000, 2400000, 3000000)


class Options(guest.Case):
    def setUp(self):
        super().setUp()
        self.supported = {row["name"] for row in self.machine.json("options")
                          if row["supported"]}

    def value(self, file):
        return self.machine.latency() if file == DMA else self.machine.read(file)

    def create(self, **options):
        return self.machine.call("CreateInstance", "(sssa{sv})", "cpu", "one", str(CPU), {
            key: GLib.Variant("s", value) for key, value in options.items()})

    def test_good_values(self):
        for option, value, file, found in GOOD:
            if option not in self.supported:
                self.assert_error("NotSupported", self.create, **{option: value})
                continue
            with self.subTest(f"{option}={value}"):
                self.create(**{option: value})
                self.assertEqual(self.value(file), found)
                verdict = {row["outcome"] for row in self.machine.json("verify", "one")}
                self.assertEqual(verdict, {"applied"})
                self.machine.call("DestroyInstance", "(s)", "one")
                self.assert_unchanged()

    def test_bad_values(self):
        for option, value, error, words in BAD:
            with self.subTest(f"{option}={value}"):
                message = self.assert_error(error, self.create,
                                            **{"governor": "powersave", option: value})
                self.assertIn(words, message)
                self.assertIn(option, message)
                self.assert_unchanged()
        self.assertEqual(self.machine.json("list"), [])

    def test_bad_value_in_the_midst_of_a_change(self):
        self.create(governor="powersave", pm_qos_resume_latency_us="5")
        before = self.machine.snapshot()
        self.assert_error("InvalidValue", self.machine.call, "SetOptions", "(sa{sv})", "one", {
            "scaling_max_freq": GLib.Variant("s", "1.8GHz"),
            "pm_qos_resume_latency_us": GLib.Variant("s", "7"),
            "governor": GLib.Variant("s", "nonesuch")})
        self.assertEqual(self.machine.snapshot(), before)

    def test_limits_in_every_order(self):
        """From each pair of limits to each other one, in one walk there and back."""
        pairs = [pair for pair in itertools.product(LIMITS, LIMITS) if pair[0] <= pair[1]]
        walk = [step for first, second in itertools.combinations(pairs, 2)
                for step in (first, second)] + pairs[:1]
        steps = set(zip(walk, walk[1:]))
        self.assertLessEqual(set(itertools.permutations(pairs, 2)), steps)
        self.create(scaling_min_freq="min", scaling_max_freq="max")
        old = None
        lowest = GLib.Variant("s", "min")  # a number would be refused
        for low, high in walk:
            self.machine.call("SetOptions", "(sa{sv})", "one", {
                "scaling_min_freq": GLib.Variant("i", low),
                "scaling_max_freq": GLib.Variant("i", high) if high > LIMITS[0] else lowest})
            found = (int(self.machine.read(f"{POLICY}/scaling_min_freq")),
                     int(self.machine.read(f"{POLICY}/scaling_max_freq")))
            self.assertEqual(found, (low, high), f"after {old}")
            old = (low, high)
        self.assertEqual(self.machine.instance("one", "State"), "active")
        self.ctl("destroy", "one")
        self.assert_unchanged()


if __name__ == "__main__":
    harness.main()
