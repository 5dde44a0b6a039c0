# SPDX-License-Identifier: GPL-2.0-or-later
"""What tests of options that exist under certain governors share: acpi-cpufreq with
policies of two CPUs, {0,1} and {2,3}."""

import guest

POLICIES = (0, 2)
# Governors that all policies run, and what a person has set there, in this order.
BY_HAND = (
    ("schedutil", {"rate_limit_us": "12345"}),
    ("ondemand", {"up_threshold": "61", "sampling_down_factor": "3", "powersave_bias": "7",
                  "ignore_nice_load": "1", "sampling_rate": "123456"}),
    ("conservative", {"down_threshold": "12", "up_threshold": "25", "freq_step": "9"}),
)
PERFORMANCE = {"governor": "performance", "pm_qos_resume_latency_us": "2"}


def run_governor(governor, policies=POLICIES):
    for policy in policies:
        assert guest.write(f"cpufreq/policy{policy}/scaling_governor", governor) is None


class Case(guest.Case):
    def tearDown(self):
        try:
            super().tearDown()
        finally:
            run_governor("powersave")  # who comes back finds the kernel's own values
            run_governor("schedutil")

    def verdicts(self, name="one"):
        return {(row["option"], row["outcome"]) for row in self.machine.json("verify", name)}

    def forgotten(self, governor):
        """The folder of the tunables is gone."""
        return not (guest.CPU / "cpufreq" / governor).exists()

    def set_by_hand(self, governor, values):
        """As a person would: the governor everywhere, then its tunables."""
        run_governor(governor)
        for name, value in values.items():
            error = guest.write(f"cpufreq/{governor}/{name}", value)
            self.assertIsNone(error, f"{governor}/{name}")
        self.before = self.machine.snapshot()
