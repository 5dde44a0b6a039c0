// SPDX-License-Identifier: GPL-2.0-or-later
/* What exists only while a certain governor runs: its tunables, and the speed that
 * governor userspace is told. Documentation/admin-guide/pm/cpufreq.rst. */
#include <string.h>

#include "error.h"
#include "machine.h"
#include "types.h"

/* Where the value goes. FALSE: the governor that will run has no such thing. */
static gboolean locate(const RetuneKnob *knob, const RetuneResolve *where,
                       const RetuneKnob **ret_place, guint *ret_id, GError **error)
{
  const RetuneKnob *place = retune_knob_place(knob);
  const char *governor = where->governor != NULL ? where->governor : "none";

  if (retune_machine_locate(where->machine, place, where->id, governor, ret_place, ret_id))
    return TRUE;
  g_autofree char *owners = g_strjoinv(" or ", (char **)place->governors);
  retune_set_error(error, RETUNE_ERROR_NOT_SUPPORTED, "it needs governor %s, and '%.16s' will run",
                   owners, governor);
  return FALSE;
}

static gboolean resolve_tunable(const RetuneKnob *knob, const char *word,
                                const RetuneResolve *where, GError **error)
{
  const RetuneKnob *place;
  gint64 number;
  char text[24];
  guint id;

  if (!retune_number_parse(knob, word, &number, error) || !locate(knob, where, &place, &id, error))
    return FALSE;
  g_snprintf(text, sizeof text, "%" G_GINT64_FORMAT, number);
  where->emit(where->sink, place, id, text);
  return TRUE;
}

const RetuneKnobType retune_type_tunable = {
    .parse = retune_number_parse,
    .check = retune_number_check,
    .resolve = resolve_tunable,
    .magnitude = retune_number_magnitude,
};

static gboolean resolve_speed(const RetuneKnob *knob, const char *word, const RetuneResolve *where,
                              GError **error)
{
  const RetuneKnob *place;
  guint id;

  return locate(knob, where, &place, &id, error) &&
         retune_type_frequency.resolve(knob, word, where, error);
}

static gboolean check_speed(const RetuneKnob *knob, const char *word, GError **error)
{
  return retune_type_frequency.check(knob, word, error);
}

static char *describe_speed(const RetuneKnob *knob, RetuneMachine *machine, guint cpu)
{
  return retune_type_frequency.describe(knob, machine, cpu);
}

const RetuneKnobType retune_type_speed = {
    .check = check_speed,
    .resolve = resolve_speed,
    .magnitude = retune_number_magnitude,
    .describe = describe_speed,
};
