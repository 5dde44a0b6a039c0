// SPDX-License-Identifier: GPL-2.0-or-later
/* Prints to stdout. An aim that is missed is no failure of the benchmark. */
#include "report.h"

/* The aims: of moves on big machines, where the calls themselves weigh nothing,
 * and of the rest at any size. */
#define AIM_RATIO 1.3
#define AIM_RATIO_CPUS 1024
#define AIM_START_MS 25.0
#define AIM_PSS_MB 4.0

static double ratio(const BenchResult *result, BenchSide side)
{
  return result->move[side] / result->floor[side];
}

static double megabytes(guint kilobytes)
{
  return kilobytes / 1024.0;
}

/* What is written, and where: as in all of @results. */
static void print_title(const BenchResult *any)
{
  const char *between = "";

  g_print("\nmove of half of the CPUs (");
  for (guint i = 0; i < BENCH_N_TARGETS; i++) {
    if (any->n_files[i] == 0)
      continue;
    g_print("%s%s", between, bench_targets[i].option);
    between = ", ";
  }
  g_print("); to A: governor performance, to B: powersave\n");
}

static void print_moves(const GArray *results)
{
  print_title(&g_array_index(results, BenchResult, 0));
  g_print("%5s %5s %6s  %9s %9s %6s  %9s %9s %6s %9s %10s\n", "CPUs", "moved", "files", "B->A",
          "floor", "ratio", "A->B", "floor", "ratio", "EPP reads", "ratio with");
  for (guint i = 0; i < results->len; i++) {
    const BenchResult *r = &g_array_index(results, BenchResult, i);
    guint n_files = 0;
    for (guint target = 0; target < BENCH_N_TARGETS; target++)
      n_files += r->n_files[target];
    g_print("%5u %5u %6u  %6.2f ms %6.2f ms %6.2f  %6.2f ms %6.2f ms %6.2f %6.2f ms %10.2f\n",
            r->n_cpus, r->n_moved, n_files, r->move[BENCH_A] / 1e3, r->floor[BENCH_A] / 1e3,
            ratio(r, BENCH_A), r->move[BENCH_B] / 1e3, r->floor[BENCH_B] / 1e3, ratio(r, BENCH_B),
            r->epp / 1e3, r->move[BENCH_B] / (r->floor[BENCH_B] + r->epp));
  }
  g_print("EPP reads: A->B ends governor performance, under which the kernel may have changed\n"
          "energy_performance_preference, so retune must look at that file of each policy. The\n"
          "floor does not; what it would cost is measured apart and counts in \"ratio with\".\n");
}

static void print_process(const GArray *results, guint idle_seconds)
{
  g_print("\nthe process          idle with both instances        idle after the moves\n");
  g_print("%5s %10s  %8s %8s %8s  %8s %8s %8s  switches in %u s\n", "CPUs", "start", "RSS", "PSS",
          "private", "RSS", "PSS", "private", idle_seconds);
  for (guint i = 0; i < results->len; i++) {
    const BenchResult *r = &g_array_index(results, BenchResult, i);
    const BenchMemory *before = &r->memory, *after = &r->memory_after;
    g_print("%5u %7.1f ms  %5.1f MB %5.1f MB %5.1f MB  %5.1f MB %5.1f MB %5.1f MB  %u\n", r->n_cpus,
            r->start / 1e3, megabytes(before->rss), megabytes(before->pss),
            megabytes(before->private_size), megabytes(after->rss), megabytes(after->pss),
            megabytes(after->private_size), r->switches);
  }
  g_print("start: fork to name owned. PSS shares the pages of libraries among those who use them,\n"
          "here this benchmark and whatever else runs; \"private\" and RSS are its bounds.\n");
}

static void print_calls(const GArray *results)
{
  g_print("\ncalls                           Get by a second client while CPUs move\n");
  g_print("%5s %12s %9s  %9s %9s %9s %7s\n", "CPUs", "no-op move", "Get", "median", "99 %", "worst",
          "Gets");
  for (guint i = 0; i < results->len; i++) {
    const BenchResult *r = &g_array_index(results, BenchResult, i);
    g_print("%5u %9.0f us %6.0f us  %6.0f us %6.0f us %6.0f us %7u\n", r->n_cpus, r->no_op, r->get,
            r->get_disturbed, r->get_p99, r->get_worst, r->n_gets);
  }
}

static void print_aim(const char *aim, const char *value, gboolean met)
{
  g_print("  %-40s %-26s %s\n", aim, value, met ? "met" : "missed");
}

static void print_aims(const BenchResult *r, guint idle_seconds)
{
  g_autofree char *moves =
      g_strdup_printf("%.2f B->A, %.2f A->B", ratio(r, BENCH_A), ratio(r, BENCH_B));
  g_autofree char *start = g_strdup_printf("%.1f ms", r->start / 1e3);
  g_autofree char *pss = g_strdup_printf("%.1f MB, %.1f after moves", megabytes(r->memory.pss),
                                         megabytes(r->memory_after.pss));
  g_autofree char *switches = g_strdup_printf("%u in %u s", r->switches, idle_seconds);

  g_print("\naims, with %u CPUs\n", r->n_cpus);
  if (r->n_cpus >= AIM_RATIO_CPUS)
    print_aim("move: at most 1.3 x floor at 1,024 CPUs", moves,
              ratio(r, BENCH_A) <= AIM_RATIO && ratio(r, BENCH_B) <= AIM_RATIO);
  print_aim("start to name owned: below 25 ms", start, r->start / 1e3 < AIM_START_MS);
  print_aim("wake-ups when idle: none", switches, r->switches == 0);
  print_aim("PSS when idle: below 4 MB", pss,
            megabytes(MAX(r->memory.pss, r->memory_after.pss)) < AIM_PSS_MB);
}

void bench_report_print(const GArray *results, guint idle_seconds)
{
  print_moves(results);
  print_process(results, idle_seconds);
  print_calls(results);
  print_aims(&g_array_index(results, BenchResult, results->len - 1), idle_seconds);
}
