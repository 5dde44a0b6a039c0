# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernel forgets a governor's tunables when the last policy leaves it. What a
person has set there comes back nevertheless."""

import tempfile
import time

import governed
import guest
import harness
from governed import BY_HAND, PERFORMANCE, run_governor
from harness import GLib

# Written after the governors: the first and the last of them.
LATE = ("cpu0/power/pm_qos_resume_latency_us", "cpu3/power/pm_qos_resume_latency_us")
PROFILE = """[fast]
type=cpu
devices=cpu0,cpu1
governor=performance
[bad]
type=cpu
devices=cpu2,cpu3
governor=nonesuch
"""


class Baselines(governed.Case):
    def each(self, test):
        """Runs @test(governor) with what a person has set there."""
        for governor, values in BY_HAND:
            with self.subTest(governor):
                self.set_by_hand(governor, values)
                test(governor)
                self.assert_unchanged()

    def test_the_kernel_forgets(self):
        for governor, values in BY_HAND:
            self.set_by_hand(governor, values)
            run_governor("performance")
            self.assertTrue(self.forgotten(governor))
            run_governor(governor)
            for name, value in values.items():
                self.assertNotEqual(self.machine.read(f"cpufreq/{governor}/{name}"), value, name)

    def test_destroyed(self):
        def destroyed(governor):
            self.create(PERFORMANCE)
            self.assertTrue(self.forgotten(governor))
            self.destroy()
        self.each(destroyed)

    def test_killed_and_destroyed(self):
        def killed(governor):
            self.create(PERFORMANCE)
            self.kill()
            self.assertTrue(self.forgotten(governor))
            self.destroy()
        self.each(killed)

    def test_killed_in_the_midst(self):
        """After the last policy has left, before the call is through."""
        def killed(_):
            self.restart(*guest.strace(LATE[:1], "-o", "/dev/null", "-e", "trace=write",
                                       "-e", "inject=write:signal=KILL:when=1"))
            with self.assertRaises(GLib.Error):
                self.create(PERFORMANCE)
            harness.wait_for(lambda: self.machine.ended() is not None, "the end")
            self.machine.start()
            self.assertEqual(self.machine.json("list"), [])
        self.each(killed)

    def test_stopped(self):
        """A regular end leaves all as it was."""
        def stopped(_):
            self.create(PERFORMANCE)
            self.assertEqual(self.machine.stop(), 0)
            self.assert_unchanged()
            self.machine.start()
        self.each(stopped)

    def test_refused_later(self):
        """A later write of the call fails, so all is put back."""
        def refused(_):
            self.restart(*guest.strace(LATE[-1:], "-o", "/dev/null", "-e", "trace=write",
                                       "-e", "inject=write:error=EIO:when=1"))
            message = self.assert_error("WriteFailed", self.create, PERFORMANCE)
            self.assertIn("EIO", message)
            self.assertIn("nothing was changed", message)
            self.assertEqual(self.machine.json("list"), [])
        self.each(refused)

    def test_refused_by_the_kernel(self):
        """The last policy leaves, then comes one that cannot go where it should."""
        run_governor("powersave", (2,))
        self.assertIsNone(guest.write("cpufreq/schedutil/rate_limit_us", 12345))
        self.before = self.machine.snapshot()
        with tempfile.NamedTemporaryFile("w+") as profile:
            profile.write(PROFILE)
            profile.flush()
            message = self.ctl("load", profile.name, status=1)
        self.assertIn("EINVAL", message)
        self.assertEqual(self.machine.json("list"), [])
        self.assert_unchanged()

    def test_another_governor_with_values_of_its_own(self):
        self.set_by_hand(*BY_HAND[2])
        self.create({"governor": "ondemand", "governor.up_threshold": "42"})
        self.destroy()
        self.assert_unchanged()

    def test_one_policy_after_the_other(self):
        """The last one to leave is another instance's, and the first one comes back."""
        def one_by_one(governor):
            self.create(PERFORMANCE, "one", "0-1")
            self.assertFalse(self.forgotten(governor))
            self.create(PERFORMANCE, "two", "2-3")
            self.assertTrue(self.forgotten(governor))
            self.destroy("one")
            for name, value in dict(BY_HAND)[governor].items():
                self.assert_value(f"cpufreq/{governor}/{name}", value)
            self.destroy("two")
        self.each(one_by_one)

    def test_there_and_back(self):
        """The instance itself goes back to the governor, with a value of its own."""
        self.set_by_hand(*BY_HAND[0])
        self.create({"governor": "performance"})
        self.set({"governor": "schedutil", "governor.rate_limit_us": "777"})
        self.assert_value("cpufreq/schedutil/rate_limit_us", "777")
        self.destroy()
        self.assert_unchanged()


class Hotplug(governed.Case):
    def tearDown(self):
        guest.online((2, 3), True)
        super().tearDown()

    def setUp(self):
        super().setUp()
        run_governor("powersave", (0,))
        self.assertIsNone(guest.write("cpufreq/schedutil/rate_limit_us", 12345))
        self.before = self.machine.snapshot()

    def go_offline(self):
        """With the last policy that has it, the kernel forgets its tunables."""
        guest.online((2, 3), False)
        self.assertTrue(self.forgotten("schedutil"))
        harness.wait_for(lambda: self.machine.property("OnlineDevices") == "0-1", "the uevents")

    def come_back(self, limit):
        guest.online((2, 3), True)
        harness.wait_for(lambda: not self.forgotten("schedutil"), "schedutil")
        end = time.monotonic() + 5
        while (self.machine.read("cpufreq/schedutil/rate_limit_us") != limit
               and time.monotonic() < end):
            time.sleep(0.01)
        self.assert_value("cpufreq/schedutil/rate_limit_us", limit)

    def test_the_owner_s_value_comes_back(self):
        self.create({"governor": "schedutil", "governor.rate_limit_us": "777"}, devices="2-3")
        self.go_offline()
        self.come_back("777")
        harness.wait_for(lambda: self.machine.instance("one", "State") == "active", "active")
        self.destroy()
        self.assert_unchanged()

    def test_destroyed_while_offline(self):
        """The baseline comes when the CPUs do, the tunables with it."""
        self.create({"governor": "performance"}, devices="2-3")
        self.go_offline()
        self.destroy()
        self.come_back("12345")
        self.assert_unchanged()

    def test_held_offline(self):
        """It is our switching that made the kernel forget."""
        self.create({"online": "0"}, devices="2-3")
        self.assertTrue(self.forgotten("schedutil"))
        self.destroy()
        self.assert_value("cpufreq/schedutil/rate_limit_us", "12345")
        self.assert_unchanged()


if __name__ == "__main__":
    harness.main()
