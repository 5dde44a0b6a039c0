/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The modes of amd_pstate, which makes all policies anew when it is switched.
 */
#pragma once

#include "sim-write.h"

int sim_store_driver_mode(const SimWrite *write);
