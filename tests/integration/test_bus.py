# SPDX-License-Identifier: GPL-2.0-or-later
"""The D-Bus interface as any client sees it."""

import shutil
import time
import xml.etree.ElementTree as ElementTree

import harness
from gi.repository import Gio, GLib
from harness import INSTANCE, MANAGER, PATH, Case


def options(**values):
    return {name: GLib.Variant({int: "i", bool: "b", str: "s"}[type(value)], value)
            for name, value in values.items()}


class Bus(Case):
    def create(self, name, devices, **values):
        return self.machine.call("CreateInstance", "(sssa{sv})", "cpu", name, devices,
                                 options(**values))

    def collect(self, connection):
        """From now on, the signals of the daemon: (object, signal, arguments)."""
        signals = []
        connection.signal_subscribe(
            None, None, None, None, None, Gio.DBusSignalFlags.NONE,
            lambda _c, _s, path, interface, name, arguments: signals.append(
                (path, name, arguments.unpack())) if path.startswith(PATH) else None)
        return signals

    def drain(self):
        """Handles the signals that were sent before the last reply."""
        context = GLib.MainContext.default()
        self.machine.property("Version")
        while context.iteration(False):
            pass

    def test_types_of_values(self):
        path, moved, held = self.create("a", "1-2", priority=-3, best_effort=True,
                                        energy_perf_bias=7, governor="powersave")
        self.assertEqual((path, moved, held), (PATH + "/instance/a", [("1-2", "")], []))
        self.assert_value("cpu1/power/energy_perf_bias", "7")
        self.assertEqual(self.machine.instance("a", "Priority"), -3)
        self.assertEqual(self.machine.instance("a", "BestEffort"), True)
        self.assert_error("InvalidValue", self.machine.call, "CreateInstance", "(sssa{sv})", "cpu",
                          "b", "3", {"governor": GLib.Variant("as", ["x"])})

    def test_names_of_errors(self):
        call = self.machine.call
        self.create("a", "1", priority=-1)
        for error, method, signature, arguments in (
                ("UnknownPlugin", "CreateInstance", "(sssa{sv})", ("disk", "b", "1", {})),
                ("InstanceExists", "CreateInstance", "(sssa{sv})", ("cpu", "a", "1", {})),
                ("InvalidValue", "CreateInstance", "(sssa{sv})", ("cpu", "a/b", "1", {})),
                ("InvalidValue", "CreateInstance", "(sssa{sv})", ("cpu", "", "1", {})),
                ("LimitsExceeded", "CreateInstance", "(sssa{sv})", ("cpu", "a" * 65, "1", {})),
                ("UnknownDevice", "CreateInstance", "(sssa{sv})", ("cpu", "b", "", {})),
                ("UnknownDevice", "CreateInstance", "(sssa{sv})", ("cpu", "b", "31-32", {})),
                ("InvalidValue", "CreateInstance", "(sssa{sv})", ("cpu", "b", "3-", {})),
                ("LimitsExceeded", "CreateInstance", "(sssa{sv})", ("cpu", "b", "99999", {})),
                ("LimitsExceeded", "CreateInstance", "(sssa{sv})", ("cpu", "b", "1," * 40000, {})),
                ("UnknownOption", "CreateInstance", "(sssa{sv})",
                 ("cpu", "b", "2", options(gouvernor="x"))),
                ("InvalidValue", "CreateInstance", "(sssa{sv})",
                 ("cpu", "b", "2", options(energy_perf_bias=16))),
                ("LimitsExceeded", "CreateInstance", "(sssa{sv})",
                 ("cpu", "b", "2", options(governor="x" * 2000))),
                ("NotSupported", "CreateInstance", "(sssa{sv})",
                 ("cpu", "b", "2", options(boost=1))),
                ("InvalidValue", "CreateInstance", "(sssa{sv})",
                 ("cpu", "b", "2", options(governor="perfromance"))),
                ("Conflict", "CreateInstance", "(sssa{sv})",
                 ("cpu", "b", "1-2", options(exclusive=True))),
                ("UnknownInstance", "MoveDevices", "(ss)", ("1", "b")),
                ("UnknownInstance", "DestroyInstance", "(s)", ("b",)),
                ("UnknownInstance", "SetOptions", "(sa{sv})", ("b", {})),
                ("UnknownInstance", "Verify", "(s)", ("b",)),
                ("UnknownInstance", "Reapply", "(sb)", ("b", True)),
                ("UnknownInstance", "GetInstance", "(s)", ("b",)),
                ("UnknownDevice", "ReleaseDevices", "(s)", ("cpu99",)),
                ("UnknownPlugin", "ListDevices", "(s)", ("disk",)),
                ("UnknownOption", "ReadValues", "(ssas)", ("cpu", "all", ["nonsense"])),
                ("InvalidValue", "Preview", "(ssssa{sv})", ("erase", "cpu", "a", "1", {})),
                ("InvalidValue", "LoadProfile", "(h)", (0,))):
            with self.subTest(method=method, arguments=str(arguments)[:60]):
                self.assert_error(error, call, method, signature, *arguments)
        self.assert_error("Conflict", call, "Release", "(s)", "1-2", interface=INSTANCE,
                          path=PATH + "/instance/a")
        self.assertEqual([row[0] for row in call("ListInstances", "(s)", "cpu")[0]], ["a"])
        self.assert_unchanged()

    def test_every_change_is_signalled_before_its_reply(self):
        signals = self.collect(self.machine.connection)
        self.create("a", "1-3", energy_perf_bias=7)
        self.create("b", "5")
        self.drain()
        self.assertIn((PATH, "DevicesMoved", ("cpu", "1-3", "", "a")), signals)
        added = [arguments for _, name, arguments in signals if name == "InterfacesAdded"]
        self.assertEqual(added[0][0], PATH + "/instance/a")
        self.assertEqual(added[0][1][INSTANCE]["Devices"], "1-3")
        self.assertEqual(added[0][1][INSTANCE]["Options"], {"energy_perf_bias": "7"})
        signals.clear()
        self.machine.call("MoveDevices", "(ss)", "2", "b")
        self.drain()
        self.assertIn((PATH, "DevicesMoved", ("cpu", "2", "a", "b")), signals)
        changed = {path: arguments[1] for path, name, arguments in signals
                   if name == "PropertiesChanged"}
        self.assertEqual(changed[PATH + "/instance/a"],
                         {"Devices": "1,3", "Held": [("2", "b")]})
        self.assertEqual(changed[PATH + "/instance/b"], {"Devices": "2,5"})
        signals.clear()
        self.machine.call("ReleaseDevices", "(s)", "5")
        self.drain()
        changed = {path: arguments[1] for path, name, arguments in signals
                   if name == "PropertiesChanged"}
        self.assertIn("FreeDevices", changed[PATH])
        signals.clear()
        self.machine.call("SetOptions", "(sa{sv})", "a", options(energy_perf_bias=8))
        self.machine.call("DestroyInstance", "(s)", "b")
        self.drain()
        self.assertIn((PATH + "/instance/a", "PropertiesChanged",
                       (INSTANCE, {"Options": {"energy_perf_bias": "8"}}, [])), signals)
        self.assertIn((PATH, "InterfacesRemoved", (PATH + "/instance/b", [INSTANCE])), signals)
        self.assertIn((PATH, "DevicesMoved", ("cpu", "2", "b", "a")), signals)

    def test_a_refused_call_signals_nothing(self):
        self.create("a", "1-3")
        signals = self.collect(self.machine.connection)
        self.machine.faults("write cpu1/power/energy_perf_bias EIO")
        self.assert_error("WriteFailed", self.machine.call, "SetOptions", "(sa{sv})", "a",
                          options(energy_perf_bias=8))
        self.machine.call("Preview", "(ssssa{sv})", "destroy", "cpu", "a", "", {})
        self.drain()
        self.assertEqual(signals, [])

    def test_the_object_of_an_instance(self):
        path = self.create("a.b-c", "1")[0]
        self.assertEqual(path, PATH + "/instance/a_2eb_2dc")
        call = self.machine.call
        self.assertEqual(call("Acquire", "(s)", "4", path=path, interface=INSTANCE),
                         ([("4", "")],))
        self.assertEqual(call("Release", "(s)", "1", path=path, interface=INSTANCE),
                         ([("1", "")],))
        call("SetOptions", "(a{sv})", options(energy_perf_bias=3), path=path, interface=INSTANCE)
        self.assertEqual(call("Verify", path=path, interface=INSTANCE)[0],
                         [("4", "energy_perf_bias", "3", "3", "applied", "")])
        objects = call("GetManagedObjects", interface="org.freedesktop.DBus.ObjectManager")[0]
        self.assertEqual(objects[path][INSTANCE]["Devices"], "4")
        self.assertEqual(call("Destroy", path=path, interface=INSTANCE), ([("4", "")],))
        self.assertEqual(call("GetManagedObjects",
                              interface="org.freedesktop.DBus.ObjectManager")[0], {})

    def test_calls_of_one_client_keep_their_order(self):
        replies = []

        def send(method, signature, *arguments):
            self.machine.connection.call(
                harness.BUS_NAME, PATH, MANAGER, method, GLib.Variant(signature, arguments), None,
                0, -1, None, lambda bus, result: replies.append((method, finish(bus, result))))

        def finish(bus, result):
            try:
                return bus.call_finish(result).unpack()
            except GLib.Error as error:
                return Gio.DBusError.get_remote_error(error)

        self.machine.faults("delay cpu1/power/energy_perf_bias 50")
        send("CreateInstance", "(sssa{sv})", "cpu", "a", "1-4", options(energy_perf_bias=7))
        send("ListInstances", "(s)", "cpu")
        send("MoveDevices", "(ss)", "5", "a")
        send("GetInstance", "(s)", "a")
        send("DestroyInstance", "(s)", "a")
        send("GetInstance", "(s)", "a")
        send("ListInstances", "(s)", "")
        context = GLib.MainContext.default()
        end = time.monotonic() + harness.DEADLINE
        while len(replies) < 7 and time.monotonic() < end:
            context.iteration(False)
        self.assertEqual([name for name, _ in replies],
                         ["CreateInstance", "ListInstances", "MoveDevices", "GetInstance",
                          "DestroyInstance", "GetInstance", "ListInstances"])
        self.assertEqual(replies[1][1][0][0][:3], ("a", "cpu", "1-4"))
        self.assertEqual(replies[3][1], (PATH + "/instance/a",))
        self.assertEqual(replies[5][1], "io.github.retune1.Error.UnknownInstance")
        self.assertEqual(replies[6][1], ([],))
        self.assert_unchanged()

    def test_one_client_cannot_fill_the_queue(self):
        replies = []

        def finished(bus, result):
            try:
                replies.append(bus.call_finish(result).unpack())
            except GLib.Error as error:
                replies.append(Gio.DBusError.get_remote_error(error))

        self.machine.faults("delay cpu1/power/energy_perf_bias 500")
        other = self.machine.connect()
        calls = [("CreateInstance", "(sssa{sv})", ("cpu", "a", "1", options(energy_perf_bias=7)))]
        calls += [("Verify", "(s)", ("a",))] * 99
        for method, signature, arguments in calls:
            self.machine.connection.call(harness.BUS_NAME, PATH, MANAGER, method,
                                         GLib.Variant(signature, arguments), None, 0, -1, None,
                                         finished)
        context = GLib.MainContext.default()
        end = time.monotonic() + harness.DEADLINE
        while len(replies) < 100 and time.monotonic() < end:
            context.iteration(False)
        self.assertEqual(replies.count("io.github.retune1.Error.LimitsExceeded"), 36)
        self.machine.call("MoveDevices", "(ss)", "2", "a", connection=other)
        other.close_sync(None)

    def test_questions_do_not_delay_the_end(self):
        self.create("a", "1", energy_perf_bias=7)
        self.machine.faults("delay cpu2/power/energy_perf_bias 500")
        replies = []

        def finished(bus, result):
            try:
                replies.append(bus.call_finish(result).unpack())
            except GLib.Error as error:
                replies.append(error.message)

        for method, signature, arguments in [("MoveDevices", "(ss)", ("2", "a"))] + \
                [("ReadValues", "(ssas)", ("cpu", "all", []))] * 20:
            self.machine.connection.call(harness.BUS_NAME, PATH, MANAGER, method,
                                         GLib.Variant(signature, arguments), None, 0, -1, None,
                                         finished)
        harness.wait_for(lambda: self.machine.read("cpu2/power/energy_perf_bias") == "7" or
                         self.drain_none(), "the move")
        self.assertEqual(self.machine.stop(), 0)
        context = GLib.MainContext.default()
        end = time.monotonic() + harness.DEADLINE
        while len(replies) < 21 and time.monotonic() < end:
            context.iteration(False)
        self.assertEqual(len(replies), 21)
        self.assert_unchanged()

    @staticmethod
    def drain_none():
        """Lets the calls above go out."""
        while GLib.MainContext.default().iteration(False):
            pass
        return False

    def test_only_root_may_change_anything_but_all_may_read(self):
        self.create("a", "1")

        # The build may be where nobody else can look, as in /root.
        retunectl = shutil.copy(harness.STAGE / "bin/retunectl", self.machine.folder)
        readme = shutil.copy(harness.SOURCE / "README.md", self.machine.folder)

        def nobody(*words):
            return self.machine.run("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
                                    *words)

        for words in (("list",), ("show", "a"), ("cpus",), ("options",), ("verify", "a"),
                      ("preview", "move", "3", "a")):
            result = nobody(retunectl, *words)
            self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(nobody("busctl", "tree", harness.BUS_NAME).returncode, 0)
        for words in (("create", "b", "2"), ("destroy", "a"), ("move", "2", "a"), ("release", "1"),
                      ("set", "a", "energy_perf_bias=1"), ("reapply", "a"),
                      ("load", readme)):
            result = nobody(retunectl, *words)
            self.assertEqual(result.returncode, 1, words)
            self.assertIn("only root may change anything; try sudo", result.stderr)
        for method in ("Acquire s 3", "Release s 1", "SetOptions a{sv} 0", "Destroy"):
            result = nobody("busctl", "call", harness.BUS_NAME, PATH + "/instance/a", INSTANCE,
                            *method.split())
            self.assertIn("Access", result.stderr, method)
        self.assertEqual(self.machine.instance("a", "Devices"), "1")
        self.assert_unchanged()

    def test_the_policy_names_every_method(self):
        """A method that is not in the bus policy is for root; this lists those that are not."""
        policy = (harness.SOURCE / "data/io.github.retune1.conf").read_text()
        interfaces = ElementTree.parse(harness.SOURCE / "dbus/io.github.retune1.xml").getroot()
        closed = {method.get("name") for interface in interfaces.iter("interface")
                  for method in interface.iter("method")
                  if f'"{interface.get("name")}" send_member="{method.get("name")}"' not in policy}
        self.assertEqual(closed, {"CreateInstance", "DestroyInstance", "MoveDevices",
                                  "ReleaseDevices", "SetOptions", "Reapply", "LoadProfile",
                                  "Acquire", "Release", "Destroy"})

    def test_introspection_reads_well(self):
        self.create("a", "1", energy_perf_bias=3)
        tree = self.machine.run("busctl", "tree", "--list", harness.BUS_NAME).stdout
        self.assertIn("/io/github/retune1/instance/a", tree)
        busctl = self.machine.run("busctl", "introspect", harness.BUS_NAME, PATH).stdout
        for word in ("CreateInstance", "sssa{sv}", "DevicesMoved", "FreeDevices", "ObjectManager"):
            self.assertIn(word, busctl)
        gdbus = self.machine.run("gdbus", "introspect", "--system", "-d", harness.BUS_NAME, "-o",
                                 PATH + "/instance/a").stdout
        for word in ("readonly s Devices = '1'", "Acquire(in  s devices", "energy_perf_bias"):
            self.assertIn(word, gdbus)

    def test_every_method_signal_and_property_is_documented(self):
        text = (harness.SOURCE / "dbus/io.github.retune1.xml").read_text()
        for tag in ElementTree.fromstring(text).iter():
            if tag.tag in ("method", "signal", "property"):
                self.assertIn(f"{tag.get('name')}:", text)
            for argument in tag.iter("arg") if tag.tag in ("method", "signal") else ():
                self.assertIn(f"@{argument.get('name')}:", text)


class Large(Case):
    machine_name = "cascadelake-1024"

    def test_reads_are_answered_while_a_large_plan_is_applied(self):
        self.machine.faults("delay cpu*/power/energy_perf_bias 3")  # 3 s in all
        other = self.machine.connect()
        done = []
        self.machine.connection.call(
            harness.BUS_NAME, PATH, MANAGER, "CreateInstance",
            GLib.Variant("(sssa{sv})", ("cpu", "a", "0-1023", options(energy_perf_bias=15))), None,
            0, -1, None, lambda bus, result: done.append(bus.call_finish(result).unpack()))
        context = GLib.MainContext.default()
        reads = []
        harness.wait_for(lambda: len(self.machine.writes()) > 10, "the first writes")
        while not done and len(reads) < 100000:
            start = time.monotonic()
            self.machine.property("FreeDevices", connection=other)
            self.machine.call("ListDevices", "(s)", "cpu", connection=other)
            reads.append(time.monotonic() - start)
            context.iteration(False)
        self.assertEqual(done[0][1], [("0-1023", "")])
        # Not a figure of speed: answered one by one, and not only when all was done.
        self.assertGreater(len(reads), 20)
        self.assert_value("cpu1023/power/energy_perf_bias", "15")
        self.machine.faults()
        self.machine.call("DestroyInstance", "(s)", "a")
        other.close_sync(None)
        self.assert_unchanged()


if __name__ == "__main__":
    harness.main()
