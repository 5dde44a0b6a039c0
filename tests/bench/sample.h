// SPDX-License-Identifier: GPL-2.0-or-later
/* Time, and what many measurements of it say together. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Now, in us with a fraction; of the monotonic clock. */
double bench_now(void);

/* An empty list of measurements. */
GArray *bench_samples_new(void);
void bench_samples_add(GArray *samples, double value);
/* The one that @share (0 to 1) of them are below: 0.5 is the median, 1 the
 * greatest. 0 if there are none. */
double bench_samples_quantile(const GArray *samples, double share);

G_END_DECLS
