# SPDX-License-Identifier: GPL-2.0-or-later
"""Random calls, refused writes and hotplug: whatever happens, a failed call has
changed nothing, State and Verify agree, and in the end all is as it was."""

import random
import unittest

import harness
from gi.repository import GLib
from harness import Case

STEPS = 60
VALUES = {
    "governor": ("performance", "powersave", "schedutil|powersave", "Performance"),
    "energy_performance_preference": ("performance", "power", "default", "200"),
    "scaling_min_freq": ("min", "60%", "max", "1800000", "<2GHz"),
    "scaling_max_freq": ("max", "30%", "min", "<1800000"),
    "boost": ("0", "1"),
    "energy_perf_bias": ("0", "15", "<8", ">4"),
    "pm_qos_resume_latency_us": ("0", "n/a", "2", "cstate.name_no_zero:POLL|7"),
    "cpuidle_max_state": ("C1", "2", "POLL"),
    "cpuidle_disable": ("C1", "1,2"),
    "force_latency": ("0", "5", "170"),
    "min_perf_pct": ("30", "100"),
    "max_perf_pct": ("100", "50"),
    "no_turbo": ("0", "1"),
}
FILES = ("cpufreq/policy*/*", "cpufreq/boost", "cpu*/power/*", "cpu*/cpuidle/*", "intel_pstate/*",
         "cpu_dma_latency", "*")


class Soak:
    """Mixed into a Case for each machine."""

    seeds = (1, 2)
    hotplug = True

    def soak(self, seed):
        self.random = random.Random(seed)
        self.cpus = len(self.machine.json("cpus")["devices"])
        self.offline = set()
        self.history = []
        self.stuck = False  # a rollback was refused as well
        for step in range(STEPS):
            if self.hotplug and self.random.random() < 0.1:
                self.switch(self.random.randrange(1, self.cpus))
            self.step(f"i{step}")
        for cpu in sorted(self.offline):
            self.switch(cpu)
        for name in self.names():
            self.machine.call("DestroyInstance", "(s)", name)
        self.machine.call("CreateInstance", "(sssa{sv})", "cpu", "last", "all", {})
        self.machine.call("DestroyInstance", "(s)", "last")
        self.assert_unchanged()

    def names(self):
        return [row[0] for row in self.machine.call("ListInstances", "(s)", "cpu")[0]]

    def switch(self, cpu):
        verb = "online" if cpu in self.offline else "offline"
        self.offline ^= {cpu}
        self.history.append((verb, cpu))
        self.machine.command(f"{verb} {cpu}")
        harness.wait_for(
            lambda: self.machine.property("OnlineDevices") == self.machine.read("online"), verb)

    def devices(self):
        count = self.random.randint(1, max(1, self.cpus // 2))
        return ",".join(map(str, self.random.sample(range(self.cpus), count)))

    def options(self, unset):
        options = {}
        for name in self.random.sample(sorted(VALUES), self.random.randint(1, 4)):
            empty = unset and self.random.random() < 0.3
            options[name] = "" if empty else self.random.choice(VALUES[name])
        if self.random.random() < 0.3:
            options["priority"] = str(self.random.randint(-2, 2))
        options["best_effort"] = self.random.choice(("true", "true", "false"))
        return {name: GLib.Variant("s", value) for name, value in options.items()}

    def choose(self, new):
        """A random call: (method, signature, arguments)."""
        names = self.names()
        if not names or (len(names) < 6 and self.random.random() < 0.25):
            return "CreateInstance", "(sssa{sv})", ("cpu", new, self.devices(), self.options(False))
        name = self.random.choice(names)
        return self.random.choice((
            ("SetOptions", "(sa{sv})", (name, self.options(True))),
            ("MoveDevices", "(ss)", (self.devices(), name)),
            ("ReleaseDevices", "(s)", (self.devices(),)),
            ("DestroyInstance", "(s)", (name,)),
            ("Reapply", "(sb)", (name, False))))

    def faults(self):
        if self.random.random() > 0.4:
            return []
        return [f"write {self.random.choice(FILES)} {self.random.choice(('EIO', 'EBUSY'))} "
                f"skip {self.random.randint(0, 6)} times {self.random.randint(1, 3)}"]

    def step(self, new):
        method, signature, arguments = self.choose(new)
        faults = self.faults()
        self.history.append((method, arguments, faults))
        self.machine.faults(*faults)
        before = self.machine.snapshot()
        try:
            self.machine.call(method, signature, *arguments)
        except GLib.Error as error:
            self.history.append(error.message)
            self.stuck |= "while putting back" in error.message
            if "while putting back" not in error.message:
                self.assertEqual(self.machine.snapshot(), before, self.history[-6:])
        self.machine.faults()
        for name in self.names():
            rows = self.machine.call("Verify", "(s)", name)[0]
            bad = [row for row in rows if row[4] not in ("applied", "shadowed", "pending")]
            if bad:
                self.assertEqual(self.machine.instance(name, "State"), "degraded",
                                 (bad, self.history[-6:]))


def make(machine):
    """A test case for @machine, with a test for each seed."""
    tests = {f"test_seed_{seed}": lambda self, seed=seed: self.soak(seed) for seed in Soak.seeds}
    return type(machine, (Soak, Case), dict(tests, machine_name=machine))


def load_tests(loader, _tests, _pattern):
    suite = unittest.TestSuite()
    for machine in ("cascadelake", "amd-epp", "acpi-pairs", "acpi-one", "guest"):
        suite.addTests(loader.loadTestsFromTestCase(make(machine)))
    return suite


if __name__ == "__main__":
    harness.main()
