// SPDX-License-Identifier: GPL-2.0-or-later
/* The quark of the error domain; its D-Bus names are registered in service. */
#include "error.h"

G_DEFINE_QUARK(retune-error-quark, retune_error)
