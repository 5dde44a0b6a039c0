/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Builds a machine's tree in a umockdev testbed. The kernel behind it is the
 * preloaded library; without that the files are plain ones.
 */
#pragma once

#include <umockdev.h>

#include "sim-machine.h"

gboolean sim_tree_build(UMockdevTestbed *testbed, const SimMachine *machine,
                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
