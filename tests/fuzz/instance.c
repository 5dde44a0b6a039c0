// SPDX-License-Identifier: GPL-2.0-or-later
/* An instance: its name, then its options and attributes as NAME=VALUE; after an
 * empty line, those of a second call. */
#include <string.h>

#include "fuzz.h"
#include "table.h"

static void apply(RetuneInstance *instance, const char *text)
{
  g_autoptr(GPtrArray) options = fuzz_options(text);
  g_autoptr(RetuneInstance) changed = retune_instance_copy(instance);
  g_autoptr(RetuneInstance) quiet = retune_instance_copy(instance);
  g_autoptr(GError) error = NULL;
  const RetuneOption *culprit = NULL;
  gboolean done = retune_instance_apply(changed, retune_knobs_table(), options, &culprit, &error);

  fuzz_check_error(done, error);
  FUZZ_CHECK(done == retune_instance_apply(quiet, retune_knobs_table(), options, NULL, NULL),
             "it depends on who wants an error");
  FUZZ_CHECK(done || (culprit != NULL && g_ptr_array_find(options, culprit, NULL)),
             "nobody is at fault, but: %s", error->message);
  if (!done)
    return;
  fuzz_check_same_wishes(changed, quiet);
  fuzz_check_instance(changed, retune_knobs_table());
  if (retune_instance_apply(instance, retune_knobs_table(), options, NULL, NULL))
    fuzz_check_same_wishes(instance, changed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  g_autofree char *text = fuzz_text(data, size);
  char *first = fuzz_cut_line(text);
  char *second = strstr(first, "\n\n");
  g_autoptr(GError) error = NULL;
  g_autoptr(RetuneInstance) instance = retune_instance_new(text, "all", &error);

  fuzz_check_error(instance != NULL, error);
  if (instance == NULL)
    return 0;
  if (second != NULL)
    *second = '\0';
  apply(instance, first);
  if (second != NULL)
    apply(instance, second + 2);
  return 0;
}
