// SPDX-License-Identifier: GPL-2.0-or-later
/* The file of persistent instances: {"version": 1, "instances": [...]}. Baselines are
 * of one boot, and not in it. */
#include "persistent.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

#include "error.h"
#include "state-format.h"

#define FILE_NAME "instances.json"

struct _RetunePersistent {
  const RetuneKnobTable *table;
  char *directory;
  char *path;
  char *new_path; /* what is prepared */
  char *saved;    /* what the file has; NULL: not known */
  char *prepared; /* what the new one has; NULL: nothing is prepared */
};

RetunePersistent *retune_persistent_new(const char *directory, const RetuneKnobTable *table)
{
  RetunePersistent *persistent = g_new0(RetunePersistent, 1);

  persistent->table = table;
  persistent->directory = g_strdup(directory);
  persistent->path = g_build_filename(directory, FILE_NAME, NULL);
  persistent->new_path = g_strconcat(persistent->path, ".new", NULL);
  (void)g_unlink(persistent->new_path); /* of one that was killed */
  (void)g_file_get_contents(persistent->path, &persistent->saved, NULL, NULL);
  return persistent;
}

void retune_persistent_free(RetunePersistent *persistent)
{
  if (persistent == NULL)
    return;
  g_free(persistent->directory);
  g_free(persistent->path);
  g_free(persistent->new_path);
  g_free(persistent->saved);
  g_free(persistent->prepared);
  g_free(persistent);
}

/* --- reading --- */

/* An instance as the file has it, with what there is of its CPUs. */
static RetuneModel *add_instance(RetunePersistent *persistent, RetuneModel *model,
                                 json_object *object, const RetuneCpuset *present)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(RetuneInstance) instance =
      retune_state_read_instance(object, persistent->table, &error);
  RetuneModel *next = NULL;

  if (instance != NULL && retune_model_find(model, instance->name, NULL) != NULL)
    return retune_model_ref(model);
  if (instance != NULL) {
    g_autoptr(RetuneCpuset) unowned = retune_model_free_devices(model, present);
    retune_cpuset_intersect(instance->devices, unowned);
    next = retune_model_restore(model, instance, &error);
  }
  if (next != NULL)
    return next;
  g_warning("%s: an instance is left out: %s", persistent->path, error->message);
  return retune_model_ref(model);
}

static RetuneModel *add_instances(RetunePersistent *persistent, RetuneModel *model,
                                  json_object *root, const RetuneCpuset *present)
{
  json_object *version, *list;

  if (!json_object_is_type(root, json_type_object) ||
      !json_object_object_get_ex(root, "version", &version) ||
      !json_object_is_type(version, json_type_int) ||
      json_object_get_int(version) != RETUNE_STATE_VERSION ||
      !json_object_object_get_ex(root, "instances", &list) ||
      !json_object_is_type(list, json_type_array))
    return NULL;
  g_autoptr(RetuneModel) result = retune_model_ref(model);
  for (size_t i = 0; i < json_object_array_length(list); i++) {
    RetuneModel *next =
        add_instance(persistent, result, json_object_array_get_idx(list, i), present);
    retune_model_unref(result);
    result = next;
  }
  return g_steal_pointer(&result);
}

RetuneModel *retune_persistent_load(RetunePersistent *persistent, RetuneModel *model,
                                    const RetuneCpuset *present)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *text = NULL;
  gsize length;

  if (!g_file_get_contents(persistent->path, &text, &length, &error)) {
    if (!g_error_matches(error, G_FILE_ERROR, G_FILE_ERROR_NOENT))
      g_warning("persistent instances are not restored: %s", error->message);
    return retune_model_ref(model);
  }
  json_object *root = retune_state_parse(text, length, &error);
  RetuneModel *result = root != NULL ? add_instances(persistent, model, root, present) : NULL;
  g_clear_pointer(&root, json_object_put);
  if (result != NULL)
    return result;
  g_autofree char *aside = g_strconcat(persistent->path, ".bad", NULL);
  (void)g_rename(persistent->path, aside);
  g_warning("%s makes no sense (%s); it is now %s, and nothing of it is restored", persistent->path,
            error != NULL ? error->message : "version or instances are missing", aside);
  return retune_model_ref(model);
}

/* --- writing --- */

/* The text of the file, or NULL if @model has nothing to keep. */
static char *describe(const RetuneModel *model)
{
  const GPtrArray *instances = retune_model_instances(model);
  json_object *list = json_object_new_array();

  for (guint i = 0; i < instances->len; i++) {
    const RetuneInstance *instance = instances->pdata[i];
    if (instance->lifetime == RETUNE_LIFETIME_PERSISTENT && instance->origin == NULL)
      json_object_array_add(list, retune_state_describe_instance(instance));
  }
  if (json_object_array_length(list) == 0) {
    json_object_put(list);
    return NULL;
  }
  json_object *root = json_object_new_object();
  json_object_object_add(root, "version", json_object_new_int(RETUNE_STATE_VERSION));
  json_object_object_add(root, "instances", list);
  return retune_state_to_text(root);
}

gboolean retune_persistent_prepare(RetunePersistent *persistent, const RetuneModel *model,
                                   GError **error)
{
  g_autofree char *text = describe(model);
  g_autoptr(GError) failure = NULL;

  retune_persistent_abort(persistent);
  if (text == NULL)
    text = g_strdup("");
  if (g_strcmp0(text, persistent->saved != NULL ? persistent->saved : "") == 0)
    return TRUE;
  if (*text != '\0' &&
      (g_mkdir_with_parents(persistent->directory, 0755) != 0 ||
       !g_file_set_contents_full(persistent->new_path, text, -1,
                                 G_FILE_SET_CONTENTS_CONSISTENT | G_FILE_SET_CONTENTS_DURABLE, 0644,
                                 &failure))) {
    retune_set_error(error, RETUNE_ERROR_FAILED,
                     "what shall outlive the boot cannot be kept, so nothing is changed: %s",
                     failure != NULL ? failure->message : g_strerror(errno));
    return FALSE;
  }
  persistent->prepared = g_steal_pointer(&text);
  return TRUE;
}

void retune_persistent_commit(RetunePersistent *persistent)
{
  if (persistent->prepared == NULL)
    return;
  gboolean gone = *persistent->prepared == '\0';
  int result = gone ? g_unlink(persistent->path) : g_rename(persistent->new_path, persistent->path);
  if (result != 0 && !(gone && errno == ENOENT))
    g_warning("%s is not what it should be after the next boot: %s", persistent->path,
              g_strerror(errno));
  g_free(persistent->saved);
  persistent->saved = g_steal_pointer(&persistent->prepared);
}

void retune_persistent_abort(RetunePersistent *persistent)
{
  if (persistent->prepared == NULL)
    return;
  (void)g_unlink(persistent->new_path);
  g_clear_pointer(&persistent->prepared, g_free);
}
