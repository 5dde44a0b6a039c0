/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The folders cpufreq/GOVERNOR of generic governors, which are there only while
 * a policy uses the governor.
 */
#pragma once

#include "sim-write.h"

bool sim_tunables_has(const char *governor);
void sim_tunables_update(const char *root);
int sim_store_tunable(const SimWrite *write);
