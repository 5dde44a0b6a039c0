// SPDX-License-Identifier: GPL-2.0-or-later
/* energy_perf_bias: 0 to 15, with the kernel's words and those of other tools.
 * Documentation/admin-guide/pm/intel_epb.rst. The file reads back a number. */
#include "types.h"

static const RetuneWord words[] = {
    {"performance", 0}, {"balance_performance", 4}, {"normal", 6}, {"balance_power", 8},
    {"power", 15},      {"powersave", 15},
};

static gboolean parse(const RetuneKnob *knob, const char *word, gint64 *ret_value, GError **error)
{
  const RetuneWord *known = retune_word_find(words, G_N_ELEMENTS(words), word);

  if (known == NULL)
    return retune_number_parse(knob, word, ret_value, error);
  *ret_value = known->value;
  return TRUE;
}

const RetuneKnobType retune_type_epb = {
    .parse = parse,
    .check = retune_number_check,
    .uniform = TRUE,
    .resolve = retune_number_resolve,
    .magnitude = retune_number_magnitude,
};
