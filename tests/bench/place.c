// SPDX-License-Identifier: GPL-2.0-or-later
/* Shares out CPUs, and knows the files and their values. */
#include "place.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

const BenchTarget bench_targets[BENCH_N_TARGETS] = {
    {"governor", {"performance", "powersave"}, {"performance", "powersave"}},
    {"energy_perf_bias", {"performance", "power"}, {"0", "15"}},
    {"pm_qos_resume_latency_us", {"2", "100"}, {"2", "100"}},
};

const char *const bench_side_names[BENCH_N_SIDES] = {"bench_a", "bench_b"};

/* Head, number, tail: a file of each CPU, or of each policy. */
typedef struct {
  const char *head;
  const char *tail;
  gboolean of_policy;
} Form;

static const Form target_forms[BENCH_N_TARGETS] = {
    {"cpufreq/policy", "/scaling_governor", TRUE},
    {"cpu", "/power/energy_perf_bias", FALSE},
    {"cpu", "/power/pm_qos_resume_latency_us", FALSE},
};

static const Form epp_form = {"cpufreq/policy", "/energy_performance_preference", TRUE};

gboolean bench_place_fail(GError **error, const char *what, const char *path)
{
  int saved = errno;

  g_set_error(error, G_IO_ERROR, (gint)g_io_error_from_errno(saved), "cannot %s %s: %s", what, path,
              g_strerror(saved));
  return FALSE;
}

/* --- who moves --- */

static const BenchCpu *cpu_at(const GArray *cpus, guint i)
{
  return &g_array_index(cpus, BenchCpu, i);
}

/* The end of the policies from @first on that together have at most @n_cpus. */
static guint end_of_policies(const GArray *cpus, guint first, guint n_cpus)
{
  guint end = first;

  for (guint i = first + 1; i <= cpus->len && i - first <= n_cpus; i++)
    if (i == cpus->len || cpu_at(cpus, i)->policy != cpu_at(cpus, i - 1)->policy)
      end = i;
  return end;
}

gint bench_compare_numbers(gconstpointer pa, gconstpointer pb)
{
  guint a = *(const guint *)pa;
  guint b = *(const guint *)pb;

  return (a > b) - (a < b);
}

/* The cpulist of @cpus from @first to before @end, as retune and the kernel write it. */
static char *make_list(const GArray *cpus, guint first, guint end)
{
  g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(guint));
  GString *list = g_string_new(NULL);

  for (guint i = first; i < end; i++)
    g_array_append_val(numbers, cpu_at(cpus, i)->number);
  g_array_sort(numbers, bench_compare_numbers);
  for (guint i = 0, next; i < numbers->len; i = next) {
    guint from = g_array_index(numbers, guint, i);
    next = i + 1;
    while (next < numbers->len && g_array_index(numbers, guint, next) == from + next - i)
      next++;
    g_string_append_printf(list, "%s%u", i > 0 ? "," : "", from);
    if (next > i + 1)
      g_string_append_printf(list, "-%u", from + next - i - 1);
  }
  return g_string_free(list, FALSE);
}

static void add_files(BenchFiles *files, const Form *form, int directory, const BenchCpu *cpus,
                      guint n_cpus)
{
  files->paths = g_new(BenchPath, n_cpus);
  for (guint i = 0; i < n_cpus; i++) {
    if (form->of_policy && i > 0 && cpus[i].policy == cpus[i - 1].policy)
      continue;
    BenchPath *path = &files->paths[files->n++];
    g_snprintf(path->text, sizeof path->text, "%s%u%s", form->head,
               form->of_policy ? cpus[i].policy : cpus[i].number, form->tail);
  }
  if (faccessat(directory, files->paths[0].text, F_OK, 0) != 0)
    files->n = 0;
}

/* A quarter stays in A, half moves, the rest stays in B; but whole policies, and
 * one at least that moves. */
static void share_out(BenchPlace *place, const GArray *cpus)
{
  guint first = end_of_policies(cpus, 0, cpus->len / 4);
  guint end = end_of_policies(cpus, first, cpus->len / 2);

  for (guint n = cpus->len / 2; end == first; n++)
    end = end_of_policies(cpus, first, n);
  place->n_cpus = cpus->len;
  place->n_moved = end - first;
  place->moved = make_list(cpus, first, end);
  place->claims[BENCH_A] = make_list(cpus, 0, first > 0 ? first : end); /* not none */
  place->claims[BENCH_B] = make_list(cpus, first, cpus->len);
  for (guint i = 0; i < BENCH_N_TARGETS; i++)
    add_files(&place->targets[i], &target_forms[i], place->directory, cpu_at(cpus, first),
              place->n_moved);
  add_files(&place->epp, &epp_form, place->directory, cpu_at(cpus, first), place->n_moved);
}

BenchPlace *bench_place_new(const GArray *cpus, void (*leave)(void), GError **error)
{
  g_autoptr(BenchPlace) place = g_new0(BenchPlace, 1);

  place->leave = leave;
  place->directory = open(BENCH_SYSFS_CPU, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (place->directory < 0) {
    bench_place_fail(error, "open", BENCH_SYSFS_CPU);
    return NULL;
  }
  share_out(place, cpus);
  return g_steal_pointer(&place);
}

void bench_place_free(BenchPlace *place)
{
  if (place == NULL)
    return;
  if (place->directory >= 0)
    close(place->directory);
  if (place->leave != NULL)
    place->leave();
  for (guint i = 0; i < BENCH_N_TARGETS; i++)
    g_free(place->targets[i].paths);
  g_free(place->epp.paths);
  for (guint side = 0; side < BENCH_N_SIDES; side++)
    g_free(place->claims[side]);
  g_free(place->moved);
  g_free(place);
}

/* --- was the work done? --- */

static gboolean check_file(int directory, const char *path, const char *expected, GError **error)
{
  char text[64];
  int fd = openat(directory, path, O_RDONLY | O_CLOEXEC);
  ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof text - 1);

  if (length < 0)
    bench_place_fail(error, "read", path);
  if (fd >= 0)
    close(fd);
  if (length < 0)
    return FALSE;
  text[length] = '\0';
  g_strchomp(text); /* the kernel ends it with a newline */
  if (strcmp(text, expected) == 0)
    return TRUE;
  g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
              "the work was not done: %s has '%s' instead of '%s'", path, text, expected);
  return FALSE;
}

gboolean bench_place_check(const BenchPlace *place, BenchSide side, guint n_looks, GError **error)
{
  for (guint i = 0; i < BENCH_N_TARGETS; i++) {
    const BenchFiles *files = &place->targets[i];
    guint step = MAX(files->n / n_looks, 1);
    for (guint k = 0; k < files->n; k += k + 1 == files->n ? 1 : MIN(step, files->n - 1 - k))
      if (!check_file(place->directory, files->paths[k].text, bench_targets[i].text[side], error))
        return FALSE;
  }
  return TRUE;
}
