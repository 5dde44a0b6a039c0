// SPDX-License-Identifier: GPL-2.0-or-later
/* The machine that this runs on, as it is. */
#pragma once

#include "place.h"

G_BEGIN_DECLS

/* With all CPUs that are online. Whoever calls this must see to it that what
 * measurements leave behind is put back, as the script run does. */
BenchPlace *bench_real_new(GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
