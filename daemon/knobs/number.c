// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers, booleans and what other types share. */
#include "error.h"
#include "names.h"
#include "types.h"

void retune_knob_emit(const RetuneKnob *knob, const RetuneResolve *where, const char *word)
{
  where->emit(where->sink, retune_knob_place(knob), where->id, word);
}

void retune_knob_emit_number(const RetuneKnob *knob, const RetuneResolve *where, gint64 number)
{
  char text[24];

  g_snprintf(text, sizeof text, "%" G_GINT64_FORMAT, number);
  retune_knob_emit(knob, where, text);
}

void retune_knob_invalid(const RetuneKnob *knob, const char *word, GError **error)
{
  retune_set_error(error, RETUNE_ERROR_INVALID_VALUE, "%s '%.64s': expected %s", knob->name, word,
                   knob->syntax);
}

gboolean retune_number_parse(const RetuneKnob *knob, const char *word, gint64 *ret_value,
                             GError **error)
{
  if (g_ascii_string_to_signed(word, 10, knob->minimum, knob->maximum, ret_value, NULL))
    return TRUE;
  retune_set_error(error, RETUNE_ERROR_INVALID_VALUE,
                   "%s '%.64s': expected %s, a whole number from %" G_GINT64_FORMAT
                   " to %" G_GINT64_FORMAT,
                   knob->name, word, knob->syntax, knob->minimum, knob->maximum);
  return FALSE;
}

gint64 retune_number_magnitude(const char *text)
{
  return g_ascii_strtoll(text, NULL, 10);
}

const RetuneWord *retune_word_find(const RetuneWord *words, guint n_words, const char *word)
{
  g_autofree char *plain = g_strdelimit(g_ascii_strdown(word, -1), "-", '_');

  for (guint i = 0; i < n_words; i++)
    if (g_str_equal(words[i].word, plain))
      return &words[i];
  return NULL;
}

gboolean retune_number_check(const RetuneKnob *knob, const char *word, GError **error)
{
  gint64 unused;
  return knob->type->parse(knob, word, &unused, error);
}

gboolean retune_number_resolve(const RetuneKnob *knob, const char *word, const RetuneResolve *where,
                               GError **error)
{
  gint64 value;

  if (!knob->type->parse(knob, word, &value, error))
    return FALSE;
  retune_knob_emit_number(knob, where, value);
  return TRUE;
}

const RetuneKnobType retune_type_number = {
    .parse = retune_number_parse,
    .check = retune_number_check,
    .uniform = TRUE,
    .resolve = retune_number_resolve,
    .magnitude = retune_number_magnitude,
};

gboolean retune_boolean_check(const RetuneKnob *knob, const char *word, GError **error)
{
  gboolean unused;

  if (retune_names_parse_boolean(word, &unused))
    return TRUE;
  retune_knob_invalid(knob, word, error);
  return FALSE;
}

static gboolean resolve_boolean(const RetuneKnob *knob, const char *word,
                                const RetuneResolve *where, GError **error)
{
  gboolean yes;

  if (!retune_names_parse_boolean(word, &yes))
    return retune_boolean_check(knob, word, error);
  retune_knob_emit(knob, where, yes ? "1" : "0");
  return TRUE;
}

const RetuneKnobType retune_type_boolean = {
    .check = retune_boolean_check,
    .uniform = TRUE,
    .resolve = resolve_boolean,
};
