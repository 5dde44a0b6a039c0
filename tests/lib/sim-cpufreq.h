/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The rules of cpufreq's files: governor, limits, speed, EPP, boost, with what
 * each does to the others. Rows of the table in sim-rules.c.
 */
#pragma once

#include "sim-write.h"

int sim_store_governor(const SimWrite *write);
int sim_store_min_freq(const SimWrite *write);
int sim_store_max_freq(const SimWrite *write);
int sim_store_setspeed(const SimWrite *write);
int sim_store_epp(const SimWrite *write);
int sim_store_policy_boost(const SimWrite *write);
int sim_store_boost(const SimWrite *write);
