/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Frequencies of a policy: limits, set speed, and the stale read-back.
 */
#pragma once

#include "sim-write.h"

void sim_governor_changed(const SimWrite *write, const char *governor);
bool sim_stale_value(const char *root, const char *path, char *buffer, size_t size);
