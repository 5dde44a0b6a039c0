// SPDX-License-Identifier: GPL-2.0-or-later
/* What is to be said of wishes that did not simply come true: into the log, into the
 * ledger, and from there to who asks. */
#include "manager-private.h"

/* --- from a job --- */

/* Has the ledger the remark of @note already, from a job before? */
static gboolean is_known(RetuneManager *manager, const RetuneNote *note)
{
  const RetuneEntry *entry = retune_ledger_get(manager->ledger, note->place, note->id);

  for (guint i = 0; entry != NULL && entry->remarks != NULL && i < entry->remarks->len; i++) {
    const RetuneRemark *known = entry->remarks->pdata[i];
    if (known->option == note->remark->option && known->outcome == note->remark->outcome &&
        g_str_equal(known->instance, note->remark->instance) &&
        g_strcmp0(known->detail, note->remark->detail) == 0)
      return TRUE;
  }
  return FALSE;
}

static gboolean is_bad(const RetuneRemark *remark)
{
  return remark->outcome == RETUNE_OUTCOME_REFUSED || remark->outcome == RETUNE_OUTCOME_INEFFECTIVE;
}

/* One line for all that is new of an option in one job, not one per CPU. */
void retune_manager_log_notes(RetuneManager *manager, const RetuneJob *job)
{
  const RetuneRemark *last = NULL;

  for (guint i = 0; i < job->notes->len; i++) {
    const RetuneNote *note = &g_array_index(job->notes, RetuneNote, i);
    const RetuneRemark *remark = note->remark;
    gboolean bad = is_bad(remark);
    if ((!bad && remark->outcome != RETUNE_OUTCOME_APPLIED) || is_known(manager, note))
      continue;
    if (last != NULL && last->option == remark->option && last->outcome == remark->outcome &&
        g_str_equal(last->instance, remark->instance))
      continue;
    g_log(G_LOG_DOMAIN, bad ? G_LOG_LEVEL_WARNING : G_LOG_LEVEL_MESSAGE,
          "instance '%s': %s%s%s: %s", remark->instance, remark->option->name, bad ? " is " : "",
          bad ? retune_outcome_name(remark->outcome) : "", remark->detail);
    last = remark;
  }
}

void retune_manager_commit_notes(RetuneManager *manager, RetuneJob *job)
{
  for (guint i = 0; i < job->notes->len; i++) {
    RetuneNote *note = &g_array_index(job->notes, RetuneNote, i);
    retune_ledger_add_remark(manager->ledger, note->place, note->id,
                             g_steal_pointer(&note->remark));
  }
}

/* --- problems --- */

typedef struct {
  RetuneManager *manager;
  const RetuneInstance *instance;
  GPtrArray *findings;
} Problems;

static void collect_problem(Problems *problems, const RetuneKnob *place, guint id,
                            const RetuneRemark *remark)
{
  RetuneFinding *finding = NULL;

  for (guint i = 0; i < problems->findings->len && finding == NULL; i++) {
    RetuneFinding *candidate = problems->findings->pdata[i];
    if (candidate->option == remark->option && candidate->outcome == remark->outcome)
      finding = candidate;
  }
  if (finding == NULL) {
    finding = g_new0(RetuneFinding, 1);
    finding->cpus = retune_cpuset_new();
    finding->option = remark->option;
    finding->outcome = remark->outcome;
    finding->detail = g_strdup(remark->detail);
    g_ptr_array_add(problems->findings, finding);
  }
  g_autoptr(RetuneCpuset) cpus =
      retune_query_cpus(problems->manager->machine, place, id, problems->instance->devices);
  retune_cpuset_union(finding->cpus, cpus);
}

static void visit_entry(const RetuneKnob *place, guint id, const RetuneEntry *entry, gpointer data)
{
  Problems *problems = data;

  for (guint i = 0; entry->remarks != NULL && i < entry->remarks->len; i++) {
    const RetuneRemark *remark = entry->remarks->pdata[i];
    if (g_str_equal(remark->instance, problems->instance->name))
      collect_problem(problems, place, id, remark);
  }
}

GPtrArray *retune_manager_problems(RetuneManager *manager, const RetuneInstance *instance)
{
  Problems problems = {manager, instance, retune_findings_new()};

  if (retune_ledger_has_remarks(manager->ledger))
    retune_ledger_foreach(manager->ledger, visit_entry, &problems);
  return problems.findings;
}
