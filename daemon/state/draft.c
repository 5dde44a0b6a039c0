// SPDX-License-Identifier: GPL-2.0-or-later
/* The state as JSON. Baselines are grouped, since a machine has many places but
 * few values: {"cpufreq/policy%u/scaling_governor": {"powersave": "0-31"}}. */
#include <string.h>

#include "state-format.h"

struct _RetuneDraft {
  guint64 driver;
  char *present;
  json_object *instances;
  GHashTable *files; /* file of a place -> GHashTable: value -> RetuneCpuset */
};

/* Places are grouped by idle state or governor, so that numbers are CPUs or
 * policies. */
char *retune_state_file_name(const RetuneKnob *place, guint index)
{
  gboolean by_governor = strstr(place->file, "%s") != NULL;

  if (!by_governor && retune_knob_stride(place) == 1)
    return g_strdup(place->file);
  g_auto(GStrv) parts = g_strsplit(place->file, by_governor ? "%s" : "state%u", 2);
  g_autofree char *word =
      by_governor ? g_strdup(place->governors[index]) : g_strdup_printf("state%u", index);
  return g_strjoinv(word, parts);
}

static void add_string(json_object *object, const char *key, const char *value)
{
  json_object_object_add(object, key, json_object_new_string(value));
}

static json_object *describe_options(const RetuneInstance *instance)
{
  json_object *options = json_object_new_object();
  g_autofree char *priority = g_strdup_printf("%d", instance->priority);

  add_string(options, "priority", priority);
  if (instance->best_effort)
    add_string(options, "best_effort", "true");
  if (instance->exclusive)
    add_string(options, "exclusive", "true");
  if (instance->lifetime != RETUNE_LIFETIME_RUNTIME)
    add_string(options, "lifetime", retune_lifetime_name(instance->lifetime));
  if (instance->on_drift != RETUNE_DRIFT_REPORT)
    add_string(options, "on_drift", retune_drift_name(instance->on_drift));
  for (guint i = 0; i < instance->settings->len; i++) {
    const RetuneSetting *setting = instance->settings->pdata[i];
    add_string(options, setting->knob->name, setting->text);
  }
  return options;
}

json_object *retune_state_describe_instance(const RetuneInstance *instance)
{
  json_object *object = json_object_new_object();
  g_autofree char *devices = retune_cpuset_to_string(instance->devices);

  add_string(object, "name", instance->name);
  add_string(object, "claim", instance->claim);
  add_string(object, "devices", devices);
  if (instance->owner != NULL)
    add_string(object, "owner", instance->owner);
  if (instance->origin != NULL)
    add_string(object, "origin", instance->origin);
  json_object_object_add(object, "options", describe_options(instance));
  return object;
}

static void visit_entry(const RetuneKnob *place, guint id, const RetuneEntry *entry, gpointer data)
{
  if (entry->baseline != NULL)
    retune_draft_add_baseline(data, place, id, entry->baseline);
}

RetuneDraft *retune_draft_new(const RetuneModel *model, const RetuneLedger *ledger,
                              const RetuneCpuset *present, guint64 driver)
{
  RetuneDraft *draft = g_new0(RetuneDraft, 1);
  const GPtrArray *instances = retune_model_instances(model);

  draft->driver = driver;
  draft->present = retune_cpuset_to_string(present);
  draft->instances = json_object_new_array();
  draft->files =
      g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_hash_table_unref);
  for (guint i = 0; i < instances->len; i++)
    json_object_array_add(draft->instances, retune_state_describe_instance(instances->pdata[i]));
  retune_ledger_foreach(ledger, visit_entry, draft);
  return draft;
}

void retune_draft_free(RetuneDraft *draft)
{
  if (draft == NULL)
    return;
  g_free(draft->present);
  json_object_put(draft->instances);
  g_hash_table_unref(draft->files);
  g_free(draft);
}

void retune_draft_add_baseline(RetuneDraft *draft, const RetuneKnob *place, guint id,
                               const char *text)
{
  guint stride = retune_knob_stride(place);
  g_autofree char *file = retune_state_file_name(place, id % stride);
  GHashTable *values = g_hash_table_lookup(draft->files, file);

  if (values == NULL) {
    values =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)retune_cpuset_free);
    g_hash_table_insert(draft->files, g_steal_pointer(&file), values);
  }
  RetuneCpuset *ids = g_hash_table_lookup(values, text);
  if (ids == NULL) {
    ids = retune_cpuset_new();
    g_hash_table_insert(values, g_strdup(text), ids);
  }
  retune_cpuset_add(ids, id / stride);
}

static json_object *describe_values(GHashTable *values)
{
  json_object *object = json_object_new_object();
  GHashTableIter iter;
  gpointer value, ids;

  g_hash_table_iter_init(&iter, values);
  while (g_hash_table_iter_next(&iter, &value, &ids)) {
    g_autofree char *list = retune_cpuset_to_string(ids);
    add_string(object, value, list);
  }
  return object;
}

gboolean retune_draft_is_empty(const RetuneDraft *draft)
{
  return json_object_array_length(draft->instances) == 0 && g_hash_table_size(draft->files) == 0;
}

char *retune_state_to_text(json_object *root)
{
  char *text = g_strdup(json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY |
                                                                 JSON_C_TO_STRING_NOSLASHESCAPE));
  json_object_put(root);
  return text;
}

char *retune_draft_to_text(const RetuneDraft *draft, const char *boot_id)
{
  json_object *root = json_object_new_object();
  json_object *baselines = json_object_new_object();
  GHashTableIter iter;
  gpointer file, values;

  json_object_object_add(root, "version", json_object_new_int(RETUNE_STATE_VERSION));
  add_string(root, "boot_id", boot_id);
  json_object_object_add(root, "driver", json_object_new_uint64(draft->driver));
  add_string(root, "present", draft->present);
  json_object_object_add(root, "instances", json_object_get(draft->instances));
  g_hash_table_iter_init(&iter, draft->files);
  while (g_hash_table_iter_next(&iter, &file, &values))
    json_object_object_add(baselines, file, describe_values(values));
  json_object_object_add(root, "baselines", baselines);
  return retune_state_to_text(root);
}
