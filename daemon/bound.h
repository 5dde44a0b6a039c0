// SPDX-License-Identifier: GPL-2.0-or-later
/* Instances that end with the bus connection of their creator. */
#pragma once

#include <gio/gio.h>

#include "manager.h"

G_BEGIN_DECLS

typedef struct _RetuneBound RetuneBound;

RetuneBound *retune_bound_new(GDBusConnection *bus, RetuneManager *manager);
void retune_bound_free(RetuneBound *bound);

/* How the sender of a call is known as an owner, also to the next retuned on the same
 * bus. The caller frees it. */
char *retune_bound_owner(GDBusConnection *bus, const char *sender);

/* Watches the owners that @model has, and no others. Instances whose owner is gone are
 * destroyed. */
void retune_bound_sync(RetuneBound *bound, RetuneModel *model);

G_END_DECLS
