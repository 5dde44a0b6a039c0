# SPDX-License-Identifier: GPL-2.0-or-later
"""TuneD profiles with retunectl load."""

import os
import shutil

import harness
from harness import STAGE, Case

REPORT = """\
[main]
summary=Two CPUs for packets, the others save power
include=network-latency

[cpu]
enabled=0

[cpus_performance]
type=cpu
priority=-10
devices=${f:cpulist2devs:28,30}
governor=performance
energy_perf_bias=performance
pm_qos_resume_latency_us=2
force_latency=cstate.id_no_zero:3|170
min_perf_pct=100

[cpus_powersave]
type=cpu
priority=-10
devices=${f:cpulist2devs:0-27,29,31}
governor=powersave
energy_perf_bias=power
"""

# Stand-ins for the profiles that the report's one includes: the same sections,
# in our words.
INCLUDED = {
    "tuned/profiles/network-latency": "[main]\ninclude=latency-performance\n"
                                      "[vm]\ntransparent_hugepages=never\n"
                                      "[sysctl]\nnet.core.busy_read=50\n",
    "tuned/latency-performance": "[main]\nsummary=low latency\n"
                                 "[cpu]\nforce_latency=cstate.id_no_zero:1|3\n"
                                 "governor=performance\nmin_perf_pct=100\n"
                                 "[sysctl]\nvm.swappiness=10\n",
}


class Profile(Case):
    def setUp(self):
        for name, text in INCLUDED.items():
            folder = STAGE / "etc" / name
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "tuned.conf").write_text(text)
        super().setUp()

    def tearDown(self):
        shutil.rmtree(STAGE / "etc/tuned")
        super().tearDown()

    def write(self, text):
        path = self.machine.folder / "profile.conf"
        path.write_text(text)
        return path

    def load(self, text, status=0):
        return self.ctl("load", self.write(text), status=status)

    def refuse(self, text, line, *words, status=1):
        """The profile is refused with its file, this line and these words, and nothing changes."""
        message = self.load(text, status=status)
        for word in (f"{self.machine.folder}/profile.conf:{line}: ", *words):
            self.assertIn(word, message)
        self.assertEqual(self.machine.json("list"), [])
        self.assertEqual(self.machine.writes(), [])
        self.assert_unchanged()

    def test_the_report_verbatim(self):
        output = self.load(REPORT)
        self.assertIn("created /io/github/retune1/instance/cpus_5fperformance", output)
        self.assertIn("ignored sections of other plugins: [sysctl] [vm]", output)
        self.assertEqual([(row["name"], row["devices"]) for row in self.machine.json("list")],
                         [("cpus_performance", "28,30"), ("cpus_powersave", "0-27,29,31")])
        self.assert_value("cpufreq/policy28/scaling_governor", "performance")
        self.assert_value("cpu30/power/pm_qos_resume_latency_us", "2")
        self.assert_value("cpu29/power/energy_perf_bias", "15")
        self.assertEqual(self.machine.latency(), 133)
        self.ctl("destroy", "cpus_performance")
        self.ctl("destroy", "cpus_powersave")
        self.assert_unchanged()

    def test_an_included_cpu_section_gets_the_other_cpus(self):
        self.load(REPORT.replace("[cpu]\nenabled=0\n", "").replace("0-27,29,31", "0-3"))
        self.assertEqual([(row["name"], row["devices"]) for row in self.machine.json("list")],
                         [("cpu", "4-27,29,31"), ("cpus_performance", "28,30"),
                          ("cpus_powersave", "0-3")])

    def test_device_0_is_cpu0(self):
        self.load("[first]\ntype=cpu\ndevices=0\nenergy_perf_bias=7\n")
        self.assert_value("cpu0/power/energy_perf_bias", "7")
        self.assert_value("cpu1/power/energy_perf_bias", "6")

    def test_a_section_without_type_says_to_add_it(self):
        self.refuse("[main]\nsummary=x\n\n[cpu_group1]\ndevices=1-3\ngovernor=performance\n", 4,
                    "[cpu_group1]", "add type=cpu")

    def test_a_device_that_does_not_exist(self):
        self.refuse("[a]\ntype=cpu\ndevices=1\n[b]\ntype=cpu\ndevices=30-40\n", 4, "[b]",
                    "CPU 32-40 does not exist; this machine has 0-31")

    def test_a_misspelt_option(self):
        self.refuse("[a]\ntype=cpu\ndevices=1\ngovernor=powersave\ngovernr=powersave\n", 5,
                    "unknown option 'governr'; did you mean 'governor'?")

    def test_a_misspelt_value(self):
        self.refuse("[a]\ntype=cpu\ndevices=1\n[b]\ntype=cpu\ndevices=2\nenergy_perf_bias=fast\n",
                    7, "[b]", "energy_perf_bias 'fast'", "balance-performance")

    def test_a_value_that_this_machine_lacks(self):
        self.refuse("[a]\ntype=cpu\ndevices=1\nenergy_perf_bias=7\ncpuidle_max_state=C9\n", 5,
                    "not supported on CPU 1", "0=POLL 1=C1 2=C1E 3=C6", status=3)

    def test_a_value_that_the_kernel_refuses(self):
        path = self.write("[a]\ntype=cpu\ndevices=1\nenergy_perf_bias=7\n[b]\ntype=cpu\n"
                          "devices=2\nenergy_perf_bias=8\n")
        self.machine.faults("write cpu2/power/energy_perf_bias EIO")
        message = self.ctl("load", path, status=1)
        self.assertIn(f"{path}:8: section [b]: cpu2: the kernel refused energy_perf_bias '8'",
                      message)
        self.assert_unchanged()
        self.assertEqual(self.machine.json("list"), [])

    def test_an_include_that_is_not_there(self):
        self.refuse("[main]\ninclude=nothing-of-the-kind\n[cpu]\ngovernor=performance\n", 2,
                    "nothing-of-the-kind", "/usr/lib/tuned/profiles")

    def test_a_name_that_exists(self):
        self.ctl("create", "b", "9")
        message = self.load("[a]\ntype=cpu\ndevices=1\n[b]\ntype=cpu\ndevices=2\n", status=1)
        self.assertIn("profile.conf:4: section [b]: there is an instance 'b' already", message)
        self.assertEqual([row["name"] for row in self.machine.json("list")], ["b"])

    def test_values_are_never_executed(self):
        marker = self.machine.folder / "executed"
        self.refuse(f"[a]\ntype=cpu\ndevices=1\ngovernor=${{f:exec:touch:{marker}}}\n", 4,
                    "f:exec", "not known")
        self.refuse(f"[a]\ntype=cpu\ndevices=1\nscript_pre=touch {marker}\n", 4, "script_pre")
        self.assertFalse(marker.exists())

    def test_what_is_no_file(self):
        fifo = self.machine.folder / "fifo"
        os.mkfifo(fifo)
        self.assertIn("is not a regular file", self.ctl("load", fifo, status=1))
        self.assertIn("is not a regular file", self.ctl("load", "/", status=1))
        self.assertIn("is not a regular file", self.ctl("load", "/dev/zero", status=1))
        self.assertIn("No such file", self.ctl("load", "/does/not/exist", status=1))

    def test_what_is_no_text(self):
        path = self.machine.folder / "profile.conf"
        path.write_bytes(b"[a]\0\n")
        self.assertIn("is not a text", self.ctl("load", path, status=1))
        path.write_bytes(b"[a]\n\xff=1\n")
        self.assertIn("not a text in UTF-8", self.ctl("load", path, status=1))
        path.write_bytes(b"#" * 1048577)
        self.assertIn("larger than 1048576 bytes", self.ctl("load", path, status=1))


if __name__ == "__main__":
    harness.main()
