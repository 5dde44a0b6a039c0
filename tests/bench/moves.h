// SPDX-License-Identifier: GPL-2.0-or-later
/* The measurements of calls, with both instances there and the CPUs that move in
 * B before and after. */
#pragma once

#include "bus.h"
#include "floor.h"
#include "result.h"

G_BEGIN_DECLS

/* Moves there and back, and the floor, @rounds times each, by turns. */
gboolean bench_moves_measure(const BenchPlace *place, GDBusConnection *bus, guint rounds,
                             BenchResult *result, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* A move of CPUs that are there already, and the Get of a property. */
gboolean bench_moves_measure_small(const BenchPlace *place, GDBusConnection *bus,
                                   BenchResult *result, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Gets of another connection while CPUs move. */
gboolean bench_moves_measure_disturbed(const BenchPlace *place, GDBusConnection *bus,
                                       BenchResult *result,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
