// SPDX-License-Identifier: GPL-2.0-or-later
/* A machine of any size: plain files, mounted where the kernel has its CPUs. */
#pragma once

#include "place.h"

G_BEGIN_DECLS

/* Makes the files of @n_cpus CPUs below @work, a tmpfs, and mounts them at
 * BENCH_SYSFS_CPU until the place is freed. The files go with the tmpfs. One policy
 * and four idle states for each CPU. */
BenchPlace *bench_tree_new(const char *work, guint n_cpus,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
