// SPDX-License-Identifier: GPL-2.0-or-later
/* Last step of a job: the writes, and the way back when one is refused. */
#include <errno.h>
#include <string.h>

#include "error.h"
#include "job.h"
#include "query.h"

/* The kernel applies frequency limits in a work item: how long to wait for all
 * of them together, in ms, and how often to look. */
#define SETTLE_MS 50
#define SETTLE_STEP_MS 5

static const char *keep(RetuneJob *job, const char *text)
{
  return g_string_chunk_insert_const(job->strings, text);
}

static int write_text(RetuneJob *job, const RetuneChange *change, const char *text,
                      RetuneResult *result)
{
  char found[RETUNE_VALUE_SIZE];
  int error =
      retune_machine_write(job->machine, change->place, change->id, text, found, sizeof found);

  job->n_writes++;
  if (error == 0) {
    result->wrote = text;
    result->found = strcmp(found, text) == 0 ? text : *found != '\0' ? keep(job, found) : NULL;
  }
  return error;
}

/* Tries the further texts for a value that the kernel had to be asked about: a
 * governor whose module it may load, a number that not all drivers take. */
static int write_untried(RetuneJob *job, const RetuneChange *change, int error,
                         RetuneResult *result)
{
  const GPtrArray *texts = change->want->untried;

  for (guint i = 0; i < texts->len && error != 0; i++)
    error = write_text(job, change, texts->pdata[i], result);
  if (error == 0 && !change->place->loadable)
    retune_machine_set_refused(job->machine, change->place, change->to);
  return error;
}

/* Has the kernel seen to @change by itself, or does it only hold the value down
 * for as long as the upper limit is lower? What went with its governor is what it
 * was before us. */
static gboolean is_there(RetuneJob *job, const RetuneChange *change, RetuneResult *result)
{
  gboolean late = change->baseline == NULL || change->want == NULL;
  char present[RETUNE_VALUE_SIZE];

  if (!change->check_first && (change->place->leader == NULL || !late))
    return FALSE;
  int error = retune_machine_read(job->machine, change->place, change->id, present, sizeof present);
  if (error != 0)
    return error == ENOENT && change->want == NULL && change->place->leader != NULL;
  result->before = keep(job, present);
  return strcmp(change->to, present) == 0 ||
         (change->want != NULL && change->want->kind == RETUNE_WANT_BASELINE &&
          retune_job_is_bent(job, change->place, change->id, change->to, present));
}

static void try_change(RetuneJob *job, const RetuneChange *change, RetuneResult *result)
{
  if (is_there(job, change, result)) {
    result->done = TRUE;
    result->wrote = result->found = change->to;
    return;
  }
  int error = write_text(job, change, change->to, result);
  if (error != 0 && change->want != NULL && change->want->untried != NULL)
    error = write_untried(job, change, error, result);
  if (change->want != NULL && change->want->untried != NULL && change->place->loadable)
    retune_machine_forget_governors(job->machine); /* a module may have added to them */
  if (change->place->moves_limits)
    retune_machine_forget_limits(job->machine);
  if (change->place->locked != NULL)
    retune_machine_set_locked(job->machine, change->place, error == change->place->locked_errno);
  result->error = error;
  result->done = error == 0;
}

/* The other limit of the pair that @change belongs to, if the kernel refuses
 * contradictions and it is to be written after @position; or -1. */
static gint find_partner(const RetuneJob *job, guint position)
{
  const RetuneChange *change = &g_array_index(job->changes, RetuneChange, position);

  for (guint i = position + 1; i < job->changes->len; i++) {
    const RetuneChange *other = &g_array_index(job->changes, RetuneChange, i);
    const RetuneKnob *lower = change->place->upper != NULL ? change->place : other->place;
    const RetuneKnob *upper = lower == change->place ? other->place : change->place;
    guint id;
    if (lower->upper == upper && lower->pair != RETUNE_PAIR_BENDS &&
        retune_knob_same_unit(change->place, change->id, other->place, &id) && other->id == id)
      return (gint)i;
  }
  return -1;
}

static void do_change(RetuneJob *job, const RetuneChange *change, RetuneResult *result)
{
  guint n_tries = 0;

  do {
    try_change(job, change, result);
    n_tries++;
  } while (!result->done &&
           retune_job_write_raced(job, change, result->error, n_tries, &result->offline));
  if (result->done)
    retune_job_note_switch(job, change);
}

/* --- when one is refused --- */

/* The unit and its siblings in the same plight would make a long list; the
 * first is named, and where its file is. */
char *retune_job_describe_refusal(const RetuneChange *change, int error)
{
  char unit[24], path[128];
  gboolean wished = change->want != NULL && change->want->kind == RETUNE_WANT_VALUE;
  const RetuneSetting *setting =
      wished && change->want->untried != NULL
          ? retune_instance_setting(change->want->instance, change->want->option)
          : NULL; /* where all alternatives were tried, all are named */

  retune_knob_unit(change->place, change->id, unit, sizeof unit);
  retune_knob_path(change->place, change->id, path, sizeof path);
  const char *name = wished ? change->want->option->name : change->place->name;
  g_autofree char *base = g_path_get_basename(path);
  return g_strdup_printf("%s: the kernel refused %s '%s' at %s%s: %s (%s)", unit,
                         name != NULL ? name : base, setting != NULL ? setting->text : change->to,
                         *path == '/' ? "" : RETUNE_SYSFS_CPU "/", path, g_strerror(error),
                         strerrorname_np(error));
}

gboolean retune_job_is_locked(const RetuneChange *change, int error)
{
  return change->place->locked != NULL && error == change->place->locked_errno;
}

/* What a person should know besides the errno. */
static char *explain_refusal(RetuneJob *job, const RetuneChange *change, int error)
{
  guint cpu;

  if (retune_job_is_locked(change, error))
    return g_strdup_printf("; %s", change->place->locked);
  (void)retune_job_unit_online(job, change->place, change->id, &cpu);
  if (change->place->loadable && error == EINVAL) {
    const RetunePolicy *policy = retune_machine_policy_facts(job->machine, cpu);
    g_autofree char *offered = policy != NULL && policy->governors != NULL
                                   ? g_strjoinv(" ", (char **)policy->governors)
                                   : NULL;
    return g_strdup_printf("; it offers: %s", offered != NULL ? offered : "none");
  }
  for (const RetuneKnob *row = job->table->rows; row < job->table->rows + job->table->n_rows;
       row++) {
    char governor[RETUNE_VALUE_SIZE];
    if (error == EBUSY && row->follower == change->place &&
        retune_machine_read(job->machine, row, change->id, governor, sizeof governor) == 0)
      return g_strdup_printf("; %s is '%s' there", row->name, governor);
  }
  return g_strdup("");
}

/* Tells those who hold a place, and wish for it, that it is not as they wish. */
static void remark_holders(RetuneJob *job, const RetuneChange *change, int error,
                           RetuneEntry *entry)
{
  const GPtrArray *instances = retune_model_instances(job->before);
  g_autofree char *detail = retune_job_describe_refusal(change, error);

  for (guint i = 0; i < instances->len; i++) {
    const RetuneInstance *holder = instances->pdata[i];
    g_autoptr(RetuneCpuset) cpus =
        retune_query_cpus(job->machine, change->place, change->id, holder->devices);
    retune_cpuset_intersect(cpus, holder->devices);
    const RetuneKnob *option = retune_knob_option(job->table, change->place);
    if (!retune_cpuset_is_empty(cpus) && retune_instance_setting(holder, option) != NULL)
      retune_entry_add_remark(
          entry, retune_remark_new(holder->name, option, RETUNE_OUTCOME_REFUSED, error, detail));
  }
}

/* What @change would have put back stays in the ledger, for the next job that
 * touches its CPU. @error is why, 0 if that is offline. */
static void keep_baseline(RetuneJob *job, const RetuneChange *change, int error)
{
  char present[RETUNE_VALUE_SIZE];
  gboolean readable =
      retune_machine_read(job->machine, change->place, change->id, present, sizeof present) == 0;
  RetuneUpdate update = {change->place, change->id,
                         retune_entry_new(change->baseline, NULL, readable ? present : NULL)};

  update.entry->stuck = TRUE;
  if (error != 0)
    remark_holders(job, change, error, update.entry);
  g_array_append_val(job->updates, update);
}

/* Undoes the first @n_done changes; what does not work is added to @message. */
static void roll_back(RetuneJob *job, guint n_done, GString *message)
{
  g_autoptr(GArray) inverse = retune_plan_invert(job->changes, n_done);
  guint n_failed = 0;

  for (guint i = 0; i < inverse->len; i++) {
    const RetuneChange *change = &g_array_index(inverse, RetuneChange, i);
    RetuneResult result = {0};
    do_change(job, change, &result);
    if (result.done)
      continue;
    if (result.offline) { /* it is put back when the CPU returns */
      keep_baseline(job, change, 0);
      continue;
    }
    g_autofree char *refusal = retune_job_describe_refusal(change, result.error);
    if (n_failed++ == 0)
      g_string_append_printf(message, "; and while putting back: %s", refusal);
    keep_baseline(job, change, result.error);
  }
  if (n_failed > 1)
    g_string_append_printf(message, " and %u more", n_failed - 1);
  if (n_failed == 0)
    g_string_append(message, "; nothing was changed");
}

static void fail(RetuneJob *job, guint position, int error)
{
  const RetuneChange *change = &g_array_index(job->changes, RetuneChange, position);
  gboolean unknown_word = change->want != NULL && change->want->untried != NULL && error == EINVAL;
  RetuneError code = unknown_word                          ? RETUNE_ERROR_INVALID_VALUE
                     : retune_job_is_locked(change, error) ? RETUNE_ERROR_NOT_SUPPORTED
                                                           : RETUNE_ERROR_WRITE_FAILED;
  g_autofree char *refusal = retune_job_describe_refusal(change, error);
  g_autofree char *why = explain_refusal(job, change, error);
  g_autoptr(GString) message = g_string_new(refusal);

  g_string_append(message, why);
  g_array_set_size(job->updates, 0); /* the wish is withdrawn; what is stuck comes now */
  roll_back(job, position, message);
  g_set_error_literal(&job->error, RETUNE_ERROR, (gint)code, message->str);
  if (change->want != NULL) {
    job->culprit_instance = g_strdup(change->want->instance->name);
    job->culprit_option = change->want->option;
  }
}

/* Must this change work for the call to succeed? Putting back a baseline counts
 * for the instance that the call is about, but not one that was stuck before. */
static gboolean is_strict(const RetuneJob *job, const RetuneChange *change)
{
  const RetuneEntry *entry = g_array_index(job->goals, RetuneGoal, change->goal).entry;

  if (change->want != NULL)
    return retune_job_is_strict(job, change->want->instance);
  if (entry != NULL && entry->stuck)
    return FALSE;
  for (guint i = 0; i < job->subjects->len; i++) {
    const RetuneInstance *instance = retune_model_find(job->before, job->subjects->pdata[i], NULL);
    if (instance != NULL && instance->best_effort)
      return FALSE;
  }
  return !job->lenient;
}

/* --- after the writes --- */

static gboolean is_settled(RetuneJob *job, const RetuneChange *change, RetuneResult *result)
{
  char found[RETUNE_VALUE_SIZE];

  if (!change->place->settles || !result->done || result->wrote == NULL ||
      (result->found != NULL && retune_knob_same(change->place, result->wrote, result->found)))
    return TRUE;
  if (retune_machine_read(job->machine, change->place, change->id, found, sizeof found) == 0)
    result->found = keep(job, found);
  return result->found != NULL && retune_knob_same(change->place, result->wrote, result->found);
}

/* Waits, once for the whole plan, until the values that take effect later read
 * back as written, or the time is up. */
static void settle(RetuneJob *job, RetuneResult *results)
{
  gint64 end = g_get_monotonic_time() + SETTLE_MS * G_TIME_SPAN_MILLISECOND;
  gboolean settled;

  do {
    settled = TRUE;
    for (guint i = 0; i < job->changes->len; i++)
      if (!is_settled(job, &g_array_index(job->changes, RetuneChange, i), &results[i]))
        settled = FALSE;
    if (!settled)
      g_usleep(SETTLE_STEP_MS * 1000);
  } while (!settled && g_get_monotonic_time() < end);
}

/* Does the change at @position. Which limit of a pair must be first depends on what
 * is there, which the plan cannot know if a governor has just started: then the other
 * one is. */
static void do_at(RetuneJob *job, guint position, RetuneResult *results)
{
  const RetuneChange *change = &g_array_index(job->changes, RetuneChange, position);
  RetuneResult *result = &results[position];

  do_change(job, change, result);
  gint partner = result->error == EINVAL && !result->done ? find_partner(job, position) : -1;
  if (partner < 0)
    return;
  do_change(job, &g_array_index(job->changes, RetuneChange, partner), &results[partner]);
  if (results[partner].done)
    do_change(job, change, result);
}

gboolean retune_job_write(RetuneJob *job)
{
  g_autofree RetuneResult *results = g_new0(RetuneResult, job->changes->len + 1);

  for (guint i = 0; i < job->changes->len; i++) {
    const RetuneChange *change = &g_array_index(job->changes, RetuneChange, i);
    if (change->passive || results[i].done)
      continue;
    do_at(job, i, results);
    job->misplaced = !results[i].done && retune_job_is_misplaced(job, change, results[i].error);
    if (results[i].done || results[i].offline || (!is_strict(job, change) && !job->misplaced))
      continue;
    fail(job, i, results[i].error);
    return FALSE;
  }
  settle(job, results);
  retune_job_update_ledger(job, results);
  return TRUE;
}
