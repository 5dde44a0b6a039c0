// SPDX-License-Identifier: GPL-2.0-or-later
/* Time and quantiles. */
#include "sample.h"

#include <time.h>

double bench_now(void)
{
  struct timespec now;

  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

GArray *bench_samples_new(void)
{
  return g_array_new(FALSE, FALSE, sizeof(double));
}

void bench_samples_add(GArray *samples, double value)
{
  g_array_append_val(samples, value);
}

static gint compare(gconstpointer pa, gconstpointer pb)
{
  double a = *(const double *)pa;
  double b = *(const double *)pb;

  return (a > b) - (a < b);
}

double bench_samples_quantile(const GArray *samples, double share)
{
  g_autoptr(GArray) sorted = g_array_copy((GArray *)samples);

  if (sorted->len == 0)
    return 0;
  g_array_sort(sorted, compare);
  return g_array_index(sorted, double, (guint)((sorted->len - 1) * share));
}
