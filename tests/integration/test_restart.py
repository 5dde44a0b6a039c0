# SPDX-License-Identifier: GPL-2.0-or-later
"""What a retuned that was killed leaves to the next one."""

import json
import pathlib
import shutil
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

    def test_baselines_that_could_not_be_saved_are_recorded_later(self):
        folder = self.state().parent
        folder.rmdir()
        self.ctl("create", "fast", "3", "governor=powersave")  # equal: no write, so no failure
        self.assertIn("would not survive a crash", self.machine.logged())
        folder.mkdir()
        self.ctl("set", "fast", "governor=performance")
        self.kill()
        self.machine.start_again()
        self.ctl("destroy", "fast")
        self.assert_unchanged()

    def test_a_file_that_cannot_be_read_is_left_alone(self):
        self.ctl(*CREATE)
        self.kill()
        kept = self.state().rename(self.state().parent / "kept")
        self.state().mkdir()
        before = self.machine.snapshot()
        with self.assertRaisesRegex(AssertionError, "cannot take over"):
            self.machine.start_again()
        self.assertEqual(self.machine.ended(), 1)
        self.assertEqual(self.machine.snapshot(), before)
        self.state().rmdir()
        kept.rename(self.state())
        leftover = self.state().parent / "state.json.ABC123"  # of a save that was killed
        leftover.write_text("{")
        self.machine.start_again()
        self.assertFalse(leftover.exists())
        self.ctl("destroy", "fast")
        self.assert_unchanged()

    def test_policies_made_anew_while_nobody_looked(self):
        """The baselines are those of the policies that are there now."""
        self.ctl("create", "fast", "0", "governor=powersave", "max_perf_pct=50",
                 "energy_perf_bias=0")
        self.kill()
        policy = self.machine.sysfs / "cpufreq/policy0"
        shutil.copytree(policy, f"{policy}.new", symlinks=True)
        shutil.rmtree(policy)
        pathlib.Path(f"{policy}.new").rename(policy)
        self.machine.command("set cpufreq/policy0/scaling_governor performance")
        self.machine.command("set intel_pstate/max_perf_pct 100")
        self.machine.start_again()
        self.assert_value("cpufreq/policy0/scaling_governor", "powersave")
        self.assert_value("intel_pstate/max_perf_pct", "50")
        self.ctl("destroy", "fast")
        self.assert_value("cpufreq/policy0/scaling_governor", "performance")
        self.assert_value("intel_pstate/max_perf_pct", "100")
        self.assert_value("cpu0/power/energy_perf_bias", "6")

    def test_a_cpu_that_returns_while_there_is_no_room(self):
        """It is tried again until there is."""
        self.machine.command("offline 3")
        self.ctl("create", "fast", "3", "governor=performance")
        folder = self.state().parent
        self.state().unlink()
        folder.rmdir()
        self.machine.command("online 3")
        wait_for(lambda: "values could not be set" in self.machine.logged(), "the failure")
        folder.mkdir()
        wait_for(lambda: self.machine.read("cpufreq/policy3/scaling_governor") == "performance",
                 "the value")
        self.ctl("destroy", "fast")
        self.assert_unchanged()

    def test_stopped_while_a_cpu_is_offline(self):
        self.ctl("create", "fast", "3", "energy_perf_bias=0", "pm_qos_resume_latency_us=5")
        self.machine.command("offline 3")
        wait_for(lambda: self.machine.property("OnlineDevices") == "0-2,4-31", "the uevent")
        self.assertEqual(self.machine.stop(), 0)
        self.assertIn("2 value(s) are not as before", self.machine.logged())
        self.machine.start_again()
        self.assertEqual(self.machine.json("list"), [])
        self.machine.command("online 3")
        wait_for(lambda: self.machine.read("cpu3/power/energy_perf_bias") == "6", "the baseline")
        self.ctl("create", "fence", "9")
        self.ctl("destroy", "fence")
        self.assert_unchanged()
        self.assertFalse(self.state().exists())

    def test_only_one_daemon(self):
        self.ctl(*CREATE)
        before = self.machine.snapshot()
        result = self.machine.run(harness.STAGE / "libexec/retuned")
        self.assertEqual(result.returncode, 1)
        self.assertIn("another retuned is running", result.stderr)
        self.assertEqual(self.machine.snapshot(), before)


if __name__ == "__main__":
    harness.main()
