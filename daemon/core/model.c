// SPDX-License-Identifier: GPL-2.0-or-later
/* Ownership of CPUs, as a value. The rules are those of docs/architecture.md,
 * "Ownership". */
#include "model.h"

#include <string.h>

#include "devices.h"
#include "error.h"
#include "names.h"

struct _RetuneModel {
  gatomicrefcount refs;
  GPtrArray *instances; /* RetuneInstance, oldest first */
  guint64 next_age;
};

void retune_move_free(RetuneMove *move)
{
  if (move == NULL)
    return;
  retune_cpuset_free(move->devices);
  g_free(move->from);
  g_free(move->to);
  g_free(move);
}

RetuneModel *retune_model_new(void)
{
  RetuneModel *model = g_new0(RetuneModel, 1);
  g_atomic_ref_count_init(&model->refs);
  model->instances = g_ptr_array_new_with_free_func((GDestroyNotify)retune_instance_unref);
  model->next_age = 1;
  return model;
}

static gpointer share_instance(gconstpointer instance, gpointer unused)
{
  (void)unused;
  return retune_instance_ref((RetuneInstance *)instance);
}

static RetuneModel *model_copy(const RetuneModel *model)
{
  RetuneModel *copy = g_new0(RetuneModel, 1);
  g_atomic_ref_count_init(&copy->refs);
  copy->instances = g_ptr_array_copy(model->instances, share_instance, NULL);
  copy->next_age = model->next_age;
  return copy;
}

RetuneModel *retune_model_ref(RetuneModel *model)
{
  g_atomic_ref_count_inc(&model->refs);
  return model;
}

void retune_model_unref(RetuneModel *model)
{
  if (model == NULL || !g_atomic_ref_count_dec(&model->refs))
    return;
  g_ptr_array_unref(model->instances);
  g_free(model);
}

gboolean retune_model_is_same(const RetuneModel *a, const RetuneModel *b)
{
  gsize size = a->instances->len * sizeof(gpointer);

  return a->instances->len == b->instances->len &&
         (size == 0 || memcmp(a->instances->pdata, b->instances->pdata, size) == 0);
}

const GPtrArray *retune_model_instances(const RetuneModel *model)
{
  return model->instances;
}

static gint find_index(const RetuneModel *model, const char *name, GError **error)
{
  for (guint i = 0; i < model->instances->len; i++)
    if (g_str_equal(((const RetuneInstance *)model->instances->pdata[i])->name, name))
      return (gint)i;
  if (error == NULL)
    return -1;
  g_autoptr(GPtrArray) names = g_ptr_array_new();
  for (guint i = 0; i < model->instances->len; i++)
    g_ptr_array_add(names, ((RetuneInstance *)model->instances->pdata[i])->name);
  g_autofree char *hint = retune_names_hint(name, (const char *const *)names->pdata, names->len);
  retune_set_error(error, RETUNE_ERROR_UNKNOWN_INSTANCE, "no instance '%.64s'%s", name,
                   names->len > 0 ? hint : "; there is none");
  return -1;
}

const RetuneInstance *retune_model_find(const RetuneModel *model, const char *name, GError **error)
{
  gint i = find_index(model, name, error);
  return i < 0 ? NULL : model->instances->pdata[i];
}

const RetuneInstance *retune_model_owner(const RetuneModel *model, guint cpu)
{
  for (guint i = 0; i < model->instances->len; i++) {
    const RetuneInstance *instance = model->instances->pdata[i];
    if (retune_cpuset_contains(instance->devices, cpu))
      return instance;
  }
  return NULL;
}

RetuneCpuset *retune_model_free_devices(const RetuneModel *model, const RetuneCpuset *existing)
{
  RetuneCpuset *set = retune_cpuset_copy(existing);
  for (guint i = 0; i < model->instances->len; i++)
    retune_cpuset_subtract(set, ((RetuneInstance *)model->instances->pdata[i])->devices);
  return set;
}

/* Gives instance @i of a model under construction other devices. */
static void set_devices(RetuneModel *model, guint i, RetuneCpuset *devices)
{
  RetuneInstance *changed = retune_instance_copy(model->instances->pdata[i]);
  retune_cpuset_free(changed->devices);
  changed->devices = devices;
  retune_instance_unref(model->instances->pdata[i]);
  model->instances->pdata[i] = changed;
}

/* Takes @devices from whoever holds them, but for instance @except. */
static void take(RetuneModel *model, const RetuneCpuset *devices, gint except)
{
  for (guint i = 0; i < model->instances->len; i++) {
    const RetuneInstance *instance = model->instances->pdata[i];
    g_autoptr(RetuneCpuset) rest = retune_cpuset_copy(instance->devices);
    retune_cpuset_subtract(rest, devices);
    if ((gint)i != except && !retune_cpuset_equal(rest, instance->devices))
      set_devices(model, i, g_steal_pointer(&rest));
  }
}

static void give(RetuneModel *model, guint i, const RetuneCpuset *devices)
{
  const RetuneInstance *instance = model->instances->pdata[i];
  g_autoptr(RetuneCpuset) sum = retune_cpuset_copy(instance->devices);

  retune_cpuset_union(sum, devices);
  if (!retune_cpuset_equal(sum, instance->devices))
    set_devices(model, i, g_steal_pointer(&sum));
}

/* The instances' indices, strongest first. */
static GArray *by_strength(const RetuneModel *model)
{
  GArray *order = g_array_new(FALSE, FALSE, sizeof(guint));
  for (guint i = 0; i < model->instances->len; i++) {
    guint at = order->len;
    while (at > 0 && retune_instance_compare(
                         model->instances->pdata[i],
                         model->instances->pdata[g_array_index(order, guint, at - 1)]) < 0)
      at--;
    g_array_insert_val(order, at, i);
  }
  return order;
}

/* Gives each of @devices, which are free, to the strongest that claims it; the
 * who had them in @before, which may be NULL, has just lost them and does not count. */
static void bequeath(RetuneModel *model, const RetuneCpuset *devices, const RetuneModel *before,
                     const RetuneCpuset *existing)
{
  g_autoptr(GArray) order = by_strength(model);
  g_autoptr(RetuneCpuset) left = retune_cpuset_copy(devices);

  for (guint k = 0; k < order->len; k++) {
    guint i = g_array_index(order, guint, k);
    const RetuneInstance *instance = model->instances->pdata[i];
    g_autoptr(RetuneCpuset) heirs =
        retune_devices_parse(instance->claim, existing, RETUNE_DEVICES_CLAIM, NULL);
    if (heirs == NULL)
      continue;
    retune_cpuset_intersect(heirs, left);
    const RetuneInstance *former =
        before != NULL ? retune_model_find(before, instance->name, NULL) : NULL;
    if (former != NULL)
      retune_cpuset_subtract(heirs, former->devices);
    if (retune_cpuset_is_empty(heirs))
      continue;
    retune_cpuset_subtract(left, heirs);
    give(model, i, heirs);
  }
}

/* The claimed CPUs that a new instance gets. */
static RetuneCpuset *claimable(const RetuneModel *model, const RetuneInstance *instance,
                               const RetuneCpuset *existing, GError **error)
{
  g_autoptr(RetuneCpuset) devices =
      retune_devices_parse(instance->claim, existing, RETUNE_DEVICES_STRICT, error);
  if (devices == NULL)
    return NULL;
  for (guint i = 0; i < model->instances->len; i++) {
    const RetuneInstance *owner = model->instances->pdata[i];
    g_autoptr(RetuneCpuset) overlap = retune_cpuset_copy(owner->devices);
    retune_cpuset_intersect(overlap, devices);
    if (retune_cpuset_is_empty(overlap))
      continue;
    if (instance->exclusive || owner->exclusive) {
      g_autofree char *list = retune_cpuset_to_string(overlap);
      retune_set_error(error, RETUNE_ERROR_CONFLICT,
                       "CPU %s belongs to instance '%s' already, and '%s' is exclusive", list,
                       owner->name, instance->exclusive ? instance->name : owner->name);
      return NULL;
    }
    if (owner->priority < instance->priority)
      retune_cpuset_subtract(devices, overlap);
  }
  return g_steal_pointer(&devices);
}

/* Is there room for one more, called @name? */
static gboolean check_new(const RetuneModel *model, const char *name, GError **error)
{
  if (retune_model_find(model, name, NULL) != NULL) {
    retune_set_error(
        error, RETUNE_ERROR_INSTANCE_EXISTS,
        "there is an instance '%s' already; destroy it first, or change it with set and move",
        name);
    return FALSE;
  }
  if (model->instances->len >= RETUNE_MAX_INSTANCES) {
    retune_set_error(error, RETUNE_ERROR_LIMITS_EXCEEDED,
                     "there are %u instances already, and no more are possible",
                     RETUNE_MAX_INSTANCES);
    return FALSE;
  }
  return TRUE;
}

/* Adds a copy of @instance with @devices to @model, which is under construction. */
static void add_instance(RetuneModel *model, const RetuneInstance *instance, RetuneCpuset *devices)
{
  RetuneInstance *created = retune_instance_copy(instance);

  created->age = model->next_age++;
  retune_cpuset_free(created->devices);
  created->devices = devices;
  g_ptr_array_add(model->instances, created);
}

RetuneModel *retune_model_create(RetuneModel *model, const RetuneInstance *instance,
                                 const RetuneCpuset *existing, GError **error)
{
  if (!check_new(model, instance->name, error))
    return NULL;
  g_autoptr(RetuneCpuset) devices = claimable(model, instance, existing, error);
  if (devices == NULL)
    return NULL;
  RetuneModel *after = model_copy(model);
  take(after, devices, -1);
  add_instance(after, instance, g_steal_pointer(&devices));
  return after;
}

RetuneModel *retune_model_restore(RetuneModel *model, const RetuneInstance *instance,
                                  GError **error)
{
  if (!check_new(model, instance->name, error))
    return NULL;
  g_autoptr(RetuneCpuset) devices = retune_model_free_devices(model, instance->devices);
  if (!retune_cpuset_equal(devices, instance->devices)) {
    retune_set_error(error, RETUNE_ERROR_CONFLICT, "a CPU has two owners");
    return NULL;
  }
  RetuneModel *after = model_copy(model);
  add_instance(after, instance, g_steal_pointer(&devices));
  return after;
}

RetuneModel *retune_model_move(RetuneModel *model, const char *name, const RetuneCpuset *devices,
                               GError **error)
{
  gint i = find_index(model, name, error);
  if (i < 0)
    return NULL;
  RetuneModel *after = model_copy(model);
  take(after, devices, i);
  give(after, (guint)i, devices);
  return after;
}

/* Does @name own all of @devices? */
static gboolean check_owned(const RetuneModel *model, const RetuneCpuset *devices, const char *name,
                            GError **error)
{
  const RetuneInstance *instance = retune_model_find(model, name, error);
  if (instance == NULL)
    return FALSE;
  g_autoptr(RetuneCpuset) foreign = retune_cpuset_copy(devices);
  retune_cpuset_subtract(foreign, instance->devices);
  if (retune_cpuset_is_empty(foreign))
    return TRUE;
  g_autofree char *list = retune_cpuset_to_string(foreign);
  g_autofree char *owned = retune_cpuset_to_string(instance->devices);
  retune_set_error(error, RETUNE_ERROR_CONFLICT,
                   "CPU %s does not belong to instance '%s', which has %s", list, name,
                   *owned != '\0' ? owned : "none");
  return FALSE;
}

RetuneModel *retune_model_release(RetuneModel *model, const RetuneCpuset *devices, const char *only,
                                  const RetuneCpuset *existing, GError **error)
{
  if (only != NULL && !check_owned(model, devices, only, error))
    return NULL;
  g_autoptr(RetuneCpuset) released = retune_cpuset_copy(devices);
  g_autoptr(RetuneCpuset) unowned = retune_model_free_devices(model, devices);
  retune_cpuset_subtract(released, unowned);
  RetuneModel *after = model_copy(model);
  take(after, released, -1);
  bequeath(after, released, model, existing);
  return after;
}

RetuneModel *retune_model_destroy(RetuneModel *model, const char *name,
                                  const RetuneCpuset *existing, GError **error)
{
  gint i = find_index(model, name, error);
  if (i < 0)
    return NULL;
  const RetuneInstance *gone = model->instances->pdata[i];
  RetuneModel *after = model_copy(model);
  g_ptr_array_remove_index(after->instances, (guint)i);
  bequeath(after, gone->devices, NULL, existing);
  return after;
}

RetuneModel *retune_model_replace(RetuneModel *model, RetuneInstance *changed, GError **error)
{
  gint i = find_index(model, changed->name, error);
  if (i < 0)
    return NULL;
  RetuneModel *after = model_copy(model);
  retune_instance_unref(after->instances->pdata[i]);
  after->instances->pdata[i] = retune_instance_ref(changed);
  return after;
}

RetuneModel *retune_model_adopt(RetuneModel *model, const RetuneCpuset *devices,
                                const RetuneCpuset *existing)
{
  g_autoptr(RetuneCpuset) unowned = retune_model_free_devices(model, devices);
  RetuneModel *after = model_copy(model);
  bequeath(after, unowned, NULL, existing);
  return after;
}

/* Adds @cpu to the move (@from, @to) of @moves. */
static void add_to_moves(GPtrArray *moves, guint cpu, const char *from, const char *to)
{
  RetuneMove *move = NULL;

  for (guint i = 0; i < moves->len && move == NULL; i++) {
    RetuneMove *candidate = moves->pdata[i];
    if (g_str_equal(candidate->from, from) && g_str_equal(candidate->to, to))
      move = candidate;
  }
  if (move == NULL) {
    move = g_new0(RetuneMove, 1);
    move->devices = retune_cpuset_new();
    move->from = g_strdup(from);
    move->to = g_strdup(to);
    g_ptr_array_add(moves, move);
  }
  retune_cpuset_add(move->devices, cpu);
}

static const char *owner_name(const RetuneModel *model, guint cpu)
{
  const RetuneInstance *owner = retune_model_owner(model, cpu);
  return owner != NULL ? owner->name : "";
}

static void add_devices(RetuneCpuset *set, const RetuneModel *model)
{
  for (guint i = 0; i < model->instances->len; i++)
    retune_cpuset_union(set, ((RetuneInstance *)model->instances->pdata[i])->devices);
}

GPtrArray *retune_model_moves(const RetuneModel *before, const RetuneModel *after)
{
  GPtrArray *moves = g_ptr_array_new_with_free_func((GDestroyNotify)retune_move_free);
  g_autoptr(RetuneCpuset) owned = retune_cpuset_new();

  add_devices(owned, before);
  add_devices(owned, after);
  RETUNE_CPUSET_FOREACH (cpu, owned) {
    const char *from = owner_name(before, (guint)cpu);
    const char *to = owner_name(after, (guint)cpu);
    if (!g_str_equal(from, to))
      add_to_moves(moves, (guint)cpu, from, to);
  }
  return moves;
}

GPtrArray *retune_model_held_elsewhere(const RetuneModel *model, const RetuneInstance *instance,
                                       const RetuneCpuset *existing)
{
  GPtrArray *held = g_ptr_array_new_with_free_func((GDestroyNotify)retune_move_free);
  g_autoptr(RetuneCpuset) claimed =
      retune_devices_parse(instance->claim, existing, RETUNE_DEVICES_CLAIM, NULL);

  if (claimed == NULL)
    return held;
  retune_cpuset_subtract(claimed, instance->devices);
  RETUNE_CPUSET_FOREACH (cpu, claimed) {
    const char *owner = owner_name(model, (guint)cpu);
    add_to_moves(held, (guint)cpu, owner, owner);
  }
  return held;
}
