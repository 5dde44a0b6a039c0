// SPDX-License-Identifier: GPL-2.0-or-later
/* The types of values that rows of the table use. One file per kernel
 * subsystem; helpers that several need are in number.c. */
#pragma once

#include "knob.h"

G_BEGIN_DECLS

extern const RetuneKnobType retune_type_number;    /* minimum to maximum */
extern const RetuneKnobType retune_type_boolean;   /* 0 or 1 */
extern const RetuneKnobType retune_type_governor;  /* a cpufreq governor */
extern const RetuneKnobType retune_type_frequency; /* kHz, with units and % */
extern const RetuneKnobType retune_type_speed;     /* the same, as a speed to run at */
extern const RetuneKnobType retune_type_tunable;   /* a number, where the governor has it */
extern const RetuneKnobType retune_type_online;    /* a CPU's switch */
extern const RetuneKnobType retune_type_clamp;     /* a utilisation, 0-1024 or % */
extern const RetuneKnobType retune_type_epp;       /* energy-performance preference */
extern const RetuneKnobType retune_type_epb;       /* energy-performance bias */
extern const RetuneKnobType retune_type_boost;     /* per policy, behind a global gate */
extern const RetuneKnobType retune_type_latency;   /* us, or an idle state's */
extern const RetuneKnobType retune_type_bound;     /* the same for all CPUs */
extern const RetuneKnobType retune_type_deepest;   /* the deepest idle state allowed */
extern const RetuneKnobType retune_type_disabled;  /* idle states not allowed */

/* Reads a whole number in @knob's range, all of @word.
 * Errors: INVALID_VALUE, naming the range. */
gboolean retune_number_parse(const RetuneKnob *knob, const char *word, gint64 *ret_value,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Check and resolve for types that have a parse; any number it gives is emitted. */
gboolean retune_number_check(const RetuneKnob *knob, const char *word,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean retune_number_resolve(const RetuneKnob *knob, const char *word, const RetuneResolve *where,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Check for types whose words are yes and no. */
gboolean retune_boolean_check(const RetuneKnob *knob, const char *word,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The number at the start of @text; for magnitudes. */
gint64 retune_number_magnitude(const char *text);

/* Emits @word for the place of @knob itself. */
void retune_knob_emit(const RetuneKnob *knob, const RetuneResolve *where, const char *word);

/* Emits decimal @number for the place of @knob itself. */
void retune_knob_emit_number(const RetuneKnob *knob, const RetuneResolve *where, gint64 number);

/* Sets INVALID_VALUE: "@knob 'word': expected ...". */
void retune_knob_invalid(const RetuneKnob *knob, const char *word, GError **error);

/* One row of a table of words. */
typedef struct {
  const char *word;
  gint64 value;
} RetuneWord;

/* The row whose word is @word (in any case, '-' and '_' alike), or NULL. */
const RetuneWord *retune_word_find(const RetuneWord *words, guint n_words, const char *word);

G_END_DECLS
