// SPDX-License-Identifier: GPL-2.0-or-later
/* The system-wide bound on wake-up latency at /dev/cpu_dma_latency: it holds
 * as long as its descriptor is open
 * (Documentation/power/pm_qos_interface.rst). */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define RETUNE_LATENCY_DEVICE "/dev/cpu_dma_latency"
#define RETUNE_LATENCY_NONE "none"

typedef struct _RetuneLatency RetuneLatency;

RetuneLatency *retune_latency_new(void);
/* Closes the request, if there is one. The service manager's copy of it lives on. */
void retune_latency_free(RetuneLatency *latency);

/* Takes over a request that the service manager has kept as @name, or closes @fd. */
void retune_latency_take(RetuneLatency *latency, int fd, const char *name);

/* Our request in us, or "none". ENOENT if there is no such device. */
int retune_latency_read(RetuneLatency *latency, char *text, gsize size);
/* Makes or changes the request; "none" gives it up. @found is our request, or
 * the bound in force if that does not honour it. 0 or an errno value. */
int retune_latency_write(RetuneLatency *latency, const char *text, char *found, gsize size);

G_END_DECLS
