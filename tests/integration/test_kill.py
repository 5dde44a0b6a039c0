# SPDX-License-Identifier: GPL-2.0-or-later
"""retuned is killed before and after every single write of every kind of call, and
started again: each instance is wholly old or wholly new, baselines are the true ones, and
destroying everything gives the starting files, byte for byte. The same with a refused
write at every position, and one more on the way back."""

import harness
from harness import Case, GLib, wait_for

OPTIONS = {"governor": "performance", "energy_perf_bias": "3", "scaling_max_freq": "60%",
           "pm_qos_resume_latency_us": "7", "cpuidle_max_state": "C1", "max_perf_pct": "70",
           "force_latency": "20"}
OTHER = {"governor": "powersave", "energy_performance_preference": "power",
         "energy_perf_bias": "9", "scaling_max_freq": "40%", "scaling_min_freq": "20%"}


class Kill(Case):
    machine_name = "cascadelake"

    def call(self, method, signature, *arguments):
        """Calls and does not care what becomes of it."""
        try:
            self.machine.call(method, signature, *arguments)
        except GLib.Error:
            pass

    def create(self, name, devices, options):
        self.call("CreateInstance", "(sssa{sv})", "cpu", name, devices,
                  {key: GLib.Variant("s", value) for key, value in options.items()})

    def prepare(self):
        self.create("a", "1-3", OPTIONS)
        self.create("b", "5-6", OTHER)

    verbs = {
        "create": lambda self: self.create("c", "2,6-7", dict(OTHER, priority="-1")),
        "move": lambda self: self.call("MoveDevices", "(ss)", "2-3,8", "b"),
        "set": lambda self: self.call("SetOptions", "(sa{sv})", "a", {
            key: GLib.Variant("s", value)
            for key, value in dict(OTHER, cpuidle_max_state="", force_latency="90").items()}),
        "release": lambda self: self.call("ReleaseDevices", "(s)", "1,5"),
        "destroy": lambda self: self.call("DestroyInstance", "(s)", "a"),
    }

    def state(self):
        """Who has which CPUs and options."""
        return {row[0]: (row[2], tuple(sorted(self.machine.instance(row[0], "Options").items())))
                for row in self.machine.call("ListInstances", "(s)", "cpu")[0]}

    def destroy_all(self):
        for row in self.machine.call("ListInstances", "(s)", "cpu")[0]:
            self.machine.call("DestroyInstance", "(s)", row[0])
        self.assert_unchanged()

    def try_at(self, verb, when, position, olds, news):
        """Returns False when there is no such write any more."""
        self.prepare()
        old, values = self.state(), self.machine.snapshot()
        self.machine.faults(f"kill * {when} skip {position} times 1")
        self.verbs[verb](self)
        killed = self.machine.is_gone()
        self.machine.faults()
        if killed:
            self.machine.start_again()
        now = self.state()
        if now == old:
            olds.append(position)
            self.assertEqual(self.machine.snapshot(), values)
        else:
            news.append(position)
        for name in now:
            outcomes = {row[4] for row in self.machine.call("Verify", "(s)", name)[0]}
            self.assertLessEqual(outcomes, {"applied", "shadowed"})
        if not killed:
            self.final = now
        self.destroy_all()
        return killed

    def attempt(self, verb):
        total = 0
        for when in ("before", "after"):
            olds, news = [], []
            position = 0
            while self.try_at(verb, when, position, olds, news):
                position += 1
            self.assertGreater(position, 4)
            self.assertEqual(news, [position])  # only the one that was not killed
            total += position
        print(f"{verb}: killed {total} times, each time wholly in the old state", flush=True)

    def test_create(self):
        self.attempt("create")

    def test_move(self):
        self.attempt("move")

    def test_set(self):
        self.attempt("set")

    def test_release(self):
        self.attempt("release")

    def test_destroy(self):
        self.attempt("destroy")

    def test_refused_at_every_position_and_once_more_on_the_way_back(self):
        for verb in self.verbs:
            for further in (None, 1):
                position = 0
                while True:
                    self.prepare()
                    old, values = self.state(), self.machine.snapshot()
                    lines = [f"write * EIO skip {position} times 1"]
                    if further is not None:
                        lines.append(f"write * EIO skip {position + further} times 1")
                    self.machine.faults(*lines)
                    self.verbs[verb](self)
                    self.machine.faults()
                    done = self.state() != old
                    if not done and further is None:
                        self.assertEqual(self.machine.snapshot(), values)
                    self.destroy_all_stuck()
                    if done:
                        break
                    position += 1
                self.assertGreater(position, 4)

    def destroy_all_stuck(self):
        """What would not come back does so with the next call there."""
        for row in self.machine.call("ListInstances", "(s)", "cpu")[0]:
            self.machine.call("DestroyInstance", "(s)", row[0])
        if self.machine.snapshot() != self.before:
            self.machine.call("CreateInstance", "(sssa{sv})", "cpu", "x", "1-8", {})
            self.machine.call("DestroyInstance", "(s)", "x")
        self.assert_unchanged()


if __name__ == "__main__":
    harness.main()
