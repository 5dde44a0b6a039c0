// SPDX-License-Identifier: GPL-2.0-or-later
/* After the writes: what the ledger is to know of each place, and what is to be said of
 * it. */
#include "job.h"

/* Notes what is to be said of a value that is in place: it may read back
 * otherwise, or have no effect. */
static void note_effect(RetuneJob *job, const RetuneGoal *goal, const char *baseline,
                        const char *wrote, const char *found)
{
  if (wrote == NULL || found == NULL)
    return;
  if (retune_knob_same(goal->place, wrote, found)) {
    g_autofree char *advice = retune_job_advise(job, goal->want, wrote, baseline);
    if (advice != NULL)
      retune_job_note_want(job, goal->want, RETUNE_OUTCOME_APPLIED, 0, advice);
    return;
  }
  g_autofree char *detail = g_strdup_printf("'%s' was written, '%s' reads back", wrote, found);
  retune_job_note_want(job, goal->want, RETUNE_OUTCOME_INEFFECTIVE, 0, detail);
}

/* The entry after this job of a place whose wish could not be written. */
static RetuneEntry *refused_entry(RetuneJob *job, const RetuneGoal *goal,
                                  const RetuneChange *change, const RetuneResult *result,
                                  const char *baseline)
{
  g_autofree char *refusal = retune_job_describe_refusal(change, result->error);
  g_autofree char *detail = retune_job_is_locked(change, result->error)
                                ? g_strdup(change->place->locked)
                                : g_strdup(refusal);

  if (result->offline)
    retune_job_note_want(job, goal->want, RETUNE_OUTCOME_PENDING, 0, "the CPU is offline");
  else if (retune_job_is_locked(change, result->error))
    retune_job_note_want(job, goal->want, RETUNE_OUTCOME_UNSUPPORTED, 0, detail);
  else
    retune_job_note_want(job, goal->want, RETUNE_OUTCOME_REFUSED, result->error, detail);
  RetuneEntry *entry = retune_entry_new(baseline, NULL, change->from);
  if (!result->offline)
    retune_entry_set_refused(entry, change->to);
  return entry;
}

/* The entry after this job of a place that somebody else has changed, and that is left
 * so; with on_drift=yield what is there now is what will be left behind. */
static RetuneEntry *left_entry(RetuneJob *job, const RetuneGoal *goal)
{
  const RetuneEntry *old = goal->entry;
  g_autofree char *detail = g_strdup_printf("somebody else has made it '%s'", goal->seen);

  retune_job_note_want(job, goal->want, RETUNE_OUTCOME_DRIFTED, 0, detail);
  if (goal->want->instance->on_drift != RETUNE_DRIFT_YIELD)
    return retune_entry_new(old->baseline, old->wrote, goal->seen);
  RetuneEntry *entry = retune_entry_new(goal->seen, NULL, goal->seen);
  retune_entry_set_refused(entry, goal->want->text);
  return entry;
}

/* The entry after this job of a place where the wish was refused, or given up, before:
 * nothing is new. */
static RetuneEntry *still_refused_entry(RetuneJob *job, const RetuneGoal *goal)
{
  const RetuneEntry *old = goal->entry;
  const char *now = goal->seen != NULL ? goal->seen : old->found;
  const char *baseline = old->baseline;

  for (guint i = 0; i < old->remarks->len; i++) {
    const RetuneRemark *remark = old->remarks->pdata[i];
    if (!g_str_equal(remark->instance, goal->want->instance->name))
      continue;
    retune_job_note_want(job, goal->want, remark->outcome, remark->errno_value, remark->detail);
    if (remark->outcome == RETUNE_OUTCOME_DRIFTED) /* it is the other one's */
      baseline = now;
  }
  RetuneEntry *entry = retune_entry_new(baseline, NULL, now);
  retune_entry_set_refused(entry, goal->want->text);
  return entry;
}

/* The entry after this job of a place that somebody wishes for. */
static RetuneEntry *wished_entry(RetuneJob *job, const RetuneGoal *goal, const RetuneChange *change,
                                 const RetuneResult *result)
{
  const RetuneEntry *old = goal->entry;
  const char *known = old != NULL ? old->baseline : NULL;
  const char *seen = goal->seen != NULL ? goal->seen : result != NULL ? result->before : NULL;
  const char *baseline = known != NULL ? known : seen;

  if (goal->want->pending)
    return retune_entry_new(baseline, old != NULL ? old->wrote : NULL,
                            old != NULL ? old->found : NULL);
  if (goal->want->kind == RETUNE_WANT_HOLD || (change != NULL && change->passive))
    return retune_entry_new(baseline, NULL, NULL);
  if (goal->left)
    return left_entry(job, goal);
  if (change == NULL && old != NULL && goal->want->text != NULL &&
      retune_entry_refuses(old, goal->want->instance->name, goal->want->text))
    return still_refused_entry(job, goal);
  if (change != NULL && !result->done)
    return refused_entry(job, goal, change, result, baseline);
  const char *wrote = change != NULL ? result->wrote : retune_plan_text(goal->want, baseline);
  const char *found = change != NULL       ? result->found
                      : goal->seen != NULL ? goal->seen
                      : old != NULL        ? old->found
                                           : NULL;
  if (goal->want->kind == RETUNE_WANT_VALUE)
    note_effect(job, goal, baseline, wrote, found);
  return retune_entry_new(baseline, wrote, found);
}

/* The entry of a place whose baseline counts later. What is not there now is lost, and
 * must be put back then. */
static RetuneEntry *held_entry(const RetuneGoal *goal)
{
  const RetuneEntry *old = goal->entry;
  RetuneEntry *entry = retune_entry_new(
      old != NULL && old->baseline != NULL ? old->baseline : goal->seen, NULL, NULL);

  entry->stuck = goal->seen == NULL || (old != NULL && old->stuck);
  return entry;
}

/* The entry after this job of a place that nobody wishes for: none once its
 * baseline is back. */
static RetuneEntry *released_entry(RetuneJob *job, const RetuneGoal *goal,
                                   const RetuneChange *change, const RetuneResult *result)
{
  const RetuneEntry *old = goal->entry;
  gboolean failed = change != NULL && !change->passive && !result->done;
  const char *known = old != NULL ? old->baseline : NULL;

  if (goal->hold && (known != NULL || goal->seen != NULL))
    return held_entry(goal);
  if (old == NULL || old->baseline == NULL || (!goal->offline && !failed))
    return NULL;
  if (failed && !result->offline)
    g_ptr_array_add(job->unrestored, retune_job_describe_refusal(change, result->error));
  RetuneEntry *entry = retune_entry_new(old->baseline, NULL, old->found);
  entry->stuck = TRUE;
  return entry;
}

/* Nothing was read, written or remarked, now or before; or it was refused before, and
 * nothing is new. */
static gboolean is_unchanged(const RetuneGoal *goal, const RetuneChange *change)
{
  return change == NULL && goal->want != NULL && !goal->want->pending && goal->seen == NULL &&
         goal->entry != NULL &&
         (goal->entry->remarks == NULL ||
          retune_entry_refuses(goal->entry, goal->want->instance->name, goal->want->text));
}

void retune_job_update_ledger(RetuneJob *job, const RetuneResult *results)
{
  g_autofree gint *change_of = g_new(gint, job->goals->len + 1);

  for (guint i = 0; i < job->goals->len; i++)
    change_of[i] = -1;
  for (guint i = 0; i < job->changes->len; i++)
    change_of[g_array_index(job->changes, RetuneChange, i).goal] = (gint)i;
  for (guint i = 0; i < job->goals->len; i++) {
    const RetuneGoal *goal = &g_array_index(job->goals, RetuneGoal, i);
    const RetuneChange *change =
        change_of[i] < 0 ? NULL : &g_array_index(job->changes, RetuneChange, change_of[i]);
    const RetuneResult *result = change_of[i] < 0 ? NULL : &results[change_of[i]];
    if (is_unchanged(goal, change))
      continue;
    RetuneUpdate update = {goal->place, goal->id,
                           goal->want != NULL ? wished_entry(job, goal, change, result)
                                              : released_entry(job, goal, change, result)};
    g_array_append_val(job->updates, update);
  }
}
