/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The files "status" of amd_pstate and intel_pstate, which switch the driver.
 */
#pragma once

#include "sim-write.h"

int sim_store_driver_mode(const SimWrite *write);
