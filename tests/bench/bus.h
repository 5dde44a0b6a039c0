// SPDX-License-Identifier: GPL-2.0-or-later
/* The calls to retuned that are measured. All wait for their reply. */
#pragma once

#include "place.h"

G_BEGIN_DECLS

#define BENCH_BUS_NAME "io.github.retune1"

/* A connection of its own to the bus that DBUS_SYSTEM_BUS_ADDRESS names. */
GDBusConnection *bench_bus_open(GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Creates the instance @side, with all options that @place has files for. */
gboolean bench_bus_create(GDBusConnection *bus, const BenchPlace *place, BenchSide side,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Moves @devices to @side and stores how long that took, in us. It is an error if
 * the reply names others than @expected as moved; "": none. */
gboolean bench_bus_move(GDBusConnection *bus, BenchSide side, const char *devices,
                        const char *expected, double *ret_us,
                        GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Gets a property of the manager and stores how long that took, in us. */
gboolean bench_bus_get(GDBusConnection *bus, double *ret_us,
                       GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
