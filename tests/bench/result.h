// SPDX-License-Identifier: GPL-2.0-or-later
/* All figures of one machine. Times are medians in us. */
#pragma once

#include "daemon.h"
#include "place.h"

G_BEGIN_DECLS

typedef struct {
  guint n_cpus;
  guint n_moved;
  guint n_files[BENCH_N_TARGETS]; /* that a move writes */
  double move[BENCH_N_SIDES];     /* to that side, over D-Bus */
  double floor[BENCH_N_SIDES];    /* the same by the bare loop */
  double epp;                     /* the reads that leaving A takes besides */
  double start;                   /* fork to name owned */
  double no_op;                   /* a move of what is there already */
  double get;                     /* of a property */
  double get_disturbed;           /* the same during a move: the median */
  double get_p99;                 /* 99 of 100 are faster */
  double get_worst;               /* the worst */
  guint n_gets;                   /* of that many */
  BenchMemory memory;             /* with both instances, before the moves */
  BenchMemory memory_after;       /* after them */
  guint switches;                 /* when idle */
} BenchResult;

G_END_DECLS
