// SPDX-License-Identifier: GPL-2.0-or-later
/* A profile, and behind lines "--- NAME" those that it can include. */
#include "profile.h"

#include <string.h>

#include "devices.h"
#include "error.h"
#include "fuzz.h"
#include "table.h"

#define SEPARATOR "\n--- "
#define MAX_FILES 16

/* The first is the profile itself; the others begin with the line of their name. */
static char *load(const char *name, char **ret_path, gpointer data, GError **error)
{
  char **files = data;

  for (guint i = 1; files[0] != NULL && files[i] != NULL; i++) {
    const char *text = strchr(files[i], '\n');
    gsize length = text != NULL ? (gsize)(text - files[i]) : strlen(files[i]);
    if (strlen(name) != length || strncmp(files[i], name, length) != 0)
      continue;
    *ret_path = g_strconcat("inc/", name, NULL);
    return g_strdup(text != NULL ? text + 1 : "");
  }
  retune_set_error(error, RETUNE_ERROR_INVALID_VALUE, "profile '%.64s' not found", name);
  return NULL;
}

static void check_text(const char *text)
{
  FUZZ_CHECK(text != NULL && g_utf8_validate(text, -1, NULL), "not UTF-8: %s", text);
}

/* As retune_wish() does with it. */
static void check_spec(const RetuneSpec *spec, const char *rest, const RetuneCpuset *existing)
{
  g_autoptr(GError) error = NULL;
  const RetuneOption *culprit = NULL;

  check_text(spec->name);
  check_text(spec->where);
  for (guint i = 0; i < spec->options->len; i++) {
    const RetuneOption *option = spec->options->pdata[i];
    check_text(option->name);
    check_text(option->value);
    check_text(option->where);
  }
  g_autoptr(RetuneInstance) instance =
      retune_instance_new(spec->name, spec->claim != NULL ? spec->claim : rest, &error);
  fuzz_check_error(instance != NULL, error);
  if (instance == NULL)
    return;
  check_text(instance->claim);
  gboolean done =
      retune_instance_apply(instance, retune_knobs_table(), spec->options, &culprit, &error);
  fuzz_check_error(done, error);
  if (!done) {
    FUZZ_CHECK(culprit != NULL && culprit->where != NULL, "nobody is at fault, but: %s",
               error->message);
    g_prefix_error(&error, "%s: section [%s]: ", culprit->where, spec->name);
    fuzz_check_error(done, error);
    return;
  }
  fuzz_check_instance(instance, retune_knobs_table());
  g_autoptr(RetuneCpuset) devices =
      retune_devices_parse(instance->claim, existing, RETUNE_DEVICES_STRICT, &error);
  fuzz_check_error(devices != NULL, error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  g_autofree char *text = fuzz_text(data, size);
  g_auto(GStrv) files = g_strsplit(text, SEPARATOR, MAX_FILES);
  const char *top = files[0] != NULL ? files[0] : "";
  g_autoptr(GError) error = NULL;
  g_autoptr(RetuneProfile) profile =
      retune_profile_parse(top, "p", retune_knobs_table(), load, files, &error);

  fuzz_check_error(profile != NULL, error);
  if (profile == NULL) {
    FUZZ_CHECK(g_str_has_prefix(error->message, "p:") || g_str_has_prefix(error->message, "inc/"),
               "without the file: %s", error->message);
    return 0;
  }
  g_autoptr(RetuneCpuset) existing = retune_cpuset_parse("0-31", NULL);
  g_autofree char *rest = retune_specs_unclaimed(profile->specs, existing);
  g_autoptr(RetuneCpuset) unclaimed = retune_cpuset_parse(rest, NULL);
  FUZZ_CHECK(unclaimed != NULL, "'%s' is no list", rest);
  FUZZ_CHECK(profile->specs->len > 0, "no instance, and no error");
  for (guint i = 0; i < profile->specs->len; i++)
    check_spec(profile->specs->pdata[i], rest, existing);
  for (guint i = 0; i < profile->ignored->len; i++)
    check_text(profile->ignored->pdata[i]);
  return 0;
}
