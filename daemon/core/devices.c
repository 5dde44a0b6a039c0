// SPDX-License-Identifier: GPL-2.0-or-later
/* Evaluation of device expressions. */
#include "devices.h"

#include <fnmatch.h>
#include <string.h>

#include "error.h"

#define CPULIST_PREFIX "cpulist:"

static gboolean is_glob(const char *item)
{
  return strpbrk(item, "*?[") != NULL;
}

static void add_matching(RetuneCpuset *set, const char *glob, const RetuneCpuset *existing)
{
  RETUNE_CPUSET_FOREACH (cpu, existing) {
    char name[16];
    g_snprintf(name, sizeof name, "cpu%d", cpu);
    if (fnmatch(glob, name, 0) == 0)
      retune_cpuset_add(set, (guint)cpu);
  }
}

/* "cpu3" -> "3", "cpu0-cpu3" -> "0-3"; anything else as it is. */
static char *without_names(const char *item)
{
  GString *out = g_string_new(NULL);

  for (const char *p = item; *p != '\0'; p++) {
    gboolean starts = p == item || p[-1] == '-';
    if (starts && g_str_has_prefix(p, "cpu") && g_ascii_isdigit(p[3]))
      p += 2;
    else
      g_string_append_c(out, *p);
  }
  return g_string_free(out, FALSE);
}

/* The set one item names, existing or not. */
static RetuneCpuset *evaluate_item(const char *item, const RetuneCpuset *existing, GError **error)
{
  g_autoptr(RetuneCpuset) set = retune_cpuset_new();

  if (g_str_equal(item, "all"))
    return retune_cpuset_copy(existing);
  if (is_glob(item)) {
    add_matching(set, item, existing);
    if (retune_cpuset_is_empty(set)) {
      retune_set_error(error, RETUNE_ERROR_UNKNOWN_DEVICE,
                       "no existing CPU has a name like '%.64s'", item);
      return NULL;
    }
    return g_steal_pointer(&set);
  }
  g_autofree char *range = without_names(item);
  return retune_cpuset_add_range(set, range, error) ? g_steal_pointer(&set) : NULL;
}

static gboolean all_exist(const RetuneCpuset *set, const RetuneCpuset *existing, GError **error)
{
  g_autoptr(RetuneCpuset) absent = retune_cpuset_copy(set);

  retune_cpuset_subtract(absent, existing);
  if (retune_cpuset_is_empty(absent))
    return TRUE;
  g_autofree char *absent_list = retune_cpuset_to_string(absent);
  g_autofree char *existing_list = retune_cpuset_to_string(existing);
  retune_set_error(error, RETUNE_ERROR_UNKNOWN_DEVICE, "CPU %s does not exist; this machine has %s",
                   absent_list, existing_list);
  return FALSE;
}

typedef struct {
  RetuneCpuset *included;
  RetuneCpuset *excluded;
  gboolean any_included; /* an item without '!' was seen */
  gboolean any_excluded;
  guint n_globs;
} Parts;

static gboolean add_item(Parts *parts, const char *item, const RetuneCpuset *existing,
                         RetuneDevicesMode mode, GError **error)
{
  gboolean exclude = *item == '!' || *item == '^';

  if (exclude)
    item++;
  if (g_str_has_prefix(item, CPULIST_PREFIX))
    item += strlen(CPULIST_PREFIX);
  if (is_glob(item) && ++parts->n_globs > RETUNE_DEVICES_MAX_GLOBS) {
    retune_set_error(error, RETUNE_ERROR_LIMITS_EXCEEDED,
                     "a device expression has at most %u globs", RETUNE_DEVICES_MAX_GLOBS);
    return FALSE;
  }
  g_autoptr(GError) local = NULL;
  g_autoptr(RetuneCpuset) set = evaluate_item(item, existing, &local);
  parts->any_included |= !exclude;
  parts->any_excluded |= exclude;
  if (set == NULL) {
    if (mode == RETUNE_DEVICES_CLAIM &&
        g_error_matches(local, RETUNE_ERROR, RETUNE_ERROR_UNKNOWN_DEVICE))
      return TRUE;
    g_propagate_error(error, g_steal_pointer(&local));
    return FALSE;
  }
  if (mode == RETUNE_DEVICES_STRICT && !all_exist(set, existing, error))
    return FALSE;
  retune_cpuset_union(exclude ? parts->excluded : parts->included, set);
  return TRUE;
}

RetuneCpuset *retune_devices_parse(const char *expression, const RetuneCpuset *existing,
                                   RetuneDevicesMode mode, GError **error)
{
  g_autoptr(RetuneCpuset) included = retune_cpuset_new();
  g_autoptr(RetuneCpuset) excluded = retune_cpuset_new();
  Parts parts = {.included = included, .excluded = excluded};

  if (strlen(expression) > RETUNE_DEVICES_MAX_LENGTH) {
    retune_set_error(error, RETUNE_ERROR_LIMITS_EXCEEDED,
                     "the device expression is longer than %u bytes", RETUNE_DEVICES_MAX_LENGTH);
    return NULL;
  }
  g_auto(GStrv) items = g_strsplit_set(expression, ", \t\n", -1);
  for (guint i = 0; items[i] != NULL; i++)
    if (*items[i] != '\0' && !add_item(&parts, items[i], existing, mode, error))
      return NULL;
  if (!parts.any_included && parts.any_excluded)
    retune_cpuset_union(included, existing);
  retune_cpuset_subtract(included, excluded);
  retune_cpuset_intersect(included, existing);
  if (retune_cpuset_is_empty(included) && mode == RETUNE_DEVICES_STRICT) {
    retune_set_error(
        error, RETUNE_ERROR_UNKNOWN_DEVICE,
        "the device expression '%.64s' names no CPU; expected for instance 0-3,8 or all",
        expression);
    return NULL;
  }
  return g_steal_pointer(&included);
}
