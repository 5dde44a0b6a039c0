// SPDX-License-Identifier: GPL-2.0-or-later
/* THE list of options. Everything that is said about an option - its checks,
 * what this machine supports, completion, the man page, the tests - comes from
 * its row; docs/adding-an-option.md shows how to add one. */
#include "table.h"

#include <errno.h>

#include "machine.h"
#include "types.h"

#define POLICY "cpufreq/policy%u/"
#define FREQUENCY                                                            \
  "kHz, 2.1GHz, 800MHz, 60% (of the hardware's range), min, max, or clamp: " \
  "before one of them (the nearest that the CPU has)"
#define CSTATES "cstate.id:N, cstate.id_no_zero:N, cstate.name:C1 or cstate.name_no_zero:C1"
#define NO_POLICY "; this CPU has no cpufreq policy"
#define UTILISATION "0-1024, or a percentage of 1024"
#define NO_CLAMPS "; this kernel has no utilisation clamps (CONFIG_UCLAMP_TASK)"
#define INTEL_ONLY "; only intel_pstate has it"

/* Order of writing. What has no phase of its own comes in between. */
enum {
  FIRST = 10,
  LEAD = 20,
  FOLLOW = 30,
  RAISE = 40,
  MIDDLE = 50,
  LOWER = 60,
  SWITCH_ON = 80,
  LAST = 90
};

enum {
  ONLINE,
  GOVERNOR,
  EPP,
  MAX_FREQ,
  MIN_FREQ,
  BOOST_GATE,
  BOOST,
  SETSPEED,
  SAMPLING_RATE,
  UP_THRESHOLD,
  DOWN_THRESHOLD,
  SAMPLING_DOWN,
  IGNORE_NICE,
  FREQ_STEP,
  POWERSAVE_BIAS,
  IO_IS_BUSY,
  RATE_LIMIT,
  SAMPLING_DOWN_SHORT,
  EPB,
  RESUME_LATENCY,
  IDLE_MAX,
  IDLE_DISABLE,
  FORCE_LATENCY,
  NO_TURBO,
  MAX_PERF,
  MIN_PERF,
  UCLAMP_MAX,
  UCLAMP_MIN,
  UCLAMP_RT,
  /* Tunables of governors, on kernels that have but one of each. */
  SAMPLING_RATE_ALL,
  UP_THRESHOLD_ALL,
  DOWN_THRESHOLD_ALL,
  SAMPLING_DOWN_ALL,
  IGNORE_NICE_ALL,
  FREQ_STEP_ALL,
  POWERSAVE_BIAS_ALL,
  IO_IS_BUSY_ALL,
  RATE_LIMIT_ALL,
  N_ROWS
};

static const char *const userspace[] = {"userspace", NULL};
static const char *const ondemand[] = {"ondemand", NULL};
static const char *const conservative[] = {"conservative", NULL};
static const char *const sampling[] = {"conservative", "ondemand", NULL};
static const char *const schedutil[] = {"schedutil", NULL};

static const RetunePlaceOps latency_device = {
    .read = retune_machine_read_latency,
    .write = retune_machine_write_latency,
};

static const RetuneKnob rows[N_ROWS];

/* A tunable of governors: the file of each policy, and that of the system. */
#define TUNABLE(ROW, NAME, GOVERNORS, LOW, HIGH, SUMMARY, SYNTAX, ...) \
  [ROW] = {.name = "governor." NAME,                                   \
           .summary = SUMMARY,                                         \
           .syntax = SYNTAX,                                           \
           .minimum = LOW,                                             \
           .maximum = HIGH,                                            \
           .scope = RETUNE_SCOPE_POLICY,                               \
           .file = POLICY "%s/" NAME,                                  \
           .type = &retune_type_tunable,                               \
           .twin = &rows[ROW##_ALL],                                   \
           .leader = &rows[GOVERNOR],                                  \
           .governors = GOVERNORS,                                     \
           .by_driver = TRUE,                                          \
           .hint_absent = NO_POLICY,                                   \
           __VA_ARGS__}

#define TUNABLE_ALL(ROW, NAME, GOVERNORS, ...) \
  [ROW##_ALL] = {.scope = RETUNE_SCOPE_SYSTEM, \
                 .file = "cpufreq/%s/" NAME,   \
                 .type = &retune_type_tunable, \
                 .leader = &rows[GOVERNOR],    \
                 .governors = GOVERNORS,       \
                 .by_driver = TRUE,            \
                 .hint_absent = "",            \
                 __VA_ARGS__}

/* clang-format off */
static const RetuneKnob rows[N_ROWS] = {
    [ONLINE] = {
        .name = "online",
        .summary = "whether the CPU is switched on; with 0 the instance holds it offline",
        .syntax = "1 or 0",
        .scope = RETUNE_SCOPE_CPU,
        .file = "cpu%u/online",
        .type = &retune_type_online,
        .phase = SWITCH_ON,
        .phase_down = LAST,
        .switches_cpu = TRUE,
        .hint_absent = "; this CPU is always online",
    },
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
        .hint_absent = NO_POLICY,
    },
    [EPP] = {
        .name = "energy_performance_preference",
        .summary = "energy against performance, for the hardware's own choice of frequency",
        .syntax = "default, performance, balance_performance, balance_power, power, 0-255",
        .scope = RETUNE_SCOPE_POLICY,
        .file = POLICY "energy_performance_preference",
        .type = &retune_type_epp,
        .by_driver = TRUE,
        .lost_offline = TRUE,
        .phase = FOLLOW,
        .hint_absent = "; only intel_pstate with HWP, and amd_pstate in active mode, have it",
    },
    [MAX_FREQ] = {
        .name = "scaling_max_freq",
        .summary = "highest frequency",
        .syntax = FREQUENCY,
        .scope = RETUNE_SCOPE_POLICY,
        .file = POLICY "scaling_max_freq",
        .ceiling = POLICY "cpuinfo_max_freq",
        .type = &retune_type_frequency,
        .by_driver = TRUE,
        .follower = &rows[MIN_FREQ], /* reads as the maximum while that is lower */
        .phase = RAISE,
        .phase_down = LOWER,
        .settles = TRUE,
        .hint_absent = NO_POLICY,
    },
    [MIN_FREQ] = {
        .name = "scaling_min_freq",
        .summary = "lowest frequency",
        .syntax = FREQUENCY,
        .scope = RETUNE_SCOPE_POLICY,
        .file = POLICY "scaling_min_freq",
        .ceiling = POLICY "cpuinfo_max_freq",
        .type = &retune_type_frequency,
        .by_driver = TRUE,
        .phase = MIDDLE,
        .upper = &rows[MAX_FREQ],
        .settles = TRUE,
        .hint_absent = NO_POLICY,
    },
    [BOOST_GATE] = {
        .scope = RETUNE_SCOPE_SYSTEM,
        .file = "cpufreq/boost",
        .type = &retune_type_number,
        .by_driver = TRUE,
        .moves_limits = TRUE,
        .maximum = 1,
        .phase = FIRST,
        .phase_down = LAST,
        .locked_errno = EINVAL,
        .locked = "this hardware has no boost, or its firmware locks it",
    },
    [BOOST] = {
        .name = "boost",
        .summary = "frequencies above the nominal one",
        .syntax = "1 or 0",
        .scope = RETUNE_SCOPE_POLICY,
        .file = POLICY "boost",
        .type = &retune_type_boost,
        .by_driver = TRUE,
        .opposite = &rows[NO_TURBO],
        .moves_limits = TRUE,
        .gate = &rows[BOOST_GATE],
        .phase = MIDDLE,
        .locked_errno = EINVAL,
        .locked = "this hardware has no boost, or its firmware locks it",
        .hint_absent = "; with intel_pstate, use no_turbo",
    },
    [SETSPEED] = {
        .name = "scaling_setspeed",
        .summary = "the frequency, under governor userspace",
        .syntax = FREQUENCY,
        .scope = RETUNE_SCOPE_POLICY,
        .file = POLICY "scaling_setspeed",
        .ceiling = POLICY "scaling_max_freq",
        .floor = POLICY "scaling_min_freq",
        .type = &retune_type_speed,
        .leader = &rows[GOVERNOR],
        .governors = userspace,
        .blank = "<unsupported>",
        .by_driver = TRUE,
        .phase = LAST,
        .hint_absent = NO_POLICY,
    },
    TUNABLE(SAMPLING_RATE, "sampling_rate", sampling, 1, G_MAXUINT32,
            "how often the governor looks at the load, in us", "us", .phase = MIDDLE),
    TUNABLE(UP_THRESHOLD, "up_threshold", sampling, 1, 100,
            "load in percent above which the frequency goes up", "percent",
            .phase = RAISE, .phase_down = LOWER),
    TUNABLE(DOWN_THRESHOLD, "down_threshold", conservative, 1, 99,
            "load in percent below which the frequency goes down", "percent",
            .phase = MIDDLE, .upper = &rows[UP_THRESHOLD], .pair = RETUNE_PAIR_REFUSES_EQUAL),
    TUNABLE(SAMPLING_DOWN, "sampling_down_factor", sampling, 1, 100000,
            "at full speed (conservative: when slowing down), look this many times less often",
            "a factor; with conservative at most 10", .phase = MIDDLE,
            .rival = &rows[SAMPLING_DOWN_SHORT]),
    TUNABLE(IGNORE_NICE, "ignore_nice_load", sampling, 0, 1,
            "do not count the load of niced processes", "1 or 0", .phase = MIDDLE),
    TUNABLE(FREQ_STEP, "freq_step", conservative, 0, 100,
            "how far the frequency goes in one step, in percent of the highest", "percent",
            .phase = MIDDLE),
    TUNABLE(POWERSAVE_BIAS, "powersave_bias", ondemand, 0, 1000,
            "how much less than needed the frequency is to be, in 0.1 percent", "0.1 percent",
            .phase = MIDDLE),
    TUNABLE(IO_IS_BUSY, "io_is_busy", ondemand, 0, 1,
            "count waiting for I/O as load", "1 or 0", .phase = MIDDLE),
    TUNABLE(RATE_LIMIT, "rate_limit_us", schedutil, 0, G_MAXUINT32,
            "shortest time between two changes of the frequency, in us", "us", .phase = MIDDLE),
    [SAMPLING_DOWN_SHORT] = {
        .name = "sampling_down_factor",
        .summary = "the same as governor.sampling_down_factor",
        .syntax = "a factor; with conservative at most 10",
        .minimum = 1,
        .maximum = 100000,
        .scope = RETUNE_SCOPE_POLICY,
        .file = POLICY "%s/sampling_down_factor",
        .type = &retune_type_tunable,
        .place = &rows[SAMPLING_DOWN],
        .rival = &rows[SAMPLING_DOWN],
        .leader = &rows[GOVERNOR],
        .governors = sampling,
        .phase = MIDDLE,
        .hint_absent = NO_POLICY,
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
    [NO_TURBO] = {
        .name = "no_turbo",
        .summary = "no frequencies above the nominal one, on the whole machine",
        .syntax = "1 or 0",
        .scope = RETUNE_SCOPE_SYSTEM,
        .file = "intel_pstate/no_turbo",
        .type = &retune_type_boolean,
        .by_driver = TRUE,
        .opposite = &rows[BOOST],
        .follower = &rows[MIN_PERF], /* is cut to what there is without turbo */
        .moves_limits = TRUE,
        .phase = MIDDLE,
        .locked_errno = EPERM,
        .locked = "the firmware locks turbo off",
        .hint_absent = INTEL_ONLY "; with other drivers, use boost",
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
        .pair = RETUNE_PAIR_REFUSES, /* cuts it, and forgets what was asked for */
        .hint_absent = INTEL_ONLY,
    },
    [UCLAMP_MAX] = {
        .name = "sched_util_clamp_max",
        .summary = "highest utilisation that tasks may ask to be clamped to",
        .syntax = UTILISATION,
        .minimum = 0,
        .maximum = 1024,
        .scope = RETUNE_SCOPE_SYSTEM,
        .file = "/proc/sys/kernel/sched_util_clamp_max",
        .type = &retune_type_clamp,
        .useful_under = "schedutil",
        .phase = RAISE,
        .phase_down = LOWER,
        .sticky = TRUE,
        .hint_absent = NO_CLAMPS,
    },
    [UCLAMP_MIN] = {
        .name = "sched_util_clamp_min",
        .summary = "lowest utilisation that tasks may ask to be clamped to",
        .syntax = UTILISATION,
        .minimum = 0,
        .maximum = 1024,
        .scope = RETUNE_SCOPE_SYSTEM,
        .file = "/proc/sys/kernel/sched_util_clamp_min",
        .type = &retune_type_clamp,
        .useful_under = "schedutil",
        .upper = &rows[UCLAMP_MAX],
        .pair = RETUNE_PAIR_REFUSES,
        .phase = MIDDLE,
        .sticky = TRUE,
        .hint_absent = NO_CLAMPS,
    },
    [UCLAMP_RT] = {
        .name = "sched_util_clamp_min_rt_default",
        .summary = "lower utilisation clamp of real-time tasks that ask for none",
        .syntax = UTILISATION,
        .minimum = 0,
        .maximum = 1024,
        .scope = RETUNE_SCOPE_SYSTEM,
        .file = "/proc/sys/kernel/sched_util_clamp_min_rt_default",
        .type = &retune_type_clamp,
        .useful_under = "schedutil",
        .phase = MIDDLE,
        .sticky = TRUE,
        .hint_absent = NO_CLAMPS,
    },
    TUNABLE_ALL(SAMPLING_RATE, "sampling_rate", sampling, .phase = MIDDLE),
    TUNABLE_ALL(UP_THRESHOLD, "up_threshold", sampling, .phase = RAISE, .phase_down = LOWER),
    TUNABLE_ALL(DOWN_THRESHOLD, "down_threshold", conservative, .phase = MIDDLE,
                .upper = &rows[UP_THRESHOLD_ALL], .pair = RETUNE_PAIR_REFUSES_EQUAL),
    TUNABLE_ALL(SAMPLING_DOWN, "sampling_down_factor", sampling, .phase = MIDDLE),
    TUNABLE_ALL(IGNORE_NICE, "ignore_nice_load", sampling, .phase = MIDDLE),
    TUNABLE_ALL(FREQ_STEP, "freq_step", conservative, .phase = MIDDLE),
    TUNABLE_ALL(POWERSAVE_BIAS, "powersave_bias", ondemand, .phase = MIDDLE),
    TUNABLE_ALL(IO_IS_BUSY, "io_is_busy", ondemand, .phase = MIDDLE),
    TUNABLE_ALL(RATE_LIMIT, "rate_limit_us", schedutil, .phase = MIDDLE),
};
/* clang-format on */

const RetuneKnobTable *retune_knobs_table(void)
{
  static const RetuneKnobTable table = {rows, N_ROWS};
  return &table;
}
