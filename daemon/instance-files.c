// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading the directory, and comparing what it wants with what there is. */
#include "instance-files.h"

#include <string.h>

#include "error.h"
#include "manager.h"
#include "profile-files.h"
#include "profile.h"

#define SUFFIX ".conf"

typedef struct {
  const RetuneInstanceFiles *files;
  const RetuneKnobTable *table;
  RetuneMachine *machine;
  const RetuneCpuset *present;
} Merge;

/* --- one instance --- */

static gboolean has_same_settings(const RetuneInstance *a, const RetuneInstance *b)
{
  if (a->settings->len != b->settings->len)
    return FALSE;
  for (guint i = 0; i < a->settings->len; i++) {
    const RetuneSetting *left = a->settings->pdata[i], *right = b->settings->pdata[i];
    if (left->knob != right->knob || !g_str_equal(left->text, right->text))
      return FALSE;
  }
  return TRUE;
}

static gboolean is_same(const RetuneInstance *a, const RetuneInstance *b)
{
  return g_str_equal(a->claim, b->claim) && a->lifetime == b->lifetime &&
         a->on_drift == b->on_drift && a->priority == b->priority &&
         a->best_effort == b->best_effort && a->exclusive == b->exclusive &&
         has_same_settings(a, b);
}

/* What @spec of @path wants, @rest being what no spec of the file claims. */
static RetuneInstance *make_instance(const Merge *merge, RetuneModel *model, const RetuneSpec *spec,
                                     const char *path, const char *rest,
                                     const RetuneOption **ret_culprit, GError **error)
{
  g_autofree char *claim = retune_manager_expand(merge->machine, model, merge->present,
                                                 spec->claim != NULL ? spec->claim : rest, error);
  g_autoptr(RetuneInstance) instance =
      claim != NULL ? retune_instance_new(spec->name, claim, error) : NULL;

  if (instance == NULL)
    return NULL;
  if (!retune_instance_apply(instance, merge->table, spec->options, ret_culprit, error))
    return NULL;
  *ret_culprit = NULL;
  if (instance->lifetime == RETUNE_LIFETIME_BOUND) {
    retune_set_error(error, RETUNE_ERROR_INVALID_VALUE,
                     "lifetime 'bound': a file has no connection to be bound to");
    return NULL;
  }
  instance->origin = g_strdup(path);
  return g_steal_pointer(&instance);
}

/* @model with the instance of @spec as the file wants it now. */
static RetuneModel *merge_spec(const Merge *merge, RetuneModel *model, const RetuneSpec *spec,
                               const char *path, const char *rest, const RetuneOption **ret_culprit,
                               GError **error)
{
  *ret_culprit = NULL;
  g_autoptr(RetuneInstance) wanted =
      make_instance(merge, model, spec, path, rest, ret_culprit, error);
  const RetuneInstance *present = retune_model_find(model, spec->name, NULL);

  if (wanted == NULL)
    return NULL;
  if (present == NULL || g_strcmp0(present->origin, path) != 0)
    return retune_model_create(model, wanted, merge->present, error);
  if (is_same(present, wanted))
    return retune_model_ref(model);
  g_autoptr(RetuneModel) without = retune_model_destroy(model, spec->name, merge->present, error);
  return without != NULL ? retune_model_create(without, wanted, merge->present, error) : NULL;
}

/* --- one file --- */

static gboolean wants(const RetuneProfile *profile, const char *name)
{
  for (guint i = 0; i < profile->specs->len; i++)
    if (g_str_equal(((RetuneSpec *)profile->specs->pdata[i])->name, name))
      return TRUE;
  return FALSE;
}

/* @model without what @path has wanted once; @profile NULL: it is gone. */
static RetuneModel *drop_unwanted(const Merge *merge, RetuneModel *model, const char *path,
                                  const RetuneProfile *profile)
{
  RetuneModel *result = retune_model_ref(model);
  const GPtrArray *instances = retune_model_instances(model);

  for (guint i = 0; i < instances->len; i++) {
    const RetuneInstance *instance = instances->pdata[i];
    if (g_strcmp0(instance->origin, path) != 0 ||
        (profile != NULL && wants(profile, instance->name)))
      continue;
    g_message("instance '%s' is not in %s any more", instance->name, path);
    RetuneModel *next = retune_model_destroy(result, instance->name, merge->present, NULL);
    retune_model_unref(result);
    result = next;
  }
  return result;
}

static RetuneModel *merge_profile(const Merge *merge, RetuneModel *model, const char *path,
                                  const RetuneProfile *profile, GError **error)
{
  g_autofree char *rest = retune_specs_unclaimed(profile->specs, merge->present);
  RetuneModel *result = drop_unwanted(merge, model, path, profile);

  for (guint i = 0; i < profile->specs->len; i++) {
    const RetuneSpec *spec = profile->specs->pdata[i];
    const RetuneOption *culprit;
    RetuneModel *next = merge_spec(merge, result, spec, path, rest, &culprit, error);
    retune_model_unref(result);
    if (next == NULL) {
      g_prefix_error(error, "%s: section [%s]: ", culprit != NULL ? culprit->where : spec->where,
                     spec->name);
      return NULL;
    }
    result = next;
  }
  return result;
}

static RetuneModel *merge_file(const Merge *merge, RetuneModel *model, const char *path)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(RetuneProfile) profile =
      retune_profile_files_load(path, merge->files->profile_path, merge->table, &error);
  RetuneModel *result = profile != NULL ? merge_profile(merge, model, path, profile, &error) : NULL;

  if (result != NULL)
    return result;
  g_warning("%s; nothing of the file is done", error->message);
  return retune_model_ref(model);
}

/* --- the directory --- */

static gint compare_paths(gconstpointer a, gconstpointer b)
{
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The paths of the files, in alphabetical order. */
static GPtrArray *list_files(const char *directory)
{
  GPtrArray *paths = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GError) error = NULL;
  g_autoptr(GDir) dir = g_dir_open(directory, 0, &error);

  if (dir == NULL) {
    if (!g_error_matches(error, G_FILE_ERROR, G_FILE_ERROR_NOENT))
      g_warning("instances of files are not there: %s", error->message);
    return paths;
  }
  for (const char *name = g_dir_read_name(dir); name != NULL; name = g_dir_read_name(dir))
    if (g_str_has_suffix(name, SUFFIX) && *name != '.')
      g_ptr_array_add(paths, g_build_filename(directory, name, NULL));
  g_ptr_array_sort(paths, compare_paths);
  return paths;
}

static gboolean is_listed(const GPtrArray *paths, const char *path)
{
  return g_ptr_array_find_with_equal_func((GPtrArray *)paths, path, g_str_equal, NULL);
}

/* @model without the instances of files that are gone. */
static RetuneModel *drop_files(const Merge *merge, RetuneModel *model, const GPtrArray *paths)
{
  RetuneModel *result = retune_model_ref(model);
  const GPtrArray *instances = retune_model_instances(model);

  for (guint i = 0; i < instances->len; i++) {
    const char *origin = ((const RetuneInstance *)instances->pdata[i])->origin;
    if (origin == NULL || is_listed(paths, origin))
      continue;
    RetuneModel *next = drop_unwanted(merge, result, origin, NULL);
    retune_model_unref(result);
    result = next;
  }
  return result;
}

RetuneModel *retune_instance_files_merge(const RetuneInstanceFiles *files, RetuneModel *model,
                                         const RetuneKnobTable *table, RetuneMachine *machine,
                                         const RetuneCpuset *present)
{
  Merge merge = {files, table, machine, present};
  g_autoptr(GPtrArray) paths = list_files(files->directory);
  RetuneModel *result = drop_files(&merge, model, paths);

  for (guint i = 0; i < paths->len; i++) {
    RetuneModel *next = merge_file(&merge, result, paths->pdata[i]);
    retune_model_unref(result);
    result = next;
  }
  return result;
}
