# SPDX-License-Identifier: GPL-2.0-or-later
"""The machine sleeps: to idle, and with its CPUs taken off, as far as the guest
can. Needs the kernel that build-kernel makes."""

import pathlib

import guest
import harness


class Sleep(guest.Case):
    def sleep(self, *command):
        """Sleeps as logind would announce it; meanwhile a value is lost."""
        self.ctl("create", "fast", "1-2", "governor=performance", "pm_qos_resume_latency_us=2",
                 "cpuidle_max_state=C1", "scaling_max_freq=2.4GHz")
        before = self.machine.snapshot()
        self.machine.say_sleep(True)
        result = self.machine.run(*command)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        guest.write("cpu2/power/pm_qos_resume_latency_us", 0)
        self.machine.say_sleep(False)
        harness.wait_for(lambda: "has slept; " in self.machine.logged(), "the message")
        harness.wait_for(lambda: self.machine.instance("fast", "State") == "active", "active")
        self.assertEqual(self.machine.snapshot(), before)
        self.ctl("destroy", "fast")
        self.assert_unchanged()

    def test_to_idle(self):
        self.sleep("rtcwake", "-m", "freeze", "-s", "2")

    def test_with_cpus_off(self):
        pathlib.Path("/sys/power/pm_test").write_text("core")
        self.sleep("sh", "-c", "echo mem >/sys/power/state")


if __name__ == "__main__":
    harness.main()
