// SPDX-License-Identifier: GPL-2.0-or-later
/* The table for people. */
#pragma once

#include "result.h"

G_BEGIN_DECLS

/* One line per machine of @results (BenchResult), then the aims and what the last
 * machine makes of them. */
void bench_report_print(const GArray *results, guint idle_seconds);

G_END_DECLS
