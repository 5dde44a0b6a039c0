// SPDX-License-Identifier: GPL-2.0-or-later
/* Other services on the bus that matter: logind, which tells of sleep, and those that
 * write the same files. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct _RetuneNeighbours RetuneNeighbours;

/* Calls @func when the rivals have changed. None of the services is started by this. */
typedef void (*RetuneNeighboursFunc)(gpointer data);
RetuneNeighbours *retune_neighbours_new(GDBusConnection *bus, RetuneNeighboursFunc func,
                                        gpointer data);
void retune_neighbours_free(RetuneNeighbours *neighbours);

/* Which rivals run now, and what they may fight over, as a(ss) (floating). */
GVariant *retune_neighbours_rivals(const RetuneNeighbours *neighbours);

G_END_DECLS
