# SPDX-License-Identifier: GPL-2.0-or-later
"""Every option on every simulated machine: what becomes of it is in matrix.txt.

Each line of that file has options and, for each machine, letters: A applied, U
unsupported, R refused, I ineffective, and X if the call fails for a value that is fit
for no CPU; "AR" if it differs between the two CPUs. Without best_effort the call must
work where there are but A and I, and else fail and change nothing. Run with --print to
see the table as it is now.
"""

import pathlib
import re
import sys

import harness
from harness import Case, GLib, Machine

FOLDER = pathlib.Path(__file__).resolve().parent
MACHINES = sorted(path.stem for path in (harness.SOURCE / "tests/lib/machines").glob("*.machine"))
LETTERS = {"applied": "A", "unsupported": "U", "refused": "R", "ineffective": "I"}
FAILURES = {"U": "NotSupported", "R": "InvalidValue WriteFailed Failed NotSupported",
            "X": "InvalidValue"}


def read_table():
    """Options -> machine -> letters."""
    lines = [line.split() for line in (FOLDER / "matrix.txt").read_text().splitlines()
             if line.strip() and not line.startswith("#")]
    machines = lines[0]
    return machines, {" ".join(words[:-len(machines)]): dict(zip(machines, words[-len(machines):]))
                      for words in lines[1:]}


def devices_of(machine):
    """The second CPU and the last one, which may be of another kind."""
    present = machine.read("present")
    return f"1,{re.split('[-,]', present)[-1]}"


class Trial:
    """One machine, and what options come to on it."""

    def __init__(self, name):
        self.machine = Machine(name)
        self.devices = devices_of(self.machine)
        self.before = self.machine.snapshot()

    def create(self, options, best_effort):
        values = dict(word.split("=", 1) for word in options.split(" "))
        values["best_effort"] = "1" if best_effort else "0"
        self.machine.call("CreateInstance", "(sssa{sv})", "cpu", "x", self.devices,
                          {key: GLib.Variant("s", value) for key, value in values.items()})

    def error(self, options, best_effort):
        """The name of the error that the call gives, or None."""
        try:
            self.create(options, best_effort)
        except GLib.Error as error:
            return harness.Gio.DBusError.get_remote_error(error).rpartition(".")[2]
        self.machine.call("DestroyInstance", "(s)", "x")
        return None

    def letters(self, options):
        """What becomes of the last of the options."""
        try:
            self.create(options, True)
        except GLib.Error as error:
            assert "InvalidValue" in error.message, error.message
            return "X"
        name = options.rpartition(" ")[2].partition("=")[0]
        findings = self.machine.call("Verify", "(s)", "x")[0]
        self.machine.call("DestroyInstance", "(s)", "x")
        return "".join(sorted({LETTERS[outcome] for _, option, _, _, outcome, _ in findings
                               if option == name})) or "-"

    def close(self):
        self.machine.stop()
        self.machine.close()


class Matrix(Case):
    def setUp(self):
        pass

    def tearDown(self):
        pass

    def check(self, trial, name, options, expected):
        with self.subTest(machine=name, options=options):
            self.assertEqual(trial.letters(options), expected)
            error = trial.error(options, False)
            worst = [letter for letter in expected if letter in FAILURES]
            if worst and " " in options:  # the fault may be with the first of them
                self.assertIsNotNone(error)
            elif worst:
                self.assertIn(error, " ".join(FAILURES[letter] for letter in worst).split())
            else:
                self.assertIsNone(error)
            if not name.endswith("1024"):  # reading all of its files takes long
                self.assertEqual(trial.machine.snapshot(), trial.before)

    def test_every_option_on_every_machine(self):
        machines, table = read_table()
        self.assertEqual(sorted(machines), MACHINES, "the columns of matrix.txt")
        for name in machines:
            trial = Trial(name)
            try:
                known = {row[0] for row in trial.machine.call("ListOptions", "(s)", "cpu")[0]}
                covered = {word.partition("=")[0] for options in table
                           for word in options.split(" ")[-1:]}
                self.assertEqual(covered, known, "the options of matrix.txt")
                for options, row in table.items():
                    self.check(trial, name, options, row[name])
                self.assertEqual(trial.machine.snapshot(), trial.before)
                self.assertNotIn("CRITICAL", trial.machine.logged())
            finally:
                trial.close()


def print_table():
    table = read_table()[1]
    widths = [max(len(name), 3) for name in MACHINES]
    left = max(len(options) for options in table)
    columns = {}
    for name in MACHINES:
        trial = Trial(name)
        columns[name] = [trial.letters(options) for options in table]
        trial.close()
    print(" " * left, *(name.ljust(width) for name, width in zip(MACHINES, widths)))
    for i, options in enumerate(table):
        print(options.ljust(left), *(columns[name][i].ljust(width)
                                     for name, width in zip(MACHINES, widths)))


if __name__ == "__main__":
    if sys.argv[1:] == ["--print"]:
        print_table()
    else:
        harness.main()
