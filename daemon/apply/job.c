// SPDX-License-Identifier: GPL-2.0-or-later
/* A job as a whole: collect, aim, plan, write. */
#include "job.h"

#include <string.h>

#include "error.h"
#include "query.h"

#define WANTS_PER_BLOCK 128u

RetuneLine *retune_line_new(const char *instance, const RetuneKnob *option, const RetuneKnob *place,
                            guint id, const char *from, const char *to)
{
  RetuneLine *line = g_new0(RetuneLine, 1);
  char text[128];

  line->instance = g_strdup(instance);
  line->option = g_strdup(option->name != NULL ? option->name : place->file);
  retune_knob_unit(place, id, text, sizeof text);
  line->unit = g_strdup(text);
  retune_knob_path(place, id, text, sizeof text);
  line->file = *text == '/' ? g_strdup(text) : g_strdup_printf(RETUNE_SYSFS_CPU "/%s", text);
  line->from = g_strdup(from != NULL ? from : "");
  line->to = g_strdup(to != NULL ? to : "");
  return line;
}

void retune_line_free(RetuneLine *line)
{
  if (line == NULL)
    return;
  g_free(line->instance);
  g_free(line->option);
  g_free(line->unit);
  g_free(line->file);
  g_free(line->from);
  g_free(line->to);
  g_free(line);
}

static void clear_update(gpointer data)
{
  retune_entry_free(((RetuneUpdate *)data)->entry);
}

static void clear_note(gpointer data)
{
  retune_remark_free(((RetuneNote *)data)->remark);
}

RetuneJob *retune_job_new(const RetuneKnobTable *table, RetuneMachine *machine,
                          const RetuneLedger *ledger, RetuneModel *before, RetuneModel *after)
{
  RetuneJob *job = g_new0(RetuneJob, 1);
  job->table = table;
  job->machine = machine;
  job->ledger = ledger;
  job->before = retune_model_ref(before);
  job->after = retune_model_ref(after);
  job->affected = retune_cpuset_new();
  job->suspects = retune_cpuset_new();
  job->held = retune_cpuset_new();
  job->woken = retune_cpuset_new();
  job->untried = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
  job->subjects = g_ptr_array_new_with_free_func(g_free);
  job->updates = g_array_new(FALSE, FALSE, sizeof(RetuneUpdate));
  g_array_set_clear_func(job->updates, clear_update);
  job->notes = g_array_new(FALSE, FALSE, sizeof(RetuneNote));
  g_array_set_clear_func(job->notes, clear_note);
  job->preview_lines = g_ptr_array_new_with_free_func((GDestroyNotify)retune_line_free);
  job->drifts = g_ptr_array_new_with_free_func((GDestroyNotify)retune_line_free);
  job->unrestored = g_ptr_array_new_with_free_func(g_free);
  job->strings = g_string_chunk_new(1024);
  job->wants = g_ptr_array_new();
  job->want_blocks = g_ptr_array_new_with_free_func(g_free);
  job->agreed = g_ptr_array_new();
  job->goals = g_array_new(FALSE, FALSE, sizeof(RetuneGoal));
  return job;
}

void retune_job_free(RetuneJob *job)
{
  if (job == NULL)
    return;
  g_clear_pointer(&job->changes, g_array_unref);
  g_array_unref(job->goals);
  g_ptr_array_unref(job->agreed);
  g_ptr_array_unref(job->wants);
  g_ptr_array_unref(job->want_blocks);
  g_string_chunk_free(job->strings);
  g_ptr_array_unref(job->unrestored);
  g_ptr_array_unref(job->drifts);
  g_ptr_array_unref(job->preview_lines);
  g_array_unref(job->notes);
  g_array_unref(job->updates);
  g_ptr_array_unref(job->subjects);
  g_clear_error(&job->error);
  g_free(job->culprit_instance);
  g_clear_pointer(&job->online, retune_cpuset_free);
  g_clear_pointer(&job->given_up, g_hash_table_unref);
  g_ptr_array_unref(job->untried);
  retune_cpuset_free(job->woken);
  retune_cpuset_free(job->held);
  retune_cpuset_free(job->suspects);
  retune_cpuset_free(job->affected);
  retune_model_unref(job->after);
  retune_model_unref(job->before);
  g_free(job);
}

RetuneWant *retune_job_new_want(RetuneJob *job)
{
  if (job->want_blocks->len == 0 || job->n_in_block == WANTS_PER_BLOCK) {
    g_ptr_array_add(job->want_blocks, g_new0(RetuneWant, WANTS_PER_BLOCK));
    job->n_in_block = 0;
  }
  RetuneWant *block = job->want_blocks->pdata[job->want_blocks->len - 1];
  RetuneWant *want = &block[job->n_in_block++];
  g_ptr_array_add(job->wants, want);
  return want;
}

void retune_job_note(RetuneJob *job, const RetuneKnob *place, guint id, guint cpu,
                     RetuneRemark *remark, gboolean invalid)
{
  RetuneNote note = {place, id, cpu, remark, invalid, FALSE};
  g_array_append_val(job->notes, note);
}

void retune_job_note_want(RetuneJob *job, const RetuneWant *want, RetuneOutcome outcome,
                          int errno_value, const char *detail)
{
  guint cpu;

  (void)retune_job_unit_online(job, want->place, want->id, &cpu);
  retune_job_note(
      job, want->place, want->id, cpu,
      retune_remark_new(want->instance->name, want->option, outcome, errno_value, detail), FALSE);
  for (guint i = 0; i < job->agreed->len; i += 2) {
    const RetuneWant *loser = job->agreed->pdata[i];
    if (job->agreed->pdata[i + 1] == want)
      retune_job_note(
          job, loser->place, loser->id, cpu,
          retune_remark_new(loser->instance->name, loser->option, outcome, errno_value, detail),
          FALSE);
  }
}

char *retune_job_advise(const RetuneJob *job, const RetuneWant *want, const char *text,
                        const char *baseline)
{
  RetuneResolve where = {.machine = job->machine, .id = want->id};

  if (want->option->type->advise == NULL)
    return NULL;
  (void)retune_job_unit_online(job, want->place, want->id, &where.cpu);
  return want->option->type->advise(want->option, &where, text, baseline);
}

gboolean retune_job_is_subject(const RetuneJob *job, const char *name)
{
  for (guint i = 0; !job->lenient && i < job->subjects->len; i++)
    if (g_str_equal(job->subjects->pdata[i], name))
      return TRUE;
  return FALSE;
}

gboolean retune_job_is_strict(const RetuneJob *job, const RetuneInstance *instance)
{
  return !instance->best_effort && retune_job_is_subject(job, instance->name);
}

/* An online member of policy @number, if @cpu leads to it. -1: none online, -2:
 * @cpu is in another policy. */
static gint online_member(const RetuneJob *job, guint number, guint cpu)
{
  const RetunePolicy *policy = retune_machine_policy(job->machine, cpu);

  if (policy == NULL || policy->number != number)
    return -2;
  RETUNE_CPUSET_FOREACH (member, policy->cpus)
    if (retune_cpuset_contains(job->online, (guint)member))
      return member;
  return -1;
}

gboolean retune_job_unit_online(const RetuneJob *job, const RetuneKnob *place, guint id,
                                guint *ret_cpu)
{
  guint unit = retune_knob_cpu(place, id);

  *ret_cpu = unit;
  if (place->scope == RETUNE_SCOPE_SYSTEM || place->switches_cpu)
    return TRUE;
  if (place->scope == RETUNE_SCOPE_CPU)
    return retune_cpuset_contains(job->online, unit);
  /* Most often a policy has the number of a member. */
  gint member = online_member(job, unit, unit);
  const RetuneCpuset *where[] = {job->affected, job->online};
  for (guint i = 0; i < G_N_ELEMENTS(where); i++)
    for (gint cpu = retune_cpuset_next(where[i], 0); member == -2 && cpu >= 0;
         cpu = retune_cpuset_next(where[i], (guint)cpu + 1))
      member = online_member(job, unit, (guint)cpu);
  if (member < 0)
    return FALSE;
  *ret_cpu = (guint)member;
  return TRUE;
}

/* Was the option of @remark taken anywhere? */
static gboolean is_wished(const RetuneJob *job, const RetuneRemark *remark)
{
  for (guint i = 0; i < job->wants->len; i++) {
    const RetuneWant *want = job->wants->pdata[i];
    if (want->option == remark->option && g_str_equal(want->instance->name, remark->instance))
      return TRUE;
  }
  return FALSE;
}

/* Does @note make the call fail? A value that is fit for no CPU does so always. */
static gboolean is_fatal(const RetuneJob *job, const RetuneNote *note)
{
  const RetuneRemark *remark = note->remark;
  const RetuneInstance *instance = retune_model_find(job->after, remark->instance, NULL);

  if ((remark->outcome != RETUNE_OUTCOME_UNSUPPORTED &&
       remark->outcome != RETUNE_OUTCOME_REFUSED) ||
      instance == NULL || note->elsewhere || !retune_job_is_subject(job, instance->name))
    return FALSE;
  return !instance->best_effort || (note->invalid && !is_wished(job, remark));
}

/* The first failure that a strict instance cannot live with becomes the error,
 * with all the CPUs that it concerns. */
static void report_failures(RetuneJob *job)
{
  const RetuneNote *first = NULL;
  g_autoptr(RetuneCpuset) cpus = retune_cpuset_new();

  for (guint i = 0; i < job->notes->len; i++) {
    const RetuneNote *note = &g_array_index(job->notes, RetuneNote, i);
    const RetuneRemark *remark = note->remark;
    if (!is_fatal(job, note))
      continue;
    const RetuneInstance *instance = retune_model_find(job->after, remark->instance, NULL);
    if (first == NULL)
      first = note;
    if (first->remark->option != remark->option ||
        !g_str_equal(first->remark->instance, remark->instance))
      continue;
    g_autoptr(RetuneCpuset) own =
        retune_query_cpus(job->machine, note->place, note->id, instance->devices);
    retune_cpuset_union(cpus, own);
  }
  if (first == NULL)
    return;
  const RetuneRemark *remark = first->remark;
  RetuneError code = first->invalid                                  ? RETUNE_ERROR_INVALID_VALUE
                     : remark->outcome == RETUNE_OUTCOME_UNSUPPORTED ? RETUNE_ERROR_NOT_SUPPORTED
                                                                     : RETUNE_ERROR_FAILED;
  if (!first->invalid)
    retune_cpuset_union(job->suspects, cpus);
  g_autofree char *list = retune_cpuset_to_string(cpus);
  gboolean system = remark->option->scope == RETUNE_SCOPE_SYSTEM;
  retune_set_error(&job->error, code, "%s%s%s%s: %s", remark->option->name,
                   code == RETUNE_ERROR_NOT_SUPPORTED ? " is not supported" : "",
                   system ? code == RETUNE_ERROR_NOT_SUPPORTED ? " by this machine" : ""
                          : " on CPU ",
                   system ? "" : list, remark->detail);
  job->culprit_instance = g_strdup(remark->instance);
  job->culprit_option = remark->option;
}

static void fill_preview(RetuneJob *job)
{
  for (guint i = 0; i < job->changes->len; i++) {
    const RetuneChange *change = &g_array_index(job->changes, RetuneChange, i);
    /* What is only looked at, in case that the kernel changes it, is no change. */
    if (change->passive || (change->check_first && g_strcmp0(change->from, change->to) == 0))
      continue;
    g_ptr_array_add(job->preview_lines,
                    retune_line_new(change->want != NULL ? change->want->instance->name : "",
                                    change->want != NULL && change->want->kind == RETUNE_WANT_VALUE
                                        ? change->want->option
                                        : retune_knob_option(job->table, change->place),
                                    change->place, change->id, change->from, change->to));
  }
}

/* Forgets all but the inputs. */
static void reset(RetuneJob *job)
{
  g_clear_pointer(&job->changes, g_array_unref);
  g_clear_pointer(&job->online, retune_cpuset_free);
  g_array_set_size(job->goals, 0);
  g_array_set_size(job->notes, 0);
  g_ptr_array_set_size(job->agreed, 0);
  g_ptr_array_set_size(job->wants, 0);
  g_ptr_array_set_size(job->want_blocks, 0);
  g_ptr_array_set_size(job->drifts, 0);
  g_ptr_array_set_size(job->untried, 0);
  retune_cpuset_subtract(job->suspects, job->suspects);
  retune_cpuset_subtract(job->held, job->held);
  retune_cpuset_subtract(job->woken, job->woken);
  job->misplaced = FALSE;
  g_clear_error(&job->error);
  g_clear_pointer(&job->culprit_instance, g_free);
  job->culprit_option = NULL;
}

guint retune_job_foreach_new_baseline(const RetuneJob *job, RetuneBaselineVisit visit,
                                      gpointer data)
{
  guint n_new = 0;

  for (guint i = 0; i < job->goals->len; i++) {
    const RetuneGoal *goal = &g_array_index(job->goals, RetuneGoal, i);
    if ((goal->want == NULL && !goal->hold) || goal->seen == NULL ||
        (goal->entry != NULL && goal->entry->baseline != NULL))
      continue;
    n_new++;
    if (visit != NULL)
      visit(goal->place, goal->id, goal->seen, data);
  }
  return n_new;
}

/* FALSE: job->error. */
static gboolean record(RetuneJob *job)
{
  guint n_writes = 0;

  for (guint i = 0; i < job->changes->len; i++)
    n_writes += !g_array_index(job->changes, RetuneChange, i).passive;
  if (job->record == NULL || n_writes == 0 ||
      (!job->unsaved && retune_job_foreach_new_baseline(job, NULL, NULL) == 0))
    return TRUE;
  job->recorded = TRUE;
  if (job->record(job, job->record_data, &job->error))
    return TRUE;
  g_array_set_size(job->updates, 0);
  return FALSE;
}

static void run_once(RetuneJob *job)
{
  job->online = retune_machine_read_online(job->machine, &job->error);
  if (job->online == NULL)
    return;
  retune_job_collect(job);
  if (!retune_job_aim(job))
    return;
  report_failures(job);
  if (job->error != NULL) {
    g_array_set_size(job->updates, 0); /* the wish is withdrawn */
    return;
  }
  job->changes = retune_plan_make(job->goals);
  if (job->preview)
    fill_preview(job);
  else if (record(job) && !retune_job_write(job))
    g_assert(job->error != NULL);
}

void retune_job_run(RetuneJob *job)
{
  guint n_tries = 1;

  retune_machine_forget_absent(job->machine);
  run_once(job);
  while ((job->misplaced && job->updates->len == 0) || retune_job_raced(job, n_tries)) {
    reset(job);
    run_once(job);
    n_tries++;
  }
}
