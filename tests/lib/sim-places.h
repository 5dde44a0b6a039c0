/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a machine has outside of sys/devices/system/cpu: NUMA nodes, the kinds of
 * CPUs, and the utilisation clamps below /proc. Used by sim-tree.c.
 */
#pragma once

#include "sim-machine.h"
#include "sim-writer.h"

void sim_places_build(SimWriter *writer, const SimMachine *machine);
