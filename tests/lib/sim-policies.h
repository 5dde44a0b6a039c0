/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The cpufreq part of a machine's tree.
 */
#pragma once

#include "sim-machine.h"
#include "sim-writer.h"

void sim_policies_build(SimWriter *writer, const SimMachine *machine);
gboolean sim_policies_is_setpolicy(const char *driver);
