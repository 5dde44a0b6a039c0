// SPDX-License-Identifier: GPL-2.0-or-later
/* Selectors on a machine of which the input tells: a line with the expression, then
 * the kernel's files as PATH=TEXT; the CPUs that exist are in "present", those that no
 * instance owns in "free". */
#include "selectors.h"

#include <errno.h>
#include <string.h>

#include "devices.h"
#include "fuzz.h"

/* In the place of those in machine.c and sysfs.c, which are not linked then: a machine
 * is a list of RetuneOption. */
RetuneSysfs *retune_machine_sysfs(RetuneMachine *machine)
{
  return (RetuneSysfs *)machine;
}

int retune_sysfs_read(RetuneSysfs *sysfs, const char *path, char *text, gsize size)
{
  const GPtrArray *files = (const GPtrArray *)sysfs;

  for (guint i = 0; i < files->len; i++) {
    const RetuneOption *file = files->pdata[i];
    if (g_str_equal(file->name, path)) {
      g_strlcpy(text, file->value, size);
      return 0;
    }
  }
  return ENOENT;
}

static RetuneCpuset *read_set(GPtrArray *files, const char *name)
{
  char text[1024];
  RetuneCpuset *set = NULL;

  if (retune_sysfs_read((RetuneSysfs *)files, name, text, sizeof text) == 0)
    set = retune_cpuset_parse(text, NULL);
  return set != NULL ? set : retune_cpuset_parse("0-7", NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  g_autofree char *text = fuzz_text(data, size);
  g_autoptr(GPtrArray) files = fuzz_options(fuzz_cut_line(text));
  g_autoptr(RetuneCpuset) present = read_set(files, "present");
  g_autoptr(RetuneCpuset) unowned = read_set(files, "free");
  RetuneSelectorSets sets = {present, unowned};
  g_autoptr(GError) error = NULL;
  g_autofree char *claim = retune_selectors_expand((RetuneMachine *)files, &sets, text, &error);

  fuzz_check_error(claim != NULL, error);
  if (claim == NULL)
    return 0;
  g_autofree char *again = retune_selectors_expand((RetuneMachine *)files, &sets, claim, &error);
  FUZZ_CHECK(g_strcmp0(claim, again) == 0, "'%s' becomes '%s', then '%s'", text, claim, again);
  g_autoptr(RetuneCpuset) devices =
      retune_devices_parse(claim, present, RETUNE_DEVICES_STRICT, &error);
  fuzz_check_error(devices != NULL, error);
  return 0;
}
