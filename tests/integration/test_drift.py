# SPDX-License-Identifier: GPL-2.0-or-later
"""Values that others write while they are ours: noticed without looking for them, told,
and left, written again, or given up, as the instance wants."""

import time

import harness
from harness import Case, GLib, wait_for

BIAS = "cpu{}/power/energy_perf_bias"


class Drift(Case):
    def setUp(self):
        super().setUp()
        self.heard = []
        self.machine.connection.signal_subscribe(
            harness.BUS_NAME, harness.MANAGER, "Drifted", harness.PATH, None, 0,
            lambda *arguments: self.heard.append(arguments[5].unpack()))

    def listen(self, condition, what="the signal"):
        context = GLib.MainContext.default()
        wait_for(lambda: (context.iteration(False), condition())[1], what)

    def written(self, path):
        """What retuned or anybody has written there."""
        return [value for name, value, _ in self.machine.writes() if name == path]

    def test_report(self):  # F19
        self.ctl("create", "a", "1-3", "energy_perf_bias=3")
        start = time.monotonic()
        self.machine.put(BIAS.format(2), "9")
        self.listen(lambda: self.heard)
        self.assertLess(time.monotonic() - start, 1)
        self.assertEqual(self.heard, [("a", "cpu2", "energy_perf_bias", "3", "9")])
        wait_for(lambda: self.machine.instance("a", "State") == "degraded", "degraded")
        self.assertEqual(self.machine.instance("a", "Problems"),
                         [("energy_perf_bias", "2", "drifted", "somebody else has made it '9'")])
        self.assert_value(BIAS.format(2), "9")
        self.assertEqual({(row["devices"], row["outcome"]) for row in
                          self.machine.json("verify", "a")}, {("1,3", "applied"), ("2", "drifted")})
        self.ctl("verify", "a", status=1)
        self.ctl("create", "b", "7", "energy_perf_bias=3")  # is not about it
        self.assert_value(BIAS.format(2), "9")
        self.ctl("reapply", "a")
        self.assert_value(BIAS.format(2), "3")
        self.assertEqual(self.machine.instance("a", "State"), "active")
        self.ctl("destroy", "a")
        self.ctl("destroy", "b")
        self.assert_unchanged()

    def test_put_right_again_by_others(self):
        self.ctl("create", "a", "1", "energy_perf_bias=3")
        self.machine.put(BIAS.format(1), "9")
        wait_for(lambda: self.machine.instance("a", "State") == "degraded", "degraded")
        self.machine.put(BIAS.format(1), "3")
        wait_for(lambda: self.machine.instance("a", "State") == "active", "active")

    def test_the_same_value_is_no_drift(self):
        self.ctl("create", "a", "1", "energy_perf_bias=3", "governor=performance")
        self.machine.put(BIAS.format(1), "3")
        self.machine.put("cpufreq/policy1/scaling_governor", "performance")
        self.machine.put(BIAS.format(2), "9")
        time.sleep(0.7)
        self.listen(lambda: True)
        self.assertEqual(self.heard, [])

    def test_reassert(self):
        self.ctl("create", "a", "1-3", "energy_perf_bias=3", "max_perf_pct=70",
                 "on_drift=reassert")
        self.assertEqual(self.machine.instance("a", "OnDrift"), "reassert")
        self.machine.put(BIAS.format(2), "9")
        wait_for(lambda: self.machine.read(BIAS.format(2)) == "3", "the repair")
        self.listen(lambda: self.heard)
        time.sleep(1.1)
        self.machine.put("intel_pstate/max_perf_pct", "50")
        wait_for(lambda: self.machine.read("intel_pstate/max_perf_pct") == "70", "the repair")
        self.assertEqual(self.machine.instance("a", "State"), "active")

    def test_reassert_gives_up(self):
        self.ctl("create", "a", "1", "energy_perf_bias=3", "on_drift=reassert")
        end = time.monotonic() + 40
        while "somebody else keeps writing" not in self.machine.logged():
            self.assertLess(time.monotonic(), end)
            self.machine.put(BIAS.format(1), "9")
            time.sleep(0.2)
        self.assertEqual(self.written(BIAS.format(1)).count("3"), 1 + 5)
        self.machine.put(BIAS.format(1), "10")
        wait_for(lambda: self.machine.instance("a", "State") == "degraded", "degraded")
        time.sleep(1.2)
        self.assert_value(BIAS.format(1), "10")
        self.assertEqual(self.machine.logged().count("changed by somebody else"), 1)
        self.ctl("reapply", "a")
        self.assert_value(BIAS.format(1), "3")
        self.machine.put(BIAS.format(1), "9")
        wait_for(lambda: self.machine.read(BIAS.format(1)) == "3", "the repair")

    def test_yield(self):
        self.ctl("create", "a", "1-2", "energy_perf_bias=3", "on_drift=yield")
        self.machine.put(BIAS.format(1), "9")
        self.listen(lambda: self.heard)
        wait_for(lambda: self.machine.instance("a", "State") == "degraded", "degraded")
        self.machine.put(BIAS.format(1), "10")
        self.machine.say_sleep(False)
        self.ctl("create", "b", "7", "energy_perf_bias=3")
        time.sleep(0.7)
        self.assert_value(BIAS.format(1), "10")
        self.assertEqual({row["outcome"] for row in self.machine.json("verify", "a")},
                         {"applied", "drifted"})
        self.ctl("destroy", "a")
        self.assert_value(BIAS.format(1), "10")
        self.assert_value(BIAS.format(2), "6")

    def test_an_external_performance_governor_and_its_preference(self):
        self.ctl("create", "a", "1", "governor=powersave", "energy_performance_preference=power")
        self.machine.put("cpufreq/policy1/scaling_governor", "performance")
        self.listen(lambda: len(self.heard) >= 2)
        self.assertEqual({row[2] for row in self.heard},
                         {"governor", "energy_performance_preference"})
        self.ctl("destroy", "a")
        self.assert_unchanged()

    def test_our_own_writes_are_not_foreign(self):
        for _ in range(20):
            self.ctl("create", "a", "all", "energy_perf_bias=3", "cpuidle_max_state=C1",
                     "pm_qos_resume_latency_us=5")
            self.ctl("set", "a", "energy_perf_bias=4", "cpuidle_max_state=C1E")
            self.ctl("destroy", "a")
        self.listen(lambda: True)
        self.assertEqual(self.heard, [])
        self.assertNotIn("others have written", self.machine.logged())
        self.assert_unchanged()

    def test_a_rival_that_writes_all_the_time(self):
        """It is told of a few times a second, and calls are answered all the same."""
        self.ctl("create", "a", "1", "energy_perf_bias=3")
        end = time.monotonic() + 2
        value = 0
        while time.monotonic() < end:
            value = (value + 1) % 15
            self.machine.put(BIAS.format(1), str(value))
        self.ctl("list")
        self.listen(lambda: self.heard)
        self.assertLess(len(self.heard), 9)
        self.ctl("destroy", "a")
        self.assert_unchanged()

    def test_a_policy_made_anew_is_watched_again(self):
        self.ctl("create", "a", "1", "scaling_max_freq=60%")
        self.machine.put("intel_pstate/status", "passive")
        wait_for(lambda: self.machine.read("cpufreq/policy1/scaling_max_freq") == "2740000", "max")
        wait_for(lambda: self.machine.instance("a", "State") == "active", "active")
        time.sleep(0.5)
        self.machine.put("cpufreq/policy1/scaling_max_freq", "2000000")
        self.listen(lambda: self.heard)

    def test_rivals_on_the_bus_are_named(self):
        self.assertEqual(self.machine.property("Rivals"), [])
        connection = self.machine.connect()
        for name in ("com.redhat.tuned", "org.freedesktop.thermald"):
            connection.call_sync("org.freedesktop.DBus", "/org/freedesktop/DBus",
                                 "org.freedesktop.DBus", "RequestName",
                                 GLib.Variant("(su)", (name, 0)), None, 0, -1, None)
        wait_for(lambda: [row[0] for row in self.machine.property("Rivals")] ==
                 ["tuned", "thermald"], "the rivals")
        connection.close_sync()
        wait_for(lambda: self.machine.property("Rivals") == [], "their end")
        self.assertIn("thermald runs, and may write max_perf_pct", self.machine.logged())

    def test_words(self):
        message = self.ctl("create", "a", "1", "on_drift=fight", status=1)
        self.assertIn("expected report", message)


if __name__ == "__main__":
    harness.main()
