// SPDX-License-Identifier: GPL-2.0-or-later
/* Device expressions: a line with the CPUs that exist, then the expression. */
#include "devices.h"

#include "fuzz.h"

static void check_set(const RetuneCpuset *set)
{
  g_autofree char *text = retune_cpuset_to_string(set);
  g_autoptr(RetuneCpuset) again = retune_cpuset_parse(text, NULL);
  guint count = 0;

  FUZZ_CHECK(again != NULL && retune_cpuset_equal(again, set), "'%s' is read as another set", text);
  RETUNE_CPUSET_FOREACH (cpu, set) {
    FUZZ_CHECK((guint)cpu < RETUNE_CPU_LIMIT, "cpu%d", cpu);
    count++;
  }
  FUZZ_CHECK(count == retune_cpuset_count(set), "'%s': %u CPUs and not %u", text, count,
             retune_cpuset_count(set));
}

static RetuneCpuset *read_cpulist(const char *text)
{
  g_autoptr(GError) error = NULL;
  RetuneCpuset *set = retune_cpuset_parse(text, &error);

  fuzz_check_error(set != NULL, error);
  if (set != NULL)
    check_set(set);
  return set;
}

static RetuneCpuset *read_expression(const char *text, const RetuneCpuset *existing,
                                     RetuneDevicesMode mode)
{
  g_autoptr(GError) error = NULL;
  RetuneCpuset *set = retune_devices_parse(text, existing, mode, &error);

  fuzz_check_error(set != NULL, error);
  if (set == NULL)
    return NULL;
  g_autoptr(RetuneCpuset) absent = retune_cpuset_copy(set);
  retune_cpuset_subtract(absent, existing);
  FUZZ_CHECK(retune_cpuset_is_empty(absent), "'%s' gives CPUs that do not exist", text);
  check_set(set);
  return set;
}

static void check_expression(const char *text, const RetuneCpuset *existing)
{
  g_autoptr(RetuneCpuset) strict = read_expression(text, existing, RETUNE_DEVICES_STRICT);
  g_autoptr(RetuneCpuset) claim = read_expression(text, existing, RETUNE_DEVICES_CLAIM);
  g_autoptr(RetuneCpuset) quiet = retune_devices_parse(text, existing, RETUNE_DEVICES_CLAIM, NULL);

  FUZZ_CHECK((claim == NULL) == (quiet == NULL), "'%s': it depends on who wants an error", text);
  if (strict == NULL)
    return;
  FUZZ_CHECK(!retune_cpuset_is_empty(strict), "'%s' names no CPU", text);
  FUZZ_CHECK(claim != NULL && retune_cpuset_equal(strict, claim), "'%s': another set as a claim",
             text);
  g_autofree char *list = retune_cpuset_to_string(strict);
  g_autoptr(RetuneCpuset) again = read_expression(list, existing, RETUNE_DEVICES_STRICT);
  FUZZ_CHECK(again != NULL && retune_cpuset_equal(again, strict), "'%s' is '%s', which is not",
             text, list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  g_autofree char *text = fuzz_text(data, size);
  const char *expression = fuzz_cut_line(text);
  g_autoptr(RetuneCpuset) existing = read_cpulist(text);
  g_autoptr(RetuneCpuset) list = read_cpulist(expression);

  if (existing == NULL)
    return -1; /* not worth keeping */
  check_expression(expression, existing);
  if (list != NULL)
    check_expression(expression, list);
  return 0;
}
