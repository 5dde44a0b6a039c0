// SPDX-License-Identifier: GPL-2.0-or-later
/* Descriptors that the service manager keeps while retuned is restarted, so that what
 * they hold does not lapse (sd_pid_notify_with_fds(3), "FDSTORE=1"). Without a service
 * manager that keeps them, nothing is kept. May be called from any thread. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Has the manager keep a copy of @fd as @name (no ':' and no control characters). */
void retune_fdstore_put(int fd, const char *name);
/* Has the manager close its copy called @name. */
void retune_fdstore_remove(const char *name);

/* Calls @take for each descriptor that was kept, once per process: it owns @fd then. */
typedef void (*RetuneFdstoreTake)(int fd, const char *name, gpointer data);
void retune_fdstore_take_all(RetuneFdstoreTake take, gpointer data);

G_END_DECLS
