// SPDX-License-Identifier: GPL-2.0-or-later
/* Files as Linux 6.12 has them with intel_pstate, plain ones: a write costs what
 * a write to memory costs, so that it is retuned that shows. */
#include "tree.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

typedef struct {
  const char *name;
  const char *text; /* NULL: the number of the CPU */
} File;

static const File policy_files[] = {
    {"scaling_driver", "intel_pstate"},
    {"scaling_governor", "powersave"},
    {"scaling_available_governors", "performance powersave"},
    {"scaling_min_freq", "800000"},
    {"scaling_max_freq", "3900000"},
    {"cpuinfo_min_freq", "800000"},
    {"cpuinfo_max_freq", "3900000"},
    {"energy_performance_preference", "balance_performance"},
    {"energy_performance_available_preferences",
     "default performance balance_performance balance_power power"},
    {"related_cpus", NULL},
    {"affected_cpus", NULL},
};

static const File power_files[] = {
    {"energy_perf_bias", "6"},
    {"pm_qos_resume_latency_us", "0"},
};

static const struct {
  const char *name;
  const char *latency_us;
} idle_states[] = {{"POLL", "0"}, {"C1", "2"}, {"C1E", "10"}, {"C6", "133"}};

/* Writes @text and a newline to the file @name of directory @path. */
static gboolean put(const char *path, const char *name, const char *text, GError **error)
{
  g_autofree char *file = g_build_filename(path, name, NULL);
  g_autofree char *line = g_strconcat(text, "\n", NULL);
  int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  gboolean done = fd >= 0 && write(fd, line, strlen(line)) == (ssize_t)strlen(line);

  if (!done)
    bench_place_fail(error, "write", file);
  if (fd >= 0)
    close(fd);
  return done;
}

/* Makes the directory @path with @files; @number stands for what has no text. */
static gboolean put_all(const char *path, const File *files, guint n_files, guint number,
                        GError **error)
{
  g_autofree char *digits = g_strdup_printf("%u", number);

  if (g_mkdir_with_parents(path, 0755) != 0)
    return bench_place_fail(error, "make", path);
  for (guint i = 0; i < n_files; i++)
    if (!put(path, files[i].name, files[i].text != NULL ? files[i].text : digits, error))
      return FALSE;
  return TRUE;
}

static gboolean add_idle_states(const char *root, guint cpu, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS(idle_states); i++) {
    g_autofree char *path = g_strdup_printf("%s/cpu%u/cpuidle/state%u", root, cpu, i);
    const File files[] = {{"name", idle_states[i].name},
                          {"desc", idle_states[i].name},
                          {"latency", idle_states[i].latency_us},
                          {"residency", idle_states[i].latency_us},
                          {"disable", "0"}};
    if (!put_all(path, files, G_N_ELEMENTS(files), cpu, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean add_cpu(const char *root, guint cpu, GError **error)
{
  g_autofree char *policy = g_strdup_printf("%s/cpufreq/policy%u", root, cpu);
  g_autofree char *power = g_strdup_printf("%s/cpu%u/power", root, cpu);
  g_autofree char *link = g_strdup_printf("%s/cpu%u/cpufreq", root, cpu);
  g_autofree char *target = g_strdup_printf("../cpufreq/policy%u", cpu);

  if (!put_all(policy, policy_files, G_N_ELEMENTS(policy_files), cpu, error) ||
      !put_all(power, power_files, G_N_ELEMENTS(power_files), cpu, error) ||
      !add_idle_states(root, cpu, error))
    return FALSE;
  return symlink(target, link) == 0 || bench_place_fail(error, "link", link);
}

static gboolean build(const char *root, guint n_cpus, GError **error)
{
  g_autofree char *all = g_strdup_printf("0-%u", n_cpus - 1);
  g_autofree char *idle = g_build_filename(root, "cpuidle", NULL);
  const File lists[] = {
      {"present", all}, {"possible", all}, {"online", all}, {"kernel_max", "8191"}};
  const File drivers[] = {{"current_driver", "intel_idle"}};

  if (!put_all(root, lists, G_N_ELEMENTS(lists), 0, error) ||
      !put_all(idle, drivers, G_N_ELEMENTS(drivers), 0, error))
    return FALSE;
  for (guint cpu = 0; cpu < n_cpus; cpu++)
    if (!add_cpu(root, cpu, error))
      return FALSE;
  return TRUE;
}

static void unmount(void)
{
  if (umount2(BENCH_SYSFS_CPU, MNT_DETACH) != 0)
    g_warning("cannot unmount %s: %s", BENCH_SYSFS_CPU, g_strerror(errno));
}

BenchPlace *bench_tree_new(const char *work, guint n_cpus, GError **error)
{
  g_autofree char *root = g_strdup_printf("%s/cpu-XXXXXX", work);
  g_autoptr(GArray) cpus = g_array_new(FALSE, FALSE, sizeof(BenchCpu));

  if (g_mkdtemp_full(root, 0755) == NULL) {
    bench_place_fail(error, "make", root);
    return NULL;
  }
  if (!build(root, n_cpus, error))
    return NULL;
  if (mount(root, BENCH_SYSFS_CPU, NULL, MS_BIND, NULL) != 0) {
    bench_place_fail(error, "mount files at", BENCH_SYSFS_CPU);
    return NULL;
  }
  for (guint i = 0; i < n_cpus; i++) {
    BenchCpu cpu = {.number = i, .policy = i};
    g_array_append_val(cpus, cpu);
  }
  return bench_place_new(cpus, unmount, error);
}
