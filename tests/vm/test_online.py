# SPDX-License-Identifier: GPL-2.0-or-later
"""CPUs that instances switch off and on, in policies of two."""

import time

import guest
import harness
from harness import GLib

SWITCHES = [f"cpu{cpu}/online" for cpu in range(1, 4)]
VALUES = {"governor": "performance", "scaling_max_freq": "2.4GHz", "pm_qos_resume_latency_us": "2",
          "cpuidle_max_state": "C1"}


class Online(guest.Case):
    def setUp(self):
        super().setUp()
        # What a person has set, and a kernel would not set by itself.
        for path, value in (("cpufreq/policy2/scaling_governor", "ondemand"),
                            ("cpufreq/policy2/scaling_max_freq", "1800000"),
                            ("cpu2/power/pm_qos_resume_latency_us", "7"),
                            ("cpu3/cpuidle/state3/disable", "1")):
            self.assertIsNone(guest.write(path, value))
        self.before = self.machine.snapshot()

    def tearDown(self):
        guest.online((1, 2, 3), True)
        try:
            super().tearDown()
        finally:
            for path, value in (("cpufreq/policy2/scaling_governor", "schedutil"),
                                ("cpufreq/policy2/scaling_max_freq", "3000000"),
                                ("cpu2/power/pm_qos_resume_latency_us", "0"),
                                ("cpu3/cpuidle/state3/disable", "0")):
                self.assertIsNone(guest.write(path, value))

    def create(self, options, devices="2-3", name="one"):
        return super().create(options, name, devices)

    def online(self):
        """What the kernel says."""
        return self.machine.read("online")

    def verdicts(self, name="one"):
        return {(row["option"], row["devices"]): row["outcome"]
                for row in self.machine.json("verify", name)}

    def assert_values(self, cpu):
        """Those of VALUES are in force now, not soon."""
        for path, value in ((f"cpu{cpu}/cpufreq/scaling_governor", "performance"),
                            (f"cpu{cpu}/cpufreq/scaling_max_freq", "2400000"),
                            (f"cpu{cpu}/power/pm_qos_resume_latency_us", "2"),
                            (f"cpu{cpu}/cpuidle/state2/disable", "1"),
                            (f"cpu{cpu}/cpuidle/state3/disable", "1")):
            self.assert_value(path, value)

    def assert_knows(self, online):
        """So does the daemon, after its uevents."""
        harness.wait_for(lambda: self.machine.property("OnlineDevices") == online, online)

    def test_off_and_destroyed(self):
        self.create({"online": "0"})
        self.assertEqual(self.online(), "0-1")
        self.assertEqual(self.verdicts(), {("online", "2-3"): "applied"})
        self.assertEqual(self.machine.instance("one", "State"), "active")
        self.assert_knows("0-1")
        self.destroy()
        self.assertEqual(self.online(), "0-3")
        self.assert_unchanged()
        self.assert_knows("0-3")

    def test_off_with_other_options(self):
        """What they are for comes when the CPU does: before the call returns."""
        self.create({"online": "0", **VALUES})
        self.assertEqual(self.online(), "0-1")
        self.assertEqual(self.verdicts(), {("online", "2-3"): "applied", **{
            (option, "2-3"): "pending" for option in VALUES}})
        self.set({"online": "1"})
        for cpu in (2, 3):
            self.assert_values(cpu)
        self.assertEqual(self.online(), "0-3")
        self.assertEqual(set(self.verdicts().values()), {"applied"})
        self.assertEqual(self.machine.instance("one", "State"), "active")
        self.destroy()
        self.assert_unchanged()

    def test_values_were_there_before(self):
        """The CPUs go off and on and off with values; the earlier ones come back."""
        self.create({"online": "1", **VALUES})
        for _ in range(2):
            self.set({"online": "0"})
            self.assertEqual(self.online(), "0-1")
            self.set({"online": "1"})
            for cpu in (2, 3):
                self.assert_values(cpu)
        self.set({"online": "0"})
        self.destroy()
        self.assertEqual(self.online(), "0-3")
        self.assert_unchanged()

    def test_one_of_a_policy(self):
        self.create({"online": "0"}, "3")
        self.create(VALUES, "2", "fast")
        self.assertEqual(self.online(), "0-2")
        self.assert_values(2)
        self.set({"online": "1"})
        self.assertEqual(self.online(), "0-3")
        self.assert_value("cpu3/cpufreq/scaling_governor", "performance")
        self.set({"online": "0"})
        self.destroy("fast")
        self.destroy()
        self.assert_unchanged()

    def test_moved(self):
        """CPUs that another instance gets are switched on, with its values."""
        self.create({"online": "0"}, "1-3")
        self.assertEqual(self.online(), "0")
        self.create(VALUES, "0", "fast")
        self.machine.call("MoveDevices", "(ss)", "2-3", "fast")
        self.assertEqual(self.online(), "0,2-3")
        for cpu in (2, 3):
            self.assert_values(cpu)
        self.machine.call("MoveDevices", "(ss)", "3", "one")
        self.assertEqual(self.online(), "0,2")
        self.destroy("fast")
        self.destroy()
        self.assertEqual(self.online(), "0-3")
        self.assert_unchanged()

    def test_the_first_cpu(self):
        """It has no file, so nothing is written for the others either."""
        self.watch_writes(*SWITCHES)
        for devices in ("0", "all", "0-1"):
            message = self.assert_error("NotSupported", self.create, {"online": "0"}, devices)
            self.assertIn("CPU 0", message)
            self.assertEqual(self.writes(), [])
            self.assert_unchanged()
        self.create({"online": "1"}, "all")
        self.assertEqual(self.writes(), [])
        self.destroy()
        self.assertEqual(self.writes(), [])
        self.assert_unchanged()

    def test_somebody_switches_it_on(self):
        """That is told, and not fought; a call that asks for it switches it off again."""
        self.create({"online": "0", "pm_qos_resume_latency_us": "2"})
        guest.online((2,), True)
        harness.wait_for(lambda: ("online", "2") in self.verdicts(), "the drift")
        self.assertEqual({key: outcome for key, outcome in self.verdicts().items()
                          if key[0] == "online"},
                         {("online", "2"): "drifted", ("online", "3"): "applied"})
        self.assert_knows("0-2")
        harness.wait_for(lambda: self.machine.instance("one", "State") != "active", "the state")
        time.sleep(1)
        self.assertEqual(self.online(), "0-2")
        self.assertIn(("online", "2", "drifted"),
                      [problem[:3] for problem in self.machine.instance("one", "Problems")])
        self.machine.call("Reapply", "(sb)", "one", False)
        self.assertEqual(self.online(), "0-1")
        self.assertEqual(self.verdicts()["online", "2-3"], "applied")
        guest.online((3,), True)
        self.assert_knows("0-1,3")
        self.destroy()
        self.assertEqual(self.online(), "0-3")
        self.assert_unchanged()

    def test_somebody_switches_it_off(self):
        self.create({"online": "1", **VALUES})
        guest.online((3,), False)
        self.assert_knows("0-2")
        time.sleep(1)
        self.assertEqual(self.online(), "0-2")
        self.assertEqual(self.verdicts()["online", "3"], "drifted")
        self.machine.call("Reapply", "(sb)", "one", False)
        self.assertEqual(self.online(), "0-3")
        self.assert_values(3)
        self.destroy()
        self.assert_unchanged()

    def test_off_before_us(self):
        """It was offline, so it is offline again in the end."""
        guest.online((3,), False)
        self.assert_knows("0-2")
        self.before = self.machine.snapshot()
        self.create({"online": "1", **VALUES}, "3")
        self.assertEqual(self.online(), "0-3")
        self.assert_values(3)
        self.destroy()
        self.assertEqual(self.online(), "0-2")
        self.assert_unchanged()
        self.create({"online": "0"})
        self.kill()
        self.destroy()
        self.assertEqual(self.online(), "0-2")
        self.assert_unchanged()

    def test_killed(self):
        """The CPUs stay off through it, and come back with what they had."""
        self.create({"online": "1", **VALUES})
        self.set({"online": "0"})
        self.kill()
        self.assertEqual(self.online(), "0-1")
        self.assertEqual(self.verdicts()["online", "2-3"], "applied")
        self.destroy()
        self.assertEqual(self.online(), "0-3")
        self.assert_unchanged()

    def test_killed_between_two_switches(self):
        self.restart(*guest.strace(SWITCHES, "-o", "/dev/null", "-e", "trace=write", "-e",
                                   "inject=write:signal=KILL:when=2"))
        with self.assertRaises(GLib.Error):
            self.create({"online": "0", **VALUES})
        harness.wait_for(lambda: self.machine.ended() is not None, "the end")
        self.machine.start()
        self.assertEqual(self.machine.json("list"), [])
        self.assertEqual(self.online(), "0-3")
        self.assert_unchanged()

    def test_stopped(self):
        """A regular end switches them on."""
        self.create({"online": "0", **VALUES})
        self.assertEqual(self.machine.stop(), 0)
        self.assertEqual(self.online(), "0-3")
        self.assert_unchanged()
        self.machine.start()

    def test_refused(self):
        """The kernel does not switch the second one off; so the first is on again."""
        self.restart(*guest.strace(SWITCHES, "-o", "/dev/null", "-e", "trace=write", "-e",
                                   "inject=write:error=EIO:when=2"))
        message = self.assert_error("WriteFailed", self.create, {"online": "0", **VALUES})
        self.assertIn("EIO", message)
        self.assertIn("nothing was changed", message)
        self.assertEqual(self.online(), "0-3")
        self.assert_unchanged()


if __name__ == "__main__":
    harness.main()
