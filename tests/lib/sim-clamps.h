/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The utilisation clamps, /proc/sys/kernel/sched_util_clamp_*. They are files of
 * the testbed in place of the host's, which nobody inside may reach.
 */
#pragma once

#include "sim-write.h"

#define SIM_CLAMPS_DIR "proc/sys/kernel"

bool sim_clamps_target(const char *root, int dirfd, const char *path, char *ret_target);
bool sim_clamps_is_host(const char *path);
int sim_store_clamp(const SimWrite *write);
