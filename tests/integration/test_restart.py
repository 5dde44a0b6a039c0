# SPDX-License-Identifier: GPL-2.0-or-later
"""What a retuned that was killed leaves to the next one."""

import json
import signal

import harness
from harness import Case, GLib, wait_for

CREATE = ("create", "fast", "3,5", "governor=performance", "energy_perf_bias=0",
          "cpuidle_max_state=C1", "force_latency=20", "priority=-3", "best_effort=true")


class Restart(Case):
    def kill(self):
        self.assertEqual(self.machine.stop(signal.SIGKILL), 128 + 9)

    def state(self):
        return self.machine.folder / "run/state.json"

    def test_all_is_as_before(self):
        self.ctl(*CREATE)
        self.ctl("create", "save", "4-7", "governor=powersave", "scaling_max_freq=60%")
        self.ctl("move", "9", "fast")
        shown = [self.machine.json("show", name) for name in ("fast", "save")]
        values = self.machine.snapshot()
        n_writes = len(self.machine.writes())
        self.kill()
        self.machine.start_again()
        self.assertEqual([self.machine.json("show", name) for name in ("fast", "save")], shown)
        self.assertEqual(self.machine.snapshot(), values)
        # The request at /dev/cpu_dma_latency went with its descriptor; no value else is written.
        self.assertEqual([path for path, _, _ in self.machine.writes()[n_writes:]],
                         ["cpu_dma_latency"])
        self.ctl("destroy", "save")
        self.ctl("destroy", "fast")
        self.assert_unchanged()
        self.assertFalse(self.state().exists())

    def test_killed_before_each_write(self):
        """The old state is there again, and what was before comes back."""
        self.ctl("create", "save", "3-4", "governor=powersave", "energy_perf_bias=15")
        wrote = len(self.machine.writes())
        self.ctl(*CREATE)
        n_writes = len(self.machine.writes()) - wrote
        self.ctl("destroy", "fast")
        self.assertGreater(n_writes, 8)
        before = self.machine.snapshot()
        for position in range(n_writes):
            with self.subTest(position=position):
                self.crash_at(position)
                self.machine.start_again()
                self.assertEqual([row["name"] for row in self.machine.json("list")], ["save"])
                self.assertEqual(self.machine.instance("save", "Devices"), "3-4")
                self.assertEqual(self.machine.snapshot(), before)
        self.ctl("destroy", "save")
        self.assert_unchanged()

    def crash_at(self, position):
        """Kills retuned while it waits before this write of the call."""
        self.machine.faults(f"delay * 60000 skip {position}")
        count = len(self.machine.writes())
        options = dict(word.split("=") for word in CREATE[3:])
        self.machine.connection.call(
            harness.BUS_NAME, harness.PATH, harness.MANAGER, "CreateInstance",
            GLib.Variant("(sssa{sv})", ("cpu", "fast", "3,5", {
                key: GLib.Variant("s", value) for key, value in options.items()})),
            None, 0, -1, None, None)
        self.machine.connection.flush_sync()
        wait_for(lambda: len(self.machine.writes()) >= count + position, f"write {position}")
        self.kill()
        self.machine.faults()

    def test_a_file_that_makes_no_sense(self):
        self.ctl(*CREATE)
        good = self.state().read_text()
        other = json.loads(good)
        broken = [good[:100], "", "[]", "{}", good + "x", "\0" * 50, good.replace("3,5", "3,x"),
                  good.replace('"version":1', '"version":7'), good.replace("governor", "gouverneur")]
        other["instances"].append(dict(other["instances"][0], name="twin"))
        broken.append(json.dumps(other))
        before = self.machine.snapshot()
        for text in broken:
            with self.subTest(text[:60]):
                self.kill()
                self.state().write_text(text)
                self.machine.start_again()
                self.assertEqual(self.machine.json("list"), [])
                self.assertEqual((self.state().parent / "state.json.bad").read_text(), text)
                self.assertIn("makes no sense", self.machine.logged())
        del before["cpu_dma_latency"]
        now = self.machine.snapshot()
        self.assertEqual({path: now[path] for path in before}, before)  # nothing was touched

    def test_a_file_of_another_boot(self):
        self.ctl(*CREATE)
        self.kill()
        other = json.loads(self.state().read_text())
        other["boot_id"] = "00000000-0000-0000-0000-000000000000"
        self.state().write_text(json.dumps(other))
        self.machine.start_again()
        self.assertEqual(self.machine.json("list"), [])
        self.assertFalse(self.state().exists())

    def test_no_room_for_the_state(self):
        """A change that could not be put back after a crash is not begun."""
        folder = self.state().parent
        for path in folder.iterdir():
            path.unlink()
        folder.rmdir()
        message = self.ctl(*CREATE, status=1)
        self.assertIn("state.json", message)
        self.assert_unchanged()
        folder.mkdir()
        self.ctl(*CREATE)
        self.ctl("destroy", "fast")
        self.assert_unchanged()

    def test_only_one_daemon(self):
        self.ctl(*CREATE)
        before = self.machine.snapshot()
        result = self.machine.run(harness.STAGE / "libexec/retuned")
        self.assertEqual(result.returncode, 1)
        self.assertIn("another retuned is running", result.stderr)
        self.assertEqual(self.machine.snapshot(), before)


if __name__ == "__main__":
    harness.main()
