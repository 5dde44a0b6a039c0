/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A driver that goes takes its policies along: the first time they become models
 * in retune/policies. One that comes makes new folders and new files after these,
 * with the governor and limits of a fresh start, for CPUs that are online; others
 * get theirs when they come online.
 */
#include "sim-drivers.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sim-cpulist.h"
#include "sim-store.h"

#define MODELS "retune/policies"
#define EPP "energy_performance_preference"
#define EPP_WORDS "energy_performance_available_preferences"
#define GENERIC "conservative ondemand userspace powersave performance schedutil "

static const SimMode modes[] = {
    {"amd_pstate", "active", "amd-pstate-epp", "performance powersave", "performance"},
    {"amd_pstate", "passive", "amd-pstate", GENERIC, "schedutil"},
    {"amd_pstate", "guided", "amd-pstate", GENERIC, "schedutil"},
    {"amd_pstate", "disable", NULL, NULL, NULL},
    {"intel_pstate", "active", "intel_pstate", "performance powersave", NULL},
    {"intel_pstate", "passive", "intel_cpufreq", GENERIC, "schedutil"},
    {"intel_pstate", "off", NULL, NULL, NULL},
};

typedef void (*ForEntry)(const char *root, const char *name, const void *data);

const SimMode *sim_drivers_find(const char *family, const char *word)
{
  for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++)
    if (strcmp(modes[i].family, family) == 0 && strcmp(modes[i].word, word) == 0)
      return &modes[i];
  return NULL;
}

/* Calls back for what is in a folder of the testbed, whose entries may change. */
static void for_entries(const char *root, const char *folder, ForEntry call, const void *data)
{
  char path[SIM_PATH_SIZE];
  struct dirent **entries = NULL;
  int count = sim_path(path, root, folder, ".") ? scandir(path, &entries, NULL, NULL) : -1;

  for (int i = 0; i < count; i++) {
    if (entries[i]->d_name[0] != '.')
      call(root, entries[i]->d_name, data);
    free(entries[i]);
  }
  free(entries);
}

static void read_cpus(const char *root, const char *name, SimCpus *cpus)
{
  char *text = malloc(SIM_TEXT_SIZE * 16);

  if (text != NULL && sim_cpu_get(root, name, text, SIM_TEXT_SIZE * 16))
    sim_cpus_parse(cpus, text);
  free(text);
}

/* Makes a new file below SIM_CPU_DIR. */
static void make_file(const char *root, const char *name, unsigned mode, const char *value)
{
  char path[SIM_PATH_SIZE], text[SIM_TEXT_SIZE + 1];
  int fd;

  if (!sim_path(path, root, SIM_CPU_DIR, name))
    return;
  syscall(SYS_unlinkat, AT_FDCWD, path, 0);
  fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_CLOEXEC, mode);
  if (fd < 0)
    return;
  snprintf(text, sizeof text, "%s\n", value);
  sim_write_fd(fd, text);
  syscall(SYS_fchmod, fd, mode);
  syscall(SYS_close, fd);
}

static void remove_file(const char *root, const char *name, const void *dir)
{
  char path[SIM_PATH_SIZE], file[SIM_PATH_SIZE];

  snprintf(file, sizeof file, "%s/%s", (const char *)dir, name);
  if (!sim_path(path, root, SIM_CPU_DIR, file))
    return;
  for_entries(root, path + strlen(root) + 1, remove_file, file); /* of a governor's folder */
  if (syscall(SYS_unlinkat, AT_FDCWD, path, 0) != 0)
    syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR);
}

static void link_cpus(const char *root, const char *policy, bool is_there)
{
  char name[SIM_PATH_SIZE], path[SIM_PATH_SIZE], target[SIM_PATH_SIZE];
  SimCpus cpus = {0};

  snprintf(name, sizeof name, "cpufreq/%s/related_cpus", policy);
  read_cpus(root, name, &cpus);
  snprintf(target, sizeof target, "../cpufreq/%s", policy);
  for (unsigned cpu = 0; cpu < cpus.size; cpu++) {
    snprintf(name, sizeof name, "cpu%u/cpufreq", cpu);
    if (!sim_cpus_has(&cpus, cpu) || !sim_path(path, root, SIM_CPU_DIR, name))
      continue;
    if (is_there)
      syscall(SYS_symlinkat, target, AT_FDCWD, path);
    else
      syscall(SYS_unlinkat, AT_FDCWD, path, 0);
  }
  sim_cpus_clear(&cpus);
}

/* intel_pstate keeps the preference that was set last, not the one that governor
 * performance brings; the next policy has it again. */
static void keep_preference(const char *root, const char *policy)
{
  char name[SIM_PATH_SIZE], epp[32];

  snprintf(name, sizeof name, "cpufreq/%s/saved_epp", policy);
  if (!sim_note_get(root, name, epp, sizeof epp)) {
    snprintf(name, sizeof name, "cpufreq/%s/" EPP, policy);
    if (!sim_cpu_get(root, name, epp, sizeof epp))
      return;
  }
  snprintf(name, sizeof name, "cpufreq/%s/kept_epp", policy);
  sim_note_put(root, name, epp);
}

static void forget_requests(const char *root, const char *policy)
{
  static const char *const names[] = {"min", "max", "setspeed", "saved_epp"};
  char note[SIM_PATH_SIZE];

  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    snprintf(note, sizeof note, "cpufreq/%s/%s", policy, names[i]);
    sim_note_drop(root, note);
  }
}

/* Takes a policy away, or what else is in the folder (the global boost). */
static void take_entry(const char *root, const char *name, const void *data)
{
  char here[SIM_PATH_SIZE], model[SIM_PATH_SIZE];
  bool is_policy = strncmp(name, "policy", strlen("policy")) == 0;

  (void)data;
  if (is_policy) {
    keep_preference(root, name);
    forget_requests(root, name);
    link_cpus(root, name, false);
  }
  if (!sim_path(here, root, SIM_CPU_DIR "/cpufreq", name) || !sim_path(model, root, MODELS, name))
    return;
  if (is_policy || strcmp(name, "boost") == 0)
    syscall(SYS_renameat2, AT_FDCWD, here, AT_FDCWD, model, RENAME_NOREPLACE);
  remove_file(root, name, "cpufreq");
}

void sim_drivers_unregister(const char *root)
{
  char path[SIM_PATH_SIZE];

  if (sim_path(path, root, MODELS, ""))
    syscall(SYS_mkdirat, AT_FDCWD, path, 0755);
  for_entries(root, SIM_CPU_DIR "/cpufreq", take_entry, NULL);
}

/* Copies one file of a model; DATA is the policy's name. */
static void copy_file(const char *root, const char *name, const void *data)
{
  char model[SIM_PATH_SIZE], file[SIM_PATH_SIZE / 2], path[SIM_PATH_SIZE], text[SIM_TEXT_SIZE];
  struct statx status;

  snprintf(file, sizeof file, "%s/%s", (const char *)data, name);
  if (strncmp(name, "energy_performance_", strlen("energy_performance_")) == 0 ||
      !sim_path(model, root, MODELS, file) || !sim_read_file(model, text, sizeof text) ||
      syscall(SYS_statx, AT_FDCWD, model, 0, STATX_MODE, &status) != 0)
    return;
  snprintf(path, sizeof path, "cpufreq/%s", file);
  make_file(root, path, status.stx_mode & 0777u, text);
}

static void set(const char *root, const char *policy, const char *file, const char *value)
{
  char name[SIM_PATH_SIZE];

  snprintf(name, sizeof name, "cpufreq/%s/%s", policy, file);
  sim_cpu_put(root, name, value);
}

/* Only drivers that set a preference have the files. */
static void make_preference(const char *root, const char *policy, const SimMode *mode,
                            bool is_performance)
{
  bool is_intel = strcmp(mode->family, "intel_pstate") == 0;
  char name[SIM_PATH_SIZE], kept[32], words[256], offered[260];

  if (!sim_note_get(root, "epp_words", words, sizeof words) ||
      strcmp(mode->driver, "amd-pstate") == 0)
    return;
  snprintf(name, sizeof name, "cpufreq/%s/kept_epp", policy);
  sim_note_get(root, name, kept, sizeof kept);
  snprintf(name, sizeof name, "cpufreq/%s/saved_epp", policy);
  if (is_intel && is_performance)
    sim_note_put(root, name, kept);
  snprintf(name, sizeof name, "cpufreq/%s/" EPP, policy);
  make_file(root, name, 0644, is_intel && !is_performance ? kept : "performance");
  snprintf(offered, sizeof offered, "%s ", is_intel ? words : "performance");
  snprintf(name, sizeof name, "cpufreq/%s/" EPP_WORDS, policy);
  make_file(root, name, 0444, offered);
}

static void set_to(const char *root, const char *policy, const char *file, const char *other)
{
  char name[SIM_PATH_SIZE], value[32];

  snprintf(name, sizeof name, "cpufreq/%s/%s", policy, other);
  if (sim_cpu_get(root, name, value, sizeof value))
    set(root, policy, file, value);
}

static void start_policy(const char *root, const char *policy, const SimMode *mode)
{
  char governor[32] = "";
  bool is_performance;

  if (mode->governor != NULL)
    snprintf(governor, sizeof governor, "%s", mode->governor);
  else
    sim_note_get(root, "governor_active", governor, sizeof governor);
  is_performance = strcmp(governor, "performance") == 0;
  set(root, policy, "scaling_driver", mode->driver);
  set(root, policy, "scaling_available_governors", mode->governors);
  set(root, policy, "scaling_governor", governor);
  set(root, policy, "scaling_setspeed", "<unsupported>");
  set(root, policy, "boost", "1");
  set_to(root, policy, "scaling_min_freq", "cpuinfo_min_freq");
  set_to(root, policy, "scaling_max_freq", "cpuinfo_max_freq");
  set_to(root, policy, "scaling_cur_freq",
         is_performance ? "cpuinfo_max_freq" : "cpuinfo_min_freq");
  make_preference(root, policy, mode, is_performance);
}

/* Whether a model's policy is missing and would have a CPU that is online; these
 * are in affected_cpus then. */
static bool find_affected(const char *root, const char *policy, SimCpus *ret_affected)
{
  char name[SIM_PATH_SIZE], text[64];
  SimCpus online = {0};
  bool is_wanted;

  snprintf(name, sizeof name, "cpufreq/%s/scaling_driver", policy);
  if (sim_cpu_get(root, name, text, sizeof text))
    return false;
  snprintf(name, sizeof name, "../../../../" MODELS "/%s/related_cpus", policy);
  read_cpus(root, name, ret_affected);
  read_cpus(root, "online", &online);
  for (unsigned cpu = 0; cpu < ret_affected->size; cpu++)
    if (!sim_cpus_has(&online, cpu))
      sim_cpus_set(ret_affected, cpu, false);
  is_wanted = sim_cpus_count(ret_affected) > 0;
  sim_cpus_clear(&online);
  return is_wanted;
}

/* Makes a policy, or the global boost, after its model. */
static void give_entry(const char *root, const char *name, const void *data)
{
  char path[SIM_PATH_SIZE], folder[SIM_PATH_SIZE], *words;
  SimCpus affected = {0};

  if (strcmp(name, "boost") == 0) {
    if (!sim_cpu_get(root, "cpufreq/boost", path, sizeof path))
      make_file(root, "cpufreq/boost", 0644, "1");
    return;
  }
  snprintf(folder, sizeof folder, MODELS "/%s", name);
  if (find_affected(root, name, &affected) && sim_path(path, root, SIM_CPU_DIR "/cpufreq", name)) {
    syscall(SYS_mkdirat, AT_FDCWD, path, 0755);
    for_entries(root, folder, copy_file, name);
    words = sim_cpus_words(&affected);
    set(root, name, "affected_cpus", words);
    free(words);
    start_policy(root, name, data);
    link_cpus(root, name, true);
  }
  sim_cpus_clear(&affected);
}

void sim_drivers_register(const char *root, const SimMode *mode)
{
  for_entries(root, MODELS, give_entry, mode);
}

/* A CPU that was offline while the driver came has its policy made now. */
void sim_drivers_cpu_online(const char *root, unsigned cpu)
{
  static const char *const families[] = {"amd_pstate", "intel_pstate"};
  char name[64], word[32], path[SIM_PATH_SIZE];

  snprintf(name, sizeof name, "cpu%u/cpufreq", cpu);
  if (!sim_path(path, root, SIM_CPU_DIR, name) || sim_link_of(path, word, sizeof word) >= 0)
    return;
  for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
    const SimMode *mode;

    snprintf(name, sizeof name, "%s/status", families[i]);
    if (!sim_cpu_get(root, name, word, sizeof word))
      continue;
    mode = sim_drivers_find(families[i], word);
    if (mode != NULL && mode->driver != NULL)
      sim_drivers_register(root, mode);
  }
}
