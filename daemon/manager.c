// SPDX-License-Identifier: GPL-2.0-or-later
/* Changes and questions as tasks, and the commit of what jobs did. While a task
 * is in the worker, machine and ledger belong to it; between tasks, to the main
 * thread. */
#include "manager.h"

#include <malloc.h>

#include "error.h"
#include "manager-private.h"
#include "profile.h"
#include "selectors.h"
#include "wish.h"

/* --- changes --- */

/* What shall outlive the boot is written, but does not count, before anything else. */
static void run_job(gpointer owner, RetuneTask *task)
{
  RetuneManager *manager = owner;
  RetuneJob *job = ((RetuneChangeTask *)task)->job;

  if (!job->keeps || manager->persistent == NULL ||
      retune_persistent_prepare(manager->persistent, job->after, &job->error))
    retune_job_run(job);
}

static void draft_baseline(const RetuneKnob *place, guint id, const char *text, gpointer draft)
{
  retune_draft_add_baseline(draft, place, id, text);
}

/* Before the first write, in the worker: what is, and the new baselines. A crash
 * from now on ends in the old state. */
static gboolean record(RetuneJob *job, gpointer data, GError **error)
{
  RetuneManager *manager = data;
  g_autoptr(RetuneDraft) draft =
      retune_draft_new(job->before, job->ledger, manager->present, manager->driver_generation);

  retune_job_foreach_new_baseline(job, draft_baseline, draft);
  return retune_state_save(manager->state, draft, error);
}

/* After the last one: what is now. */
static void save(RetuneManager *manager)
{
  g_autoptr(RetuneDraft) draft = retune_draft_new(manager->model, manager->ledger, manager->present,
                                                  manager->driver_generation);
  g_autoptr(GError) error = NULL;

  manager->unsaved = !retune_state_save(manager->state, draft, &error);
  if (manager->unsaved)
    g_warning("what was just changed would not survive a crash: %s", error->message);
}

RetuneJob *retune_manager_new_job(RetuneManager *manager, RetuneModel *after)
{
  retune_drifts_pause(manager->drifts);
  RetuneJob *job =
      retune_job_new(manager->table, manager->machine, manager->ledger, manager->model, after);
  if (manager->state != NULL)
    job->record = record;
  job->record_data = manager;
  job->unsaved = manager->unsaved;
  job->keeps = !manager->stopping;
  return job;
}

char *retune_manager_expand(RetuneMachine *machine, RetuneModel *model, const RetuneCpuset *present,
                            const char *expression, GError **error)
{
  g_autoptr(RetuneCpuset) unowned = retune_model_free_devices(model, present);
  RetuneSelectorSets sets = {present, unowned, 0, NULL};
  char *expanded = retune_selectors_expand(machine, &sets, expression, error);

  g_clear_pointer(&sets.packages, g_array_unref);
  return expanded;
}

/* Replaces the selectors in *@expression, which may be NULL. */
static gboolean expand(RetuneManager *manager, RetuneSelectorSets *sets, char **expression,
                       GError **error)
{
  if (*expression == NULL)
    return TRUE;
  char *expanded = retune_selectors_expand(manager->machine, sets, *expression, error);
  if (expanded == NULL)
    return FALSE;
  g_free(*expression);
  *expression = expanded;
  return TRUE;
}

static gboolean expand_all(RetuneManager *manager, RetuneSelectorSets *sets, RetuneRequest *request,
                           GError **error)
{
  for (guint i = 0; request->specs != NULL && i < request->specs->len; i++) {
    RetuneSpec *spec = request->specs->pdata[i];
    if (!expand(manager, sets, &spec->claim, error)) {
      g_prefix_error(error, "%s: section [%s]: ", spec->where, spec->name);
      return FALSE;
    }
  }
  return expand(manager, sets, &request->devices, error);
}

/* Expressions mean what they do when the turn of their call has come. */
static gboolean expand_request(RetuneManager *manager, RetuneRequest *request, GError **error)
{
  g_autoptr(RetuneCpuset) unowned = retune_model_free_devices(manager->model, manager->present);
  RetuneSelectorSets sets = {manager->present, unowned, 0, NULL};
  gboolean done = expand_all(manager, &sets, request, error);

  g_clear_pointer(&sets.packages, g_array_unref);
  return done;
}

static gboolean begin_request(gpointer owner, RetuneTask *task)
{
  RetuneManager *manager = owner;
  RetuneChangeTask *change = (RetuneChangeTask *)task;
  g_autoptr(GPtrArray) subjects = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(RetuneCpuset) affected = retune_cpuset_new();
  retune_manager_check_driver(manager);
  if (!expand_request(manager, change->request, &change->error))
    return FALSE;
  g_autoptr(RetuneModel) after = retune_wish(manager->model, change->request, manager->table,
                                             manager->present, subjects, affected, &change->error);
  if (after == NULL)
    return FALSE;
  change->job = retune_manager_new_job(manager, after);
  retune_cpuset_union(change->job->affected, affected);
  g_ptr_array_extend_and_steal(change->job->subjects, g_steal_pointer(&subjects));
  for (guint i = 0; i < change->job->subjects->len && !change->request->preview; i++)
    retune_drifts_forgive(manager->drifts, change->job->subjects->pdata[i]);
  change->job->preview = change->request->preview;
  change->job->keeps &= !change->request->preview;
  change->job->lenient = change->request->lenient;
  change->job->force = change->request->force;
  change->job->recheck = change->request->verb == RETUNE_VERB_REAPPLY;
  return TRUE;
}

static void log_unrestored(const RetuneJob *job)
{
  if (job->unrestored->len > 0)
    g_warning("%u values could not be put back, to begin with %s", job->unrestored->len,
              (const char *)job->unrestored->pdata[0]);
}

static void commit(RetuneManager *manager, RetuneJob *job)
{
  g_autoptr(RetuneModel) before = retune_model_ref(manager->model);

  if (manager->persistent != NULL)
    (job->error == NULL ? retune_persistent_commit : retune_persistent_abort)(manager->persistent);
  if (job->error == NULL)
    retune_manager_log_notes(manager, job);
  for (guint i = 0; i < job->updates->len; i++) {
    RetuneUpdate *update = &g_array_index(job->updates, RetuneUpdate, i);
    retune_ledger_set(manager->ledger, update->place, update->id, g_steal_pointer(&update->entry));
  }
  log_unrestored(job);
  if (job->error == NULL) {
    retune_manager_commit_notes(manager, job);
    manager->adopting = FALSE;
    retune_model_unref(manager->model);
    manager->model = retune_model_ref(job->after);
  }
  if (job->lenient && job->recheck && job->error == NULL && !manager->stopping)
    manager->n_repaired += job->n_writes;
  retune_drifts_note(manager->drifts, job);
  for (guint i = 0; i < job->drifts->len; i++)
    manager->observer.drifted(job->drifts->pdata[i], manager->observer.data);
  if (manager->state != NULL && !manager->adopting &&
      (manager->unsaved || job->recorded || job->updates->len > 0 ||
       !retune_model_is_same(manager->model, before)))
    save(manager);
  manager->observer.changed(before, manager->model, manager->observer.data);
}

static void fill_created(GPtrArray *created, const RetuneModel *before, const RetuneModel *after)
{
  const GPtrArray *instances = retune_model_instances(after);

  for (guint i = 0; i < instances->len; i++) {
    const RetuneInstance *instance = instances->pdata[i];
    if (retune_model_find(before, instance->name, NULL) == NULL)
      g_ptr_array_add(created, instance->name);
  }
}

static void reply(RetuneManager *manager, RetuneChangeTask *change)
{
  RetuneJob *job = change->first != NULL ? change->first : change->job;
  RetuneReply result = {0};
  g_autoptr(GPtrArray) moves = NULL;
  g_autoptr(GPtrArray) created = g_ptr_array_new();

  result.error = change->error;
  if (job != NULL && job->error != NULL) {
    if (change->request != NULL)
      retune_wish_locate(change->request, job->culprit_instance,
                         job->culprit_option != NULL ? job->culprit_option->name : NULL,
                         &job->error);
    result.error = job->error;
  } else if (job != NULL) {
    moves = retune_model_moves(job->before, job->after);
    fill_created(created, job->before, job->after);
    result.moves = moves;
    result.created = created;
    result.preview_lines = job->preview_lines;
    result.n_unrestored = job->unrestored->len;
    result.n_writes = job->n_writes;
  }
  change->func(manager, &result, change->data);
}

static gboolean on_trim(gpointer data)
{
  RetuneManager *manager = data;
  manager->trim_source = 0;
  malloc_trim(0);
  return G_SOURCE_REMOVE;
}

/* A job over many CPUs leaves holes in the heap; give them back when it is
 * quiet. One wake-up after the last job, none after that. */
static void trim_later(RetuneManager *manager)
{
  g_clear_handle_id(&manager->trim_source, g_source_remove);
  manager->trim_source = g_timeout_add_seconds(1, on_trim, manager);
}

/* CPUs that the job has switched on are to have their values before anybody is told.
 * TRUE: there is another job to do. */
static gboolean goes_on(RetuneManager *manager, RetuneChangeTask *change)
{
  if (change->first != NULL || change->job == NULL || retune_cpuset_is_empty(change->job->woken))
    return FALSE;
  change->first = change->job;
  change->job = retune_manager_new_own_job(manager, manager->model);
  retune_cpuset_union(change->job->affected, change->first->woken);
  retune_machine_forget(manager->machine, change->first->woken);
  return TRUE;
}

/* Has looked at what of its own accord, or has found changed, what the main thread
 * should know. */
static void look_after(RetuneManager *manager, const RetuneChangeTask *change)
{
  const RetuneJob *job = change->job;

  if (job->error != NULL && change->request == NULL)
    retune_manager_look_again(manager, job->affected);
  if (job->switched || (change->first != NULL && change->first->switched) ||
      (job->online != NULL && !retune_cpuset_equal(job->online, manager->online)))
    retune_manager_look_at_devices(manager);
  trim_later(manager);
}

static gboolean end_change(gpointer owner, RetuneTask *task)
{
  RetuneManager *manager = owner;
  RetuneChangeTask *change = (RetuneChangeTask *)task;

  if (change->job != NULL && !change->job->preview)
    commit(manager, change->job);
  if (goes_on(manager, change))
    return TRUE;
  if (change->job != NULL)
    look_after(manager, change);
  reply(manager, change);
  if (change->first != NULL)
    retune_drifts_watch(manager->drifts, change->first);
  if (change->job != NULL)
    retune_drifts_watch(manager->drifts, change->job);
  retune_drifts_resume(manager->drifts);
  g_clear_error(&change->error);
  retune_job_free(change->first);
  retune_job_free(change->job);
  retune_request_free(change->request);
  g_free(change);
  return FALSE;
}

RetuneChangeTask *retune_change_task_new(gboolean (*begin)(gpointer owner, RetuneTask *task),
                                         RetuneReplyFunc func, gpointer data)
{
  RetuneChangeTask *change = g_new0(RetuneChangeTask, 1);
  change->task = (RetuneTask){begin, run_job, end_change, NULL};
  change->func = func;
  change->data = data;
  return change;
}

void retune_manager_submit(RetuneManager *manager, RetuneRequest *request, RetuneReplyFunc func,
                           gpointer data)
{
  RetuneChangeTask *change = retune_change_task_new(begin_request, func, data);

  change->request = request;
  if (manager->stopping) {
    retune_set_error(&change->error, RETUNE_ERROR_FAILED, "retuned is stopping");
    (void)end_change(manager, &change->task);
    return;
  }
  retune_tasks_add(manager->tasks, &change->task);
}

/* --- questions --- */

typedef struct {
  RetuneTask task;
  RetuneQuestion question;
  gpointer data;
} Asked;

static void work_question(gpointer owner, RetuneTask *task)
{
  RetuneManager *manager = owner;
  Asked *asked = (Asked *)task;
  asked->question.ask(manager->table, manager->machine, manager->ledger, manager->model,
                      asked->data);
}

static gboolean end_question(gpointer owner, RetuneTask *task)
{
  Asked *asked = (Asked *)task;

  (void)owner;
  asked->question.answer(asked->data);
  g_free(asked);
  return FALSE;
}

static void cancel_question(gpointer owner, RetuneTask *task)
{
  Asked *asked = (Asked *)task;

  (void)owner;
  asked->question.cancel(asked->data);
  g_free(asked);
}

static gboolean no_work(gpointer owner, RetuneTask *task)
{
  (void)owner;
  (void)task;
  return FALSE;
}

gboolean retune_manager_ask(RetuneManager *manager, const RetuneQuestion *question, gpointer data)
{
  if (manager->stopping)
    return FALSE;
  Asked *asked = g_new0(Asked, 1);
  asked->task = (RetuneTask){question->ask == NULL ? no_work : NULL, work_question, end_question,
                             cancel_question};
  asked->question = *question;
  asked->data = data;
  retune_tasks_add(manager->tasks, &asked->task);
  return TRUE;
}

/* --- the rest --- */

RetuneManager *retune_manager_new(const RetuneKnobTable *table, RetuneMachine *machine,
                                  const RetuneStores *stores, GError **error)
{
  g_autoptr(RetuneCpuset) present = retune_machine_read_present(machine, error);
  if (present == NULL)
    return NULL;
  g_autoptr(RetuneCpuset) online = retune_machine_read_online(machine, error);
  if (online == NULL)
    return NULL;
  RetuneManager *manager = g_new0(RetuneManager, 1);
  manager->table = table;
  manager->machine = machine;
  manager->state = stores->state;
  manager->persistent = stores->persistent;
  manager->files = stores->files;
  manager->ledger = retune_ledger_new(table);
  manager->model = retune_model_new();
  manager->present = g_steal_pointer(&present);
  manager->online = g_steal_pointer(&online);
  manager->stirred = retune_cpuset_new();
  manager->driver_generation = retune_machine_driver_generation(machine);
  manager->tasks = retune_tasks_new(manager);
  manager->drifts = retune_drifts_new(manager);
  return manager;
}

void retune_manager_free(RetuneManager *manager)
{
  if (manager == NULL)
    return;
  g_clear_handle_id(&manager->trim_source, g_source_remove);
  g_clear_handle_id(&manager->retry_source, g_source_remove);
  retune_tasks_free(manager->tasks);
  retune_drifts_free(manager->drifts);
  retune_cpuset_free(manager->stirred);
  retune_cpuset_free(manager->online);
  retune_cpuset_free(manager->present);
  retune_model_unref(manager->model);
  retune_ledger_free(manager->ledger);
  g_free(manager);
}

void retune_manager_observe(RetuneManager *manager, const RetuneObserver *observer)
{
  manager->observer = *observer;
}

guint retune_manager_count_repaired(RetuneManager *manager)
{
  return manager->n_repaired;
}

RetuneModel *retune_manager_model(RetuneManager *manager)
{
  return manager->model;
}

const RetuneCpuset *retune_manager_present(RetuneManager *manager)
{
  return manager->present;
}

const RetuneCpuset *retune_manager_online(RetuneManager *manager)
{
  return manager->online;
}

const RetuneKnobTable *retune_manager_table(RetuneManager *manager)
{
  return manager->table;
}
