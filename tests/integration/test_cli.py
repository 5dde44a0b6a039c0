# SPDX-License-Identifier: GPL-2.0-or-later
"""retunectl: help, exit codes, output."""

import json
import os
import signal
import subprocess

import harness
from harness import Case, wait_for

COMMANDS = ("create", "move", "release", "destroy", "set", "reapply", "load", "preview", "list",
            "show", "cpus", "verify", "observe", "options", "expand", "monitor")


class Client(Case):
    def test_help_of_every_command_has_an_example(self):
        overview = self.ctl("--help")
        for command in COMMANDS:
            self.assertIn(f"  {command} ", overview)
            text = self.ctl(command, "--help")
            self.assertIn(f"retunectl {command}", text.split("Example:")[1])
        self.assertIn("Exit codes: 0 done", overview)

    def test_wrong_usage_is_2(self):
        for words in ((), ("frobnicate",), ("move", "1"), ("list", "extra"), ("--nonsense",),
                      ("create", "a", "1", "governor"), ("create", "a", "1", "=x"),
                      ("preview", "frobnicate", "x"), ("preview", "move", "1"),
                      ("preview", "destroy", "a", "b"), ("--timeout=0", "list"),
                      ("--timeout=x", "list")):
            with self.subTest(words=words):
                message = self.ctl(*words, status=2)
                self.assertTrue(message.startswith("retunectl: "), message)

    def test_nothing_on_stdout_when_it_fails(self):
        result = self.machine.ctl("destroy", "nothing")
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertEqual(result.stderr, "retunectl: no instance 'nothing'; there is none\n")

    def test_not_supported_is_3(self):
        self.assertIn("boost is not supported on CPU 1",
                      self.ctl("create", "a", "1", "boost=1", status=3))

    def test_too_late_is_4(self):
        self.machine.faults("delay cpu1/power/energy_perf_bias 1500")
        message = self.ctl("--timeout=0.2", "create", "a", "1", "energy_perf_bias=0", status=4)
        self.assertIn("did not answer in time; the call may still take effect", message)
        wait_for(lambda: self.machine.json("list"), "the call to take effect")

    def test_no_daemon_is_4(self):
        self.machine.stop()
        self.assertIn("is retuned installed and running?", self.ctl("list", status=4))

    def test_no_bus_is_4(self):
        environment = dict(self.machine.environment, DBUS_SYSTEM_BUS_ADDRESS="unix:path=/nothing")
        result = subprocess.run(["retunectl", "list"], env=environment, capture_output=True,
                                text=True)
        self.assertEqual(result.returncode, 4)
        self.assertIn("cannot reach the system bus", result.stderr)

    def test_tables(self):
        self.assertEqual(self.ctl("list"), "There are no instances.\n")
        self.ctl("create", "fast", "28,30", "governor=performance", "priority=-10")
        self.assertEqual(self.ctl("list"), "NAME  DEVICES  PRIORITY  STATE\n"
                                           "fast  28,30    -10       active\n")
        cpus = self.ctl("cpus").splitlines()
        self.assertEqual(cpus[0].split()[:5], ["CPUS", "INSTANCE", "ONLINE", "GOVERNOR", "EPP"])
        self.assertEqual(cpus[1].split()[:4], ["0-27,29,31", "(free)", "yes", "powersave"])
        self.assertEqual(cpus[2].split()[:4], ["28,30", "fast", "yes", "performance"])
        self.assertIn("min_perf_pct=25", cpus[3])
        self.assertIn("governor  28,30    performance  performance  applied",
                      self.ctl("show", "fast"))
        self.assertEqual(self.ctl("preview", "set", "fast", "energy_perf_bias=1").splitlines()[1]
                         .split(), ["energy_perf_bias", "cpu28", "6", "1",
                                    "/sys/devices/system/cpu/cpu28/power/energy_perf_bias"])
        self.assertEqual(self.ctl("preview", "set", "fast", "governor=performance"),
                         "Nothing would be written.\n")

    def test_json(self):
        self.assertEqual(self.machine.json("create", "fast", "28,30", "governor=performance"),
                         {"instance": "/io/github/retune1/instance/fast",
                          "moved": [["28,30", ""]], "held": []})
        self.assertEqual(self.machine.json("move", "3", "fast"),
                         [{"devices": "3", "instance": ""}])
        self.assertEqual(self.machine.json("list")[0]["devices"], "3,28,30")
        shown = self.machine.json("show", "fast")
        self.assertEqual(shown["Options"], {"governor": "performance"})
        self.assertEqual(shown["Values"][0],
                         {"devices": "3,28,30", "option": "governor", "wanted": "performance",
                          "actual": "performance", "outcome": "applied", "message": ""})
        cpus = self.machine.json("cpus")
        self.assertEqual(cpus["devices"][3], {"device": "cpu3", "instance": "fast", "online": True})
        self.assertIn({"option": "governor", "value": "performance", "devices": "3,28,30"},
                      cpus["values"])
        self.assertEqual({row["scope"] for row in self.machine.json("options")},
                         {"cpu", "policy", "system"})

    def test_monitor(self):
        with subprocess.Popen(["retunectl", "monitor", "--json"], stdout=subprocess.PIPE,
                              env=self.machine.environment, text=True) as monitor:
            self.assertEqual(json.loads(monitor.stdout.readline())["event"], "Appeared")
            self.ctl("create", "fast", "1")
            self.ctl("move", "2", "fast")
            self.ctl("destroy", "fast")
            events = []
            while not events or events[-1]["event"] != "InterfacesRemoved":
                events.append(json.loads(monitor.stdout.readline()))
            monitor.send_signal(signal.SIGINT)
            self.assertEqual(monitor.wait(harness.DEADLINE), 0)
        moved = [event["data"] for event in events if event["event"] == "DevicesMoved"]
        self.assertEqual(moved[:2], [["cpu", "1", "", "fast"], ["cpu", "2", "", "fast"]])

    def test_monitor_for_people(self):
        with subprocess.Popen(["retunectl", "monitor"], stdout=subprocess.PIPE,
                              env=self.machine.environment, text=True) as monitor:
            self.assertIn("retuned is there", monitor.stdout.readline())
            self.ctl("create", "fast", "1")
            lines = ""
            while "CPU 1: (free) -> fast" not in lines:
                lines += monitor.stdout.readline()
            self.assertIn("created /io/github/retune1/instance/fast", lines)
            monitor.terminate()
            self.assertEqual(monitor.wait(harness.DEADLINE), 0)

    def test_versions_agree(self):
        version = self.machine.property("Version")
        self.assertEqual(self.ctl("--version"), f"retunectl {version}\n")
        retuned = self.machine.run(harness.STAGE / "libexec/retuned", "--version")
        self.assertEqual(retuned.stdout, f"retuned {version}\n")

    def test_the_daemon_says_what_is_wrong_with_its_arguments(self):
        retuned = self.machine.run(harness.STAGE / "libexec/retuned", "--nonsense")
        self.assertEqual(retuned.returncode, 2)
        self.assertIn("Unknown option --nonsense", retuned.stderr)

    def test_a_second_daemon_leaves_the_first_alone(self):
        self.ctl("create", "fast", "1", "energy_perf_bias=1")
        second = self.machine.run(harness.STAGE / "libexec/retuned")
        self.assertEqual(second.returncode, 1)
        self.assertIn("another retuned is running", second.stderr)
        self.assert_value("cpu1/power/energy_perf_bias", "1")

    def test_a_client_that_goes_away_changes_nothing(self):
        self.machine.faults("delay cpu1/power/energy_perf_bias 300")
        client = subprocess.Popen(["retunectl", "create", "a", "1", "energy_perf_bias=0"],
                                  env=self.machine.environment)
        wait_for(lambda: self.machine.writes(), "the write")
        os.kill(client.pid, signal.SIGKILL)
        client.wait()
        wait_for(lambda: self.machine.json("list"), "the instance")
        self.assert_value("cpu1/power/energy_perf_bias", "0")


if __name__ == "__main__":
    harness.main()
