// SPDX-License-Identifier: GPL-2.0-or-later
/* One option of an instance as its user wished it: the text, and the
 * alternatives in it. What it means on a CPU is resolved elsewhere. */
#pragma once

#include "knob.h"

G_BEGIN_DECLS

/* The longest value of an option, in bytes. */
#define RETUNE_VALUE_MAX_LENGTH 1024u

/* One of the words of "a|b|c". */
typedef struct {
  char compare; /* '<' or '>': only if the value found is larger or smaller; else 0 */
  char *word;
} RetuneAlternative;

typedef struct {
  const RetuneKnob *knob;
  char *text;              /* as given, blanks trimmed */
  GPtrArray *alternatives; /* RetuneAlternative, at least one */
} RetuneSetting;

/* Does @text, given with @compare, count where @before was the value before us?
 * '<' only if that is larger, '>' only if it is smaller, 0 always. */
gboolean retune_alternative_applies(const RetuneKnob *place, char compare, const char *text,
                                    const char *before);

/* An option as it came in, before anything is known about it. */
typedef struct {
  char *name;
  char *value;
  char *where; /* "FILE:LINE", or NULL */
} RetuneOption;

RetuneOption *retune_option_new(const char *name, const char *value, const char *where);
void retune_option_free(RetuneOption *option);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RetuneOption, retune_option_free)

/* A list of options that owns them. */
GPtrArray *retune_options_new(void);

/* Checks @value for @knob, without I/O.
 * Errors: INVALID_VALUE, LIMITS_EXCEEDED. */
RetuneSetting *retune_setting_new(const RetuneKnob *knob, const char *value,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
RetuneSetting *retune_setting_copy(const RetuneSetting *setting);
void retune_setting_free(RetuneSetting *setting);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RetuneSetting, retune_setting_free)

G_END_DECLS
