# SPDX-License-Identifier: GPL-2.0-or-later
"""retuned on the real kernel of a guest that tests/vm/run started.

What the kernel holds is read from its files and with Debian's cpupower, never
through retune.
"""

import os
import pathlib
import re
import signal
import stat
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "integration"))
import harness  # noqa: E402
from harness import STAGE, GLib, wait_for  # noqa: E402,F401

CPU = pathlib.Path("/sys/devices/system/cpu")
CLAMPS = [pathlib.Path("/proc/sys/kernel") / f"sched_util_clamp_{name}"
          for name in ("min", "max", "min_rt_default")]


def writable_files():
    """All that anybody could tune below /sys/devices/system/cpu."""
    for folder, _, names in os.walk(CPU):
        for name in names:
            path = pathlib.Path(folder) / name
            mode = path.lstat().st_mode
            if stat.S_ISREG(mode) and mode & stat.S_IWUSR and mode & stat.S_IRUSR:
                yield path


def value_of(path):
    """The value in a file, or the name of the error that reading it gives."""
    try:
        return path.read_bytes().decode()
    except OSError as error:
        return os.strerror(error.errno)


def write(path, value):
    """Writes as a person would; returns None or the errno's name."""
    descriptor = None
    try:
        descriptor = os.open(CPU / path, os.O_WRONLY)
        os.write(descriptor, str(value).encode())
        return None
    except OSError as error:
        return os.strerror(error.errno)
    finally:
        if descriptor is not None:
            os.close(descriptor)


def online(cpus, on):
    """Switches CPUs on or off, as a person would."""
    for cpu in cpus:
        error = write(f"cpu{cpu}/online", int(on))
        assert error is None, f"cpu{cpu}/online: {error}"


def strace(files, *options):
    """The start of a command line for a program of which strace looks at what it does
    to these files of the kernel, below /sys/devices/system/cpu or with a whole path."""
    paths = [word for path in files for word in ("-P", str(CPU / path))]
    return ("strace", "-D", "-f", "-qq", *paths, *options)


# Where the simulated hardware of each CPU holds what its driver programmed.
PORTS = (0x81, 0x82, 0x83, 0x87, 0x89, 0x8a, 0x8b, 0x8f,
         0x481, 0x482, 0x483, 0x487, 0x489, 0x48a, 0x48b, 0x48f)


def programmed(cpu):
    """The frequency that the kernel programmed for @cpu, in 100 MHz."""
    with open("/dev/port", "rb", buffering=0) as ports:
        ports.seek(PORTS[cpu])
        return ports.read(1)[0]


class Guest(harness.Host):
    """The machine we are on."""

    def __init__(self, environment=None):
        super().__init__(environment)
        self.sysfs = CPU
        self.dma_latency = "/dev/cpu_dma_latency"
        self.start()

    def start(self, *wrapper):
        """Starts retuned, perhaps under another program."""
        harness.wait_for(lambda: not self.is_owned(), "the old name to go")
        self.daemon = subprocess.Popen([*wrapper, STAGE / "libexec/retuned", "--debug"],
                                       env=self.environment, stdout=self.log, stderr=self.log)
        self.wait_for_service()

    def pid(self):
        return self.daemon.pid

    def ended(self):
        return self.daemon.poll()

    def close(self):
        if self.daemon.poll() is None:
            self.daemon.kill()
            self.daemon.wait()
        super().close()

    def snapshot(self):
        files = {str(path): value_of(path) for path in writable_files()}
        files.update((str(path), value_of(path)) for path in CLAMPS if path.exists())
        files["cpu_dma_latency"] = self.latency()
        return files

    def usage(self, cpus):
        """How often each idle state was entered: {cpu: [count by state]}."""
        return {cpu: [int(value_of(state / "usage")) for state in
                      sorted((CPU / f"cpu{cpu}/cpuidle").iterdir(), key=lambda p: int(p.name[5:]))]
                for cpu in cpus}

    def cpupower(self, cpu, *words):
        """What cpupower says of a CPU."""
        result = self.run("cpupower", "-c", cpu, *words)
        assert result.returncode == 0, result.stdout + result.stderr
        return result.stdout

    def cpupower_governor(self, cpu):
        return re.search(r'governor "(\w+)"', self.cpupower(cpu, "frequency-info", "-p")).group(1)


class Case(harness.Case):
    """A test on this machine."""

    def make_machine(self):
        return Guest(self.environment)

    def create(self, options, name="one", devices="all"):
        return self.machine.call("CreateInstance", "(sssa{sv})", "cpu", name, devices, {
            key: GLib.Variant("s", str(value)) for key, value in options.items()})

    def set(self, options, name="one"):
        self.machine.call("SetOptions", "(sa{sv})", name, {
            key: GLib.Variant("s", str(value)) for key, value in options.items()})

    def destroy(self, name="one"):
        self.machine.call("DestroyInstance", "(s)", name)

    def restart(self, *wrapper):
        """Starts retuned anew, perhaps under another program."""
        self.assertEqual(self.machine.stop(), 0)
        self.machine.start(*wrapper)

    def kill(self):
        """retuned dies in the midst of things, and is started again."""
        self.assertEqual(self.machine.stop(signal.SIGKILL), -9)
        self.machine.start()

    def watch_writes(self, *files):
        """Starts retuned anew; from now on writes() tells what it writes to @files."""
        self.trace = self.machine.folder / "trace"
        self.seen = 0  # how many of its lines writes() has told of
        self.restart(*strace(files, "-y", "-s", "64", "-e", "trace=write,pwrite64",
                             "-o", str(self.trace)))

    def writes(self):
        """What was written since the last call: [(file, text)]."""
        lines = self.trace.read_text().splitlines()[self.seen:]
        self.seen += len(lines)
        done = re.findall(r'write(?:64)?\(\d+<(.*?)>, "(.*?)"', "\n".join(lines))
        return [(path.removeprefix(f"{CPU}/").removeprefix("/proc/sys/kernel/"), text)
                for path, text in done]
