# SPDX-License-Identifier: GPL-2.0-or-later
"""The job of the README, through each of its doors."""

import re

import harness
from harness import Case


def readme_lines(door):
    """The commands in the README's block that begins with '# door'."""
    text = (harness.SOURCE / "README.md").read_text()
    for block in re.findall(r"```sh\n(.*?)```", text, re.S):
        if block.startswith(f"# {door}\n"):
            return block.replace("\\\n", " ").splitlines()[1:]
    raise AssertionError(f"no block '# {door}' in the README")


class MainJob(Case):
    def play(self, door):
        lines = [line for line in readme_lines(door) if line.strip()]
        create_fast, create_save, move, destroy_fast, destroy_save = \
            [line for line in lines if not re.search("list|ListInstances", line)]
        self.step(create_fast)
        self.assert_fast((28, 30))
        self.step(create_save)
        self.assert_saving(list(range(28)) + [29, 31])
        self.step(move)
        self.assert_fast((26, 28, 30))
        self.assert_saving(list(range(26)) + [27, 29, 31])
        self.assertEqual(
            [(row["name"], row["devices"], row["priority"]) for row in self.machine.json("list")],
            [("cpus_performance", "26,28,30", -10), ("cpus_powersave", "0-25,27,29,31", -10)])
        self.step(destroy_fast)
        self.assert_saving(list(range(28)) + [29, 31])
        self.step(destroy_save)
        self.assert_unchanged()

    def step(self, line):
        result = self.machine.shell(line)
        self.assertEqual(result.returncode, 0, line + "\n" + result.stdout + result.stderr)

    def assert_fast(self, cpus):
        for cpu in cpus:
            self.assert_value(f"cpufreq/policy{cpu}/scaling_governor", "performance")
            self.assert_value(f"cpu{cpu}/power/energy_perf_bias", "0")
            self.assert_value(f"cpu{cpu}/power/pm_qos_resume_latency_us", "2")
        self.assertEqual(self.machine.latency(), 133)
        self.assert_value("intel_pstate/min_perf_pct", "100")

    def assert_saving(self, cpus):
        for cpu in cpus:
            self.assert_value(f"cpufreq/policy{cpu}/scaling_governor", "powersave")
            self.assert_value(f"cpufreq/policy{cpu}/energy_performance_preference",
                              "balance_performance")
            self.assert_value(f"cpu{cpu}/power/energy_perf_bias", "15")
            self.assert_value(f"cpu{cpu}/power/pm_qos_resume_latency_us", "0")

    def test_retunectl(self):
        self.play("retunectl")

    def test_busctl(self):
        self.play("busctl")

    def test_gdbus(self):
        self.play("gdbus")

    def test_moving_back_and_forth_keeps_the_baseline(self):
        self.ctl("create", "fast", "1", "governor=performance")
        self.ctl("create", "slow", "2", "governor=powersave", "energy_performance_preference=power")
        for _ in range(3):
            self.ctl("move", "1", "slow")
            self.ctl("move", "1", "fast")
        self.ctl("destroy", "fast")
        self.ctl("destroy", "slow")
        self.assert_unchanged()

    def test_stopping_puts_everything_back(self):
        self.ctl("create", "fast", "3,5", "governor=performance", "force_latency=10",
                 "cpuidle_max_state=C1", "max_perf_pct=50")
        self.assertEqual(self.machine.stop(), 0)
        self.assert_unchanged()


if __name__ == "__main__":
    harness.main()
