// SPDX-License-Identifier: GPL-2.0-or-later
/* THE list of options. Everything that is said about an option - its checks,
 * what this machine supports, completion, the man page, the tests - comes from
 * its row; docs/adding-an-option.md shows how to add one. */
#include "table.h"

#include "machine.h"
#include "types.h"

#define POLICY "cpufreq/policy%u/"
#define FREQUENCY "kHz, 2.1GHz, 800MHz, 60% (of the hardware's range), min or max"
#define CSTATES "cstate.id:N, cstate.id_no_zero:N, cstate.name:C1 or cstate.name_no_zero:C1"
#define INTEL_ONLY "; only intel_pstate has it"

/* Order of writing. What has no phase of its own comes in between. */
enum { FIRST = 10, LEAD = 20, FOLLOW = 30, RAISE = 40, MIDDLE = 50, LOWER = 60, LAST = 90 };

enum {
  GOVERNOR,
  EPP,
  MAX_FREQ,
  MIN_FREQ,
  BOOST_GATE,
  BOOST,
  EPB,
  RESUME_LATENCY,
  IDLE_MAX,
  IDLE_DISABLE,
  FORCE_LATENCY,
  MIN_PERF,
  MAX_PERF,
  NO_TURBO,
  N_ROWS
};

static const RetunePlaceOps latency_device = {
    .read = retune_machine_read_latency,
    .write = retune_machine_write_latency,
};

static const RetuneKnob rows[N_ROWS];

/* clang-format off */
static const RetuneKnob rows[N_ROWS] = {
    [GOVERNOR] = {
        .name = "governor",
        .summary = "cpufreq governor",
        .syntax = "a governor's name",
        .scope = RETUNE_SCOPE_POLICY,
        .file = POLICY "scaling_governor",
        .type = &retune_type_governor,
        .by_driver = TRUE,
        .phase = LEAD,
        .follower = &rows[EPP],
        .pins = "performance",
        .pinned = "performance",
        .loadable = TRUE,
        .hint_absent = "; this CPU has no cpufreq policy",
    },
    [EPP] = {
        .name = "energy_performance_preference",
        .summary = "energy against performance, for the hardware's own choice of frequency",
        .syntax = "default, performance, balance_performance, balance_power, power, 0-255",
        .scope = RETUNE_SCOPE_POLICY,
        .file = POLICY "energy_performance_preference",
        .type = &retune_type_epp,
        .by_driver = TRUE,
        .phase = FOLLOW,
        .hint_absent = "; only intel_pstate and amd_pstate in active mode have it",
    },
    [MAX_FREQ] = {
        .name = "scaling_max_freq",
        .summary = "highest frequency",
        .syntax = FREQUENCY,
        .scope = RETUNE_SCOPE_POLICY,
        .file = POLICY "scaling_max_freq",
        .type = &retune_type_frequency,
        .by_driver = TRUE,
        .follower = &rows[MIN_FREQ], /* reads as the maximum while that is lower */
        .phase = RAISE,
        .phase_down = LOWER,
        .settles = TRUE,
        .hint_absent = "; this CPU has no cpufreq policy",
    },
    [MIN_FREQ] = {
        .name = "scaling_min_freq",
        .summary = "lowest frequency",
        .syntax = FREQUENCY,
        .scope = RETUNE_SCOPE_POLICY,
        .file = POLICY "scaling_min_freq",
        .type = &retune_type_frequency,
        .by_driver = TRUE,
        .phase = MIDDLE,
        .upper = &rows[MAX_FREQ],
        .settles = TRUE,
        .hint_absent = "; this CPU has no cpufreq policy",
    },
    [BOOST_GATE] = {
        .scope = RETUNE_SCOPE_SYSTEM,
        .file = "cpufreq/boost",
        .type = &retune_type_number,
        .by_driver = TRUE,
        .maximum = 1,
        .phase = FIRST,
        .phase_down = LAST,
    },
    [BOOST] = {
        .name = "boost",
        .summary = "frequencies above the nominal one",
        .syntax = "1 or 0",
        .scope = RETUNE_SCOPE_POLICY,
        .file = POLICY "boost",
        .type = &retune_type_boost,
        .by_driver = TRUE,
        .gate = &rows[BOOST_GATE],
        .phase = MIDDLE,
        .hint_absent = "; with intel_pstate, use no_turbo",
    },
    [EPB] = {
        .name = "energy_perf_bias",
        .summary = "energy-performance bias of the CPU",
        .syntax = "0-15, performance, balance-performance, normal, balance-power, power",
        .minimum = 0,
        .maximum = 15,
        .scope = RETUNE_SCOPE_CPU,
        .file = "cpu%u/power/energy_perf_bias",
        .type = &retune_type_epb,
        .phase = MIDDLE,
        .hint_absent = "; only Intel CPUs with EPB have it",
    },
    [RESUME_LATENCY] = {
        .name = "pm_qos_resume_latency_us",
        .summary = "longest time to wake up, in us; keeps out idle states that take longer",
        .syntax = "us (0: no bound), n/a (no latency at all), " CSTATES
                  "",
        .minimum = 0,
        .maximum = G_MAXINT32 - 1,
        .scope = RETUNE_SCOPE_CPU,
        .file = "cpu%u/power/pm_qos_resume_latency_us",
        .type = &retune_type_latency,
        .phase = MIDDLE,
        .hint_absent = "",
    },
    [IDLE_MAX] = {
        .name = "cpuidle_max_state",
        .summary = "deepest idle state allowed; deeper ones are disabled",
        .syntax = "the name or number of an idle state",
        .scope = RETUNE_SCOPE_CPU,
        .file = "cpu%u/cpuidle/state%u/disable",
        .type = &retune_type_deepest,
        .rival = &rows[IDLE_DISABLE],
        .phase = MIDDLE,
        .hint_absent = "; this CPU has no idle states",
    },
    [IDLE_DISABLE] = {
        .name = "cpuidle_disable",
        .summary = "idle states that are disabled",
        .syntax = "names or numbers of idle states, with commas between them",
        .scope = RETUNE_SCOPE_CPU,
        .file = "cpu%u/cpuidle/state%u/disable",
        .type = &retune_type_disabled,
        .place = &rows[IDLE_MAX],
        .rival = &rows[IDLE_MAX],
        .phase = MIDDLE,
        .hint_absent = "; this CPU has no idle states",
    },
    [FORCE_LATENCY] = {
        .name = "force_latency",
        .summary = "longest time for any CPU of the machine to wake up, in us",
        .syntax = "us (0: never sleep), " CSTATES "",
        .minimum = 0,
        .maximum = G_MAXINT32 - 1,
        .scope = RETUNE_SCOPE_SYSTEM,
        .combine = RETUNE_COMBINE_MINIMUM,
        .file = "/dev/cpu_dma_latency",
        .type = &retune_type_bound,
        .ops = &latency_device,
        .phase = MIDDLE,
        .hint_absent = "",
    },
    [MIN_PERF] = {
        .name = "min_perf_pct",
        .summary = "lowest performance, in percent of the highest",
        .syntax = "percent",
        .minimum = 0,
        .maximum = 100,
        .scope = RETUNE_SCOPE_SYSTEM,
        .file = "intel_pstate/min_perf_pct",
        .type = &retune_type_number,
        .by_driver = TRUE,
        .phase = MIDDLE,
        .upper = &rows[MAX_PERF],
        .hint_absent = INTEL_ONLY,
    },
    [MAX_PERF] = {
        .name = "max_perf_pct",
        .summary = "highest performance, in percent of the highest possible",
        .syntax = "percent",
        .minimum = 0,
        .maximum = 100,
        .scope = RETUNE_SCOPE_SYSTEM,
        .file = "intel_pstate/max_perf_pct",
        .type = &retune_type_number,
        .by_driver = TRUE,
        .phase = RAISE,
        .phase_down = LOWER,
        .hint_absent = INTEL_ONLY,
    },
    [NO_TURBO] = {
        .name = "no_turbo",
        .summary = "no frequencies above the nominal one, on the whole machine",
        .syntax = "1 or 0",
        .scope = RETUNE_SCOPE_SYSTEM,
        .file = "intel_pstate/no_turbo",
        .type = &retune_type_boolean,
        .by_driver = TRUE,
        .phase = MIDDLE,
        .hint_absent = INTEL_ONLY "; with other drivers, use boost",
    },
};
/* clang-format on */

const RetuneKnobTable *retune_knobs_table(void)
{
  static const RetuneKnobTable table = {rows, N_ROWS};
  return &table;
}
