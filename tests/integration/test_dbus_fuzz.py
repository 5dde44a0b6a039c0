# SPDX-License-Identifier: GPL-2.0-or-later
"""Random calls of every method on every object, with arguments that are right, odd or
wrong: whatever comes, retuned answers, leaks nothing and logs no bug of ours, and when
the instances are gone all is as it was. RETUNE_FUZZ_SEEDS="7 8 9" tries others."""

import os
import random
import re
import socket
import tempfile
import time
import unittest
import xml.etree.ElementTree as ElementTree

import harness
from gi.repository import Gio, GLib
from harness import BUS_NAME, INSTANCE, MANAGER, PATH, Case

MACHINES = ("cascadelake", "acpi-pairs")
SEEDS = os.environ.get("RETUNE_FUZZ_SEEDS", "1 2").split()
PASSES = 5
ROUNDS = 2
CALLS = 100  # in a round, after which the daemon is looked at
STANDARD = "org.freedesktop.DBus."
PROPERTIES = STANDARD + "Properties"
ERRORS = re.compile(
    r"io\.github\.retune1\.Error\.(UnknownPlugin|UnknownInstance|InstanceExists|UnknownDevice|"
    r"UnknownOption|InvalidValue|NotSupported|Conflict|WriteFailed|LimitsExceeded|Failed)|"
    r"org\.freedesktop\.DBus\.Error\.\w+")
BUGS = re.compile(r".*(?:CRITICAL|(?:GLib|GIO|GObject)\S*-WARNING|runtime error:|Sanitizer).*")
MEMORY = 1 << 20  # what it may have more after the last pass than after the second

NUMBERS = {"y": (0, 255), "n": (-2**15, 2**15 - 1), "q": (0, 2**16 - 1), "i": (-2**31, 2**31 - 1),
           "u": (0, 2**32 - 1), "x": (-2**63, 2**63 - 1), "t": (0, 2**64 - 1)}
ODD = ("", " ", "\n", "0", "-1", "|", "<", "\x01\x07\x1b[31m\x7f", "\u00e4" * 300,
       "\U0001f600\u202e\ufeff\uffff", "x" * 70000, "1," * 20000, "0-16383", "0-99999999999",
       "%s%n%u", "../../../etc/passwd", "node:00" + "\u00e4" * 40, "cpu[" + "*" * 200,
       "cpu*," * 65, "node:0 " * 65, "a/b", "${x}", "clamp:min", "cstate.name:\u00e4\x02",
       "\u00e9" * 4000 + "|1")
KINDS = ("s", "b", "y", "n", "q", "i", "u", "x", "t", "d", "o", "g", "v", "v", "as", "ay", "a{sv}",
         "(iv)", "h", "av")
# What makes sense, by the name of an argument in the introspection.
SENSE = {
    "plugin": ("cpu", "cpu", "cpu", ""),
    "name": ("a", "b.c", "_1", "a" * 64),
    "devices": ("0-3", "all", "1", "cpu1*,!cpu10", "2-5:1/2", "node:0", "free", "!0", "siblings:4"),
    "verb": ("create", "move", "release", "destroy", "set", "reapply"),
    "interface_name": (MANAGER, INSTANCE, PROPERTIES, ""),
    "property_name": ("Version", "Devices", "FreeDevices", "Options", "Problems", "Held"),
}
SENSE["expression"] = SENSE["devices"]
VALUES = ("performance", "powersave", "schedutil|powersave", "0", "1", "15", "<8", "60%", "max",
          "clamp:1GHz", "2100000", "C1", "C1,2", "n/a", "cstate.id_no_zero:1|170", "balance_power")
ATTRIBUTES = {"priority": ("-1", "0", "5", "32767", ""), "best_effort": ("true", "0", ""),
              "exclusive": ("1", "false"), "lifetime": ("runtime", "bound", "persistent", "")}
PROFILES = ("[a]\ntype=cpu\ndevices=1-2\ngovernor=powersave\n[x]\ntype=disk\n[_1]\ntype=cpu\n",
            "[main]\ninclude=absent\n", "[variables]\na=${a}\n[cpu]\ndevices=${a}\n", "\udcff[",
            "[cpu]\ngovernor=\u00e4" + "\u00e4" * 70000, "a\0b", "")
# What comes instead of the arguments of a method.
SIGNATURES = ("", "s", "ss", "i", "v", "as", "a{sv}", "h", "(sv)", "a{ss}", "ay", "sssa{sv}s", "ao",
              "d", "g", "ssv", "aav", "a{s(iv)}")


class Caller:
    """Makes up calls."""

    def __init__(self, seed, options):
        self.random = random.Random(seed)
        self.choose = self.random.choice
        self.names = options
        self.files = []  # that the call passes

    def chance(self, share):
        return self.random.random() < share

    # --- values ---

    def text(self, argument=None):
        if self.chance(0.8) and argument in SENSE:
            return self.choose(SENSE[argument])
        if self.chance(0.3):
            return self.choose(self.choose(tuple(SENSE.values())))
        if self.chance(0.7):
            return self.choose(ODD)
        return "".join(chr(self.random.choice((self.random.randint(1, 0x7f),
                                               self.random.randint(0xa0, 0xd7ff))))
                       for _ in range(self.random.randint(0, 80)))

    def number(self, kind):
        low, high = NUMBERS[kind]
        return self.choose((low, high, 0, 1, self.random.randint(low, high)))

    def option(self):
        """One entry of a{sv}."""
        kind = self.random.random()
        if kind < 0.3:
            name = self.choose(sorted(ATTRIBUTES))
            value = GLib.Variant("s", self.choose(ATTRIBUTES[name]))
        elif kind < 0.8:
            name = self.choose(self.names)
            value = GLib.Variant("s", self.choose(VALUES))
        else:
            name = self.choose((self.text(), self.choose(self.names)))
            value = self.any_value(0)
        return GLib.Variant.new_dict_entry(GLib.Variant("s", name), GLib.Variant.new_variant(value))

    def options(self):
        entries = [self.option() for _ in range(self.choose((0, 1, 1, 2, 3, 6)))]
        if entries and self.chance(0.1):
            entries.append(entries[0])  # the same name twice
        if self.chance(0.02):
            entries *= 500
        return GLib.Variant.new_array(GLib.VariantType("{sv}"), entries)

    def any_value(self, depth):
        if depth > 20:
            return GLib.Variant("b", True)
        return self.value(self.choose(KINDS), depth + 1)

    def value(self, signature, depth=0, argument=None):
        """A variant of this complete type."""
        kind = signature[0]
        if signature == "a{sv}":
            return self.options()
        if kind == "s":
            return GLib.Variant("s", self.text(argument))
        if kind == "b":
            return GLib.Variant("b", self.chance(0.5))
        if kind in NUMBERS:
            return GLib.Variant(kind, self.number(kind))
        if kind == "d":
            return GLib.Variant("d", self.choose((0.0, -1.5, 1e308, float("inf"), float("nan"))))
        if kind == "o":
            return GLib.Variant("o", self.choose(("/", PATH, PATH + "/instance/a")))
        if kind == "g":
            return GLib.Variant("g", self.choose(("", "s", "a{sv}", "a" * 32 + "i")))
        if kind == "h":
            return GLib.Variant("h", self.choose((0, 0, 0, 0, 1, 7, -1, -2**31, 2**31 - 1)))
        if kind == "v":
            return GLib.Variant.new_variant(self.any_value(depth))
        if kind == "a":
            items = [self.value(signature[1:], depth + 1, argument)
                     for _ in range(self.choose((0, 1, 2, 5)))]
            return GLib.Variant.new_array(GLib.VariantType(signature[1:]), items)
        parts = [self.value(part, depth + 1) for part in complete_types(signature[1:-1])]
        if kind == "{":
            return GLib.Variant.new_dict_entry(*parts)
        return GLib.Variant.new_tuple(*parts)

    def arguments(self, expected):
        """A tuple for a method that expects [(name, type)]."""
        if self.chance(0.1):
            expected = [(None, part) for part in complete_types(self.choose(SIGNATURES))]
        elif self.chance(0.03):
            expected = expected[:-1]
        return GLib.Variant.new_tuple(*(self.value(kind, 0, name) for name, kind in expected))

    # --- descriptors ---

    def descriptor(self):
        """A new descriptor of some kind; what belongs to it is closed by close_files()."""
        kind = self.random.randrange(11)
        if kind < 3:
            fd = self.file(self.choose(PROFILES).encode(errors="surrogateescape"))
        elif kind < 7:
            fd = os.open(("/dev/null", "/dev/zero", "/", "/proc/self/mem")[kind - 3], os.O_RDONLY)
        elif kind < 9:
            fd, other = os.pipe()
            self.files.append(other)
            if kind == 8:
                os.close(self.files.pop())
        elif kind == 9:
            end, other = socket.socketpair()
            fd = end.detach()
            other.close()
        else:
            fd = os.open("/etc/passwd", os.O_PATH)
        self.files.append(fd)
        return fd

    def file(self, content):
        with tempfile.TemporaryFile() as file:
            file.write(content)
            file.flush()
            if self.chance(0.1):
                file.truncate(2 << 20)
            return os.dup(file.fileno())

    def close_files(self):
        while self.files:
            os.close(self.files.pop())

    def descriptors(self):
        files = Gio.UnixFDList.new()
        for _ in range(self.choose((0, 1, 1, 1, 2))):
            files.append(self.descriptor())
        return files


def complete_types(signature):
    """"sa{sv}i" -> ["s", "a{sv}", "i"]"""
    parts = []
    while signature:
        end = next(end for end in range(1, len(signature) + 1)
                   if GLib.VariantType.string_is_valid(signature[:end]))
        parts.append(signature[:end])
        signature = signature[end:]
    return parts


class Fuzz:
    """Mixed into a Case for each machine."""

    def introspect(self, path=PATH):
        """(object, interface, method, [(argument, type)]) of all objects; and properties."""
        xml = self.machine.call("Introspect", interface=STANDARD + "Introspectable", path=path)[0]
        root = ElementTree.fromstring(xml)
        for interface in root.findall("interface"):
            name = interface.get("name")
            for method in interface.findall("method"):
                arguments = [(arg.get("name"), arg.get("type")) for arg in method.findall("arg")
                             if arg.get("direction", "in") == "in"]
                self.methods.setdefault((name, method.get("name")), (arguments, []))[1].append(path)
            for item in interface.findall("property"):
                self.properties.append((path, name, item.get("name"), item.get("type")))
        for node in root.findall("node"):
            self.introspect(f"{path}/{node.get('name')}")

    def look_around(self):
        self.methods, self.properties = {}, []
        self.introspect()

    def send(self, connection, path, interface, method, body, files=None):
        """Makes a call; returns the name of the error, or None."""
        message = Gio.DBusMessage.new_method_call(BUS_NAME, path, interface, method)
        message.set_body(body)
        if files is not None:
            message.set_unix_fd_list(files)
        self.history.append(f"{path} {interface}.{method}{body.print_(True)[:300]}")
        reply, _ = connection.send_message_with_reply_sync(message, Gio.DBusSendMessageFlags.NONE,
                                                           10000, None)
        name = reply.get_error_name()
        if name is not None:
            self.assertNotRegex(name, "NoReply|ServiceUnknown|NameHasNoOwner", self.history[-3:])
            self.assertTrue(ERRORS.fullmatch(name), (name, self.history[-3:]))
            text = reply.get_body()
            self.assertTrue(text is not None and text.get_child_value(0).get_string(),
                            ("an error without a message", name, self.history[-3:]))
        return name

    def call_something(self, caller, connection):
        new = sorted(key for key in self.methods if key not in self.called)
        key = caller.choose(new if new and caller.chance(0.3) else sorted(self.methods))
        arguments, paths = self.methods[key]
        interface, method = key
        path = caller.choose(paths) if caller.chance(0.95) else \
            caller.choose(("/", PATH + "/instance", PATH + "/instance/gone", PATH + "/x"))
        if caller.chance(0.05):
            interface = None  # the bus allows it, and any that has the method may answer
        files = caller.descriptors() if "h" in str(arguments) or caller.chance(0.03) else None
        error = self.send(connection, path, interface, method, caller.arguments(arguments), files)
        caller.close_files()
        self.called.setdefault(key, []).append(error)

    def create_something(self, caller, connection):
        """So that there is something to call."""
        name = caller.choose(SENSE["name"])
        options = {word: GLib.Variant("s", caller.choose(VALUES))
                   for word in caller.random.sample(caller.names, 2)}
        options["best_effort"] = GLib.Variant("b", True)
        body = GLib.Variant("(sssa{sv})", ("cpu", name, caller.choose(SENSE["devices"]), options))
        self.send(connection, PATH, MANAGER, "CreateInstance", body)

    def refuse_to_set(self, caller):
        """No property can be written, with whatever it is."""
        self.look_around()
        for path, interface, name, kind in self.properties:
            before = self.machine.property(name, path=path, interface=interface)
            for value in (caller.value(kind), caller.any_value(0)):
                body = GLib.Variant.new_tuple(GLib.Variant("s", interface), GLib.Variant("s", name),
                                              GLib.Variant.new_variant(value))
                self.assertIsNotNone(self.send(self.machine.connection, path, PROPERTIES, "Set",
                                               body), (path, name))
            self.assertEqual(self.machine.property(name, path=path, interface=interface), before)

    def check_health(self):
        start = time.monotonic()
        self.machine.property("Version")
        self.assertLess(time.monotonic() - start, 1, "seconds for an answer")
        bugs = BUGS.findall(self.machine.logged())
        self.assertEqual(bugs, [], self.history[-CALLS:])

    def clear(self):
        """Destroys all instances; then nothing is left of them."""
        for row in self.machine.call("ListInstances", "(s)", "")[0]:
            self.machine.call("DestroyInstance", "(s)", row[0])
        self.assert_unchanged()
        self.assertFalse((self.machine.folder / "run/state.json").exists(), "there is a state")

    def measure(self):
        """(descriptors, bytes of memory) of retuned, once it has given back what it can."""
        time.sleep(1.5)
        folder = f"/proc/{self.machine.pid()}"
        with open(folder + "/status") as status:
            memory = int(re.search(r"VmRSS:\s*(\d+) kB", status.read()).group(1)) << 10
        return len(os.listdir(folder + "/fd")), memory

    def sanitized(self):
        """Does it keep what it has freed, to find errors?"""
        with open(f"/proc/{self.machine.pid()}/maps") as maps:
            return "libasan" in maps.read()

    def one_round(self, caller):
        other = self.machine.connect()
        for count in range(CALLS):
            connection = caller.choose((self.machine.connection, other))
            if count % 20 == 0:
                self.create_something(caller, connection)
                self.look_around()
            self.call_something(caller, connection)
        self.refuse_to_set(caller)
        other.close_sync(None)  # and what is bound to it ends
        self.check_health()
        self.clear()

    def fuzz(self, seed):
        # Not online: the simulation gives up when it cannot send all events of many CPUs.
        options = [row[0] for row in self.machine.call("ListOptions", "(s)", "cpu")[0]
                   if row[0] != "online"]
        self.history, self.called, measured = [], {}, []
        for _ in range(PASSES):  # the same again: what it has kept by then is enough
            caller = Caller(seed, options)
            for _ in range(ROUNDS):
                self.one_round(caller)
            measured.append(self.measure())
        self.assertEqual({fds for fds, _ in measured}, {measured[0][0]}, "descriptors leak")
        if not self.sanitized():
            self.assertLess(measured[-1][1] - measured[-3][1], MEMORY, measured)
        # It was worth it: all was called, and not all was refused.
        self.assertEqual([key for key in self.methods if key not in self.called], [])
        results = [error for errors in self.called.values() for error in errors]
        self.assertGreater(results.count(None), len(results) / 5)
        self.assertGreater(len(set(results)), 6, set(results))


def make(machine):
    """A test case for @machine, with a test for each seed."""
    tests = {f"test_seed_{seed}": lambda self, seed=seed: self.fuzz(int(seed)) for seed in SEEDS}
    return type(machine, (Fuzz, Case), dict(tests, machine_name=machine))


def load_tests(loader, _tests, _pattern):
    suite = unittest.TestSuite()
    for machine in MACHINES:
        suite.addTests(loader.loadTestsFromTestCase(make(machine)))
    return suite


if __name__ == "__main__":
    harness.main()
