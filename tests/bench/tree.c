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

const BenchTarget bench_targets[BENCH_N_TARGETS] = {
    {"governor",
     {"cpufreq/policy", "/scaling_governor"},
     {"performance", "powersave"},
     {"performance", "powersave"}},
    {"energy_perf_bias", {"cpu", "/power/energy_perf_bias"}, {"performance", "power"}, {"0", "15"}},
    {"pm_qos_resume_latency_us",
     {"cpu", "/power/pm_qos_resume_latency_us"},
     {"2", "100"},
     {"2", "100"}},
};

const BenchFile bench_epp_file = {"cpufreq/policy", "/energy_performance_preference"};

const char *const bench_side_names[BENCH_N_SIDES] = {"bench_a", "bench_b"};

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

BenchPath bench_file_path(const BenchFile *file, guint cpu)
{
  BenchPath path;

  g_snprintf(path.text, sizeof path.text, "%s%u%s", file->head, cpu, file->tail);
  return path;
}

static gboolean fail(GError **error, const char *what, const char *path)
{
  int saved = errno;

  g_set_error(error, G_IO_ERROR, (gint)g_io_error_from_errno(saved), "cannot %s %s: %s", what, path,
              g_strerror(saved));
  return FALSE;
}

/* Writes @text and a newline to the file @name of directory @path. */
static gboolean put(const char *path, const char *name, const char *text, GError **error)
{
  g_autofree char *file = g_build_filename(path, name, NULL);
  g_autofree char *line = g_strconcat(text, "\n", NULL);
  int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  gboolean done = fd >= 0 && write(fd, line, strlen(line)) == (ssize_t)strlen(line);

  if (!done)
    fail(error, "write", file);
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
    return fail(error, "make", path);
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
  return symlink(target, link) == 0 || fail(error, "link", link);
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

BenchTree *bench_tree_new(const char *work, guint n_cpus, GError **error)
{
  g_autofree char *root = g_strdup_printf("%s/cpu-XXXXXX", work);

  if (g_mkdtemp_full(root, 0755) == NULL) {
    fail(error, "make", root);
    return NULL;
  }
  if (!build(root, n_cpus, error))
    return NULL;
  if (mount(root, BENCH_SYSFS_CPU, NULL, MS_BIND, NULL) != 0) {
    fail(error, "mount files at", BENCH_SYSFS_CPU);
    return NULL;
  }
  BenchTree *tree = g_new0(BenchTree, 1);
  guint quarter = n_cpus / 4;
  tree->n_cpus = n_cpus;
  tree->first = quarter;
  tree->n_moved = n_cpus / 2;
  tree->moved = g_strdup_printf("%u-%u", quarter, quarter + tree->n_moved - 1);
  tree->rest[BENCH_A] = g_strdup_printf("0-%u", quarter - 1);
  tree->rest[BENCH_B] = g_strdup_printf("%u-%u", quarter + tree->n_moved, n_cpus - 1);
  tree->directory = open(BENCH_SYSFS_CPU, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (tree->directory < 0) {
    fail(error, "open", BENCH_SYSFS_CPU);
    g_clear_pointer(&tree, bench_tree_free);
  }
  return tree;
}

void bench_tree_free(BenchTree *tree)
{
  if (tree == NULL)
    return;
  if (tree->directory >= 0)
    close(tree->directory);
  if (umount2(BENCH_SYSFS_CPU, MNT_DETACH) != 0)
    g_warning("cannot unmount %s: %s", BENCH_SYSFS_CPU, g_strerror(errno));
  for (guint side = 0; side < BENCH_N_SIDES; side++)
    g_free(tree->rest[side]);
  g_free(tree->moved);
  g_free(tree);
}

static gboolean check_file(const BenchTree *tree, const BenchTarget *target, guint cpu,
                           BenchSide side, GError **error)
{
  BenchPath path = bench_file_path(&target->file, cpu);
  char text[64];
  int fd = openat(tree->directory, path.text, O_RDONLY | O_CLOEXEC);
  ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
  if (length < 0)
    fail(error, "read", path.text);
  if (fd >= 0)
    close(fd);
  if (length < 0)
    return FALSE;
  text[length] = '\0';
  if (strcmp(text, target->text[side]) == 0)
    return TRUE;
  g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
              "the work was not done: %s has '%s' instead of '%s'", path.text, text,
              target->text[side]);
  return FALSE;
}

gboolean bench_tree_check(const BenchTree *tree, BenchSide side, guint step, GError **error)
{
  guint last = tree->n_moved - 1;

  for (guint k = 0; k <= last; k = k < last ? MIN(k + step, last) : last + 1)
    for (guint i = 0; i < BENCH_N_TARGETS; i++)
      if (!check_file(tree, &bench_targets[i], tree->first + k, side, error))
        return FALSE;
  return TRUE;
}
