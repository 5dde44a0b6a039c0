# SPDX-License-Identifier: GPL-2.0-or-later
"""The job of the README on a real kernel, through each door."""

import guest
import harness

FAST = (4, 6)
OTHERS = (0, 1, 2, 3, 5, 7)
MANAGER = "io.github.retune1 /io/github/retune1 io.github.retune1.Manager"
DOORS = {
    "retunectl": (
        "retunectl create fast 4,6 priority=-10 governor=performance pm_qos_resume_latency_us=2"
        " 'force_latency=cstate.id_no_zero:2|170'",
        "retunectl create save all priority=-5 governor=powersave scaling_max_freq=60%",
        "retunectl move 3 fast", "retunectl destroy fast", "retunectl destroy save"),
    "busctl": (
        f"busctl call -- {MANAGER} CreateInstance 'sssa{{sv}}' cpu fast 4,6 4 priority i -10"
        " governor s performance pm_qos_resume_latency_us i 2"
        " force_latency s 'cstate.id_no_zero:2|170'",
        f"busctl call -- {MANAGER} CreateInstance 'sssa{{sv}}' cpu save all 3 priority i -5"
        " governor s powersave scaling_max_freq s 60%",
        f"busctl call {MANAGER} MoveDevices ss 3 fast",
        f"busctl call {MANAGER} DestroyInstance s fast",
        f"busctl call {MANAGER} DestroyInstance s save"),
    "gdbus": tuple(
        "gdbus call --system -d io.github.retune1 -o /io/github/retune1"
        f" -m io.github.retune1.Manager.{call}" for call in (
            "CreateInstance cpu fast 4,6 \"{'priority': <-10>, 'governor': <'performance'>,"
            " 'pm_qos_resume_latency_us': <2>, 'force_latency': <'cstate.id_no_zero:2|170'>}\"",
            "CreateInstance cpu save all \"{'priority': <-5>, 'governor': <'powersave'>,"
            " 'scaling_max_freq': <'60%'>}\"",
            "MoveDevices 3 fast", "DestroyInstance fast", "DestroyInstance save")),
}


class MainJob(guest.Case):
    def play(self, door):
        fast, save, move, destroy_fast, destroy_save = DOORS[door]
        self.step(fast)
        self.assert_fast(FAST)
        self.step(save)
        self.assert_fast(FAST)
        self.assert_saving(OTHERS)
        self.step(move)
        self.assert_fast((3, *FAST))
        self.assert_saving((0, 1, 2, 5, 7))
        self.step(destroy_fast)
        self.assert_saving(range(8))
        self.assertEqual(self.machine.latency(), 2000000000)
        self.step(destroy_save)
        self.assert_unchanged()

    def step(self, line):
        result = self.machine.shell(line)
        self.assertEqual(result.returncode, 0, line + "\n" + result.stdout + result.stderr)

    def assert_fast(self, cpus):
        self.assertEqual(self.machine.latency(), 80)
        for cpu in cpus:
            self.assertEqual(self.machine.cpupower_governor(cpu), "performance")
            self.assert_value(f"cpu{cpu}/cpufreq/scaling_max_freq", "3000000")
            self.assert_value(f"cpu{cpu}/power/pm_qos_resume_latency_us", "2")

    def assert_saving(self, cpus):
        for cpu in cpus:
            self.assertEqual(self.machine.cpupower_governor(cpu), "powersave")
            self.assert_value(f"cpu{cpu}/cpufreq/scaling_max_freq", "1800000")
            self.assert_value(f"cpu{cpu}/power/pm_qos_resume_latency_us", "0")

    def test_retunectl(self):
        self.play("retunectl")

    def test_busctl(self):
        self.play("busctl")

    def test_gdbus(self):
        self.play("gdbus")

    def test_the_hardware_gets_it(self):
        """The port of CPU 4 holds what acpi-cpufreq programmed, in 100 MHz."""
        self.ctl("create", "slow", "4", "governor=powersave", "scaling_min_freq=1.2GHz")
        self.assertEqual(guest.programmed(4), 12)
        self.ctl("set", "slow", "governor=performance", "scaling_max_freq=2.4GHz")
        self.assertEqual(guest.programmed(4), 24)
        self.ctl("destroy", "slow")
        self.assert_unchanged()

    def test_stopping_puts_everything_back(self):
        self.ctl("create", "fast", "3,5", "governor=performance", "force_latency=10",
                 "cpuidle_max_state=C1", "scaling_max_freq=2.4GHz")
        self.assertEqual(self.machine.stop(), 0)
        self.assert_unchanged()


if __name__ == "__main__":
    harness.main()
