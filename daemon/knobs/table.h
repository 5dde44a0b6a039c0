// SPDX-License-Identifier: GPL-2.0-or-later
/* The list of all options and the kernel files behind them. */
#pragma once

#include "knob.h"

G_BEGIN_DECLS

const RetuneKnobTable *retune_knobs_table(void);

G_END_DECLS
