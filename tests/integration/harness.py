# SPDX-License-Identifier: GPL-2.0-or-later
"""The installed retuned on a private bus, and a simulated machine for it.

Only the daemon runs inside the simulation; the clients are ordinary processes,
and the files of the machine are read straight from its tree. Binaries come from
RETUNE_STAGE (an install), the simulation from RETUNE_SIM.
"""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import gi

gi.require_version("Gio", "2.0")
from gi.repository import Gio, GLib  # noqa: E402

STAGE = pathlib.Path(os.environ["RETUNE_STAGE"])
SIM = os.environ.get("RETUNE_SIM")
SOURCE = pathlib.Path(__file__).resolve().parents[2]
BUS_NAME = "io.github.retune1"
PATH = "/io/github/retune1"
MANAGER = BUS_NAME + ".Manager"
INSTANCE = BUS_NAME + ".Instance"
# What changes by itself: what is measured, and what lists loaded modules.
MEASURED = ("scaling_cur_freq", "usage", "time", "scaling_available_governors")
DEADLINE = 60  # seconds until a test that waits is hung

# Runs retuned inside the simulation, which must outlive it: $0 is the program,
# $1 the folder of the test, where "hold" takes the word "again".
HOLD = """
mkfifo "$1/hold"
while
  "$0" --debug &
  echo $! >"$1/pid"
  wait $!
  echo $? >"$1/status.new"
  mv "$1/status.new" "$1/status"
  read word <"$1/hold"
  test "$word" = again
do
  :
done
"""


def wait_for(condition, what):
    """Waits until condition() is true; fails after DEADLINE."""
    end = time.monotonic() + DEADLINE
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"waited {DEADLINE} s for {what}")
        time.sleep(0.01)


class Host:
    """A bus, retuned, and clients; where retuned runs is for subclasses to say:
    they set sysfs and dma_latency, and define pid, ended and close."""

    def __init__(self, environment=None):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="retune-test-"))
        self.folder.chmod(0o755)
        self.address = f"unix:path={self.folder}/bus"
        self.environment = dict(os.environ, DBUS_SYSTEM_BUS_ADDRESS=self.address,
                                PATH=f"{STAGE}/bin:{os.environ['PATH']}", LC_ALL="C.UTF-8",
                                RUNTIME_DIRECTORY=str(self.folder / "run"),
                                STATE_DIRECTORY=str(self.folder / "lib"),
                                CONFIGURATION_DIRECTORY=str(self.folder / "etc"),
                                **(environment or {}))
        self.log = open(self.folder / "log", "w+b")
        config = self.folder / "bus.conf"
        text = (SOURCE / "tests/lib/bus.conf.in").read_text()
        config.write_text(text.replace("@SOCKET@", f"{self.folder}/bus")
                          .replace("@POLICIES@", f"{STAGE}/share/dbus-1/system.d"))
        self.bus = subprocess.Popen(
            ["dbus-daemon", f"--config-file={config}", "--nofork", "--print-address"],
            stdout=subprocess.PIPE, stderr=self.log)
        assert self.bus.stdout.readline(), "dbus-daemon did not start: " + self.logged()
        self.connection = self.connect()

    def wait_for_service(self):
        wait_for(lambda: self.ended() is not None or self.is_owned(), "retuned on the bus")
        if self.ended() is not None:
            raise AssertionError("retuned ended: " + self.logged())

    def is_owned(self):
        reply = self.connection.call_sync(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
            "NameHasOwner", GLib.Variant("(s)", (BUS_NAME,)), None, 0, -1, None)
        return reply.unpack()[0]

    def logged(self):
        self.log.flush()
        return (self.folder / "log").read_text(errors="replace")

    def stop(self, number=signal.SIGTERM):
        """Stops retuned; returns its exit status."""
        os.kill(self.pid(), number)
        wait_for(lambda: self.ended() is not None, "the end of retuned")
        return self.ended()

    def close(self):
        self.connection.close_sync(None)
        self.bus.terminate()
        self.bus.wait(DEADLINE)
        self.bus.stdout.close()
        self.log.close()
        shutil.rmtree(self.folder)

    # --- the machine's files ---

    def read(self, path):
        return (self.sysfs / path).read_text().strip()

    def latency(self):
        """What /dev/cpu_dma_latency holds, in us."""
        with open(self.dma_latency, "rb", buffering=0) as device:
            return int.from_bytes(device.read(4), "little", signed=True)

    # --- clients ---

    def run(self, *words, **more):
        """Runs a program; returns what became of it."""
        return subprocess.run([str(word) for word in words], env=self.environment,
                              capture_output=True, text=True, timeout=DEADLINE,
                              stdin=subprocess.DEVNULL, **more)

    def shell(self, line):
        return self.run("sh", "-ec", line)

    def ctl(self, *words):
        return self.run("retunectl", *words)

    def json(self, *words):
        result = self.ctl("--json", *words)
        assert result.stdout, result.stderr
        return json.loads(result.stdout)

    def call(self, method, signature="()", *arguments, interface=MANAGER, path=PATH,
             connection=None):
        reply = (connection or self.connection).call_sync(
            BUS_NAME, path, interface, method, GLib.Variant(signature, arguments), None, 0,
            DEADLINE * 1000, None)
        return reply.unpack()

    def property(self, name, path=PATH, interface=MANAGER, connection=None):
        return self.call("Get", "(ss)", interface, name, path=path, connection=connection,
                         interface="org.freedesktop.DBus.Properties")[0]

    def say_sleep(self, going):
        """As logind does before (True) and after (False) a sleep."""
        connection = self.connect()
        connection.call_sync("org.freedesktop.DBus", "/org/freedesktop/DBus",
                             "org.freedesktop.DBus", "RequestName",
                             GLib.Variant("(su)", ("org.freedesktop.login1", 0)), None, 0, -1, None)
        connection.emit_signal(None, "/org/freedesktop/login1", "org.freedesktop.login1.Manager",
                               "PrepareForSleep", GLib.Variant("(b)", (going,)))
        connection.flush_sync()
        connection.close_sync()

    def instance(self, name, key):
        return self.property(key, path=self.call("GetInstance", "(s)", name)[0],
                             interface=INSTANCE)

    def connect(self):
        """Another client."""
        connection = Gio.DBusConnection.new_for_address_sync(
            self.address,
            Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT |
            Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION, None, None)
        connection.set_exit_on_close(False)
        return connection


class Machine(Host):
    """A simulated machine."""

    def __init__(self, name, environment=None):
        super().__init__(environment)
        self.control = self.folder / "control"
        self.simulation = subprocess.Popen(
            [SIM, "--machine", name, "--control", self.control, "--root-file", self.folder / "root",
             "--", "sh", "-c", HOLD, STAGE / "libexec/retuned", self.folder],
            env=self.environment, stdout=self.log, stderr=self.log)
        self.wait_for_service()
        self.root = pathlib.Path((self.folder / "root").read_text().strip())
        self.sysfs = self.root / "sys/devices/system/cpu"
        self.dma_latency = self.root / "dev/cpu_dma_latency"

    def pid(self):
        return int((self.folder / "pid").read_text())

    def ended(self):
        """The exit status of retuned, or None while it runs."""
        if self.simulation.poll() is not None:
            return self.simulation.returncode
        status = self.folder / "status"
        return int(status.read_text()) if status.exists() else None

    def close(self):
        if self.ended() is None:
            self.stop(signal.SIGKILL)
        if self.simulation.poll() is None:
            (self.folder / "hold").write_text("\n")
        self.simulation.wait(DEADLINE)
        super().close()

    def is_gone(self):
        """Has retuned been killed? Its name goes when the bus sees that."""
        if self.is_owned():
            return self.ended() is not None
        wait_for(lambda: self.ended() is not None, "the end of retuned")
        return True

    def is_gone(self):
        """Has retuned been killed? Its name goes when the bus sees that."""
        if self.is_owned():
            return self.ended() is not None
        wait_for(lambda: self.ended() is not None, "the end of retuned")
        return True

    def start_again(self):
        """Starts retuned after it has ended."""
        wait_for(lambda: not self.is_owned(), "the old name to go")
        (self.folder / "status").unlink()
        (self.folder / "hold").write_text("again\n")
        self.wait_for_service()

    def snapshot(self):
        """Every value of the machine, byte for byte, but for what is only measured."""
        files = {}
        for folder, _, names in os.walk(self.sysfs):
            for name in names:
                path = pathlib.Path(folder) / name
                if not path.is_symlink() and name not in MEASURED:
                    files[str(path.relative_to(self.sysfs))] = path.read_bytes()
        files["cpu_dma_latency"] = self.dma_latency.read_bytes()
        return files

    def writes(self):
        """All writes so far: (path, value, result)."""
        log = self.root / "retune/writes"
        return [tuple(line.split(" ")) for line in log.read_text().splitlines()] \
            if log.exists() else []

    def faults(self, *lines):
        """From now on the kernel behaves so; see tests/lib/README.md."""
        (self.root / "retune/faults").write_text("".join(line + "\n" for line in lines))

    def put(self, path, value):
        """Writes as a program on the machine does, by the kernel's rules."""
        inside = pathlib.Path(f"/proc/{self.pid()}/environ").read_bytes().decode().split("\0")
        result = subprocess.run(
            ["sh", "-c", 'printf %s "$1" >"$2"', "sh", value, f"/sys/devices/system/cpu/{path}"],
            env=dict(word.split("=", 1) for word in inside if word), capture_output=True, text=True,
            timeout=DEADLINE)
        assert result.returncode == 0, result.stderr

    def command(self, line):
        """Has the simulation do something (offline 3) and waits for it."""
        reply = pathlib.Path(f"{self.control}.reply")
        before = reply.read_text().count("\n") if reply.exists() else 0
        with open(self.control, "w") as control:
            control.write(line + "\n")
        wait_for(lambda: reply.exists() and reply.read_text().count("\n") > before, line)
        answer = reply.read_text().splitlines()[before]
        assert answer.startswith("ok"), answer


class Case(unittest.TestCase):
    """A test with a machine of its own."""

    machine_name = "cascadelake"
    environment = None
    expected_status = 0  # of retuned, at the end
    maxDiff = 4000

    def make_machine(self):
        return Machine(self.machine_name, self.environment)

    def setUp(self):
        self.machine = self.make_machine()
        self.before = self.machine.snapshot()

    def tearDown(self):
        machine = self.machine
        try:
            status = machine.stop() if machine.ended() is None else machine.ended()
            log = machine.logged()
            failed = any(error for _, error in getattr(self._outcome, "errors", []))
            if failed or status != self.expected_status:
                sys.stderr.write(f"--- log of {self.id()}\n{log}")
            self.assertEqual(status, self.expected_status, "retuned's exit status")
            for word in ("CRITICAL", "runtime error:", "ERROR: AddressSanitizer", "LeakSanitizer"):
                self.assertNotIn(word, log)
        finally:
            machine.close()

    def ctl(self, *words, status=0):
        """Runs retunectl and expects an exit status; returns its output."""
        result = self.machine.ctl(*words)
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        return result.stdout if status == 0 else result.stderr

    def assert_value(self, path, value):
        self.assertEqual(self.machine.read(path), value, path)

    def assert_unchanged(self):
        now = self.machine.snapshot()
        changed = {path: (self.before.get(path), now.get(path))
                   for path in self.before.keys() | now.keys()
                   if self.before.get(path) != now.get(path)}
        self.assertEqual(changed, {}, "file: (before, now)")

    def assert_error(self, name, function, *arguments, **more):
        """The call fails with this D-Bus error; returns its message."""
        with self.assertRaises(GLib.Error) as caught:
            function(*arguments, **more)
        remote = Gio.DBusError.get_remote_error(caught.exception)
        prefix = "" if "." in name else BUS_NAME + ".Error."
        self.assertEqual(remote, prefix + name, caught.exception.message)
        return caught.exception.message


def main():
    """Runs the tests of a file; one that is skipped is a failure."""
    result = unittest.main(exit=False, verbosity=2).result
    if result.testsRun == 0 or result.skipped:
        sys.exit("tests were skipped, or there were none")
    sys.exit(0 if result.wasSuccessful() else 1)
