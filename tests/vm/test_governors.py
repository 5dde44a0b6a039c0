# SPDX-License-Identifier: GPL-2.0-or-later
"""Tunables of governors, and the speed that governor userspace is told."""

import itertools

import governed
import guest
import harness
from governed import BY_HAND, PERFORMANCE, POLICIES, run_governor


class Values(governed.Case):
    def test_ondemand(self):
        self.create({"governor": "ondemand", "governor.up_threshold": "42",
                     "sampling_down_factor": "7"})
        self.assert_value("cpufreq/ondemand/up_threshold", "42")
        self.assert_value("cpufreq/ondemand/sampling_down_factor", "7")
        self.assertEqual(self.verdicts(), {(option, "applied") for option in (
            "governor", "governor.up_threshold", "sampling_down_factor")})
        self.set({"governor.up_threshold": "43", "sampling_down_factor": "100000"})
        self.assert_value("cpufreq/ondemand/up_threshold", "43")
        self.assert_value("cpufreq/ondemand/sampling_down_factor", "100000")
        self.assert_error("InvalidValue", self.set, {"governor.up_threshold": "101"})
        self.destroy()
        self.assertTrue(self.forgotten("ondemand"))
        self.assert_unchanged()

    def test_every_tunable(self):
        """All that Debian's kernel has of each governor."""
        for governor, values in (
                ("ondemand", {"ignore_nice_load": "1", "io_is_busy": "1", "powersave_bias": "500",
                              "sampling_down_factor": "9", "sampling_rate": "20000",
                              "up_threshold": "70"}),
                ("conservative", {"down_threshold": "30", "freq_step": "17",
                                  "ignore_nice_load": "1", "sampling_down_factor": "10",
                                  "sampling_rate": "20000", "up_threshold": "70"}),
                ("schedutil", {"rate_limit_us": "0"})):
            with self.subTest(governor):
                self.create({"governor": governor, **{f"governor.{name}": value
                                                      for name, value in values.items()}})
                files = {path.name: path.read_text().strip()
                         for path in (guest.CPU / "cpufreq" / governor).iterdir()}
                self.assertEqual(files, values)
                self.destroy()
                self.assert_unchanged()

    def test_one_file_for_all(self):
        """Some CPUs only; the kernel has one value for all policies."""
        self.create({"governor.rate_limit_us": "5000"}, devices="0")
        self.assert_value("cpufreq/schedutil/rate_limit_us", "5000")
        self.create({"governor.rate_limit_us": "6000", "priority": "-1"}, "two", "2-3")
        self.assert_value("cpufreq/schedutil/rate_limit_us", "6000")
        self.assertEqual(self.verdicts(), {("governor.rate_limit_us", "shadowed")})
        self.destroy("two")
        self.assert_value("cpufreq/schedutil/rate_limit_us", "5000")
        self.destroy()
        self.assert_unchanged()

    def test_it_needs_its_governor(self):
        for options in ({"governor.up_threshold": "50"}, {"sampling_down_factor": "2"},
                        {"scaling_setspeed": "max"},
                        {"governor": "ondemand", "governor.rate_limit_us": "5"}):
            message = self.assert_error("NotSupported", self.create, options)
            self.assertIn("it needs governor", message)
            self.assert_unchanged()

    def test_refused_by_the_kernel(self):
        """conservative takes at most 10, which only its source tells."""
        self.set_by_hand(*BY_HAND[0])
        message = self.assert_error("WriteFailed", self.create, {
            "governor": "conservative", "governor.sampling_down_factor": "11"})
        self.assertIn("EINVAL", message)
        self.assertIn("nothing was changed", message)
        self.assert_unchanged()

    def test_speed(self):
        """800, 1200, 1800, 2400 and 3000 MHz are there."""
        self.create({"governor": "userspace", "scaling_setspeed": "1.7GHz"}, devices="2-3")
        for word, mhz in (("1.7GHz", 1800), ("1200000", 1200), ("clamp:7GHz", 3000), ("min", 800),
                          ("60%", 2400), ("clamp:1", 800), ("max", 3000)):
            self.set({"scaling_setspeed": word})
            self.assert_value("cpufreq/policy2/scaling_setspeed", str(mhz * 1000))
            self.assert_value("cpufreq/policy2/scaling_cur_freq", str(mhz * 1000))
            self.assertIn(mhz // 100, (guest.programmed(2), guest.programmed(3)))
            self.assertEqual(self.verdicts(), {("governor", "applied"),
                                               ("scaling_setspeed", "applied")}, word)
        self.assert_value("cpufreq/policy0/scaling_setspeed", "<unsupported>")
        self.assert_error("InvalidValue", self.set, {"scaling_setspeed": "7GHz"})
        self.destroy()
        self.assert_unchanged()

    def test_speed_that_was_set_before(self):
        """The kernel starts userspace at the frequency that it finds."""
        run_governor("userspace")
        for policy in POLICIES:
            self.assertIsNone(guest.write(f"cpufreq/policy{policy}/scaling_setspeed", 1200000))
        self.before = self.machine.snapshot()
        self.create(PERFORMANCE)
        self.assertIn(30, (guest.programmed(2), guest.programmed(3)))
        self.destroy()
        self.assert_value("cpufreq/policy2/scaling_setspeed", "1200000")
        self.assert_unchanged()


class Thresholds(governed.Case):
    """The kernel refuses a down_threshold that is not below up_threshold."""

    FILES = ("cpufreq/policy0/scaling_governor", "cpufreq/policy2/scaling_governor",
             "cpufreq/conservative/up_threshold", "cpufreq/conservative/down_threshold")
    OPTIONS = {"governor": "conservative", "governor.up_threshold": "60",
               "governor.down_threshold": "30"}

    def pair(self):
        return tuple(int(self.machine.read(f"cpufreq/conservative/{name}_threshold"))
                     for name in ("up", "down"))

    def test_contradictions(self):
        """They are refused before anything is written."""
        self.watch_writes(*self.FILES)
        for up, down in ((50, 50), (50, 51), (1, 1), (20, 99)):
            message = self.assert_error("InvalidValue", self.create, {
                "governor": "conservative", "governor.up_threshold": str(up),
                "governor.down_threshold": str(down)})
            self.assertIn("not below", message)
        self.assertEqual(self.writes(), [])
        self.create(self.OPTIONS)
        self.assertEqual(len(self.writes()), 4)
        for options in ({"governor.up_threshold": "30"}, {"governor.down_threshold": "60"},
                        {"governor.up_threshold": "70", "governor.down_threshold": "70"}):
            self.assert_error("InvalidValue", self.set, options)
        self.assertEqual(self.writes(), [])
        self.assertEqual(self.pair(), (60, 30))
        self.destroy()
        self.assert_unchanged()

    def test_a_lone_one(self):
        """The other is what is there, or what the governor will start with."""
        message = self.assert_error("WriteFailed", self.create, {
            "governor": "conservative", "governor.down_threshold": "90"})
        self.assertIn("nothing was changed", message)
        self.assert_unchanged()
        run_governor("conservative")
        self.before = self.machine.snapshot()
        self.watch_writes(*self.FILES)
        for options in ({"governor.down_threshold": "80"}, {"governor.up_threshold": "20"}):
            message = self.assert_error("InvalidValue", self.create, options)
            self.assertIn("give both", message)
        self.assertEqual(self.writes(), [])
        self.create({"governor.down_threshold": "79"})
        self.assertEqual(self.writes(), [("cpufreq/conservative/down_threshold", "79")])
        self.destroy()
        self.assert_unchanged()

    def test_beyond_what_the_governor_starts_with(self):
        """That is 80 and 20: for some pairs up_threshold has to come first, for others
        down_threshold, though neither is there yet when the order is made."""
        for up, down in ((15, 10), (20, 10), (100, 90), (81, 80), (20, 1)):
            with self.subTest((up, down)):
                self.create({"governor": "conservative", "governor.up_threshold": str(up),
                             "governor.down_threshold": str(down)})
                self.assertEqual(self.pair(), (up, down))
                self.destroy()
                self.assert_unchanged()

    def assert_comes_back(self, *values):
        self.set_by_hand("conservative", {f"{name}_threshold": str(value)
                                          for name, value in values})
        self.create(PERFORMANCE)
        self.destroy()
        self.assert_unchanged()

    def test_a_low_pair_comes_back(self):
        """down_threshold has to come first, for the governor starts with 80 and 20."""
        self.assert_comes_back(("down", 10), ("up", 15))

    def test_a_high_pair_comes_back(self):
        self.assert_comes_back(("up", 100), ("down", 90))

    def test_every_order(self):
        """From each pair to each other one; the kernel refuses the wrong order."""
        pairs = [pair for pair in itertools.product((2, 40, 41, 100), (1, 39, 40, 99))
                 if pair[0] > pair[1]]
        walk = [step for first, second in itertools.combinations(pairs, 2)
                for step in (first, second)] + pairs[:1]
        self.assertLessEqual(set(itertools.permutations(pairs, 2)), set(zip(walk, walk[1:])))
        self.create(self.OPTIONS)
        for up, down in walk:
            self.set({"governor.up_threshold": str(up), "governor.down_threshold": str(down)})
            self.assertEqual(self.pair(), (up, down))
        self.destroy()
        self.assert_unchanged()


if __name__ == "__main__":
    harness.main()
