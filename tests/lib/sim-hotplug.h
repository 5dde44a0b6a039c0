/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the kernel does to the files of a CPU that goes offline or comes back.
 * Shared by the preloaded library and retune-sim.
 */
#pragma once

#include <stdbool.h>

int sim_hotplug(const char *root, unsigned cpu, bool is_online, bool *ret_is_changed);
bool sim_policy_is_active(const char *root, const char *path);
