/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Tunables of governors: made with their usual values when a governor gets its
 * first policy, lost when the last one leaves. Used by rules and by hotplug.
 */
#include "sim-tunables.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sim-hotplug.h"
#include "sim-parse.h"

typedef struct {
  const char *governor;
  const char *name;
  uint32_t usual;
  uint32_t low;
  uint32_t high;
  bool is_clamped; /* too large is cut down, not refused */
} Tunable;

static const Tunable tunables[] = {
    {"ondemand", "ignore_nice_load", 0, 0, 1, true},
    {"ondemand", "io_is_busy", 1, 0, 1, true},
    {"ondemand", "powersave_bias", 0, 0, 1000, true},
    {"ondemand", "sampling_down_factor", 1, 1, 100000, false},
    {"ondemand", "sampling_rate", 10000, 8000, UINT32_MAX, false},
    {"ondemand", "up_threshold", 95, 1, 100, false},
    {"conservative", "down_threshold", 20, 1, 100, false},
    {"conservative", "freq_step", 5, 0, 100, true},
    {"conservative", "ignore_nice_load", 0, 0, 1, true},
    {"conservative", "sampling_down_factor", 1, 1, 10, false},
    {"conservative", "sampling_rate", 10000, 8000, UINT32_MAX, false},
    {"conservative", "up_threshold", 80, 1, 100, false},
    {"schedutil", "rate_limit_us", 1000, 0, UINT32_MAX, false},
};

#define N_TUNABLES (sizeof tunables / sizeof tunables[0])

/* Whether the governor has any. */
bool sim_tunables_has(const char *governor)
{
  for (size_t i = 0; i < N_TUNABLES; i++)
    if (strcmp(tunables[i].governor, governor) == 0)
      return true;
  return false;
}

/* Adds to *ret_used a bit for each row of the table whose governor is in use. */
static void note_policy(const char *root, const char *policy, unsigned *ret_used)
{
  char path[SIM_PATH_SIZE], governor[32];

  snprintf(path, sizeof path, "cpufreq/%s/scaling_governor", policy);
  if (!sim_policy_is_active(root, path) || !sim_cpu_get(root, path, governor, sizeof governor))
    return;
  for (size_t i = 0; i < N_TUNABLES; i++)
    if (strcmp(tunables[i].governor, governor) == 0)
      *ret_used |= 1u << i;
}

static unsigned find_used(const char *root)
{
  char path[SIM_PATH_SIZE];
  unsigned used = 0;
  DIR *dir;

  if (!sim_path(path, root, SIM_CPU_DIR, "cpufreq"))
    return 0;
  dir = opendir(path);
  for (struct dirent *entry = dir ? readdir(dir) : NULL; entry != NULL; entry = readdir(dir))
    if (strncmp(entry->d_name, "policy", strlen("policy")) == 0)
      note_policy(root, entry->d_name, &used);
  if (dir != NULL)
    closedir(dir);
  return used;
}

/* A folder appears with its first file and goes with its last. */
static void show_tunable(const char *dir, const Tunable *tunable, bool is_used)
{
  char path[SIM_PATH_SIZE + 32], text[16];

  snprintf(path, sizeof path, "%s/%s", dir, tunable->name);
  if (!is_used) {
    syscall(SYS_unlinkat, AT_FDCWD, path, 0);
    syscall(SYS_unlinkat, AT_FDCWD, dir, AT_REMOVEDIR);
    return;
  }

  syscall(SYS_mkdirat, AT_FDCWD, dir, 0755);
  if (syscall(SYS_faccessat, AT_FDCWD, path, F_OK) == 0)
    return;
  snprintf(text, sizeof text, "%u\n", tunable->usual);
  sim_write_file(path, text);
  syscall(SYS_fchmodat, AT_FDCWD, path, 0644);
}

/* Makes or removes in a folder below SIM_CPU_DIR what the set of rows says. */
static void show_tunables(const char *root, const char *parent, unsigned used)
{
  char name[128], dir[SIM_PATH_SIZE];

  for (size_t i = 0; i < N_TUNABLES; i++) {
    snprintf(name, sizeof name, "%s/%s", parent, tunables[i].governor);
    if (sim_path(dir, root, SIM_CPU_DIR, name))
      show_tunable(dir, &tunables[i], (used & 1u << i) != 0);
  }
}

/* Some drivers have their governors' folders below each policy. */
static void show_for_policies(const char *root)
{
  char path[SIM_PATH_SIZE], name[SIM_PATH_SIZE];
  DIR *dir;

  if (!sim_path(path, root, SIM_CPU_DIR, "cpufreq"))
    return;
  dir = opendir(path);
  for (struct dirent *entry = dir ? readdir(dir) : NULL; entry != NULL; entry = readdir(dir)) {
    unsigned used = 0;

    if (strncmp(entry->d_name, "policy", strlen("policy")) != 0)
      continue;
    note_policy(root, entry->d_name, &used);
    snprintf(name, sizeof name, "cpufreq/%s", entry->d_name);
    show_tunables(root, name, used);
  }
  if (dir != NULL)
    closedir(dir);
}

/* To be called when a policy has another governor, or has become active or not. */
void sim_tunables_update(const char *root)
{
  char where[16];

  if (sim_note_get(root, "tunables", where, sizeof where) && strcmp(where, "policy") == 0)
    show_for_policies(root);
  else
    show_tunables(root, "cpufreq", find_used(root));
}

/* The thresholds of conservative must stay apart (cpufreq_conservative.c). */
static bool are_apart(const SimWrite *write, const char *governor, const char *name, uint32_t value)
{
  bool is_up = strcmp(name, "up_threshold") == 0;
  char other[32] = "";

  if (strcmp(governor, "conservative") != 0 || (!is_up && strcmp(name, "down_threshold") != 0))
    return true;
  sim_get(write, is_up ? "down_threshold" : "up_threshold", other, sizeof other);
  uint32_t limit = (uint32_t)strtoul(other, NULL, 10);
  return is_up ? value > limit : value < limit;
}

/* schedutil wants nothing but a decimal number; the others read what looks like one. */
static bool parse(const char *governor, const char *text, uint32_t *ret_value)
{
  if (strcmp(governor, "schedutil") == 0)
    return sim_kstrtou32(text, 10, ret_value) == 0;
  return sim_scan_u32(text, ret_value);
}

int sim_store_tunable(const SimWrite *write)
{
  size_t length = strlen(write->path);
  char end[64];
  uint32_t value;

  for (size_t i = 0; i < N_TUNABLES; i++) {
    size_t size =
        (size_t)snprintf(end, sizeof end, "/%s/%s", tunables[i].governor, tunables[i].name);

    if (length < size || strcmp(write->path + length - size, end) != 0)
      continue;
    if (!parse(tunables[i].governor, write->text, &value) || value < tunables[i].low)
      return EINVAL;
    if (value > tunables[i].high && !tunables[i].is_clamped)
      return EINVAL;
    if (value > tunables[i].high)
      value = tunables[i].high;
    if (!are_apart(write, tunables[i].governor, tunables[i].name, value))
      return EINVAL;
    sim_show_number(write, tunables[i].name, (long)value);
    return 0;
  }

  return EINVAL;
}
