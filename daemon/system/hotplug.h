// SPDX-License-Identifier: GPL-2.0-or-later
/* Tells when CPUs come, go, or are switched on or off: uevents of subsystem
 * "cpu", through GUdev. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _RetuneHotplug RetuneHotplug;

/* Calls @func in the main thread for each event, with the CPU it is about. */
typedef void (*RetuneHotplugFunc)(guint cpu, gpointer data);
RetuneHotplug *retune_hotplug_new(RetuneHotplugFunc func, gpointer data);
void retune_hotplug_free(RetuneHotplug *hotplug);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RetuneHotplug, retune_hotplug_free)

G_END_DECLS
