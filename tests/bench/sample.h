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
/* The middle one, the mean of the two in the middle if there is no such, and the
 * greatest one; 0 of none. */
double bench_samples_median(const GArray *samples);
double bench_samples_worst(const GArray *samples);

G_END_DECLS
