// SPDX-License-Identifier: GPL-2.0-or-later
/* The one place that calls libcpupower: facts about idle states, hardware
 * limits and governors. It never writes through the library, which loses the
 * errno of a failed write. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Hardware limits of the policy of @cpu in kHz. FALSE: no cpufreq there. */
gboolean retune_cpupower_limits(guint cpu, gulong *ret_min, gulong *ret_max);
/* Frequencies in kHz that the policy of @cpu can be limited to, ascending (gulong);
 * empty if it takes any. The caller frees it. */
GArray *retune_cpupower_frequencies(guint cpu);
/* The governors offered now, in the kernel's order; NULL: none. */
GStrv retune_cpupower_governors(guint cpu);
/* How many idle states @cpu has. */
guint retune_cpupower_idle_states(guint cpu);
/* Name of an idle state, or NULL; the caller frees it. */
char *retune_cpupower_idle_name(guint cpu, guint state);
/* Exit latency of an idle state in us. */
gulong retune_cpupower_idle_latency(guint cpu, guint state);

G_END_DECLS
