# SPDX-License-Identifier: GPL-2.0-or-later
"""CPUs that go offline and come back, while calls are made."""

import pathlib
import random
import threading
import time

import guest
import harness
from harness import GLib

SMT = pathlib.Path("/sys/devices/system/cpu/smt/control")


class Hotplug(guest.Case):
    def tearDown(self):
        guest.online(range(1, 8), True)
        super().tearDown()

    def online(self):
        return self.machine.property("OnlineDevices")

    def seconds_until(self, path, value):
        """How long after now @path has @value; nobody calls the daemon."""
        start = time.monotonic()
        harness.wait_for(lambda: self.machine.read(path) == value, f"{path} to be {value}")
        return time.monotonic() - start

    def test_values_lost_while_offline(self):
        """Somebody changes what can be changed while the CPU is offline."""
        self.ctl("create", "fast", "5-6", "governor=performance", "pm_qos_resume_latency_us=2",
                 "cpuidle_max_state=C1")
        guest.online((6,), False)
        harness.wait_for(lambda: self.online() == "0-5,7", "the uevent")
        guest.write("cpu6/power/pm_qos_resume_latency_us", 0)
        guest.write("cpu6/cpuidle/state3/disable", 0)
        guest.online((6,), True)
        latency = self.seconds_until("cpu6/power/pm_qos_resume_latency_us", "2")
        idle = self.seconds_until("cpu6/cpuidle/state3/disable", "1")
        print(f"\nthe owner's values are back {latency * 1000:.0f} and {idle * 1000:.0f} ms later")
        self.assertLess(latency + idle, 1)
        self.ctl("destroy", "fast")
        self.assert_unchanged()

    def test_set_while_offline(self):
        self.ctl("create", "fast", "6", "governor=performance")
        guest.online((6,), False)
        self.ctl("set", "fast", "governor=powersave", "scaling_max_freq=min")
        self.assertEqual(self.machine.instance("fast", "State"), "pending")
        guest.online((6,), True)
        self.assertLess(self.seconds_until("cpu6/cpufreq/scaling_governor", "powersave"), 1)
        harness.wait_for(lambda: self.machine.instance("fast", "State") == "active", "active")
        self.assert_value("cpu6/cpufreq/scaling_max_freq", "1000000")
        self.ctl("destroy", "fast")
        self.assert_unchanged()

    def test_calls_while_cpus_come_and_go(self):
        """What the calls leave behind is as if the CPUs had stayed."""
        over = threading.Event()

        def flip():
            choice = random.Random(1)
            while not over.is_set():
                cpus = choice.sample(range(1, 8), 2)
                guest.online(cpus, False)
                time.sleep(0.05)
                guest.online(cpus, True)

        self.ctl("create", "fast", "1-3", "governor=performance", "pm_qos_resume_latency_us=2")
        self.ctl("create", "save", "4-7", "governor=powersave", "cpuidle_max_state=C2")
        flipper = threading.Thread(target=flip)
        flipper.start()
        calls = 0
        try:
            choice = random.Random(2)
            end = time.monotonic() + 15
            while time.monotonic() < end:
                cpus = ",".join(map(str, choice.sample(range(8), 3)))
                target = choice.choice(("fast", "save"))
                self.machine.call("MoveDevices", "(ss)", cpus, target)
                self.machine.call("SetOptions", "(sa{sv})", "save", {
                    "scaling_max_freq": GLib.Variant("s", choice.choice(("60%", "max")))})
                calls += 2
        finally:
            over.set()
            flipper.join()
        self.machine.call("MoveDevices", "(ss)", "0-3", "fast")
        self.machine.call("MoveDevices", "(ss)", "4-7", "save")
        harness.wait_for(lambda: self.machine.instance("fast", "State") == "active"
                         and self.machine.instance("save", "State") == "active", "rest")
        print(f"\n{calls} calls while CPUs came and went")
        for cpu in range(8):
            self.assertEqual(self.machine.cpupower_governor(cpu),
                             "performance" if cpu < 4 else "powersave")
            self.assert_value(f"cpu{cpu}/power/pm_qos_resume_latency_us", "2" if cpu < 4 else "0")
            self.assert_value(f"cpu{cpu}/cpuidle/state3/disable", "0" if cpu < 4 else "1")
        self.ctl("destroy", "fast")
        self.ctl("destroy", "save")
        self.assert_unchanged()


if __name__ == "__main__":
    harness.main()
