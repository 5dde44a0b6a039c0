// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads the state from JSON, with suspicion: all of it makes sense, or none of
 * it counts. */
#include <string.h>

#include "error.h"
#include "state-format.h"

/* The longest value of a kernel file that can be a baseline. */
#define MAX_BASELINE 255u

static gboolean fail(GError **error, const char *what)
{
  retune_set_error(error, RETUNE_ERROR_FAILED, "%s", what);
  return FALSE;
}

/* The member @key of @object, which must have the type @type. */
static json_object *member(json_object *object, const char *key, json_type type, GError **error)
{
  json_object *value;

  if (json_object_is_type(object, json_type_object) &&
      json_object_object_get_ex(object, key, &value) && json_object_is_type(value, type))
    return value;
  retune_set_error(error, RETUNE_ERROR_FAILED, "there is no '%s' of type %s", key,
                   json_type_to_name(type));
  return NULL;
}

/* A string without NULs in it, or NULL. */
static const char *text_of(json_object *value)
{
  if (!json_object_is_type(value, json_type_string))
    return NULL;
  const char *text = json_object_get_string(value);
  return strlen(text) == (gsize)json_object_get_string_len(value) ? text : NULL;
}

static const char *text_member(json_object *object, const char *key, GError **error)
{
  json_object *value = member(object, key, json_type_string, error);
  const char *text = value != NULL ? text_of(value) : NULL;

  if (value != NULL && text == NULL)
    fail(error, "a text has a NUL in it");
  return text;
}

/* A text that may be missing. FALSE: it is there, but no text. */
static gboolean optional_text(json_object *object, const char *key, char **ret_text, GError **error)
{
  json_object *value;

  if (!json_object_object_get_ex(object, key, &value))
    return TRUE;
  const char *text = text_of(value);
  if (text == NULL) {
    retune_set_error(error, RETUNE_ERROR_FAILED, "'%s' is no text", key);
    return FALSE;
  }
  g_free(*ret_text);
  *ret_text = g_strdup(text);
  return TRUE;
}

static GPtrArray *read_options(json_object *object, GError **error)
{
  g_autoptr(GPtrArray) options = retune_options_new();

  json_object_object_foreach(object, name, value)
  {
    const char *text = text_of(value);
    if (text == NULL) {
      fail(error, "the value of an option is no text");
      return NULL;
    }
    g_ptr_array_add(options, retune_option_new(name, text, NULL));
  }
  return g_steal_pointer(&options);
}

RetuneInstance *retune_state_read_instance(json_object *object, const RetuneKnobTable *table,
                                           GError **error)
{
  const char *name = text_member(object, "name", error);
  const char *claim = name != NULL ? text_member(object, "claim", error) : NULL;
  const char *devices = claim != NULL ? text_member(object, "devices", error) : NULL;
  json_object *list = devices != NULL ? member(object, "options", json_type_object, error) : NULL;
  if (list == NULL)
    return NULL;
  g_autoptr(GPtrArray) options = read_options(list, error);
  g_autoptr(RetuneCpuset) cpus = options != NULL ? retune_cpuset_parse(devices, error) : NULL;
  g_autoptr(RetuneInstance) instance =
      cpus != NULL ? retune_instance_new(name, claim, error) : NULL;
  if (instance == NULL || !retune_instance_apply(instance, table, options, NULL, error) ||
      !optional_text(object, "owner", &instance->owner, error) ||
      !optional_text(object, "origin", &instance->origin, error))
    return NULL;
  retune_cpuset_free(instance->devices);
  instance->devices = g_steal_pointer(&cpus);
  return g_steal_pointer(&instance);
}

static RetuneModel *read_instances(json_object *list, const RetuneKnobTable *table, GError **error)
{
  g_autoptr(RetuneModel) model = retune_model_new();

  for (size_t i = 0; i < json_object_array_length(list); i++) {
    g_autoptr(RetuneInstance) instance =
        retune_state_read_instance(json_object_array_get_idx(list, i), table, error);
    RetuneModel *next = instance != NULL ? retune_model_restore(model, instance, error) : NULL;
    if (next == NULL)
      return NULL;
    retune_model_unref(model);
    model = next;
  }
  return g_steal_pointer(&model);
}

/* The place that is called @file. */
static const RetuneKnob *find_place(const RetuneKnobTable *table, const char *file,
                                    guint *ret_index)
{
  for (guint row = 0; row < table->n_rows; row++) {
    const RetuneKnob *place = &table->rows[row];
    for (guint i = 0; place->place == NULL && i < retune_knob_stride(place); i++) {
      g_autofree char *name = retune_state_file_name(place, i);
      *ret_index = i;
      if (g_str_equal(name, file))
        return place;
    }
  }
  return NULL;
}

/* The baselines of one file: {"powersave": "0-31"}. */
static gboolean read_values(json_object *values, const RetuneKnob *place, guint index,
                            RetuneLedger *ledger, GError **error)
{
  guint stride = retune_knob_stride(place);

  if (!json_object_is_type(values, json_type_object))
    return fail(error, "the baselines of a file are no object");
  json_object_object_foreach(values, text, list)
  {
    const char *ids = text_of(list);
    if (ids == NULL || strlen(text) > MAX_BASELINE || strpbrk(text, "\n") != NULL)
      return fail(error, "a baseline is no value of a kernel file");
    g_autoptr(RetuneCpuset) set = retune_cpuset_parse(ids, error);
    if (set == NULL)
      return FALSE;
    RETUNE_CPUSET_FOREACH (id, set) {
      if (place->scope == RETUNE_SCOPE_SYSTEM && id > 0)
        return fail(error, "a file of the system has a number");
      if (retune_ledger_get(ledger, place, (guint)id * stride + index) != NULL)
        return fail(error, "a file has two baselines");
      retune_ledger_set(ledger, place, (guint)id * stride + index,
                        retune_entry_new(text, NULL, NULL));
    }
  }
  return TRUE;
}

static gboolean read_baselines(json_object *files, const RetuneKnobTable *table,
                               RetuneLedger *ledger, GError **error)
{
  json_object_object_foreach(files, file, values)
  {
    guint index;
    const RetuneKnob *place = find_place(table, file, &index);
    if (place == NULL) {
      retune_set_error(error, RETUNE_ERROR_FAILED, "'%.64s' is no file of an option", file);
      return FALSE;
    }
    if (!read_values(values, place, index, ledger, error))
      return FALSE;
  }
  return TRUE;
}

const char *retune_state_boot(json_object *root, GError **error)
{
  json_object *version = member(root, "version", json_type_int, error);

  if (version == NULL)
    return NULL;
  if (json_object_get_int(version) != RETUNE_STATE_VERSION) {
    retune_set_error(error, RETUNE_ERROR_FAILED, "its version is %d, and this retuned knows %d",
                     json_object_get_int(version), RETUNE_STATE_VERSION);
    return NULL;
  }
  return text_member(root, "boot_id", error);
}

RetuneModel *retune_state_read(json_object *root, const RetuneKnobTable *table,
                               RetuneLedger *ledger, RetuneCpuset **ret_present,
                               guint64 *ret_driver, GError **error)
{
  const char *list = text_member(root, "present", error);
  g_autoptr(RetuneCpuset) present = list != NULL ? retune_cpuset_parse(list, error) : NULL;
  json_object *driver = present != NULL ? member(root, "driver", json_type_int, error) : NULL;
  json_object *instances =
      driver != NULL ? member(root, "instances", json_type_array, error) : NULL;
  json_object *baselines =
      instances != NULL ? member(root, "baselines", json_type_object, error) : NULL;

  if (baselines == NULL || !read_baselines(baselines, table, ledger, error))
    return NULL;
  RetuneModel *model = read_instances(instances, table, error);
  if (model == NULL)
    return NULL;
  *ret_driver = json_object_get_uint64(driver);
  *ret_present = g_steal_pointer(&present);
  return model;
}
