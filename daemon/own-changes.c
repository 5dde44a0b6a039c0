// SPDX-License-Identifier: GPL-2.0-or-later
/* Changes that nobody called for: CPUs come and go, the driver's mode is
 * switched, the machine wakes up, retuned stops. */
#include "manager-private.h"

/* After how long a change of our own that failed is tried again. */
#define RETRY_SECONDS 5

/* --- CPUs that come and go --- */

/* Replaces *@set and adds what differs to @changed. */
static void take_set(RetuneCpuset **set, RetuneCpuset *now, RetuneCpuset *changed)
{
  g_autoptr(RetuneCpuset) came = retune_cpuset_copy(now);
  g_autoptr(RetuneCpuset) went = retune_cpuset_copy(*set);

  retune_cpuset_subtract(came, *set);
  retune_cpuset_subtract(went, now);
  retune_cpuset_union(changed, came);
  retune_cpuset_union(changed, went);
  retune_cpuset_free(*set);
  *set = now;
}

/* Nobody waits for the reply to a change of our own. @data says what happened. */
static void on_own_change(RetuneManager *manager, const RetuneReply *result, gpointer data)
{
  const char *occasion = data;

  (void)manager;
  if (result->error != NULL)
    g_warning("%s, and values could not be set: %s", occasion, result->error->message);
  else if (result->n_writes > 0)
    g_message("%s; %u value(s) were set again", occasion, result->n_writes);
}

void retune_manager_add_own(RetuneManager *manager,
                            gboolean (*begin)(gpointer owner, RetuneTask *task),
                            const char *occasion)
{
  if (!manager->stopping)
    retune_tasks_add(manager->tasks,
                     &retune_change_task_new(begin, on_own_change, (gpointer)occasion)->task);
}

RetuneJob *retune_manager_new_own_job(RetuneManager *manager, RetuneModel *after)
{
  RetuneJob *job = retune_manager_new_job(manager, after);

  job->lenient = TRUE;
  job->recheck = TRUE;
  return job;
}

static gboolean begin_devices(gpointer owner, RetuneTask *task)
{
  RetuneManager *manager = owner;
  RetuneChangeTask *change = (RetuneChangeTask *)task;
  g_autoptr(RetuneCpuset) changed = retune_cpuset_new();
  g_autoptr(RetuneCpuset) arrived = NULL;
  g_autoptr(RetuneCpuset) present = retune_machine_read_present(manager->machine, &change->error);
  g_autoptr(RetuneCpuset) online =
      present != NULL ? retune_machine_read_online(manager->machine, &change->error) : NULL;

  manager->devices_queued = FALSE;
  if (online == NULL)
    return FALSE;
  retune_manager_check_driver(manager);
  arrived = retune_cpuset_copy(present);
  retune_cpuset_subtract(arrived, manager->present);
  take_set(&manager->present, g_steal_pointer(&present), changed);
  take_set(&manager->online, g_steal_pointer(&online), changed);
  retune_cpuset_union(changed, manager->stirred);
  retune_cpuset_subtract(manager->stirred, changed);
  if (retune_cpuset_is_empty(changed))
    return FALSE;
  g_autofree char *list = retune_cpuset_to_string(changed);
  g_autofree char *online_list = retune_cpuset_to_string(manager->online);
  g_info("CPU %s came or went; online are %s", list, online_list);
  retune_machine_forget(manager->machine, changed);
  g_autoptr(RetuneModel) after = retune_model_adopt(manager->model, arrived, manager->present);
  change->job = retune_manager_new_own_job(manager, after);
  retune_cpuset_union(change->job->affected, changed);
  return TRUE;
}

void retune_manager_look_at_devices(RetuneManager *manager)
{
  if (manager->devices_queued || manager->stopping)
    return;
  manager->devices_queued = TRUE;
  retune_manager_add_own(manager, begin_devices, "CPUs came or went");
}

static gboolean on_retry(gpointer data)
{
  RetuneManager *manager = data;

  manager->retry_source = 0;
  retune_manager_look_at_devices(manager);
  return G_SOURCE_REMOVE;
}

void retune_manager_look_again(RetuneManager *manager, const RetuneCpuset *cpus)
{
  retune_cpuset_union(manager->stirred, cpus);
  if (!manager->stopping && manager->retry_source == 0)
    manager->retry_source = g_timeout_add_seconds(RETRY_SECONDS, on_retry, manager);
}

void retune_manager_device_changed(RetuneManager *manager, guint cpu)
{
  if (cpu < RETUNE_CPU_LIMIT)
    retune_cpuset_add(manager->stirred, cpu);
  retune_manager_look_at_devices(manager);
}

/* --- the driver's mode, and sleep --- */

static void affect(const RetuneKnob *place, guint id, const RetuneEntry *entry, gpointer data)
{
  (void)entry;
  if (place->scope != RETUNE_SCOPE_SYSTEM) /* a policy has the number of one of its CPUs */
    retune_cpuset_add(data, retune_knob_cpu(place, id));
}

static void affect_owned(RetuneJob *job, const RetuneModel *model)
{
  const GPtrArray *instances = retune_model_instances(model);

  for (guint i = 0; i < instances->len; i++)
    retune_cpuset_union(job->affected, ((RetuneInstance *)instances->pdata[i])->devices);
}

/* All CPUs that have an owner or a baseline of ours. */
static void affect_all(RetuneJob *job)
{
  retune_ledger_foreach(job->ledger, affect, job->affected);
  affect_owned(job, job->before);
  affect_owned(job, job->after);
}

/* The same for all that is ours. */
static RetuneJob *new_full_job(RetuneManager *manager, RetuneModel *after)
{
  RetuneJob *job = retune_manager_new_own_job(manager, after);

  affect_all(job);
  job->thorough = TRUE;
  return job;
}

/* The policies are new ones, with values of their own; unless adopting has seen
 * to it, all is set again. */
static gboolean begin_driver(gpointer owner, RetuneTask *task)
{
  RetuneManager *manager = owner;

  if (!manager->policies_new)
    return FALSE;
  manager->policies_new = FALSE;
  ((RetuneChangeTask *)task)->job = new_full_job(manager, manager->model);
  return TRUE;
}

void retune_manager_check_driver(RetuneManager *manager)
{
  guint64 generation = retune_machine_driver_generation(manager->machine);

  if (generation == manager->driver_generation)
    return;
  manager->driver_generation = generation;
  manager->policies_new = TRUE;
  retune_machine_forget(manager->machine, manager->present);
  retune_machine_forget_driver(manager->machine);
  for (guint row = 0; row < manager->table->n_rows; row++)
    if (manager->table->rows[row].by_driver)
      retune_ledger_forget(manager->ledger, &manager->table->rows[row]);
  retune_manager_add_own(manager, begin_driver, "the cpufreq driver has made its policies anew");
}

static gboolean begin_look_at_driver(gpointer owner, RetuneTask *task)
{
  (void)task;
  retune_manager_check_driver(owner);
  return FALSE;
}

void retune_manager_driver_changed(RetuneManager *manager)
{
  retune_manager_add_own(manager, begin_look_at_driver, "the cpufreq driver's mode was written");
}

static gboolean begin_resumed(gpointer owner, RetuneTask *task)
{
  RetuneManager *manager = owner;

  ((RetuneChangeTask *)task)->job = new_full_job(manager, manager->model);
  return TRUE;
}

void retune_manager_resumed(RetuneManager *manager)
{
  retune_manager_add_own(manager, begin_resumed, "the machine has slept");
}

/* --- the beginning and the end --- */

/* CPUs that have appeared since @then, with no retuned there, go to who claims them. */
static void claim_new(RetuneManager *manager, RetuneModel **model, const RetuneCpuset *then)
{
  g_autoptr(RetuneCpuset) arrived = retune_cpuset_copy(manager->present);

  retune_cpuset_subtract(arrived, then);
  RetuneModel *after = retune_model_adopt(*model, arrived, manager->present);
  retune_model_unref(*model);
  *model = after;
}

/* What a retuned before us has left in this boot. FALSE: @error; it stays. */
static gboolean load_state(RetuneManager *manager, RetuneModel **ret_model, GError **error)
{
  g_autoptr(RetuneCpuset) then = NULL;
  guint64 driver;

  *ret_model = NULL;
  if (manager->state == NULL)
    return TRUE;
  if (!retune_state_load(manager->state, manager->ledger, ret_model, &then, &driver, error))
    return FALSE;
  if (*ret_model == NULL)
    return TRUE;
  manager->adopting = TRUE;
  manager->driver_generation = driver;
  retune_manager_check_driver(manager);
  manager->policies_new = FALSE; /* all values are looked at now */
  if (retune_model_instances(*ret_model)->len > 0)
    g_message("taking over %u instance(s) of a retuned before this one",
              retune_model_instances(*ret_model)->len);
  else
    g_message("putting back what a retuned before this one has left");
  claim_new(manager, ret_model, then);
  return TRUE;
}

/* With a state of this boot, that says what there is; else what outlives the boot. */
static RetuneModel *load_model(RetuneManager *manager, GError **error)
{
  g_autoptr(RetuneModel) left = NULL;

  if (!load_state(manager, &left, error))
    return NULL;
  g_autoptr(RetuneModel) kept =
      left != NULL ? retune_model_ref(left) : retune_model_ref(manager->model);
  if (left == NULL && manager->persistent != NULL) {
    retune_model_unref(kept);
    kept = retune_persistent_load(manager->persistent, manager->model, manager->present);
  }
  if (manager->files.directory == NULL)
    return g_steal_pointer(&kept);
  return retune_instance_files_merge(&manager->files, kept, manager->table, manager->machine,
                                     manager->present);
}

static gboolean begin_adopt(gpointer owner, RetuneTask *task)
{
  RetuneManager *manager = owner;
  RetuneChangeTask *change = (RetuneChangeTask *)task;
  g_autoptr(RetuneModel) model = load_model(manager, &change->error);

  if (model == NULL || (!manager->adopting && retune_model_is_same(model, manager->model)))
    return FALSE;
  change->job = new_full_job(manager, model);
  return TRUE;
}

void retune_manager_adopt(RetuneManager *manager, RetuneReplyFunc func, gpointer data)
{
  retune_tasks_add(manager->tasks, &retune_change_task_new(begin_adopt, func, data)->task);
}

static gboolean begin_release_all(gpointer owner, RetuneTask *task)
{
  g_autoptr(RetuneModel) after = retune_model_new();

  ((RetuneChangeTask *)task)->job = new_full_job(owner, after);
  return TRUE;
}

void retune_manager_release_all(RetuneManager *manager, RetuneReplyFunc func, gpointer data)
{
  manager->stopping = TRUE;
  retune_tasks_cancel(manager->tasks);
  retune_tasks_add(manager->tasks, &retune_change_task_new(begin_release_all, func, data)->task);
}

typedef struct {
  RetuneTask task;
  void (*func)(RetuneManager *manager, gpointer data);
  gpointer data;
} Leaving;

static gboolean no_work(gpointer owner, RetuneTask *task)
{
  (void)owner, (void)task;
  return FALSE;
}

static gboolean end_leaving(gpointer owner, RetuneTask *task)
{
  Leaving *leaving = (Leaving *)task;

  leaving->func(owner, leaving->data);
  g_free(leaving);
  return FALSE;
}

void retune_manager_leave(RetuneManager *manager, void (*func)(RetuneManager *, gpointer),
                          gpointer data)
{
  Leaving *leaving = g_new0(Leaving, 1);

  leaving->task = (RetuneTask){no_work, NULL, end_leaving, NULL};
  leaving->func = func;
  leaving->data = data;
  manager->stopping = TRUE;
  retune_tasks_cancel(manager->tasks);
  retune_tasks_add(manager->tasks, &leaving->task);
}

static void count_baseline(const RetuneKnob *place, guint id, const RetuneEntry *entry,
                           gpointer data)
{
  (void)place, (void)id;
  *(guint *)data += entry->baseline != NULL;
}

guint retune_manager_count_baselines(RetuneManager *manager)
{
  guint count = 0;

  retune_ledger_foreach(manager->ledger, count_baseline, &count);
  return count;
}
