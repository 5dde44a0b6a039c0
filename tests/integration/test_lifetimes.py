# SPDX-License-Identifier: GPL-2.0-or-later
"""How long instances live: over a crash, a restart, a stop and a boot; with their
creator's connection; and those that files want."""

import json
import signal
import subprocess

import harness
from harness import Case, GLib, wait_for


def values(**options):
    return {key: GLib.Variant("s", str(value)) for key, value in options.items()}


class Lifetimes(Case):
    def names(self):
        return sorted(row[0] for row in self.machine.call("ListInstances", "(s)", "cpu")[0])

    def writes(self):
        return len(self.machine.writes())

    def restart(self, number=signal.SIGUSR1):
        """Stops and starts retuned; returns how much was written meanwhile."""
        before = self.writes()
        self.machine.stop(number)
        self.machine.start_again()
        return self.writes() - before

    def reboot(self):
        """What is in /run is gone, and all values are as at first."""
        self.machine.stop(signal.SIGTERM)
        self.assert_unchanged()
        self.machine.start_again()


class Restart(Lifetimes):
    def test_a_restart_touches_nothing(self):  # F50
        self.ctl("create", "a", "1-3", "governor=performance", "energy_perf_bias=3",
                 "cpuidle_max_state=C1", "max_perf_pct=70")
        self.assertEqual(self.restart(), 0)
        self.assertEqual(self.names(), ["a"])
        self.assertIn("everything stays as it is", self.machine.logged())
        self.ctl("verify", "a")
        self.ctl("destroy", "a")
        self.assert_unchanged()

    def test_a_stop_puts_everything_back(self):  # F45
        self.ctl("create", "a", "1-3", "governor=performance", "force_latency=20")
        self.reboot()
        self.assertEqual(self.names(), [])

    def test_a_call_under_way_is_finished_first(self):
        self.machine.faults("delay cpu2/power/energy_perf_bias 700")
        connection = self.machine.connect()
        connection.call(harness.BUS_NAME, harness.PATH, harness.MANAGER, "CreateInstance",
                        GLib.Variant("(sssa{sv})", ("cpu", "a", "1-3", values(energy_perf_bias=3))),
                        None, 0, -1, None, None)
        wait_for(lambda: self.machine.read("cpu1/power/energy_perf_bias") == "3", "its start")
        self.restart()
        self.assertEqual(self.names(), ["a"])
        self.ctl("verify", "a")


class Persistent(Lifetimes):
    def test_it_is_there_again(self):
        self.ctl("create", "p", "1-3", "energy_perf_bias=3", "lifetime=persistent", "priority=-2")
        self.ctl("create", "r", "5", "energy_perf_bias=4")
        self.ctl("move", "7", "p")
        self.reboot()
        self.assertEqual(self.names(), ["p"])
        self.assertEqual(self.machine.instance("p", "Devices"), "1-3,7")
        self.assertEqual(self.machine.instance("p", "Priority"), -2)
        self.assertEqual(self.machine.instance("p", "Lifetime"), "persistent")
        self.assert_value("cpu7/power/energy_perf_bias", "3")
        self.assert_value("cpu5/power/energy_perf_bias", "6")
        self.ctl("destroy", "p")
        self.assert_unchanged()
        self.reboot()
        self.assertEqual(self.names(), [])

    def test_a_change_of_mind(self):
        self.ctl("create", "p", "1", "energy_perf_bias=3")
        self.ctl("set", "p", "lifetime=persistent")
        self.ctl("set", "p", "energy_perf_bias=4")
        self.reboot()
        self.assert_value("cpu1/power/energy_perf_bias", "4")
        self.ctl("set", "p", "lifetime=runtime")
        self.reboot()
        self.assertEqual(self.names(), [])

    def test_a_crash_leaves_it_to_this_boots_state(self):
        self.ctl("create", "p", "1", "energy_perf_bias=3", "lifetime=persistent")
        self.assertEqual(self.restart(signal.SIGKILL), 0)
        self.ctl("destroy", "p")
        self.assert_unchanged()

    def test_what_cannot_be_kept_is_refused_before_anything_is_written(self):
        (self.machine.folder / "lib").write_text("in the way")
        written = self.writes()
        message = self.ctl("create", "p", "1", "energy_perf_bias=3", "lifetime=persistent",
                           status=1)
        self.assertIn("cannot be kept, so nothing is changed", message)
        self.assertEqual(self.writes(), written)
        self.assertEqual(self.names(), [])

    def test_a_full_disk(self):
        folder = self.machine.folder / "lib"
        folder.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4k", "tmpfs", folder], check=True)
        try:
            (folder / "fill").write_bytes(b"x" * 4096)
            written = self.writes()
            message = self.ctl("create", "p", "1", "energy_perf_bias=3", "lifetime=persistent",
                               status=1)
            self.assertIn("No space left", message)
            self.assertEqual(self.writes(), written)
            (folder / "fill").unlink()
            self.ctl("create", "p", "1", "energy_perf_bias=3", "lifetime=persistent")
            subprocess.run(["mount", "-o", "remount,ro", folder], check=True)
            self.assertIn("Read-only", self.ctl("set", "p", "energy_perf_bias=4", status=1))
            self.assert_value("cpu1/power/energy_perf_bias", "3")
        finally:
            subprocess.run(["umount", folder], check=True)

    def test_a_file_that_makes_no_sense(self):
        self.ctl("create", "p", "1", "energy_perf_bias=3", "lifetime=persistent")
        path = self.machine.folder / "lib/instances.json"
        for text in ("", "{", "[]", '{"version": 2, "instances": []}', "\0", "{}" * 9,
                     path.read_text()[:-20]):
            self.machine.stop()
            path.write_text(text)
            self.machine.start_again()
            self.assertEqual(self.names(), [])
            if text:
                self.assertEqual(path.with_suffix(".json.bad").read_text(), text)

    def test_an_instance_that_makes_no_sense_is_left_out(self):
        self.ctl("create", "p", "1", "energy_perf_bias=3", "lifetime=persistent")
        self.ctl("create", "q", "2", "energy_perf_bias=4", "lifetime=persistent")
        self.machine.stop()
        path = self.machine.folder / "lib/instances.json"
        state = json.loads(path.read_text())
        state["instances"][0]["options"]["frobnicate"] = "1"
        state["instances"][1]["devices"] = "2,900"
        path.write_text(json.dumps(state))
        self.machine.start_again()
        self.assertEqual(self.names(), ["q"])
        self.assertEqual(self.machine.instance("q", "Devices"), "2")
        self.assertIn("unknown option 'frobnicate'", self.machine.logged())


class Bound(Lifetimes):
    def create(self, connection, name, devices):
        self.machine.call("CreateInstance", "(sssa{sv})", "cpu", name, devices,
                          values(energy_perf_bias=3, lifetime="bound"), connection=connection)

    def test_it_ends_with_its_creator(self):  # F49
        connection = self.machine.connect()
        self.create(connection, "b", "1-2")
        self.ctl("create", "r", "3", "energy_perf_bias=3")
        self.assertEqual(self.machine.instance("b", "Lifetime"), "bound")
        connection.close_sync()
        wait_for(lambda: self.names() == ["r"], "its end")
        self.ctl("destroy", "r")
        self.assert_unchanged()

    def test_a_creator_that_dies_before_the_reply(self):
        self.machine.faults("delay cpu1/power/energy_perf_bias 500")
        connection = self.machine.connect()
        connection.call(harness.BUS_NAME, harness.PATH, harness.MANAGER, "CreateInstance",
                        GLib.Variant("(sssa{sv})", ("cpu", "b", "1", values(
                            energy_perf_bias=3, lifetime="bound"))), None, 0, -1, None, None)
        connection.flush_sync()
        wait_for(lambda: "CreateInstance" and self.machine.call("ListDevices", "(s)", "cpu"), "it")
        connection.close_sync()
        wait_for(lambda: any(path == "cpu1/power/energy_perf_bias" and value == "6"
                             for path, value, _ in self.machine.writes()), "the way back")
        wait_for(lambda: self.names() == [], "its end")
        self.assert_unchanged()

    def test_over_a_restart(self):
        connection = self.machine.connect()
        self.create(connection, "b", "1")
        other = self.machine.connect()
        self.create(other, "c", "2")
        self.assertEqual(self.restart(), 0)
        self.assertEqual(self.names(), ["b", "c"])
        connection.close_sync()
        wait_for(lambda: self.names() == ["c"], "the end of b")
        self.machine.stop(signal.SIGKILL)
        other.close_sync()
        self.machine.start_again()
        wait_for(lambda: self.names() == [], "the end of c")
        self.assert_unchanged()

    def test_it_can_be_kept(self):
        connection = self.machine.connect()
        self.create(connection, "b", "1")
        self.ctl("set", "b", "lifetime=runtime")
        connection.close_sync()
        self.ctl("verify", "b")
        self.ctl("set", "b", "energy_perf_bias=5")
        self.assertEqual(self.names(), ["b"])

    def test_an_end_that_the_kernel_refuses_in_part(self):
        connection = self.machine.connect()
        self.create(connection, "b", "1-2")
        self.machine.faults("write cpu1/power/energy_perf_bias EIO")
        connection.close_sync()
        wait_for(lambda: self.names() == [], "its end")
        self.assert_value("cpu2/power/energy_perf_bias", "6")
        self.machine.faults()
        self.ctl("create", "x", "1")  # what is stuck comes back with the next call there
        self.ctl("destroy", "x")
        self.assert_unchanged()

    def test_the_client_that_ends_at_once(self):  # F46
        self.ctl("create", "r", "1", "energy_perf_bias=3")
        self.assertEqual(self.names(), ["r"])
        self.ctl("create", "b", "2", "energy_perf_bias=3", "lifetime=bound")
        wait_for(lambda: self.names() == ["r"], "the end of b")


class Files(Lifetimes):
    """/etc/retune/instances.d"""

    def make_machine(self):
        machine = super().make_machine()
        self.folder = machine.folder / "etc/instances.d"
        self.folder.mkdir(parents=True)
        return machine

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def test_they_are_there_at_each_start(self):
        self.write("10-net.conf", "[net]\ntype=cpu\ndevices=1-2\nenergy_perf_bias=3\n"
                   "[rest]\ntype=cpu\nenergy_perf_bias=9\npriority=5\n")
        self.reboot()
        self.assertEqual(self.names(), ["net", "rest"])
        self.assertEqual(self.machine.instance("rest", "Devices"), "0,3-31")
        self.assertEqual(self.machine.instance("net", "Origin"), str(self.folder / "10-net.conf"))
        self.assertEqual(self.restart(), 0)
        self.assertEqual(self.names(), ["net", "rest"])

    def test_only_what_differs_is_done(self):
        self.write("a.conf", "[one]\ntype=cpu\ndevices=1\nenergy_perf_bias=3\n"
                   "[two]\ntype=cpu\ndevices=2\nenergy_perf_bias=4\n")
        self.reboot()
        self.write("a.conf", "[one]\ntype=cpu\ndevices=1\nenergy_perf_bias=3\n"
                   "[two]\ntype=cpu\ndevices=2\nenergy_perf_bias=5\n")
        self.assertEqual(self.restart(), 1)
        self.assert_value("cpu2/power/energy_perf_bias", "5")
        self.write("a.conf", "[two]\ntype=cpu\ndevices=2\nenergy_perf_bias=5\n")
        self.assertEqual(self.restart(), 1)
        self.assertEqual(self.names(), ["two"])
        (self.folder / "a.conf").unlink()
        self.restart()
        self.assertEqual(self.names(), [])
        self.assert_unchanged()

    def test_a_bad_file_is_skipped_with_file_and_line(self):
        self.write("1.conf", "[good]\ntype=cpu\ndevices=1\nenergy_perf_bias=3\n")
        self.write("2.conf", "[bad]\ntype=cpu\ndevices=2\n\nenergy_perf_bias=99\n")
        self.write("3.conf", "nonsense\n")
        self.write("4.conf", "[far]\ntype=cpu\ndevices=900\n")
        self.write("5.conf", "[tied]\ntype=cpu\ndevices=5\nlifetime=bound\n")
        self.write("6.conf", "[good]\ntype=cpu\ndevices=6\n")
        self.write("7.conf", "[late]\ntype=cpu\ndevices=7\nenergy_perf_bias=4\n")
        self.write("8.txt", "[text]\ntype=cpu\ndevices=8\n")
        self.reboot()
        self.assertEqual(self.names(), ["good", "late"])
        log = self.machine.logged()
        for part in ("2.conf:5: section [bad]: energy_perf_bias '99'", "3.conf:1:",
                     "4.conf:1: section [far]: CPU 900 does not exist",
                     "5.conf:1: section [tied]: lifetime 'bound'",
                     "6.conf:1: section [good]: there is an instance 'good' already"):
            self.assertIn(part, log)

    def test_selectors(self):
        self.write("a.conf", "[one]\ntype=cpu\ndevices=siblings:1\nenergy_perf_bias=3\n"
                   "[two]\ntype=cpu\ndevices=free\nenergy_perf_bias=4\n")
        self.reboot()
        self.assertEqual(self.machine.instance("one", "Devices"), "1,17")
        self.assertEqual(self.machine.instance("two", "Devices"), "0,2-16,18-31")


if __name__ == "__main__":
    harness.main()
