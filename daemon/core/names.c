// SPDX-License-Identifier: GPL-2.0-or-later
/* Names: what they may look like, and the nearest known one. */
#include "names.h"

#include <string.h>

#include "error.h"

#define NAME_CHARS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-."

gboolean retune_names_check_instance(const char *name, GError **error)
{
  gsize length = strlen(name);

  if (length > RETUNE_NAME_MAX_LENGTH) {
    retune_set_error(error, RETUNE_ERROR_LIMITS_EXCEEDED,
                     "the instance name '%.64s...' is longer than %u bytes", name,
                     RETUNE_NAME_MAX_LENGTH);
    return FALSE;
  }
  if (length > 0 && strspn(name, NAME_CHARS) == length && *name != '-' && *name != '.')
    return TRUE;
  retune_set_error(
      error, RETUNE_ERROR_INVALID_VALUE,
      "'%s' is not a name for an instance; expected letters, digits, '_', '-' and '.', "
      "not beginning with '-' or '.'",
      name);
  return FALSE;
}

/* Levenshtein distance of short strings; G_MAXUINT for long ones. */
static guint distance(const char *a, const char *b)
{
  gsize n = strlen(a), m = strlen(b);
  guint row[64];

  if (n >= G_N_ELEMENTS(row) || m >= G_N_ELEMENTS(row))
    return G_MAXUINT;
  for (guint j = 0; j <= m; j++)
    row[j] = j;
  for (guint i = 1; i <= n; i++) {
    guint diagonal = row[0];
    row[0] = i;
    for (guint j = 1; j <= m; j++) {
      guint above = row[j];
      guint change = diagonal + (a[i - 1] != b[j - 1]);
      row[j] = MIN(change, MIN(above, row[j - 1]) + 1);
      diagonal = above;
    }
  }
  return row[m];
}

char *retune_names_hint(const char *name, const char *const *known, guint n_known)
{
  const char *best = NULL;
  guint best_distance = G_MAXUINT;
  GString *out = g_string_new("; there is: ");

  for (guint i = 0; i < n_known; i++) {
    guint d = distance(name, known[i]);
    if (d < best_distance) {
      best_distance = d;
      best = known[i];
    }
    g_string_append_printf(out, i > 0 ? ", %s" : "%s", known[i]);
  }
  if (best != NULL && best_distance <= 1 + strlen(name) / 4)
    g_string_printf(out, "; did you mean '%s'?", best);
  return g_string_free(out, FALSE);
}

gboolean retune_names_parse_boolean(const char *text, gboolean *ret_value)
{
  static const char *const yes[] = {"1", "true", "yes", "on", "y", NULL};
  static const char *const no[] = {"0", "false", "no", "off", "n", NULL};
  g_autofree char *lower = g_ascii_strdown(text, -1);

  if (g_strv_contains(yes, lower))
    *ret_value = TRUE;
  else if (g_strv_contains(no, lower))
    *ret_value = FALSE;
  else
    return FALSE;
  return TRUE;
}
