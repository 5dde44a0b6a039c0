// SPDX-License-Identifier: GPL-2.0-or-later
/* CPUs that instances switch on and off. */
#include <string.h>

#include "error.h"
#include "job.h"

/* The kernel would refuse the last one with EBUSY, after all others are off. */
gboolean retune_job_check_switches(RetuneJob *job)
{
  g_autoptr(RetuneCpuset) online = retune_cpuset_copy(job->online);
  const RetuneWant *last = NULL;

  for (guint i = 0; i < job->goals->len; i++) {
    const RetuneGoal *goal = &g_array_index(job->goals, RetuneGoal, i);
    const char *text = goal->want != NULL    ? goal->want->text
                       : goal->entry != NULL ? goal->entry->baseline
                                             : NULL;
    if (!goal->place->switches_cpu || text == NULL)
      continue;
    if (g_str_equal(text, "1"))
      retune_cpuset_add(online, goal->id);
    else
      retune_cpuset_remove(online, goal->id);
    if (goal->want != NULL && *text == '0')
      last = goal->want;
  }
  if (last == NULL || job->lenient || !retune_cpuset_is_empty(online))
    return TRUE;
  retune_set_error(&job->error, RETUNE_ERROR_NOT_SUPPORTED,
                   "%s=0 would switch off the last CPU of the machine; one must stay online",
                   last->option->name);
  job->culprit_instance = g_strdup(last->instance->name);
  job->culprit_option = last->option;
  return FALSE;
}

void retune_job_note_switch(RetuneJob *job, const RetuneChange *change)
{
  if (!change->place->switches_cpu)
    return;
  job->switched = TRUE;
  if (strcmp(change->to, "1") == 0)
    retune_cpuset_add(job->woken, change->id);
  else
    retune_cpuset_remove(job->woken, change->id);
}
