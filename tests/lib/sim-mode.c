/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Writing amd_pstate/status: the policies are other directories with the same
 * names then, with the governor, limits and preference of a fresh start.
 */
#include "sim-mode.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sim-parse.h"
#include "sim-tunables.h"

#define MAX_POLICIES 64

typedef struct {
  const char *word;
  const char *driver;
  const char *governors;
  const char *governor;
  bool has_epp;
} Mode;

static const Mode modes[] = {
    {"active", "amd-pstate-epp", "performance powersave", "performance", true},
    {"passive", "amd-pstate", "conservative ondemand userspace powersave performance schedutil ",
     "schedutil", false},
    {"guided", "amd-pstate", "conservative ondemand userspace powersave performance schedutil ",
     "schedutil", false},
};

/* Moves what is in the policy into a directory of the same name. */
static void renew(const char *root, const char *policy)
{
  char name[128], old[SIM_PATH_SIZE], new[SIM_PATH_SIZE], from[SIM_PATH_SIZE + 300],
      to[SIM_PATH_SIZE + 300];
  struct dirent *entry;

  snprintf(name, sizeof name, "%s.new", policy);
  if (!sim_path(old, root, SIM_CPU_DIR, policy) || !sim_path(new, root, SIM_CPU_DIR, name))
    return;
  syscall(SYS_mkdirat, AT_FDCWD, new, 0755);
  DIR *folder = opendir(old);
  while (folder != NULL && (entry = readdir(folder)) != NULL) {
    snprintf(from, sizeof from, "%s/%s", old, entry->d_name);
    snprintf(to, sizeof to, "%s/%s", new, entry->d_name);
    if (entry->d_name[0] != '.')
      syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
  }
  if (folder != NULL)
    closedir(folder);
  syscall(SYS_unlinkat, AT_FDCWD, old, AT_REMOVEDIR);
  syscall(SYS_renameat2, AT_FDCWD, new, AT_FDCWD, old, 0);
}

/* Makes the file if there is none; takes it away if @text is NULL. */
static void set(const char *root, const char *policy, const char *file, unsigned access,
                const char *text)
{
  char name[128], path[SIM_PATH_SIZE];

  snprintf(name, sizeof name, "%s/%s", policy, file);
  if (!sim_path(path, root, SIM_CPU_DIR, name))
    return;
  if (text == NULL) {
    syscall(SYS_unlinkat, AT_FDCWD, path, 0);
    return;
  }
  int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_CLOEXEC, access);
  if (fd >= 0)
    syscall(SYS_close, fd);
  sim_cpu_put(root, name, text);
}

static void forget_requests(const char *root, unsigned number)
{
  static const char *const names[] = {"min", "max", "saved_epp"};
  char note[64];

  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    snprintf(note, sizeof note, "cpufreq:policy%u:%s", number, names[i]);
    sim_note_drop(root, note);
  }
}

static void start_policy(const char *root, unsigned number, const Mode *mode)
{
  char policy[64], name[96], low[32] = "0", high[32] = "0";
  const char *epp = mode->has_epp ? "performance" : NULL;

  snprintf(policy, sizeof policy, "cpufreq/policy%u", number);
  renew(root, policy);
  forget_requests(root, number);
  snprintf(name, sizeof name, "%s/cpuinfo_min_freq", policy);
  sim_cpu_get(root, name, low, sizeof low);
  snprintf(name, sizeof name, "%s/cpuinfo_max_freq", policy);
  sim_cpu_get(root, name, high, sizeof high);
  set(root, policy, "scaling_driver", 0444, mode->driver);
  set(root, policy, "scaling_available_governors", 0444, mode->governors);
  set(root, policy, "scaling_governor", 0644, mode->governor);
  set(root, policy, "scaling_min_freq", 0644, low);
  set(root, policy, "scaling_max_freq", 0644, high);
  set(root, policy, "energy_performance_preference", 0644, epp);
  set(root, policy, "energy_performance_available_preferences", 0444, epp);
}

static bool has_policy(const char *root, unsigned number)
{
  char name[64], text[64];

  snprintf(name, sizeof name, "cpufreq/policy%u/scaling_driver", number);
  return sim_cpu_get(root, name, text, sizeof text);
}

static const Mode *find_mode(const char *word)
{
  for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++)
    if (strcmp(modes[i].word, word) == 0)
      return &modes[i];
  return NULL;
}

int sim_store_driver_mode(const SimWrite *write)
{
  char word[32], present[32];

  sim_get(write, "status", present, sizeof present);
  if (sim_sysfs_streq(write->text, present))
    return 0;
  if (!sim_scan_word(write->text, word, sizeof word) ||
      !sim_has_word("active passive guided off disable", word))
    return EINVAL;
  const Mode *old = find_mode(present), *mode = find_mode(word);
  if (old == NULL || mode == NULL || strcmp(write->path, "amd_pstate/status") != 0)
    return EOPNOTSUPP; /* not simulated */

  /* Passive and guided have one driver, which goes on. */
  bool is_new = strcmp(old->driver, mode->driver) != 0;
  for (unsigned number = 0; is_new && number < MAX_POLICIES; number++)
    if (has_policy(write->root, number))
      start_policy(write->root, number, mode);
  sim_tunables_update(write->root);
  sim_show(write, "status", word);
  return 0;
}
