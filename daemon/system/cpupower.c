// SPDX-License-Identifier: GPL-2.0-or-later
/* libcpupower, with its traps covered: its value getters return 0 on a stale
 * ERANGE, so errno is cleared first. */
#include "cpupower.h"

#include <cpufreq.h>
#include <cpuidle.h>
#include <errno.h>
#include <stdlib.h>

gboolean retune_cpupower_limits(guint cpu, gulong *ret_min, gulong *ret_max)
{
  gulong min = 0, max = 0;

  errno = 0;
  if (cpufreq_get_hardware_limits(cpu, &min, &max) != 0 || max == 0)
    return FALSE;
  *ret_min = min;
  *ret_max = max;
  return TRUE;
}

static gint compare_frequencies(gconstpointer a, gconstpointer b)
{
  gulong left = *(const gulong *)a, right = *(const gulong *)b;
  return left < right ? -1 : left > right;
}

GArray *retune_cpupower_frequencies(guint cpu)
{
  GArray *frequencies = g_array_new(FALSE, FALSE, sizeof(gulong));
  struct cpufreq_available_frequencies *nominal = cpufreq_get_available_frequencies(cpu);
  struct cpufreq_available_frequencies *boosted = cpufreq_get_boost_frequencies(cpu);

  for (struct cpufreq_available_frequencies *item = nominal; item != NULL; item = item->next)
    g_array_append_val(frequencies, item->frequency);
  for (struct cpufreq_available_frequencies *item = boosted; item != NULL; item = item->next)
    g_array_append_val(frequencies, item->frequency);
  cpufreq_put_available_frequencies(nominal);
  cpufreq_put_boost_frequencies(boosted);
  g_array_sort(frequencies, compare_frequencies);
  return frequencies;
}

GStrv retune_cpupower_governors(guint cpu)
{
  struct cpufreq_available_governors *list = cpufreq_get_available_governors(cpu);

  if (list == NULL)
    return NULL;
  GPtrArray *names = g_ptr_array_new();
  for (struct cpufreq_available_governors *item = list; item != NULL; item = item->next)
    g_ptr_array_add(names, g_strdup(item->governor));
  g_ptr_array_add(names, NULL);
  cpufreq_put_available_governors(list);
  return (GStrv)g_ptr_array_free(names, FALSE);
}

guint retune_cpupower_idle_states(guint cpu)
{
  return cpuidle_state_count(cpu);
}

char *retune_cpupower_idle_name(guint cpu, guint state)
{
  char *name = cpuidle_state_name(cpu, state);
  char *copy = g_strdup(name);

  free(name);
  return copy;
}

gulong retune_cpupower_idle_latency(guint cpu, guint state)
{
  errno = 0;
  return cpuidle_state_latency(cpu, state);
}
