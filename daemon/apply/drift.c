// SPDX-License-Identifier: GPL-2.0-or-later
/* Values that somebody else has changed: what is told of them, and whether they are
 * written again. */
#include "job.h"

/* A tunable may have started anew with its governor, so another value than the one we
 * wrote says nothing. One that was never ours, and is about to be put back though its
 * governor runs, is told. */
static void note_foreign_tunable(RetuneJob *job, const RetuneGoal *goal, const char *holder)
{
  const RetuneEntry *entry = goal->entry;

  if (goal->want != NULL || entry->wrote != NULL || entry->baseline == NULL ||
      g_str_equal(entry->baseline, goal->seen))
    return;
  g_ptr_array_add(job->drifts, retune_line_new(holder, retune_knob_option(job->table, goal->place),
                                               goal->place, goal->id, entry->baseline, goal->seen));
}

/* Is what was seen neither what we left, nor that held down by the kernel? */
static gboolean is_changed(RetuneJob *job, const RetuneGoal *goal)
{
  const RetuneEntry *entry = goal->entry;

  return entry != NULL && entry->found != NULL && entry->wrote != NULL &&
         !retune_knob_same(goal->place, entry->found, goal->seen) &&
         !retune_job_is_bent(job, goal->place, goal->id, entry->found, goal->seen);
}

void retune_job_note_drift(RetuneJob *job, const RetuneGoal *goal, const char *holder)
{
  if (goal->entry != NULL && goal->place->leader != NULL && !job->report) {
    note_foreign_tunable(job, goal, holder);
    return;
  }
  if (is_changed(job, goal))
    g_ptr_array_add(job->drifts,
                    retune_line_new(holder, retune_knob_option(job->table, goal->place),
                                    goal->place, goal->id, goal->entry->wrote, goal->seen));
}

/* Does the instance let others have it, at least for now? */
static gboolean lets(const RetuneJob *job, const RetuneInstance *instance)
{
  return instance->on_drift != RETUNE_DRIFT_REASSERT ||
         (job->given_up != NULL && g_hash_table_contains(job->given_up, instance->name));
}

/* Was it told before that somebody else has it? */
static gboolean is_told(const RetuneEntry *entry, const RetuneInstance *instance)
{
  for (guint i = 0; entry->remarks != NULL && i < entry->remarks->len; i++) {
    const RetuneRemark *remark = entry->remarks->pdata[i];
    if (remark->outcome == RETUNE_OUTCOME_DRIFTED && g_str_equal(remark->instance, instance->name))
      return TRUE;
  }
  return FALSE;
}

/* A CPU that somebody else switches is never fought for, but for a call that says so. */
gboolean retune_job_leaves(RetuneJob *job, const RetuneGoal *goal)
{
  const RetuneEntry *entry = goal->entry;

  if (!job->lenient || goal->want == NULL || goal->want->text == NULL || entry == NULL ||
      g_strcmp0(entry->wrote, goal->want->text) != 0 || g_strcmp0(goal->seen, entry->wrote) == 0)
    return FALSE;
  if (goal->place->switches_cpu)
    return TRUE;
  return job->report && lets(job, goal->want->instance) &&
         (is_changed(job, goal) || is_told(entry, goal->want->instance));
}
