// SPDX-License-Identifier: GPL-2.0-or-later
/* What others write into files that are ours: seen at once, looked at in a job, told;
 * and written again by instances that want that, but not for ever. */
#include "drifts.h"

#include <string.h>

#include "manager-private.h"

/* Between two looks: a rival that writes all the time is not followed at its pace. */
#define LOOK_INTERVAL_MS 400
/* An instance writes again at most once in this time... */
#define REASSERT_INTERVAL (1 * G_TIME_SPAN_SECOND)
/* ... and gives up after so many losses in that time. */
#define MAX_LOSSES 5u
#define LOSS_WINDOW (60 * G_TIME_SPAN_SECOND)
/* One line in the log about an instance in this time. */
#define LOG_INTERVAL (60 * G_TIME_SPAN_SECOND)

/* How an instance fares. */
typedef struct {
  gint64 losses[MAX_LOSSES]; /* when, the oldest first */
  guint n_losses;
  gboolean given_up;
  gint64 logged;
} Record;

struct _RetuneDrifts {
  RetuneManager *manager;
  RetuneWatch *watch;    /* or NULL */
  RetuneCpuset *touched; /* CPUs whose values others have written */
  gboolean any;          /* somebody has written something */
  gboolean queued;       /* a look is queued */
  guint timer;           /* for the next look */
  gint64 looked;         /* when the last look was */
  GHashTable *records;   /* name of an instance -> Record */
};

static gboolean begin_look(gpointer owner, RetuneTask *task);

static void look(RetuneDrifts *drifts)
{
  drifts->queued = TRUE;
  retune_manager_add_own(drifts->manager, begin_look, "others have written values");
}

static gboolean on_timer(gpointer data)
{
  RetuneDrifts *drifts = data;

  drifts->timer = 0;
  if (!drifts->queued)
    look(drifts);
  return G_SOURCE_REMOVE;
}

static void look_in(RetuneDrifts *drifts, guint ms)
{
  if (drifts->timer == 0)
    drifts->timer = g_timeout_add(ms, on_timer, drifts);
}

static void on_written(const RetuneKnob *place, guint id, gpointer data)
{
  RetuneDrifts *drifts = data;
  gint64 since = (g_get_monotonic_time() - drifts->looked) / G_TIME_SPAN_MILLISECOND;

  drifts->any = TRUE;
  if (place == NULL)
    retune_cpuset_union(drifts->touched, drifts->manager->present);
  else if (place->scope != RETUNE_SCOPE_SYSTEM) /* a policy has the number of a CPU of its */
    retune_cpuset_add(drifts->touched, retune_knob_cpu(place, id));
  if (drifts->queued || drifts->manager->stopping)
    return;
  if (since >= LOOK_INTERVAL_MS)
    look(drifts);
  else
    look_in(drifts, (guint)(LOOK_INTERVAL_MS - since));
}

/* --- the look --- */

static Record *record_of(RetuneDrifts *drifts, const char *name)
{
  Record *record = g_hash_table_lookup(drifts->records, name);

  if (record == NULL) {
    record = g_new0(Record, 1);
    record->logged = -LOG_INTERVAL;
    g_hash_table_insert(drifts->records, g_strdup(name), record);
  }
  return record;
}

/* May the instance not write again now? If that is only for a moment, another look
 * follows. */
static gboolean must_wait(RetuneDrifts *drifts, const Record *record)
{
  if (record == NULL || record->n_losses == 0)
    return FALSE;
  gint64 since = g_get_monotonic_time() - record->losses[record->n_losses - 1];
  if (!record->given_up && since < REASSERT_INTERVAL)
    look_in(drifts, (guint)((REASSERT_INTERVAL - since) / G_TIME_SPAN_MILLISECOND) + 1);
  return record->given_up || since < REASSERT_INTERVAL;
}

static gboolean begin_look(gpointer owner, RetuneTask *task)
{
  RetuneManager *manager = owner;
  RetuneDrifts *drifts = manager->drifts;
  const GPtrArray *instances = retune_model_instances(manager->model);
  RetuneJob *job;

  drifts->queued = FALSE;
  if (!drifts->any && retune_cpuset_is_empty(drifts->touched))
    return FALSE;
  job = ((RetuneChangeTask *)task)->job = retune_manager_new_own_job(manager, manager->model);
  job->report = TRUE;
  job->given_up = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  retune_cpuset_union(job->affected, drifts->touched);
  for (guint i = 0; i < instances->len; i++) {
    const RetuneInstance *instance = instances->pdata[i];
    if (must_wait(drifts, g_hash_table_lookup(drifts->records, instance->name)))
      g_hash_table_add(job->given_up, g_strdup(instance->name));
  }
  drifts->any = drifts->timer != 0; /* then the CPUs are looked at once more */
  if (drifts->timer == 0)
    retune_cpuset_subtract(drifts->touched, job->affected);
  drifts->looked = g_get_monotonic_time();
  return TRUE;
}

/* --- afterwards --- */

static void count_loss(const char *name, Record *record)
{
  gint64 now = g_get_monotonic_time();
  guint n_old = 0;

  while (n_old < record->n_losses && now - record->losses[n_old] > LOSS_WINDOW)
    n_old++;
  if (n_old == 0 && record->n_losses == MAX_LOSSES)
    n_old = 1;
  record->n_losses -= n_old;
  memmove(record->losses, record->losses + n_old, record->n_losses * sizeof record->losses[0]);
  record->losses[record->n_losses++] = now;
  if (record->n_losses < MAX_LOSSES)
    return;
  record->given_up = TRUE;
  g_warning("instance '%s': somebody else keeps writing its values; they are not written again "
            "until a call asks for it",
            name);
}

static void log_drift(RetuneDrifts *drifts, const RetuneJob *job, guint i)
{
  const RetuneLine *line = job->drifts->pdata[i];
  Record *record = record_of(drifts, line->instance);
  gint64 now = g_get_monotonic_time();

  if (job->report && now - record->logged < LOG_INTERVAL)
    return;
  record->logged = now;
  g_message("instance '%s': %s of %s was changed by somebody else from '%s' to '%s'%s",
            line->instance, line->option, line->unit, line->from, line->to,
            job->drifts->len > i + 1 ? ", and perhaps more of the kind" : "");
}

/* What an instance has written again in @job, it had lost. */
static void count_losses(RetuneDrifts *drifts, const RetuneJob *job)
{
  g_autoptr(GHashTable) counted = g_hash_table_new(g_str_hash, g_str_equal);

  for (guint i = 0; job->changes != NULL && i < job->changes->len; i++) {
    const RetuneChange *change = &g_array_index(job->changes, RetuneChange, i);
    const char *name = change->want != NULL ? change->want->instance->name : NULL;
    if (name != NULL && !change->passive && g_hash_table_add(counted, (gpointer)name))
      count_loss(name, record_of(drifts, name));
  }
}

void retune_drifts_note(RetuneDrifts *drifts, const RetuneJob *job)
{
  g_autoptr(GHashTable) told = g_hash_table_new(g_str_hash, g_str_equal);

  for (guint i = 0; i < job->drifts->len; i++) {
    const RetuneLine *line = job->drifts->pdata[i];
    if (!g_hash_table_add(told, line->instance))
      continue;
    log_drift(drifts, job, i);
  }
  if (job->report && job->error == NULL)
    count_losses(drifts, job);
}

void retune_drifts_forgive(RetuneDrifts *drifts, const char *name)
{
  g_hash_table_remove(drifts->records, name);
}

void retune_drifts_pause(RetuneDrifts *drifts)
{
  if (drifts->watch != NULL)
    retune_watch_pause(drifts->watch);
}

void retune_drifts_watch(RetuneDrifts *drifts, const RetuneJob *job)
{
  const RetuneLedger *ledger = drifts->manager->ledger;

  for (guint i = 0; drifts->watch != NULL && job->recheck && i < job->updates->len; i++) {
    const RetuneUpdate *update = &g_array_index(job->updates, RetuneUpdate, i);
    retune_watch_renew(drifts->watch, update->place, update->id);
  }
  for (guint i = 0; drifts->watch != NULL && i < job->updates->len; i++) {
    const RetuneUpdate *update = &g_array_index(job->updates, RetuneUpdate, i);
    const RetuneEntry *entry = retune_ledger_get(ledger, update->place, update->id);
    retune_watch_set(drifts->watch, update->place, update->id,
                     entry != NULL && entry->wrote != NULL);
  }
}

void retune_drifts_resume(RetuneDrifts *drifts)
{
  g_autoptr(GArray) written = retune_machine_take_written(drifts->manager->machine);

  if (drifts->watch != NULL)
    retune_watch_resume(drifts->watch, written);
}

RetuneDrifts *retune_drifts_new(RetuneManager *manager)
{
  RetuneDrifts *drifts = g_new0(RetuneDrifts, 1);

  drifts->manager = manager;
  drifts->watch = retune_watch_new(on_written, drifts);
  drifts->touched = retune_cpuset_new();
  drifts->looked = -LOOK_INTERVAL_MS * G_TIME_SPAN_MILLISECOND;
  drifts->records = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  return drifts;
}

void retune_drifts_free(RetuneDrifts *drifts)
{
  g_clear_handle_id(&drifts->timer, g_source_remove);
  retune_watch_free(drifts->watch);
  retune_cpuset_free(drifts->touched);
  g_hash_table_unref(drifts->records);
  g_free(drifts);
}
