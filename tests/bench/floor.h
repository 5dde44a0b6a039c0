// SPDX-License-Identifier: GPL-2.0-or-later
/* The least that a move can cost: a loop that opens, writes, reads back and
 * closes each file, knowing paths and values beforehand. */
#pragma once

#include "place.h"

G_BEGIN_DECLS

/* Gives the files of the CPUs that move the values of @side. Stores in @ret_us
 * how long it took. */
gboolean bench_floor_write(const BenchPlace *place, BenchSide side, double *ret_us,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Opens, reads and closes energy_performance_preference of each policy that has
 * it: what a move that ends governor performance must do besides, since the kernel
 * may have changed that file along. */
gboolean bench_floor_read_epp(const BenchPlace *place, double *ret_us,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
