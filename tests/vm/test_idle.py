# SPDX-License-Identifier: GPL-2.0-or-later
"""Idle states and latency bounds, by the kernel's own counters: what retune
keeps out stays unused on its CPUs, while the others go on using it."""

import os
import signal
import time

import guest
import harness

OURS, OTHERS = (2, 3), (0, 1, 4, 5, 6, 7)
SECONDS = 1
# Latency in us: POLL 0, C1 2, C2 80, C3 300.
BOUNDS = (  # value, states still used
    ("0", {0, 1, 2, 3}), ("1", {0}), ("n/a", {0}), ("2", {0, 1}), ("100", {0, 1, 2}),
    ("cstate.id:1", {0, 1}), ("cstate.id_no_zero:2", {0, 1, 2}), ("cstate.name:C2", {0, 1, 2}),
    ("cstate.name:C6|cstate.name_no_zero:C1", {0, 1}))


def tick(cpu):
    """A child that wakes @cpu up a hundred times a second."""
    child = os.fork()
    if child == 0:
        os.sched_setaffinity(0, {cpu})
        while True:
            time.sleep(0.01)
    return child


class Idle(guest.Case):
    @classmethod
    def setUpClass(cls):
        cls.children = [tick(cpu) for cpu in range(8)]

    @classmethod
    def tearDownClass(cls):
        for child in cls.children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)

    def entered(self):
        """How often each CPU entered each state within SECONDS, after a pause in
        which those that slept wake up and see the change."""
        time.sleep(0.3)
        before = self.machine.usage(range(8))
        time.sleep(SECONDS)
        after = self.machine.usage(range(8))
        return {cpu: [new - old for old, new in zip(before[cpu], after[cpu])] for cpu in after}

    def assert_kept_out(self, allowed, title):
        entered = self.entered()
        print(f"\n{title}: entered in {SECONDS} s")
        print("        " + "".join(f"{name:>8}" for name in ("POLL", "C1", "C2", "C3")))
        for cpu, counts in entered.items():
            print(f"  cpu{cpu}{'*' if cpu in OURS else ' '} "
                  + "".join(f"{count:8}" for count in counts))
        for cpu in OURS:
            for state, count in enumerate(entered[cpu]):
                if state not in allowed:
                    self.assertEqual(count, 0, f"cpu{cpu} entered state {state}")
        deepest = sum(entered[cpu][3] for cpu in OTHERS)
        self.assertGreater(deepest, 0, "the other CPUs no longer use C3")
        return entered

    def test_disabled_states_stay_unused(self):
        self.ctl("create", "fast", "2-3", "cpuidle_max_state=C1")
        entered = self.assert_kept_out({0, 1}, "cpuidle_max_state=C1 on CPU 2-3 (*)")
        self.assertGreater(sum(entered[cpu][1] for cpu in OURS), 0, "C1 is not used")
        self.ctl("set", "fast", "cpuidle_max_state=", "cpuidle_disable=C1,C3")
        self.assert_kept_out({0, 2}, "cpuidle_disable=C1,C3 on CPU 2-3 (*)")
        self.assertEqual(self.disabled_by_cpupower(2), ["C1", "C3"])
        self.ctl("move", "4", "fast")
        self.assertEqual(self.disabled_by_cpupower(4), ["C1", "C3"])
        self.ctl("destroy", "fast")
        self.assertEqual(self.disabled_by_cpupower(2), [])
        entered = self.entered()
        self.assertGreater(sum(entered[cpu][3] for cpu in OURS), 0, "C3 is not used again")
        self.assert_unchanged()

    def disabled_by_cpupower(self, cpu):
        text = self.machine.cpupower(cpu, "idle-info")
        return [line.split()[0].rstrip(":") for line in text.splitlines() if "(DISABLED)" in line]

    def test_bounds_of_cpus(self):
        self.ctl("create", "fast", "2-3")
        for value, allowed in BOUNDS:
            with self.subTest(value):
                self.ctl("set", "fast", f"pm_qos_resume_latency_us={value}")
                self.assert_kept_out(allowed, f"pm_qos_resume_latency_us={value} on CPU 2-3 (*)")
        self.ctl("destroy", "fast")
        self.assert_unchanged()

    def test_force_latency_from_outside(self):
        self.ctl("create", "fast", "2", "force_latency=100")
        self.assertEqual(self.machine.latency(), 100)
        entered = self.entered()
        self.assertEqual(sum(counts[3] for counts in entered.values()), 0, "C3 on any CPU")
        # Somebody else's request: the smaller one counts, and ours outlives it.
        other = os.open("/dev/cpu_dma_latency", os.O_WRONLY)
        os.write(other, (5).to_bytes(4, "little"))
        self.assertEqual(self.machine.latency(), 5)
        os.close(other)
        self.assertEqual(self.machine.latency(), 100)
        # A second instance: the smaller bound counts, and goes with its instance.
        self.ctl("create", "faster", "3", "force_latency=cstate.name:C1")
        self.assertEqual(self.machine.latency(), 2)
        self.ctl("destroy", "faster")
        self.assertEqual(self.machine.latency(), 100)
        self.ctl("destroy", "fast")
        self.assertEqual(self.machine.latency(), 2000000000)
        self.assert_unchanged()


if __name__ == "__main__":
    harness.main()
