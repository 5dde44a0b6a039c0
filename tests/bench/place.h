// SPDX-License-Identifier: GPL-2.0-or-later
/* Where is measured: the files of CPUs at BENCH_SYSFS_CPU, those of a tree that
 * was built (tree.c) or of this machine (real.c), which CPUs move between the
 * instances, and what is in their files then. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

#define BENCH_SYSFS_CPU "/sys/devices/system/cpu"
#define BENCH_N_TARGETS 3

/* The instances between which CPUs move. */
typedef enum { BENCH_A, BENCH_B, BENCH_N_SIDES } BenchSide;

/* An option that the instances want different values of. */
typedef struct {
  const char *option;              /* retune's name for it */
  const char *word[BENCH_N_SIDES]; /* what it is set to */
  const char *text[BENCH_N_SIDES]; /* what is in its files then */
} BenchTarget;

/* In the order in which retune writes them. */
extern const BenchTarget bench_targets[BENCH_N_TARGETS];
extern const char *const bench_side_names[BENCH_N_SIDES];

typedef struct {
  guint number;
  guint policy; /* the number of its cpufreq policy */
} BenchCpu;

typedef struct {
  char text[72]; /* below BENCH_SYSFS_CPU */
} BenchPath;

typedef struct {
  guint n; /* 0: there is no such file here */
  BenchPath *paths;
} BenchFiles;

typedef struct {
  guint n_cpus;
  guint n_moved;               /* half of them, or as near to it as whole policies come */
  char *moved;                 /* the same as a cpulist */
  char *claims[BENCH_N_SIDES]; /* cpulists to create A with, then B, where they are then */
  int directory;               /* BENCH_SYSFS_CPU, open */
  /* Of the CPUs that move, or their policies: */
  BenchFiles targets[BENCH_N_TARGETS];
  BenchFiles epp; /* energy_performance_preference */
  void (*leave)(void);
} BenchPlace;

/* With @cpus (BenchCpu), those of a policy one after another. @leave is called in
 * the end, if this fails too; it may be NULL. */
BenchPlace *bench_place_new(const GArray *cpus, void (*leave)(void),
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
void bench_place_free(BenchPlace *place);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(BenchPlace, bench_place_free)

/* Do the files of the CPUs that move have the values of @side? Of each kind, about
 * @n_looks are looked at, the first and the last among them. */
gboolean bench_place_check(const BenchPlace *place, BenchSide side, guint n_looks,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* For g_array_sort() of guint. */
gint bench_compare_numbers(gconstpointer pa, gconstpointer pb);

/* Sets @error: cannot @what @path, for the reason in errno. Returns FALSE. */
gboolean bench_place_fail(GError **error, const char *what, const char *path);

G_END_DECLS
