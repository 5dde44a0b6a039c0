// SPDX-License-Identifier: GPL-2.0-or-later
/* Instances and the reading of their options. */
#include "instance.h"

#include "error.h"
#include "names.h"

RetuneInstance *retune_instance_new(const char *name, const char *claim, GError **error)
{
  if (!retune_names_check_instance(name, error))
    return NULL;
  RetuneInstance *instance = g_new0(RetuneInstance, 1);
  g_atomic_ref_count_init(&instance->refs);
  instance->name = g_strdup(name);
  instance->claim = g_strdup(claim);
  instance->devices = retune_cpuset_new();
  instance->settings = g_ptr_array_new_with_free_func((GDestroyNotify)retune_setting_free);
  return instance;
}

static gpointer copy_setting(gconstpointer source, gpointer unused)
{
  (void)unused;
  return retune_setting_copy(source);
}

RetuneInstance *retune_instance_copy(const RetuneInstance *instance)
{
  RetuneInstance *copy = g_new0(RetuneInstance, 1);
  *copy = *instance;
  g_atomic_ref_count_init(&copy->refs);
  copy->name = g_strdup(instance->name);
  copy->claim = g_strdup(instance->claim);
  copy->owner = g_strdup(instance->owner);
  copy->origin = g_strdup(instance->origin);
  copy->devices = retune_cpuset_copy(instance->devices);
  copy->settings = g_ptr_array_copy(instance->settings, copy_setting, NULL);
  return copy;
}

RetuneInstance *retune_instance_ref(RetuneInstance *instance)
{
  g_atomic_ref_count_inc(&instance->refs);
  return instance;
}

void retune_instance_unref(RetuneInstance *instance)
{
  if (instance == NULL || !g_atomic_ref_count_dec(&instance->refs))
    return;
  g_free(instance->name);
  g_free(instance->claim);
  g_free(instance->owner);
  g_free(instance->origin);
  retune_cpuset_free(instance->devices);
  g_ptr_array_unref(instance->settings);
  g_free(instance);
}

/* --- attributes: what is said of the instance itself --- */

static gboolean read_priority(RetuneInstance *instance, const char *value, GError **error)
{
  gint64 number = 0;

  if (*value != '\0' &&
      !g_ascii_string_to_signed(value, 10, G_MININT16, G_MAXINT16, &number, NULL)) {
    retune_set_error(error, RETUNE_ERROR_INVALID_VALUE,
                     "priority '%.64s': expected a whole number from %d to %d; smaller is stronger",
                     value, G_MININT16, G_MAXINT16);
    return FALSE;
  }
  instance->priority = (gint)number;
  return TRUE;
}

static gboolean read_flag(const char *name, const char *value, gboolean *flag, GError **error)
{
  gboolean yes = FALSE;

  if (*value != '\0' && !retune_names_parse_boolean(value, &yes)) {
    retune_set_error(error, RETUNE_ERROR_INVALID_VALUE, "%s '%.64s': expected true or false", name,
                     value);
    return FALSE;
  }
  *flag = yes;
  return TRUE;
}

static gboolean read_best_effort(RetuneInstance *instance, const char *value, GError **error)
{
  return read_flag("best_effort", value, &instance->best_effort, error);
}

static gboolean read_exclusive(RetuneInstance *instance, const char *value, GError **error)
{
  return read_flag("exclusive", value, &instance->exclusive, error);
}

const char *retune_lifetime_name(RetuneLifetime lifetime)
{
  static const char *const names[RETUNE_N_LIFETIMES] = {"runtime", "persistent", "bound"};
  return names[lifetime];
}

static gboolean read_lifetime(RetuneInstance *instance, const char *value, GError **error)
{
  for (guint i = 0; i < RETUNE_N_LIFETIMES; i++) {
    if (g_str_equal(value, retune_lifetime_name((RetuneLifetime)i)) || *value == '\0') {
      instance->lifetime = (RetuneLifetime)i; /* unset: the first */
      return TRUE;
    }
  }
  retune_set_error(error, RETUNE_ERROR_INVALID_VALUE,
                   "lifetime '%.64s': expected runtime (until destroyed, or the next boot), "
                   "persistent (also after it) or bound (while its creator is connected)",
                   value);
  return FALSE;
}

const char *retune_drift_name(RetuneDrift drift)
{
  static const char *const names[RETUNE_N_DRIFTS] = {"report", "reassert", "yield"};
  return names[drift];
}

static gboolean read_on_drift(RetuneInstance *instance, const char *value, GError **error)
{
  for (guint i = 0; i < RETUNE_N_DRIFTS; i++) {
    if (g_str_equal(value, retune_drift_name((RetuneDrift)i)) || *value == '\0') {
      instance->on_drift = (RetuneDrift)i; /* unset: the first */
      return TRUE;
    }
  }
  retune_set_error(
      error, RETUNE_ERROR_INVALID_VALUE,
      "on_drift '%.64s': expected report (say when somebody else has written a value), "
      "reassert (and write it again) or yield (and leave it)",
      value);
  return FALSE;
}

static const struct {
  const char *name;
  gboolean (*read)(RetuneInstance *instance, const char *value, GError **error);
} attributes[] = {
    {"priority", read_priority}, {"best_effort", read_best_effort}, {"exclusive", read_exclusive},
    {"lifetime", read_lifetime}, {"on_drift", read_on_drift},
};

static gint attribute_index(const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS(attributes); i++)
    if (g_str_equal(attributes[i].name, name))
      return (gint)i;
  return -1;
}

gboolean retune_instance_has_attribute(const char *name)
{
  return attribute_index(name) >= 0;
}

/* --- options --- */

static void remove_setting(RetuneInstance *instance, const RetuneKnob *knob)
{
  for (guint i = 0; i < instance->settings->len; i++) {
    const RetuneSetting *setting = instance->settings->pdata[i];
    if (setting->knob == knob) {
      g_ptr_array_remove_index(instance->settings, i);
      return;
    }
  }
}

static void insert_setting(RetuneInstance *instance, RetuneSetting *setting)
{
  guint i = 0;

  remove_setting(instance, setting->knob);
  while (i < instance->settings->len &&
         ((RetuneSetting *)instance->settings->pdata[i])->knob < setting->knob)
    i++;
  g_ptr_array_insert(instance->settings, (gint)i, setting);
}

static void unknown_option(const RetuneKnobTable *table, const char *name, GError **error)
{
  const char *others[G_N_ELEMENTS(attributes) + 1] = {NULL};

  for (guint i = 0; i < G_N_ELEMENTS(attributes); i++)
    others[i] = attributes[i].name;
  retune_knob_unknown(table, name, others, error);
}

static gboolean apply_option(RetuneInstance *instance, const RetuneKnobTable *table,
                             const RetuneOption *option, GError **error)
{
  g_autofree char *value = g_strstrip(g_strdup(option->value));
  gint attribute = attribute_index(option->name);

  if (attribute >= 0)
    return attributes[attribute].read(instance, value, error);
  const RetuneKnob *knob = retune_knob_find(table, option->name);
  if (knob == NULL) {
    unknown_option(table, option->name, error);
    return FALSE;
  }
  if (*value == '\0') {
    remove_setting(instance, knob);
    return TRUE;
  }
  RetuneSetting *setting = retune_setting_new(knob, value, error);
  if (setting == NULL)
    return FALSE;
  insert_setting(instance, setting);
  return TRUE;
}

/* The one of @options that is @a or @b, or NULL. */
static const RetuneOption *find_either(const GPtrArray *options, const RetuneKnob *a,
                                       const RetuneKnob *b)
{
  const RetuneOption *found = NULL;

  for (guint k = 0; k < options->len; k++) {
    const RetuneOption *option = options->pdata[k];
    if (g_str_equal(option->name, a->name) || g_str_equal(option->name, b->name))
      found = option;
  }
  return found;
}

/* Has @instance @knob as well, and may it not? Two options that write the same
 * files, or two that say the opposite of each other in the same words. */
static gboolean clash(const RetuneInstance *instance, const RetuneSetting *setting, GError **error)
{
  const RetuneKnob *rival = setting->knob->rival, *opposite = setting->knob->opposite;
  const RetuneSetting *other =
      opposite != NULL ? retune_instance_setting(instance, opposite) : NULL;
  gboolean a = FALSE, b = FALSE;

  if (rival != NULL && retune_instance_setting(instance, rival) != NULL) {
    retune_set_error(error, RETUNE_ERROR_INVALID_VALUE,
                     "%s and %s both decide the same files; give one of them", rival->name,
                     setting->knob->name);
    return TRUE;
  }
  if (other == NULL || !retune_names_parse_boolean(setting->text, &a) ||
      !retune_names_parse_boolean(other->text, &b) || a != b)
    return FALSE;
  retune_set_error(error, RETUNE_ERROR_INVALID_VALUE, "%s=%s contradicts %s=%s",
                   setting->knob->name, setting->text, opposite->name, other->text);
  return TRUE;
}

/* The culprit is the one of @options that is in the way. */
static gboolean check_rivals(const RetuneInstance *instance, const GPtrArray *options,
                             const RetuneOption **ret_culprit, GError **error)
{
  for (guint i = 0; i < instance->settings->len; i++) {
    const RetuneSetting *setting = instance->settings->pdata[i];
    if (!clash(instance, setting, error))
      continue;
    const RetuneKnob *other =
        setting->knob->rival != NULL ? setting->knob->rival : setting->knob->opposite;
    if (ret_culprit != NULL)
      *ret_culprit = find_either(options, setting->knob, other);
    return FALSE;
  }
  return TRUE;
}

gboolean retune_instance_apply(RetuneInstance *instance, const RetuneKnobTable *table,
                               const GPtrArray *options, const RetuneOption **ret_culprit,
                               GError **error)
{
  g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);

  for (guint i = 0; i < options->len; i++) {
    const RetuneOption *option = options->pdata[i];
    if (ret_culprit != NULL)
      *ret_culprit = option;
    if (!g_hash_table_add(seen, option->name)) {
      retune_set_error(error, RETUNE_ERROR_INVALID_VALUE, "option '%s' is given twice",
                       option->name);
      return FALSE;
    }
    if (!apply_option(instance, table, option, error))
      return FALSE;
  }
  return check_rivals(instance, options, ret_culprit, error);
}

const RetuneSetting *retune_instance_setting(const RetuneInstance *instance, const RetuneKnob *knob)
{
  for (guint i = 0; i < instance->settings->len; i++) {
    const RetuneSetting *setting = instance->settings->pdata[i];
    if (setting->knob == knob)
      return setting;
  }
  return NULL;
}

gint retune_instance_compare(const RetuneInstance *a, const RetuneInstance *b)
{
  if (a->priority != b->priority)
    return a->priority < b->priority ? -1 : 1;
  if (a->age != b->age)
    return a->age < b->age ? -1 : 1;
  return 0;
}
