// SPDX-License-Identifier: GPL-2.0-or-later
/* The machine that is measured: plain files, mounted where the kernel has its
 * CPUs, and the values that the CPUs that move get in either instance. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

#define BENCH_SYSFS_CPU "/sys/devices/system/cpu"
#define BENCH_N_TARGETS 3

/* The instances between which CPUs move. */
typedef enum { BENCH_A, BENCH_B, BENCH_N_SIDES } BenchSide;

/* Files below BENCH_SYSFS_CPU: head, number of the CPU, tail. */
typedef struct {
  const char *head;
  const char *tail;
} BenchFile;

/* A file that the instances want different values in. */
typedef struct {
  const char *option; /* retune's name for it */
  BenchFile file;
  const char *word[BENCH_N_SIDES]; /* what the option is set to */
  const char *text[BENCH_N_SIDES]; /* what is in the file then */
} BenchTarget;

/* In the order in which retune writes them. */
extern const BenchTarget bench_targets[BENCH_N_TARGETS];
extern const BenchFile bench_epp_file;
extern const char *const bench_side_names[BENCH_N_SIDES];

typedef struct {
  char text[72];
} BenchPath;

BenchPath bench_file_path(const BenchFile *file, guint cpu);

typedef struct {
  guint n_cpus;
  guint first;               /* of the CPUs that move */
  guint n_moved;             /* how many do: half of all; a quarter stays in A, one in B */
  char *moved;               /* the same as a cpulist */
  char *rest[BENCH_N_SIDES]; /* cpulists of those that stay */
  int directory;             /* BENCH_SYSFS_CPU, open */
} BenchTree;

/* Makes the files of @n_cpus CPUs below @work, a tmpfs, and mounts them at
 * BENCH_SYSFS_CPU. One policy and four idle states for each CPU. */
BenchTree *bench_tree_new(const char *work, guint n_cpus, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Takes the mount away. The files go with the tmpfs. */
void bench_tree_free(BenchTree *tree);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(BenchTree, bench_tree_free)

/* Do the files of every @step'th CPU that moves, and of the last one, have the
 * values of @side? */
gboolean bench_tree_check(const BenchTree *tree, BenchSide side, guint step,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
