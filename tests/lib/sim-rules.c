/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The table of rules, and those that concern one file alone. The preloaded
 * library calls them for each write below /sys/devices/system/cpu.
 */
#include "sim-rules.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sim-clamps.h"
#include "sim-cpufreq.h"
#include "sim-hotplug.h"
#include "sim-mode.h"
#include "sim-parse.h"
#include "sim-tunables.h"

static void show(const SimWrite *write, const char *value)
{
  const char *slash = strrchr(write->path, '/');

  sim_show(write, slash != NULL ? slash + 1 : write->path, value);
}

static void show_number(const SimWrite *write, long value)
{
  char text[24];

  snprintf(text, sizeof text, "%ld", value);
  show(write, text);
}

static int store_energy_perf_bias(const SimWrite *write)
{
  static const struct {
    const char *word;
    long value;
  } words[] = {
      {"performance", 0}, {"balance-performance", 4}, {"normal", 6}, {"balance-power", 8},
      {"power", 15},
  };
  uint64_t value;

  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (sim_sysfs_streq(write->text, words[i].word)) {
      show_number(write, words[i].value);
      return 0;
    }

  if (sim_kstrtoull(write->text, 0, &value) != 0 || value > 15)
    return EINVAL;
  show_number(write, (long)value);
  return 0;
}

static int store_resume_latency(const SimWrite *write)
{
  int32_t value;

  if (sim_kstrtos32(write->text, 0, &value) == 0) {
    if (value < 0 || value == INT32_MAX)
      return EINVAL;
    show_number(write, value);
    return 0;
  }

  if (!sim_sysfs_streq(write->text, "n/a"))
    return EINVAL;
  show(write, "n/a");
  return 0;
}

static int store_state_disable(const SimWrite *write)
{
  uint64_t value;
  int error = sim_kstrtoull(write->text, 0, &value);

  if (error == 0)
    show(write, value != 0 ? "1" : "0");
  return error;
}

static int store_idle_governor(const SimWrite *write)
{
  char word[17], listed[SIM_TEXT_SIZE];

  if (!sim_scan_word(write->text, word, sizeof word))
    return EINVAL;
  sim_get(write, "available_governors", listed, sizeof listed);
  if (!sim_has_word(listed, word))
    return EINVAL;

  show(write, word);
  sim_show(write, "current_governor_ro", word);
  return 0;
}

static uint32_t percent_of(const SimWrite *write, const char *name)
{
  char text[16];

  sim_get(write, name, text, sizeof text);
  return (uint32_t)strtoul(text, NULL, 10);
}

static long clamped(uint32_t value, long low, long high)
{
  long number = (int32_t)value;

  return number < low ? low : number > high ? high : number;
}

/* Whether there is a driver to tell: without, intel_pstate asks to try again. */
static bool is_off(const SimWrite *write)
{
  char status[16];

  sim_get(write, "status", status, sizeof status);
  return strcmp(status, "off") == 0;
}

static int store_max_perf_pct(const SimWrite *write)
{
  uint32_t value;

  if (!sim_scan_u32(write->text, &value))
    return EINVAL;
  if (is_off(write))
    return EAGAIN;
  show_number(write, clamped(value, percent_of(write, "min_perf_pct"), 100));
  return 0;
}

static int store_min_perf_pct(const SimWrite *write)
{
  uint32_t value;
  char floor[16];

  if (!sim_scan_u32(write->text, &value))
    return EINVAL;
  if (is_off(write))
    return EAGAIN;
  sim_note_get(write->root, "perf_pct_floor", floor, sizeof floor);
  show_number(write, clamped(value, strtol(floor, NULL, 10), percent_of(write, "max_perf_pct")));
  return 0;
}

/* Without turbo the minimum is cut to what is left, for good (store_no_turbo). */
static void squash_minimum(const SimWrite *write)
{
  char base[24], high[24];

  if (!sim_cpu_get(write->root, "cpufreq/policy0/base_frequency", base, sizeof base) ||
      !sim_cpu_get(write->root, "cpufreq/policy0/cpuinfo_max_freq", high, sizeof high))
    return;
  long left = strtol(base, NULL, 10) * 100 / strtol(high, NULL, 10);
  if ((long)percent_of(write, "min_perf_pct") > left)
    sim_show_number(write, "min_perf_pct", left);
}

/* With a turbo that the firmware locks, the value is 1 and another is refused. */
static int store_no_turbo(const SimWrite *write)
{
  uint32_t value;

  if (!sim_scan_u32(write->text, &value))
    return EINVAL;
  if (is_off(write))
    return EAGAIN;
  if (value == 0 && sim_option(write->root, "turbo_locked"))
    return EPERM;
  show_number(write, value != 0);
  if (value != 0)
    squash_minimum(write);
  return 0;
}

/* Tells retune-sim, if it listens, to send the event. */
static void announce(const SimWrite *write, unsigned cpu, bool is_online)
{
  char path[SIM_PATH_SIZE], line[32];
  int fd, length = snprintf(line, sizeof line, "%s %u\n", is_online ? "online" : "offline", cpu);

  if (!sim_path(path, write->root, "retune", "events"))
    return;
  fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0)
    return;
  syscall(SYS_write, fd, line, (size_t)length);
  syscall(SYS_close, fd);
}

static int store_online(const SimWrite *write)
{
  unsigned cpu = (unsigned)strtoul(write->path + strlen("cpu"), NULL, 10);
  bool is_online, is_changed;
  int error = sim_kstrtobool(write->text, &is_online);

  if (error == 0)
    error = sim_hotplug(write->root, cpu, is_online, &is_changed);
  if (error == 0 && is_changed)
    announce(write, cpu, is_online);
  return error;
}

/* Any other file with a write bit takes what it is given. */
static int store_anything(const SimWrite *write)
{
  char text[SIM_TEXT_SIZE];

  snprintf(text, sizeof text, "%.*s", (int)strcspn(write->text, "\n"), write->text);
  show(write, text);
  return 0;
}

static const SimRule rules[] = {
    {"cpufreq/policy*/scaling_governor", sim_store_governor},
    {"cpufreq/policy*/scaling_min_freq", sim_store_min_freq},
    {"cpufreq/policy*/scaling_max_freq", sim_store_max_freq},
    {"cpufreq/policy*/scaling_setspeed", sim_store_setspeed},
    {"cpufreq/policy*/energy_performance_preference", sim_store_epp},
    {"cpufreq/policy*/boost", sim_store_policy_boost},
    {"cpufreq/boost", sim_store_boost},
    {"cpufreq/conservative/*", sim_store_tunable},
    {"cpufreq/ondemand/*", sim_store_tunable},
    {"cpufreq/schedutil/*", sim_store_tunable},
    {"cpufreq/policy*/conservative/*", sim_store_tunable},
    {"cpufreq/policy*/ondemand/*", sim_store_tunable},
    {"cpufreq/policy*/schedutil/*", sim_store_tunable},
    {"cpu*/power/energy_perf_bias", store_energy_perf_bias},
    {"cpu*/power/pm_qos_resume_latency_us", store_resume_latency},
    {"cpu*/cpuidle/state*/disable", store_state_disable},
    {"cpuidle/current_governor", store_idle_governor},
    {"intel_pstate/max_perf_pct", store_max_perf_pct},
    {"intel_pstate/min_perf_pct", store_min_perf_pct},
    {"intel_pstate/no_turbo", store_no_turbo},
    {"*_pstate/status", sim_store_driver_mode},
    {"cpu*/online", store_online},
    {SIM_CLAMPS_DIR "/*", sim_store_clamp},
};

/* What reading a file fails with by itself: an errno or 0. Without a driver,
 * intel_pstate has only its percentages to show. */
int sim_rule_read(const char *root, const char *path)
{
  static const char *const names[] = {"no_turbo", "turbo_pct", "num_pstates"};
  char status[16];

  if (strncmp(path, "intel_pstate/", strlen("intel_pstate/")) != 0 ||
      !sim_cpu_get(root, "intel_pstate/status", status, sizeof status) ||
      strcmp(status, "off") != 0)
    return 0;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strcmp(path + strlen("intel_pstate/"), names[i]) == 0)
      return EAGAIN;
  return 0;
}

/* The rule of a path below SIM_CPU_DIR, symlinks resolved. */
const SimRule *sim_rule_find(const char *path)
{
  static const SimRule fallback = {"*", store_anything};

  for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
    if (fnmatch(rules[i].glob, path, FNM_PATHNAME) == 0)
      return &rules[i];
  return &fallback;
}
