// SPDX-License-Identifier: GPL-2.0-or-later
/* Checks of names given by callers, and hints for misspelt ones. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define RETUNE_NAME_MAX_LENGTH 64u

/* Is @name fit for an instance: 1 to 64 of A-Z a-z 0-9 _ - . beginning with a
 * letter, a digit or '_'? Errors: INVALID_VALUE, LIMITS_EXCEEDED. */
gboolean retune_names_check_instance(const char *name, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* "; did you mean 'X'?" when one of @known is near @name, else "; there is: A, B".
 * The caller frees it. */
char *retune_names_hint(const char *name, const char *const *known, guint n_known);

/* Reads a boolean: 1/0, true/false, yes/no, on/off, y/n. */
gboolean retune_names_parse_boolean(const char *text,
                                    gboolean *ret_value) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
