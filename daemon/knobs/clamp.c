// SPDX-License-Identifier: GPL-2.0-or-later
/* Utilisation clamps of the whole machine, 0 to 1024.
 * Documentation/scheduler/sched-util-clamp.rst. */
#include <math.h>
#include <string.h>

#include "error.h"
#include "machine.h"
#include "types.h"

/* "70%" is of the whole capacity, which the kernel counts as 1024. */
static gboolean parse(const RetuneKnob *knob, const char *word, gint64 *ret_value, GError **error)
{
  char *end = NULL;
  double percent = g_ascii_isdigit(*word) ? g_ascii_strtod(word, &end) : -1;

  if (end == NULL || strcmp(end, "%") != 0 || strpbrk(word, "xXpP") != NULL)
    return retune_number_parse(knob, word, ret_value, error);
  if (percent > 100) {
    retune_knob_invalid(knob, word, error);
    return FALSE;
  }
  *ret_value = (gint64)round(percent * 1024 / 100);
  return TRUE;
}

static char *advise(const RetuneKnob *knob, const RetuneResolve *where, const char *text,
                    const char *baseline)
{
  if (g_strcmp0(text, baseline) == 0)
    return NULL; /* nothing had to be written */
  return g_strconcat(
      "the scheduler looks at clamps with each task from the first write until the next boot",
      retune_machine_runs_governor(where->machine, knob->useful_under)
          ? NULL
          : "; no CPU runs governor schedutil, so no effect is to be expected",
      NULL);
}

const RetuneKnobType retune_type_clamp = {
    .parse = parse,
    .check = retune_number_check,
    .uniform = TRUE,
    .resolve = retune_number_resolve,
    .magnitude = retune_number_magnitude,
    .advise = advise,
};
