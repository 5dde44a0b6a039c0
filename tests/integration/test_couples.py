# SPDX-License-Identifier: GPL-2.0-or-later
"""A call writes only files of the options in play, and those that the kernel couples to
them; never those of other CPUs. Checked with random calls on machines of all kinds."""

import fnmatch
import random

import harness
from harness import Case, GLib

SEED = 20261201
STEPS = 60
TUNABLES = ("cpufreq/ondemand/*", "cpufreq/conservative/*", "cpufreq/schedutil/*",
            "cpufreq/policyP/ondemand/*", "cpufreq/policyP/conservative/*",
            "cpufreq/policyP/schedutil/*")
# Option -> values, and the files it may write: P is a policy of its CPUs, N one of them.
OPTIONS = {
    "governor": (("performance", "powersave", "ondemand|performance", "schedutil|powersave"),
                 ("cpufreq/policyP/scaling_governor",
                  "cpufreq/policyP/energy_performance_preference",
                  "cpufreq/policyP/scaling_setspeed") + TUNABLES),
    "energy_performance_preference": (("power", "balance_power", "64|performance"),
                                      ("cpufreq/policyP/energy_performance_preference",)),
    "scaling_max_freq": (("60%", "max", "40%"), ("cpufreq/policyP/scaling_max_freq",
                                                 "cpufreq/policyP/scaling_min_freq")),
    "scaling_min_freq": (("10%", "min", "30%"), ("cpufreq/policyP/scaling_min_freq",)),
    "boost": (("0", "1"), ("cpufreq/policy*/boost", "cpufreq/boost")),
    "energy_perf_bias": (("3", "power"), ("cpuN/power/energy_perf_bias",)),
    "pm_qos_resume_latency_us": (("5", "n/a"), ("cpuN/power/pm_qos_resume_latency_us",)),
    "cpuidle_max_state": (("0", "1"), ("cpuN/cpuidle/state*/disable",)),
    "force_latency": (("20", "90"), ("cpu_dma_latency",)),
    "min_perf_pct": (("30", "40"), ("intel_pstate/min_perf_pct",)),
    "max_perf_pct": (("80", "90"), ("intel_pstate/max_perf_pct",)),
    "no_turbo": (("0", "1"), ("intel_pstate/no_turbo", "intel_pstate/min_perf_pct")),
    "sched_util_clamp_min_rt_default": (("100", "30%"),
                                        ("proc/sys/kernel/sched_util_clamp_min_rt_default",)),
    "governor.rate_limit_us": (("2000", "9000"), TUNABLES),
}


class Couples(Case):
    machine_name = "cascadelake"

    def policies(self, cpus):
        """The policies of CPUs, by their numbers."""
        found = set()
        for cpu in cpus:
            link = self.machine.sysfs / f"cpu{cpu}/cpufreq"
            if link.exists():
                found.add(link.resolve().name.removeprefix("policy"))
        return found

    def globs(self, options, cpus):
        """All files that a call may write."""
        for option in options:
            for glob in OPTIONS[option][1]:
                for policy in self.policies(cpus) if "policyP" in glob else ("",):
                    for cpu in cpus if "cpuN" in glob else ("",):
                        yield glob.replace("policyP", f"policy{policy}").replace("cpuN",
                                                                                 f"cpu{cpu}")

    def check(self, written, options, cpus, what):
        allowed = list(self.globs(options, cpus))
        for path, _, _ in self.machine.writes()[written:]:
            self.assertTrue(any(fnmatch.fnmatch(path, glob) for glob in allowed),
                            f"{what} wrote {path}; its options are {sorted(options)}")

    def step(self, chance, owned, options, cpus):
        """One random call; returns what it may be about: options, CPUs, a name."""
        machine = self.machine
        name = chance.choice(sorted(owned))
        verb = chance.choice(("set", "move", "release", "destroy"))
        some = set(chance.sample(cpus, chance.randint(1, 3)))
        words = ",".join(map(str, sorted(some)))
        everybody = {option for held in options.values() for option in held}
        if name not in options:
            chosen = chance.sample(sorted(OPTIONS), chance.randint(1, 4))
            values = {key: GLib.Variant("s", chance.choice(OPTIONS[key][0])) for key in chosen}
            values["best_effort"] = GLib.Variant("b", True)
            machine.call("CreateInstance", "(sssa{sv})", "cpu", name, words, values)
            options[name] = set(chosen)
            return everybody | set(chosen), some, f"create {name} {words} {chosen}"
        if verb == "set":
            option = chance.choice(sorted(OPTIONS))
            value = chance.choice(OPTIONS[option][0] + ("",))
            mine = self.devices(name)
            machine.call("SetOptions", "(sa{sv})", name, {option: GLib.Variant("s", value)})
            options[name].add(option)
            return {option} | self.shared(options), mine, f"set {name} {option}={value}"
        if verb == "move":
            machine.call("MoveDevices", "(ss)", words, name)
        elif verb == "release":
            machine.call("ReleaseDevices", "(s)", words)
        else:
            some = self.devices(name)
            machine.call("DestroyInstance", "(s)", name)
            del options[name]
        return everybody, some, f"{verb} {name} {words}"

    def shared(self, options):
        """Options of the whole system are looked at in each call."""
        return {option for held in options.values() for option in held
                if "policyP" not in "".join(OPTIONS[option][1]) and
                "cpuN" not in "".join(OPTIONS[option][1])}

    def devices(self, name):
        cpus = set()
        for part in self.machine.instance(name, "Devices").split(","):
            low, _, high = part.partition("-")
            cpus |= set(range(int(low), int(high or low) + 1)) if part else set()
        return cpus

    def test_random_calls(self):
        chance = random.Random(SEED)
        cpus = list(range(0, 8)) if self.machine_name != "acpi-one" else list(range(4))
        if self.machine_name == "hybrid":
            cpus = list(range(4, 12))
        options = {}
        refused = 0
        for _ in range(STEPS):
            written = len(self.machine.writes())
            before = self.machine.snapshot()
            try:
                may, some, what = self.step(chance, ("a", "b", "c"), options, cpus)
            except GLib.Error:
                refused += 1
                self.assertEqual(self.machine.snapshot(), before, "a refused call")
                continue
            self.check(written, may, some, what)
        self.assertLess(refused, STEPS * 4 // 5)
        for name in list(options):
            self.machine.call("DestroyInstance", "(s)", name)
        self.assert_unchanged()


for _name in ("cascadelake-passive", "acpi-pairs", "acpi-one", "amd-epp", "amd-passive", "hybrid",
              "biglittle", "guest"):
    globals()[_name] = type(_name, (Couples,), {"machine_name": _name})


if __name__ == "__main__":
    harness.main()
