# SPDX-License-Identifier: GPL-2.0-or-later
"""retuned is killed between any two writes to a real kernel, or one of them is
refused. strace does both from outside the program."""

import guest
import harness
from harness import GLib

OPTIONS = {"governor": "performance", "force_latency": "20", "pm_qos_resume_latency_us": "2",
           "cpuidle_max_state": "C2"}
# What the create below does, in this order: two of each but the latency of all.
FILES = ("cpufreq/policy0/scaling_governor", "cpufreq/policy2/scaling_governor",
         "cpu1/power/pm_qos_resume_latency_us", "cpu2/power/pm_qos_resume_latency_us",
         "cpu1/cpuidle/state3/disable", "cpu2/cpuidle/state3/disable")
CALLS = [("write", number + 1) for number in range(len(FILES))] + [("pwrite64", 1)]


class Crash(guest.Case):
    def strace(self, what, call, number):
        """The start of a command line for a retuned to which @what happens at its
        system call @call of that number, counted from 1, to a file of the kernel."""
        return guest.strace((*FILES, "/dev/cpu_dma_latency"), "-o", "/dev/null", "-e",
                            f"trace={call}", "-e", f"inject={call}:{what}:when={number}")

    def create(self):
        return self.machine.call("CreateInstance", "(sssa{sv})", "cpu", "fast", "1-2", {
            key: GLib.Variant("s", value) for key, value in OPTIONS.items()})

    def assert_that_is_all(self):
        """There was no write after those."""
        self.restart(*self.strace("error=EIO", "write", len(FILES) + 1))
        self.create()
        self.kill()
        self.ctl("destroy", "fast")
        self.assert_unchanged()

    def test_killed_at_each_write(self):
        for call, number in CALLS:
            with self.subTest(f"{call} {number}"):
                self.restart(*self.strace("signal=KILL", call, number))
                with self.assertRaises(GLib.Error):
                    self.create()
                harness.wait_for(lambda: self.machine.ended() is not None, "the end")
                self.machine.start()
                self.assertEqual(self.machine.json("list"), [])
                self.assert_unchanged()
        print(f"\nkilled at each of {len(CALLS)} writes of a create; all was as before")
        self.assert_that_is_all()

    def test_refused_at_each_write(self):
        for call, number in CALLS:
            with self.subTest(f"{call} {number}"):
                self.restart(*self.strace("error=EIO", call, number))
                message = self.assert_error("WriteFailed", self.create)
                self.assertIn("EIO", message)
                self.assertIn("nothing was changed", message)
                self.assertEqual(self.machine.json("list"), [])
                self.assert_unchanged()
        print(f"\nrefused at each of {len(CALLS)} writes of a create; all was undone")
        self.assert_that_is_all()

    def test_killed_at_rest(self):
        """A restarted daemon writes nothing but its request for a latency."""
        self.create()
        values = self.machine.snapshot()
        self.kill()
        self.assertEqual(self.machine.snapshot(), values)
        self.assertEqual(self.machine.instance("fast", "State"), "active")
        self.ctl("destroy", "fast")
        self.assert_unchanged()


if __name__ == "__main__":
    harness.main()
