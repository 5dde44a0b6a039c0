// SPDX-License-Identifier: GPL-2.0-or-later
/* The text of a profile as sections and keys, each with its place. Only
 * profile.c uses it. GKeyFile is not used: it knows no line numbers, and errors
 * must name them. */
#pragma once

#include <glib.h>

#include "setting.h"

G_BEGIN_DECLS

typedef struct {
  char *name;
  char *where;
  GPtrArray *keys; /* RetuneOption */
} RetuneSection;

/* The section called @name, or NULL. */
RetuneSection *retune_sections_find(const GPtrArray *sections, const char *name);
/* The key called @name, or NULL. */
RetuneOption *retune_section_find(const RetuneSection *section, const char *name);
/* Adds or replaces a key. */
void retune_section_set(RetuneSection *section, const char *name, const char *value,
                        const char *where);

/* An empty list of RetuneSection. */
GPtrArray *retune_sections_new(void);
/* Adds an empty section, or returns the one there is. */
RetuneSection *retune_sections_add(GPtrArray *sections, const char *name, const char *where);

/* What a profile may have at most; real ones have a few dozen. */
#define RETUNE_PROFILE_MAX_LINE 66000u
#define RETUNE_PROFILE_MAX_NAME 256u
#define RETUNE_PROFILE_MAX_ITEMS 1000u /* sections, and keys in each */

/* Errors: INVALID_VALUE and LIMITS_EXCEEDED, with "@path:LINE: ". */
GPtrArray *retune_sections_parse(const char *text, const char *path,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
