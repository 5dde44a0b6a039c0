# SPDX-License-Identifier: GPL-2.0-or-later
"""retuned is killed between any two writes to a real kernel, or one of them is
refused. strace does both from outside the program."""

import signal

import guest
import harness
from harness import GLib

OPTIONS = {"governor": "performance", "scaling_min_freq": "1.2GHz", "force_latency": "20",
           "pm_qos_resume_latency_us": "2", "cpuidle_max_state": "C1"}


class Crash(guest.Case):
    def restart(self, *wrapper):
        self.assertEqual(self.machine.stop(), 0)
        self.machine.start(*wrapper)

    def strace(self, what, position):
        """The start of a command line for a retuned to which @what happens at its write
        number @position, counted from 1, to a file of the kernel."""
        files = [word for cpu in (1, 2) for word in (
            f"/sys/devices/system/cpu/cpu{cpu}/power/pm_qos_resume_latency_us",
            f"/sys/devices/system/cpu/cpu{cpu}/cpuidle/state2/disable",
            f"/sys/devices/system/cpu/cpu{cpu}/cpuidle/state3/disable")]
        files += [f"/sys/devices/system/cpu/cpufreq/policy{policy}/{name}" for policy in (0, 2)
                  for name in ("scaling_governor", "scaling_min_freq")]
        files.append("/dev/cpu_dma_latency")
        paths = [word for path in files for word in ("-P", path)]
        return ("strace", "-D", "-f", "-qq", "-o", "/dev/null", *paths, "-e", "trace=write",
                "-e", f"inject=write:{what}:when={position}")

    def create(self):
        return self.machine.call("CreateInstance", "(sssa{sv})", "cpu", "fast", "1-2", {
            key: GLib.Variant("s", value) for key, value in OPTIONS.items()})

    def test_killed_at_each_write(self):
        position = 1
        while True:
            self.restart(*self.strace("signal=KILL", position))
            try:
                self.create()
            except GLib.Error:
                harness.wait_for(lambda: self.machine.ended() is not None, "the end")
            else:
                break  # there are fewer writes
            with self.subTest(position=position):
                self.machine.start()
                self.assertEqual(self.machine.json("list"), [])
                self.assert_unchanged()
            position += 1
        print(f"\nkilled at each of {position - 1} writes of a create, and all was as before")
        self.assertGreater(position, 10)
        self.assertEqual(self.machine.stop(signal.SIGKILL), -9)
        self.machine.start()
        self.ctl("destroy", "fast")
        self.assert_unchanged()

    def test_refused_at_each_write(self):
        position = 1
        while True:
            self.restart(*self.strace("error=EIO", position))
            try:
                self.create()
            except GLib.Error as error:
                self.assertIn("EIO", error.message)
                self.assertIn("nothing was changed", error.message)
            else:
                break
            self.assert_unchanged()
            self.assertEqual(self.machine.json("list"), [])
            position += 1
        print(f"\nrefused at each of {position - 1} writes of a create, and all was undone")
        self.assertGreater(position, 10)
        self.assertEqual(self.machine.stop(signal.SIGKILL), -9)
        self.machine.start()
        self.ctl("destroy", "fast")
        self.assert_unchanged()

    def test_killed_at_rest(self):
        """A restarted daemon writes nothing but its request for a latency."""
        self.create()
        values = self.machine.snapshot()
        self.assertEqual(self.machine.stop(signal.SIGKILL), -9)
        self.machine.start()
        self.assertEqual(self.machine.snapshot(), values)
        self.assertEqual(self.machine.instance("fast", "State"), "active")
        self.ctl("destroy", "fast")
        self.assert_unchanged()


if __name__ == "__main__":
    harness.main()
