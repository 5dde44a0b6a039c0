# SPDX-License-Identifier: GPL-2.0-or-later
"""All or nothing, whatever the kernel refuses and wherever."""

import os
import signal
import time

import harness
from harness import Case

CREATE = ("create", "fast", "3-5", "governor=performance", "energy_perf_bias=performance",
          "scaling_min_freq=2GHz", "scaling_max_freq=3GHz", "cpuidle_max_state=C1",
          "pm_qos_resume_latency_us=2", "force_latency=20", "min_perf_pct=80", "max_perf_pct=90")


class Transactions(Case):
    def count_writes(self, function):
        before = len(self.machine.writes())
        function()
        return len(self.machine.writes()) - before

    def test_a_refusal_names_all_that_helps(self):
        self.machine.faults("write cpufreq/policy4/scaling_min_freq EPERM")
        message = self.ctl(*CREATE, status=1)
        for word in ("policy4", "scaling_min_freq", "'2000000'", "Operation not permitted (EPERM)",
                     "/sys/devices/system/cpu/cpufreq/policy4/scaling_min_freq",
                     "nothing was changed"):
            self.assertIn(word, message)
        self.assert_unchanged()

    def test_a_refusal_at_every_position_of_a_create(self):
        writes = self.count_writes(lambda: self.ctl(*CREATE))
        self.ctl("destroy", "fast")
        self.assert_unchanged()
        self.assertGreater(writes, 15)
        for position in range(writes):
            self.machine.faults(f"write * EIO skip {position} times 1")
            self.ctl(*CREATE, status=1)
            self.machine.faults()
            self.assert_unchanged()
            self.assertEqual(self.machine.json("list"), [])
        self.ctl(*CREATE)

    def test_a_refusal_at_every_position_of_a_move(self):
        self.ctl(*CREATE)
        self.ctl("create", "slow", "8-10", "governor=powersave", "energy_perf_bias=power",
                 "energy_performance_preference=power", "cpuidle_disable=C1")
        created = self.machine.snapshot()
        for position in range(200):
            self.machine.faults(f"write * EIO skip {position} times 1")
            result = self.machine.ctl("move", "4-5,8", "slow")
            self.machine.faults()
            if result.returncode == 0:
                break
            self.assertEqual(self.machine.snapshot(), created, f"write {position}")
            self.assertEqual(self.machine.instance("fast", "Devices"), "3-5")
        self.assertGreater(position, 10)
        self.ctl("destroy", "fast")
        self.ctl("destroy", "slow")
        self.assert_unchanged()

    def test_a_refusal_at_every_position_of_a_destroy(self):
        self.ctl(*CREATE)
        created = self.machine.snapshot()
        for position in range(200):
            self.machine.faults(f"write * EIO skip {position} times 1")
            result = self.machine.ctl("destroy", "fast")
            self.machine.faults()
            if result.returncode == 0:
                break
            self.assertEqual(self.machine.snapshot(), created, f"write {position}")
            self.assertEqual(self.machine.instance("fast", "Devices"), "3-5")
        self.assertGreater(position, 15)
        self.assert_unchanged()

    def test_a_rollback_that_is_refused_too_is_told_and_made_good(self):
        self.machine.faults("write cpu4/power/energy_perf_bias EIO",
                            "write cpu3/power/energy_perf_bias EIO skip 1")
        message = self.ctl("create", "fast", "3-4", "energy_perf_bias=performance", status=1)
        self.assertIn("while putting back: cpu3: the kernel refused energy_perf_bias '6'", message)
        self.assert_value("cpu3/power/energy_perf_bias", "0")
        self.machine.faults()
        self.ctl("create", "other", "3")  # the next call about that CPU
        self.assert_value("cpu3/power/energy_perf_bias", "6")

    def test_best_effort_keeps_the_rest(self):
        self.machine.faults("write cpu4/power/energy_perf_bias EIO")
        self.ctl("create", "fast", "3-5", "best_effort=true", "energy_perf_bias=performance",
                 "boost=1", "governor=performance")
        self.assert_value("cpu3/power/energy_perf_bias", "0")
        self.assert_value("cpu4/power/energy_perf_bias", "6")
        self.assert_value("cpufreq/policy4/scaling_governor", "performance")
        self.assertEqual(self.machine.instance("fast", "State"), "degraded")
        problems = {(option, devices, outcome)
                    for option, devices, outcome, _ in self.machine.instance("fast", "Problems")}
        self.assertEqual(problems, {("boost", "3-5", "unsupported"),
                                    ("energy_perf_bias", "4", "refused")})
        self.ctl("verify", "fast", status=1)
        self.machine.faults()
        self.ctl("reapply", "fast")
        self.assert_value("cpu4/power/energy_perf_bias", "0")
        self.assertEqual([p[0] for p in self.machine.instance("fast", "Problems")], ["boost"])
        self.ctl("verify", "fast", status=3)
        self.ctl("destroy", "fast")
        self.assert_unchanged()

    def test_best_effort_does_not_excuse_a_bad_value(self):
        message = self.ctl("create", "fast", "3", "best_effort=true", "scaling_min_freq=9GHz",
                           status=1)
        self.assertIn("out of range", message)
        self.assert_unchanged()

    def test_a_destroy_that_the_kernel_refuses_can_be_forced_by_best_effort(self):
        self.ctl("create", "fast", "3", "energy_perf_bias=performance", "governor=performance")
        self.machine.faults("write cpu3/power/energy_perf_bias EIO")
        self.ctl("destroy", "fast", status=1)
        self.ctl("set", "fast", "best_effort=true")
        self.ctl("destroy", "fast")
        self.assert_value("cpufreq/policy3/scaling_governor", "powersave")
        self.assert_value("cpu3/power/energy_perf_bias", "0")
        self.assertIn("1 values could not be put back, to begin with cpu3: the kernel refused "
                      "energy_perf_bias '6'", self.machine.logged())
        # What is stuck is no obstacle for others, and is put back when it can be.
        self.ctl("create", "other", "3", "pm_qos_resume_latency_us=5")
        self.assert_value("cpu3/power/energy_perf_bias", "0")
        self.machine.faults()
        self.ctl("destroy", "other")
        self.assert_unchanged()

    def test_a_stop_that_cannot_put_back_says_so(self):
        self.ctl("create", "fast", "3", "energy_perf_bias=performance")
        self.machine.faults("write cpu3/power/energy_perf_bias EIO")
        self.assertEqual(self.machine.stop(), 1)
        self.assertIn("1 values could not be put back", self.machine.logged())
        self.expected_status = 1

    def test_what_does_not_take_effect_is_told(self):
        self.machine.faults("ignore cpufreq/policy3/scaling_max_freq")
        self.ctl("create", "slow", "2-3", "scaling_max_freq=2GHz")
        self.assertEqual(
            [problem[:3] for problem in self.machine.instance("slow", "Problems")],
            [("scaling_max_freq", "3", "ineffective")])
        self.assertIn("ineffective", self.machine.ctl("verify", "slow").stdout)

    def test_equal_values_are_not_written(self):
        self.assertEqual(self.count_writes(lambda: self.ctl(
            "create", "same", "0-31", "governor=powersave", "energy_perf_bias=normal",
            "energy_performance_preference=balance_performance", "scaling_min_freq=min",
            "pm_qos_resume_latency_us=0", "min_perf_pct=25", "no_turbo=0")), 0)
        self.ctl("set", "same", "energy_perf_bias=8")
        self.assertEqual(self.count_writes(lambda: self.ctl("set", "same", "energy_perf_bias=8")), 0)
        self.assertEqual(self.count_writes(lambda: self.ctl("move", "0-31", "same")), 0)
        self.assertEqual(self.count_writes(lambda: self.ctl("reapply", "same")), 0)
        self.ctl("create", "alike", "5", "energy_perf_bias=8")
        self.assertEqual(self.count_writes(lambda: self.ctl("move", "6", "alike")), 0)

    def test_a_call_writes_only_what_it_names(self):
        self.ctl("create", "fast", "3-5", "energy_perf_bias=performance")
        self.ctl("set", "fast", "pm_qos_resume_latency_us=5")
        self.ctl("move", "9", "fast")
        self.ctl("release", "4")
        names = {path.split("/")[-1] for path, _, _ in self.machine.writes()}
        self.assertEqual(names, {"energy_perf_bias", "pm_qos_resume_latency_us"})

    def test_preview_shows_the_writes_and_does_none(self):
        expected = self.machine.json("preview", *CREATE)
        self.assertEqual(self.machine.writes(), [])
        self.assertEqual(self.machine.json("list"), [])
        self.ctl(*CREATE)
        done = [(path, value) for path, value, _ in self.machine.writes()]
        prefix = "/sys/devices/system/cpu/"
        self.assertEqual([(row["file"].removeprefix(prefix).removeprefix("/dev/"), row["to"])
                          for row in expected], done)
        self.assert_unchanged_by(lambda: self.ctl("preview", "destroy", "fast"))
        self.assert_unchanged_by(lambda: self.ctl("preview", "move", "9", "fast"))
        self.assert_unchanged_by(lambda: self.ctl("preview", "set", "fast", "governor=powersave"))
        self.assert_unchanged_by(lambda: self.ctl("preview", "release", "3"))
        self.ctl("preview", "set", "fast", "governor=", "nonsense=1", status=1)

    def assert_unchanged_by(self, function):
        before = self.machine.snapshot()
        self.assertEqual(self.count_writes(function), 0)
        self.assertEqual(self.machine.snapshot(), before)

    def test_a_foreign_change_is_told_when_the_baseline_is_put_back(self):
        self.ctl("create", "fast", "3", "energy_perf_bias=performance")
        self.machine.command("set cpu3/power/energy_perf_bias 9")
        self.assertIn("drifted", self.machine.ctl("verify", "fast").stdout)
        self.ctl("destroy", "fast")
        self.assert_unchanged()
        self.assertIn("energy_perf_bias of cpu3 was changed by somebody else from '0' to '9'",
                      self.machine.logged())

    def test_limits_that_read_back_late_are_waited_for_once(self):
        self.ctl("create", "slow", "0-31", "scaling_max_freq=2GHz")
        self.assertEqual(self.machine.instance("slow", "Problems"), [])


    def test_calls_while_it_stops_leave_nothing_behind(self):
        self.ctl("create", "fast", "3", "energy_perf_bias=0")
        self.machine.faults("delay cpu3/power/energy_perf_bias 500")
        os.kill(self.machine.pid(), signal.SIGTERM)
        harness.wait_for(lambda: "stopping" in self.machine.logged(), "the end to begin")
        message = self.ctl("create", "late", "5", "energy_perf_bias=0", status=1)
        self.assertIn("retuned is stopping", message)
        self.ctl("verify", "fast", status=1)
        harness.wait_for(lambda: self.machine.ended() is not None, "the end")
        self.assert_unchanged()


class SlowKernel(Case):
    environment = {"RETUNE_SIM_STALE_MS": "20"}

    def test_limits_that_read_back_late_are_waited_for_once(self):
        start = time.monotonic()
        self.ctl("create", "slow", "0-31", "scaling_max_freq=2GHz", "scaling_min_freq=1.5GHz")
        self.assertLess(time.monotonic() - start, 5)  # 64 waits of 20 ms would be noticed below
        self.assertEqual(self.machine.instance("slow", "Problems"), [])
        self.assertEqual(self.machine.instance("slow", "State"), "active")


if __name__ == "__main__":
    harness.main()
