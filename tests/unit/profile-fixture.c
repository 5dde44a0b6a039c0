// SPDX-License-Identifier: GPL-2.0-or-later
/* Profiles in memory. */
#include "profile-fixture.h"

#include "table.h"
#include "util.h"

char *profile_load(const char *name, char **ret_path, gpointer data, GError **error)
{
  ProfileFiles *files = data;

  files->n_loads++;
  if (files->n_loads > files->max_loads) {
    g_set_error(error, RETUNE_ERROR, RETUNE_ERROR_FAILED, "asked for profiles too often");
    return NULL;
  }
  for (const ProfileFile *file = files->files; file != NULL && file->name != NULL; file++) {
    if (g_str_equal(file->name, name)) {
      *ret_path = g_strconcat("inc/", name, NULL);
      return g_strdup(file->text);
    }
  }
  g_set_error(error, RETUNE_ERROR, RETUNE_ERROR_INVALID_VALUE, "profile '%s' not found", name);
  return NULL;
}

RetuneProfile *profile_parse(const char *text, const ProfileFile *files, GError **error)
{
  ProfileFiles data = {files, 0, 10000};
  return retune_profile_parse(text, "p", retune_knobs_table(), profile_load, &data, error);
}

char *profile_describe(const RetuneProfile *profile)
{
  GString *out = g_string_new(NULL);

  for (guint i = 0; i < profile->specs->len; i++) {
    const RetuneSpec *spec = profile->specs->pdata[i];
    g_string_append_printf(out, "%s%s{%s}[", i > 0 ? " " : "", spec->name, spec->claim);
    for (guint k = 0; k < spec->options->len; k++) {
      const RetuneOption *option = spec->options->pdata[k];
      g_string_append_printf(out, "%s%s=%s", k > 0 ? " " : "", option->name, option->value);
    }
    g_string_append_c(out, ']');
  }
  return g_string_free(out, FALSE);
}

void profile_expect(const char *file, int line, const char *text, const ProfileFile *files,
                    const char *expected)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(RetuneProfile) profile = profile_parse(text, files, &error);

  if (profile == NULL)
    util_fail(file, line, "refused: %s", error != NULL ? error->message : "no error set");
  else
    util_expect_text(file, line, profile_describe(profile), expected);
}

void profile_expect_refused(const char *file, int line, const char *text, const ProfileFile *files,
                            gint code, const char *part)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(RetuneProfile) profile = profile_parse(text, files, &error);

  if (profile != NULL)
    util_fail(file, line, "taken: %s", text);
  else
    util_expect_refused(file, line, &error, code, part);
}
