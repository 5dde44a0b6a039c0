# SPDX-License-Identifier: GPL-2.0-or-later
"""All second threads go offline and come back at once."""

import guest
import harness


class Threads(guest.Case):
    def tearDown(self):
        guest.write("smt/control", "on")
        super().tearDown()

    def test_off_and_on(self):
        siblings = self.machine.read("cpu0/topology/thread_siblings_list")
        self.assertIn(siblings, ("0-1", "0,2"))
        gone = [cpu for cpu in range(4)
                if self.machine.read(f"cpu{cpu}/topology/thread_siblings_list")[0] != str(cpu)]
        self.ctl("create", "fast", "all", "governor=performance", "pm_qos_resume_latency_us=2",
                 "cpuidle_max_state=C1")
        self.assertIsNone(guest.write("smt/control", "off"))
        rest = ",".join(str(cpu) for cpu in range(4) if cpu not in gone)
        harness.wait_for(lambda: self.machine.property("OnlineDevices") == rest, "the uevents")
        harness.wait_for(lambda: self.machine.instance("fast", "State") == "pending", "pending")
        self.assertEqual(self.machine.instance("fast", "Devices"), "0-3")
        self.ctl("set", "fast", "pm_qos_resume_latency_us=3")
        self.assertIsNone(guest.write("smt/control", "on"))
        harness.wait_for(lambda: self.machine.property("OnlineDevices") == "0-3", "the uevents")
        harness.wait_for(lambda: self.machine.instance("fast", "State") == "active", "active")
        for cpu in range(4):
            self.assertEqual(self.machine.cpupower_governor(cpu), "performance")
            self.assert_value(f"cpu{cpu}/power/pm_qos_resume_latency_us", "3")
            self.assert_value(f"cpu{cpu}/cpuidle/state3/disable", "1")
        self.ctl("destroy", "fast")
        self.assert_unchanged()


if __name__ == "__main__":
    harness.main()
