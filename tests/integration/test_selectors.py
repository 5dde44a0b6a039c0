# SPDX-License-Identifier: GPL-2.0-or-later
"""Selectors in device expressions, and what they stand for on machines of all kinds."""

import harness
from harness import Case


class Selectors(Case):
    machine_name = "sparse"

    def expand(self, expression, claim, devices=None):
        with self.subTest(expression=expression):
            self.assertEqual(self.machine.call("ExpandDevices", "(ss)", "cpu", expression),
                             (claim, devices if devices is not None else claim))

    def test_topology(self):
        self.expand("node:0", "0-9,80-84")
        self.expand("node:1", "40-44")
        self.expand("node:0-5", "0-9,40-44,80-84")
        self.expand("package:1", "40-44")
        self.expand("siblings:3", "3,83")
        self.expand("siblings:3,siblings:40", "3,83,40", "3,40,83")
        self.expand("node:0,!siblings:0", "0-9,80-84,!0,!80", "1-9,81-84")
        self.expand("node:0 ^cpu3", "0-9,80-84,^cpu3", "0-2,4-9,80-84")
        self.expand("online", "0-9,40-44,80-84")

    def test_what_belongs_to_nobody(self):
        self.ctl("create", "a", "node:0")
        self.expand("free", "40-44")
        self.ctl("create", "b", "free,!44")
        self.assertEqual(self.machine.instance("b", "Claim"), "40-44,!44")
        self.expand("free", "44")
        self.ctl("move", "free", "a")
        message = self.ctl("move", "free", "b", status=1)
        self.assertIn("every CPU belongs to an instance", message)
        self.expand("!free", "all", "0-9,40-44,80-84")

    def test_nothing_is_an_error_and_without_nothing_is_all(self):
        for expression in ("isolated", "node:7", "package:9", "type:core", "type:atom",
                           "siblings:11", "0,isolated"):
            with self.subTest(expression=expression):
                self.assert_error("UnknownDevice", self.machine.call, "ExpandDevices", "(ss)",
                                  "cpu", expression)
        self.expand("!isolated", "all", "0-9,40-44,80-84")
        self.expand("0-3,!isolated", "0-3")

    def test_wrong_words(self):
        for expression in ("node:x", "node:", "type:big", "siblings:a", "package:1:2", "nodes:1",
                           "isolated:1", "free:", "node:99999999999"):
            with self.subTest(expression=expression):
                with self.assertRaises(harness.GLib.Error) as caught:
                    self.machine.call("ExpandDevices", "(ss)", "cpu", expression)
                self.assertRegex(harness.Gio.DBusError.get_remote_error(caught.exception),
                                 "(InvalidValue|LimitsExceeded|UnknownDevice)$")
        self.assert_error("LimitsExceeded", self.machine.call, "ExpandDevices", "(ss)", "cpu",
                          ",".join(["online"] * 65))

    def test_offline_cpus_have_no_topology(self):
        self.machine.command("offline 83")
        self.expand("siblings:3", "3")
        self.expand("node:0", "0-9,80-82,84")

    def test_it_is_shown_before_it_acts(self):
        self.assertIn("node:1,!siblings:40 is CPU 41-44\n",
                      self.ctl("create", "a", "node:1,!siblings:40"))
        self.assertIn("siblings:3 is CPU 3,83\n", self.ctl("move", "siblings:3", "a"))
        self.assertEqual(self.ctl("expand", "node:1"), "40-44\n")

    def test_threads_left_out_are_named(self):  # F26
        self.assertIn("threads of the same cores are not among them: CPU 83",
                      self.ctl("create", "a", "3"))
        self.assertNotIn("threads", self.ctl("create", "b", "siblings:4"))


class Hybrid(Selectors):
    machine_name = "hybrid"

    def test_topology(self):
        self.expand("type:core", "0-7")
        self.expand("type:atom", "8-15")
        self.expand("type:atom,siblings:0", "8-15,0-1", "0-1,8-15")

    def test_what_belongs_to_nobody(self):
        self.ctl("create", "a", "type:core,!0")
        self.expand("free", "0,8-15")

    test_nothing_is_an_error_and_without_nothing_is_all = None
    test_wrong_words = None
    test_offline_cpus_have_no_topology = None
    test_it_is_shown_before_it_acts = None
    test_threads_left_out_are_named = None


class Capacities(Hybrid):
    machine_name = "biglittle"

    def test_topology(self):
        self.expand("type:core", "4-7")
        self.expand("type:atom", "0-3")

    def test_what_belongs_to_nobody(self):
        self.ctl("create", "a", "type:core,!4")
        self.expand("free", "0-4")


if __name__ == "__main__":
    harness.main()
