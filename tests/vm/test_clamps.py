# SPDX-License-Identifier: GPL-2.0-or-later
"""Utilisation clamps, of a kernel that has them: that of build-kernel. The first
write to one of them costs the scheduler something until the next boot, so what is
written is counted, from outside the program."""

import itertools
import pathlib

import guest
import harness

FOLDER = pathlib.Path("/proc/sys/kernel")
MIN, MAX, RT = NAMES = [path.name for path in guest.CLAMPS]
VALUES = (0, 300, 512, 1024)
PAIRS = list(itertools.product(VALUES, VALUES))


class Clamps(guest.Case):
    def setUp(self):
        super().setUp()
        self.assertEqual(self.values(), (1024, 1024, 1024), "what the kernel starts with")
        self.watch_writes(*guest.CLAMPS)

    def values(self):
        return tuple(int(path.read_text()) for path in guest.CLAMPS)

    def destroy(self, name="one"):
        super().destroy(name)
        self.assertEqual(self.values(), (1024, 1024, 1024))

    def test_all_three(self):
        self.create({MIN: "25%", MAX: "50%", RT: 0})
        self.assertEqual(self.values(), (256, 512, 0))
        self.assertEqual(self.machine.instance("one", "State"), "active")
        self.assertEqual(len(self.writes()), 3)
        verdict = {row["outcome"] for row in self.machine.json("verify", "one")}
        self.assertEqual(verdict, {"applied"})
        self.destroy()
        self.assertEqual(len(self.writes()), 3)
        self.assert_unchanged()

    def test_every_order(self):
        """From each pair to each other one. The kernel refuses the wrong order."""
        pairs = [pair for pair in PAIRS if pair[0] <= pair[1]]
        walk = [step for first, second in itertools.combinations(pairs, 2)
                for step in (first, second)] + pairs[:1]
        self.assertLessEqual(set(itertools.permutations(pairs, 2)), set(zip(walk, walk[1:])))
        old = (1024, 1024)
        self.create({})
        for pair in walk:
            self.set({MIN: pair[0], MAX: pair[1]})
            self.assertEqual(self.values(), (*pair, 1024), f"after {old}")
            changed = {(name, str(new)) for name, was, new in zip(NAMES, old, pair) if was != new}
            written = self.writes()
            self.assertEqual((set(written), len(written)), (changed, len(changed)), old)
            old = pair
        self.destroy()
        self.assert_unchanged()

    def test_from_the_start_and_back(self):
        """Each pair by an instance of its own, and the kernel's own values after it."""
        for low, high in PAIRS:
            if low <= high:
                self.create({MIN: low, MAX: high})
                self.assertEqual(self.values(), (low, high, 1024))
                self.destroy()
        self.assert_unchanged()

    def test_contradictions(self):
        for low, high in PAIRS:
            if low > high:
                self.assert_error("InvalidValue", self.create, {MIN: low, MAX: high})
        self.assertEqual(self.writes(), [])
        self.assertEqual(self.machine.json("list"), [])

    def test_a_lone_maximum(self):
        """The minimum is 1024, which somebody may rely on."""
        for value in (0, 512, "50%", 1023):
            message = self.assert_error("InvalidValue", self.create, {MAX: value})
            self.assertIn("give both", message)
        self.assertEqual(self.writes(), [])
        self.create({MIN: 300})
        self.assert_error("InvalidValue", self.set, {MAX: 200})
        self.assertEqual(self.values(), (300, 1024, 1024))
        self.set({MAX: 300})
        self.assertEqual(self.values(), (300, 300, 1024))

    def test_what_was_there_does_not_fit_yet(self):
        """A minimum of 1024 comes back when the maximum has room for it, and until then
        as far as there is room."""
        self.create({MIN: 300, MAX: 400})
        self.set({MIN: ""})
        self.assertEqual(self.values(), (400, 400, 1024))
        self.set({MAX: 300})
        self.assertEqual(self.values(), (300, 300, 1024))
        self.set({MAX: 512})
        self.assertEqual(self.values(), (512, 512, 1024))
        self.kill()
        self.assertEqual(self.values(), (512, 512, 1024))
        self.set({MAX: ""})
        self.assertEqual(self.values(), (1024, 1024, 1024))
        self.destroy()
        self.assert_unchanged()

    def test_a_lone_minimum(self):
        """Below a maximum that somebody else has set."""
        for path, value in ((MIN, 100), (MAX, 500)):
            (FOLDER / path).write_text(str(value))
        try:
            self.assert_error("InvalidValue", self.create, {MIN: 501})
            self.assertEqual(self.writes(), [])
            self.create({MIN: 500})
            self.assertEqual(self.values(), (500, 500, 1024))
            super().destroy()
            self.assertEqual(self.values(), (100, 500, 1024))
            self.assertEqual(self.writes(), [(MIN, "500"), (MIN, "100")])
        finally:
            for path in (MAX, MIN):
                (FOLDER / path).write_text("1024")

    def test_equal_values_are_never_written(self):
        self.create({MIN: 1024, MAX: "100%", RT: 1024})
        self.machine.call("Reapply", "(sb)", "one", True)
        self.destroy()
        self.assertEqual(self.writes(), [])

    def test_set_again_by_force(self):
        self.create({MIN: 300, MAX: 512, RT: 512})
        self.assertEqual(len(self.writes()), 3)
        for force in (True, False):
            self.machine.call("Reapply", "(sb)", "one", force)
        self.set({MIN: 300, RT: "50%"})
        self.assertEqual(self.writes(), [])
        guest.CLAMPS[2].write_text("7")  # by somebody else
        self.machine.call("Reapply", "(sb)", "one", True)
        self.assertEqual(self.writes(), [(RT, "512")])
        self.destroy()
        self.assert_unchanged()

    def test_bad_values(self):
        for option, value in itertools.product(NAMES, ("-1", "1025", "101%", "x", "0x1000")):
            self.assert_error("InvalidValue", self.create, {option: value})
        self.assertEqual(self.writes(), [])

    def test_killed(self):
        self.create({MIN: 300, MAX: 512, RT: 0})
        self.kill()
        self.assertEqual(self.values(), (300, 512, 0))
        self.destroy()
        self.assert_unchanged()

    def test_refused_at_each_write(self):
        """What was written before is taken back, in an order that the kernel takes."""
        for number in (1, 2, 3):
            self.restart(*guest.strace(guest.CLAMPS, "-o", "/dev/null", "-e", "trace=write", "-e",
                                       f"inject=write:error=EIO:when={number}"))
            message = self.assert_error("WriteFailed", self.create, {MIN: 300, MAX: 512, RT: 0})
            self.assertIn("nothing was changed", message)
            self.assert_unchanged()


if __name__ == "__main__":
    harness.main()
