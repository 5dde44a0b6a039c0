// SPDX-License-Identifier: GPL-2.0-or-later
/* A CPU's own switch. A CPU without one, as cpu0 of most machines, is always
 * online (Documentation/core-api/cpu_hotplug.rst). */
#include <errno.h>

#include "error.h"
#include "machine.h"
#include "names.h"
#include "types.h"

static gboolean resolve_online(const RetuneKnob *knob, const char *word, const RetuneResolve *where,
                               GError **error)
{
  char present[RETUNE_VALUE_SIZE];
  gboolean yes;

  if (!retune_names_parse_boolean(word, &yes))
    return retune_boolean_check(knob, word, error);
  if (retune_machine_read(where->machine, knob, where->id, present, sizeof present) != ENOENT) {
    retune_knob_emit(knob, where, yes ? "1" : "0");
    return TRUE;
  }
  if (yes)
    return TRUE; /* it is, and nothing can change that */
  retune_set_error(error, RETUNE_ERROR_NOT_SUPPORTED,
                   "it cannot be switched off: it has no file 'online'");
  return FALSE;
}

const RetuneKnobType retune_type_online = {
    .check = retune_boolean_check,
    .resolve = resolve_online,
    .magnitude = retune_number_magnitude,
};
