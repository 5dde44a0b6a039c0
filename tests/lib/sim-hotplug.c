/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the kernel does to the files of a CPU that goes offline or comes back.
 * Callers hold the machine's lock.
 */
#include "sim-hotplug.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sim-cpulist.h"
#include "sim-drivers.h"
#include "sim-store.h"
#include "sim-tunables.h"

typedef struct {
  const char *root;
  unsigned cpu;
  bool is_online; /* afterwards */
  SimCpus online; /* all CPUs that are online afterwards */
} Hotplug;

static bool read_list(const char *root, const char *name, SimCpus *cpus)
{
  char *text = malloc(SIM_TEXT_SIZE * 16);
  bool is_read = text != NULL && sim_cpu_get(root, name, text, SIM_TEXT_SIZE * 16) &&
                 sim_cpus_parse(cpus, text);

  free(text);
  return is_read;
}

static void put_list(const char *root, const char *name, const SimCpus *cpus, bool as_words)
{
  char *text = as_words ? sim_cpus_words(cpus) : sim_cpus_list(cpus);

  sim_cpu_put(root, name, text);
  free(text);
}

static void update_lists(Hotplug *hotplug)
{
  SimCpus offline = {0};
  char name[64];

  put_list(hotplug->root, "online", &hotplug->online, false);
  if (read_list(hotplug->root, "possible", &offline)) {
    for (unsigned cpu = 0; cpu < hotplug->online.size; cpu++)
      if (sim_cpus_has(&hotplug->online, cpu))
        sim_cpus_set(&offline, cpu, false);
    put_list(hotplug->root, "offline", &offline, false);
  }

  snprintf(name, sizeof name, "cpu%u/online", hotplug->cpu);
  sim_cpu_put(hotplug->root, name, hotplug->is_online ? "1" : "0");
  sim_cpus_clear(&offline);
}

/* The driver may leave another preference behind when the policy's last CPU goes. */
static void change_preference(const Hotplug *hotplug, const char *policy)
{
  char path[SIM_PATH_SIZE], left[32], governor[32];

  snprintf(path, sizeof path, "cpufreq/%s/scaling_governor", policy);
  if (!sim_note_get(hotplug->root, "epp_offline", left, sizeof left) || left[0] == '\0' ||
      !sim_cpu_get(hotplug->root, path, governor, sizeof governor) ||
      strcmp(governor, "performance") == 0)
    return;
  snprintf(path, sizeof path, "cpufreq/%s/energy_performance_preference", policy);
  sim_cpu_put(hotplug->root, path, left);
}

/* affected_cpus are those of related_cpus that are online. Without any, the
 * policy's governor stops. */
static void update_policy(Hotplug *hotplug)
{
  SimCpus cpus = {0};
  char path[SIM_PATH_SIZE], name[64], target[64], governor[32];
  const char *policy;

  snprintf(name, sizeof name, "cpu%u/cpufreq", hotplug->cpu);
  if (!sim_path(path, hotplug->root, SIM_CPU_DIR, name) ||
      sim_link_of(path, target, sizeof target) < 0)
    return;

  policy = strrchr(target, '/');
  policy = policy != NULL ? policy + 1 : target;
  snprintf(path, sizeof path, "cpufreq/%s/related_cpus", policy);
  if (!read_list(hotplug->root, path, &cpus))
    return;

  for (unsigned cpu = 0; cpu < cpus.size; cpu++)
    if (!sim_cpus_has(&hotplug->online, cpu))
      sim_cpus_set(&cpus, cpu, false);
  snprintf(path, sizeof path, "cpufreq/%s/affected_cpus", policy);
  put_list(hotplug->root, path, &cpus, true);
  if (sim_cpus_count(&cpus) == 0)
    change_preference(hotplug, policy);
  sim_cpus_clear(&cpus);

  snprintf(path, sizeof path, "cpufreq/%s/scaling_governor", policy);
  if (sim_cpu_get(hotplug->root, path, governor, sizeof governor) && sim_tunables_has(governor))
    sim_tunables_update(hotplug->root);
}

/* Takes a file or folder of the CPU away, or puts back what was taken. */
static void move_entry(const Hotplug *hotplug, const char *entry)
{
  char name[SIM_PATH_SIZE / 2], shown[SIM_PATH_SIZE], kept[SIM_PATH_SIZE];

  snprintf(name, sizeof name, "cpu%u/%s", hotplug->cpu, entry);
  if (!sim_path(shown, hotplug->root, SIM_CPU_DIR, name))
    return;
  for (char *p = name; *p != '\0'; p++)
    if (*p == '/')
      *p = ':';
  if (!sim_path(kept, hotplug->root, "retune/offline", name))
    return;

  if (hotplug->is_online)
    syscall(SYS_renameat2, AT_FDCWD, kept, AT_FDCWD, shown, 0);
  else
    syscall(SYS_renameat2, AT_FDCWD, shown, AT_FDCWD, kept, 0);
}

static void put_siblings(const Hotplug *hotplug, SimCpus *siblings)
{
  char name[64];

  for (unsigned cpu = 0; cpu < siblings->size; cpu++)
    if (!sim_cpus_has(&hotplug->online, cpu))
      sim_cpus_set(siblings, cpu, false);

  for (unsigned cpu = 0; cpu < siblings->size; cpu++)
    if (sim_cpus_has(siblings, cpu)) {
      snprintf(name, sizeof name, "cpu%u/topology/thread_siblings_list", cpu);
      put_list(hotplug->root, name, siblings, false);
      snprintf(name, sizeof name, "cpu%u/topology/core_cpus_list", cpu);
      put_list(hotplug->root, name, siblings, false);
    }
}

/* LINE has a file and its members, of which the file shows those online. */
static void update_place(const Hotplug *hotplug, char *line)
{
  char *members = strchr(line, ' ');
  SimCpus cpus = {0};

  if (members == NULL)
    return;
  *members++ = '\0';
  if (sim_cpus_parse(&cpus, members) && sim_cpus_has(&cpus, hotplug->cpu)) {
    for (unsigned cpu = 0; cpu < cpus.size; cpu++)
      if (!sim_cpus_has(&hotplug->online, cpu))
        sim_cpus_set(&cpus, cpu, false);
    put_list(hotplug->root, line, &cpus, false);
  }
  sim_cpus_clear(&cpus);
}

/* Nodes and kinds of CPUs: what sim-places.c made. */
static void update_places(const Hotplug *hotplug)
{
  char *text = malloc(SIM_TEXT_SIZE * 16), *position = NULL;

  if (text == NULL || !sim_note_get(hotplug->root, "lists", text, SIM_TEXT_SIZE * 16)) {
    free(text);
    return;
  }

  for (char *line = strtok_r(text, "\n", &position); line != NULL;
       line = strtok_r(NULL, "\n", &position))
    update_place(hotplug, line);
  free(text);
}

/* The note has a line with the threads of each core. */
static void update_siblings(const Hotplug *hotplug)
{
  size_t size = SIM_TEXT_SIZE * 32;
  char *text = malloc(size), *position = NULL;

  if (text == NULL || !sim_note_get(hotplug->root, "cores", text, size)) {
    free(text);
    return;
  }

  for (char *line = strtok_r(text, "\n", &position); line != NULL;
       line = strtok_r(NULL, "\n", &position)) {
    SimCpus siblings = {0};

    if (sim_cpus_parse(&siblings, line) && sim_cpus_has(&siblings, hotplug->cpu))
      put_siblings(hotplug, &siblings);
    sim_cpus_clear(&siblings);
  }
  free(text);
}

/* 0, or ENODEV for a CPU that is not there or cannot be switched, EBUSY for the
 * last one that is online. */
int sim_hotplug(const char *root, unsigned cpu, bool is_online, bool *ret_is_changed)
{
  Hotplug hotplug = {.root = root, .cpu = cpu, .is_online = is_online};
  char name[64], present[8];
  int error = 0;

  *ret_is_changed = false;
  snprintf(name, sizeof name, "cpu%u/online", cpu);
  if (!sim_cpu_get(root, name, present, sizeof present) ||
      !read_list(root, "online", &hotplug.online))
    return ENODEV;

  if (sim_cpus_has(&hotplug.online, cpu) != is_online) {
    sim_cpus_set(&hotplug.online, cpu, is_online);
    if (sim_cpus_count(&hotplug.online) == 0)
      error = EBUSY;
    *ret_is_changed = error == 0;
  }

  if (*ret_is_changed) {
    update_lists(&hotplug);
    if (is_online)
      sim_drivers_cpu_online(root, cpu);
    update_policy(&hotplug);
    move_entry(&hotplug, "topology");
    move_entry(&hotplug, "power/energy_perf_bias");
    update_siblings(&hotplug);
    update_places(&hotplug);
  }

  sim_cpus_clear(&hotplug.online);
  return error;
}

/* Takes the path of any file below a policy; false if no CPU of it is online. */
bool sim_policy_is_active(const char *root, const char *path)
{
  const char *end;
  char name[SIM_PATH_SIZE], affected[SIM_TEXT_SIZE];

  if (strncmp(path, "cpufreq/policy", strlen("cpufreq/policy")) != 0)
    return true;
  end = strchr(path + strlen("cpufreq/policy"), '/');
  if (end == NULL)
    return true;

  snprintf(name, sizeof name, "%.*s/affected_cpus", (int)(end - path), path);
  return !sim_cpu_get(root, name, affected, sizeof affected) || affected[0] != '\0';
}
