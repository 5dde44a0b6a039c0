/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Commands to a running machine, one a line, from named pipes. README.md lists
 * them.
 */
#pragma once

#include <umockdev.h>

typedef struct _SimControl SimControl;

SimControl *sim_control_new(UMockdevTestbed *testbed, const char *fifo,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
void sim_control_free(SimControl *control);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SimControl, sim_control_free)
