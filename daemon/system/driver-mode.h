// SPDX-License-Identifier: GPL-2.0-or-later
/* Tells when somebody may have switched the mode of the cpufreq driver, through
 * intel_pstate/status or amd_pstate/status. The kernel sends no uevent for that,
 * but inotify sees the write. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _RetuneDriverMode RetuneDriverMode;

/* Calls @func in the main thread after each write. NULL, with a message in the
 * log, if the kernel gives no inotify. */
typedef void (*RetuneDriverModeFunc)(gpointer data);
RetuneDriverMode *retune_driver_mode_new(RetuneDriverModeFunc func, gpointer data);
void retune_driver_mode_free(RetuneDriverMode *mode);

G_END_DECLS
