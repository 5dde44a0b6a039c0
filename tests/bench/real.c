// SPDX-License-Identifier: GPL-2.0-or-later
/* Which CPUs there are, and in which policies, is what cpufreq tells. */
#include "real.h"

#include <string.h>

#define POLICIES BENCH_SYSFS_CPU "/cpufreq"

/* The numbers of all policies, in order. */
static GArray *list_policies(GError **error)
{
  g_autoptr(GDir) directory = g_dir_open(POLICIES, 0, error);
  const char *name;

  if (directory == NULL)
    return NULL;
  GArray *policies = g_array_new(FALSE, FALSE, sizeof(guint));
  while ((name = g_dir_read_name(directory)) != NULL) {
    guint64 number;
    if (!g_str_has_prefix(name, "policy") ||
        !g_ascii_string_to_unsigned(name + strlen("policy"), 10, 0, G_MAXUINT, &number, NULL))
      continue;
    guint policy = (guint)number;
    g_array_append_val(policies, policy);
  }
  g_array_sort(policies, bench_compare_numbers);
  return policies;
}

/* Adds to @cpus those of @policy that are online. */
static void add_policy(GArray *cpus, guint policy)
{
  g_autofree char *path = g_strdup_printf(POLICIES "/policy%u/affected_cpus", policy);
  g_autofree char *text = NULL;

  if (!g_file_get_contents(path, &text, NULL, NULL))
    return; /* EBUSY: all of them are offline */
  g_auto(GStrv) words = g_strsplit(g_strstrip(text), " ", -1);
  for (guint i = 0; words[i] != NULL; i++) {
    guint64 number;
    if (!g_ascii_string_to_unsigned(words[i], 10, 0, G_MAXUINT, &number, NULL))
      continue;
    BenchCpu cpu = {(guint)number, policy};
    g_array_append_val(cpus, cpu);
  }
}

BenchPlace *bench_real_new(GError **error)
{
  g_autoptr(GArray) policies = list_policies(error);
  g_autoptr(GArray) cpus = g_array_new(FALSE, FALSE, sizeof(BenchCpu));

  if (policies == NULL)
    return NULL;
  for (guint i = 0; i < policies->len; i++)
    add_policy(cpus, g_array_index(policies, guint, i));
  if (cpus->len > 0)
    return bench_place_new(cpus, NULL, error);
  g_set_error(error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "there is no policy in " POLICIES);
  return NULL;
}
