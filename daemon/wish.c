// SPDX-License-Identifier: GPL-2.0-or-later
/* Requests to models, one function per verb. */
#include "wish.h"

#include "devices.h"
#include "error.h"
#include "profile.h"

/* What the functions of the verbs share. */
typedef struct {
  RetuneModel *model;
  const RetuneRequest *request;
  const RetuneKnobTable *table;
  const RetuneCpuset *present;
  GPtrArray *subjects;
  RetuneCpuset *affected;
} Wish;

static void add_subject(Wish *wish, const char *name)
{
  if (g_ptr_array_find_with_equal_func(wish->subjects, name, g_str_equal, NULL))
    return;
  g_ptr_array_add(wish->subjects, g_strdup(name));
}

/* A bound instance belongs to who first says so. */
static gboolean bind_instance(Wish *wish, RetuneInstance *instance, GError **error)
{
  if (instance->lifetime != RETUNE_LIFETIME_BOUND) {
    g_clear_pointer(&instance->owner, g_free);
    return TRUE;
  }
  if (instance->owner == NULL)
    instance->owner = g_strdup(wish->request->sender);
  if (instance->owner != NULL)
    return TRUE;
  retune_set_error(error, RETUNE_ERROR_INVALID_VALUE,
                   "lifetime 'bound': there is no caller to bind the instance to");
  return FALSE;
}

/* Makes an instance of @name and adds it to @model. @ret_culprit: the option at
 * fault, if it is one. */
static RetuneModel *create_one(Wish *wish, RetuneModel *model, const char *name, const char *claim,
                               const GPtrArray *options, const RetuneOption **ret_culprit,
                               GError **error)
{
  g_autoptr(RetuneInstance) instance = retune_instance_new(name, claim, error);

  *ret_culprit = NULL;
  if (instance == NULL)
    return NULL;
  if (!retune_instance_apply(instance, wish->table, options, ret_culprit, error))
    return NULL;
  *ret_culprit = NULL;
  if (!bind_instance(wish, instance, error))
    return NULL;
  add_subject(wish, name);
  return retune_model_create(model, instance, wish->present, error);
}

static RetuneModel *wish_create(Wish *wish, GError **error)
{
  const RetuneRequest *request = wish->request;
  const RetuneOption *culprit;

  return create_one(wish, wish->model, request->name, request->devices, request->options, &culprit,
                    error);
}

static RetuneModel *wish_load(Wish *wish, GError **error)
{
  g_autoptr(RetuneModel) model = retune_model_ref(wish->model);
  g_autofree char *rest = retune_specs_unclaimed(wish->request->specs, wish->present);

  for (guint i = 0; i < wish->request->specs->len; i++) {
    const RetuneSpec *spec = wish->request->specs->pdata[i];
    const RetuneOption *culprit = NULL;
    RetuneModel *next =
        create_one(wish, model, spec->name, spec->claim != NULL ? spec->claim : rest, spec->options,
                   &culprit, error);
    if (next == NULL) {
      g_prefix_error(error, "%s: section [%s]: ", culprit != NULL ? culprit->where : spec->where,
                     spec->name);
      return NULL;
    }
    retune_model_unref(model);
    model = next;
  }
  return g_steal_pointer(&model);
}

static RetuneModel *wish_move(Wish *wish, GError **error)
{
  g_autoptr(RetuneCpuset) devices =
      retune_devices_parse(wish->request->devices, wish->present, RETUNE_DEVICES_STRICT, error);
  if (devices == NULL)
    return NULL;
  add_subject(wish, wish->request->name);
  return retune_model_move(wish->model, wish->request->name, devices, error);
}

static RetuneModel *wish_release(Wish *wish, GError **error)
{
  g_autoptr(RetuneCpuset) devices =
      retune_devices_parse(wish->request->devices, wish->present, RETUNE_DEVICES_STRICT, error);
  if (devices == NULL)
    return NULL;
  RETUNE_CPUSET_FOREACH (cpu, devices) {
    const RetuneInstance *owner = retune_model_owner(wish->model, (guint)cpu);
    if (owner != NULL)
      add_subject(wish, owner->name);
  }
  return retune_model_release(wish->model, devices, wish->request->name, wish->present, error);
}

static RetuneModel *wish_destroy(Wish *wish, GError **error)
{
  add_subject(wish, wish->request->name);
  return retune_model_destroy(wish->model, wish->request->name, wish->present, error);
}

/* Changed options may bear on all CPUs of the instance. */
static void affect_instance(Wish *wish, const RetuneInstance *instance)
{
  retune_cpuset_union(wish->affected, instance->devices);
}

static RetuneModel *wish_set(Wish *wish, GError **error)
{
  const RetuneInstance *old = retune_model_find(wish->model, wish->request->name, error);
  if (old == NULL)
    return NULL;
  g_autoptr(RetuneInstance) changed = retune_instance_copy(old);
  if (!retune_instance_apply(changed, wish->table, wish->request->options, NULL, error) ||
      !bind_instance(wish, changed, error))
    return NULL;
  add_subject(wish, changed->name);
  affect_instance(wish, changed);
  return retune_model_replace(wish->model, changed, error);
}

static RetuneModel *wish_reapply(Wish *wish, GError **error)
{
  const RetuneInstance *instance = retune_model_find(wish->model, wish->request->name, error);
  if (instance == NULL)
    return NULL;
  add_subject(wish, instance->name);
  affect_instance(wish, instance);
  return retune_model_ref(wish->model);
}

static RetuneModel *(*const verbs[RETUNE_N_VERBS])(Wish *wish, GError **error) = {
    [RETUNE_VERB_CREATE] = wish_create,   [RETUNE_VERB_MOVE] = wish_move,
    [RETUNE_VERB_RELEASE] = wish_release, [RETUNE_VERB_DESTROY] = wish_destroy,
    [RETUNE_VERB_SET] = wish_set,         [RETUNE_VERB_REAPPLY] = wish_reapply,
    [RETUNE_VERB_LOAD] = wish_load,
};

RetuneModel *retune_wish(RetuneModel *model, const RetuneRequest *request,
                         const RetuneKnobTable *table, const RetuneCpuset *present,
                         GPtrArray *subjects, RetuneCpuset *affected, GError **error)
{
  Wish wish = {model, request, table, present, subjects, affected};

  if (request->plugin != NULL && !g_str_equal(request->plugin, RETUNE_PLUGIN_CPU)) {
    retune_set_error(error, RETUNE_ERROR_UNKNOWN_PLUGIN,
                     "no plugin '%.64s'; there is: " RETUNE_PLUGIN_CPU, request->plugin);
    return NULL;
  }
  RetuneModel *after = verbs[request->verb](&wish, error);
  if (after == NULL)
    return NULL;
  g_autoptr(GPtrArray) moves = retune_model_moves(model, after);
  for (guint i = 0; i < moves->len; i++)
    retune_cpuset_union(affected, ((const RetuneMove *)moves->pdata[i])->devices);
  return after;
}

void retune_wish_locate(const RetuneRequest *request, const char *instance, const char *option,
                        GError **error)
{
  for (guint i = 0; request->specs != NULL && i < request->specs->len; i++) {
    const RetuneSpec *spec = request->specs->pdata[i];
    if (g_strcmp0(spec->name, instance) != 0)
      continue;
    const char *where = spec->where;
    for (guint k = 0; k < spec->options->len; k++) {
      const RetuneOption *candidate = spec->options->pdata[k];
      if (g_strcmp0(candidate->name, option) == 0)
        where = candidate->where;
    }
    g_prefix_error(error, "%s: section [%s]: ", where, spec->name);
    return;
  }
}
