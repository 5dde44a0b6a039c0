// SPDX-License-Identifier: GPL-2.0-or-later
/* First step of a job: what every instance wishes for the affected CPUs, in the
 * words the kernel uses. Reads facts of the machine, but no present values. */
#include "error.h"
#include "job.h"

/* Where the words of one setting go while they are resolved for one unit. */
typedef struct {
  RetuneJob *job;
  const RetuneInstance *instance;
  const RetuneSetting *setting;
  const RetuneAlternative *alternative;
  const RetuneWant *last; /* the last one added */
} Sink;

static RetuneWant *add_want(Sink *sink, const RetuneKnob *place, guint id)
{
  RetuneWant *want = retune_job_new_want(sink->job);
  want->place = place;
  want->id = id;
  want->option = sink->setting->knob;
  want->instance = sink->instance;
  sink->last = want;
  return want;
}

/* Adds what was resolved for another unit before, if it is the same here. */
static gboolean repeat(Sink *sink, guint id)
{
  const RetuneWant *model = sink->last;

  if (model == NULL || model->text == NULL || !sink->setting->knob->type->uniform ||
      sink->alternative->compare != 0)
    return FALSE;
  add_want(sink, model->place, id)->text = model->text;
  return TRUE;
}

/* '<' and '>' compare with what was there before us, whoever had the place since.
 * What does not apply is no wish at all. */
static gboolean applies(Sink *sink, const RetuneKnob *place, guint id, const char *text)
{
  const RetuneEntry *entry = retune_ledger_get(sink->job->ledger, place, id);
  char present[RETUNE_VALUE_SIZE];
  const char *before = entry != NULL ? entry->baseline : NULL;

  if (sink->alternative->compare == 0)
    return TRUE;
  if (before == NULL) {
    if (retune_machine_read(sink->job->machine, place, id, present, sizeof present) != 0)
      return TRUE; /* why it cannot be read is told where it is to be written */
    before = present;
  }
  return retune_alternative_applies(place, sink->alternative->compare, text, before);
}

static void emit(gpointer data, const RetuneKnob *place, guint id, const char *text)
{
  Sink *sink = data;

  if (!applies(sink, place, id, text))
    return;
  add_want(sink, place, id)->text = g_string_chunk_insert_const(sink->job->strings, text);
}

static void note_failure(Sink *sink, const RetuneResolve *where, const GError *failure)
{
  gboolean invalid = g_error_matches(failure, RETUNE_ERROR, RETUNE_ERROR_INVALID_VALUE);

  retune_job_note(sink->job, retune_knob_place(sink->setting->knob),
                  where->id * retune_knob_stride(sink->setting->knob), where->cpu,
                  retune_remark_new(sink->instance->name, sink->setting->knob,
                                    invalid ? RETUNE_OUTCOME_REFUSED : RETUNE_OUTCOME_UNSUPPORTED,
                                    0, failure->message),
                  invalid);
}

/* Takes the first alternative that this unit supports. */
static void resolve_unit(Sink *sink, guint id, guint cpu)
{
  const RetuneSetting *setting = sink->setting;
  RetuneResolve where = {sink->job->machine, id, cpu, emit, sink};
  g_autoptr(GError) failure = NULL;

  if (repeat(sink, id))
    return;
  for (guint i = 0; i < setting->alternatives->len; i++) {
    guint mark = sink->job->wants->len;
    sink->alternative = setting->alternatives->pdata[i];
    g_clear_error(&failure);
    if (setting->knob->type->resolve(setting->knob, sink->alternative->word, &where, &failure))
      return;
    g_ptr_array_set_size(sink->job->wants, (gint)mark);
    sink->last = NULL;
  }
  if (!setting->knob->loadable) {
    note_failure(sink, &where, failure);
    return;
  }
  sink->alternative = setting->alternatives->pdata[0];
  g_autofree char *word = g_ascii_strdown(sink->alternative->word, -1);
  emit(sink, retune_knob_place(setting->knob), id, word);
  ((RetuneWant *)sink->job->wants->pdata[sink->job->wants->len - 1])->untried = setting;
}

static void add_pending(Sink *sink, guint id)
{
  const RetuneKnob *place = retune_knob_place(sink->setting->knob);
  guint stride = retune_knob_stride(place);

  for (guint i = 0; i < stride; i++) {
    if (stride > 1 && retune_ledger_get(sink->job->ledger, place, id * stride + i) == NULL)
      continue;
    add_want(sink, place, id * stride + i)->pending = TRUE;
  }
  retune_job_note(sink->job, place, id * stride, id,
                  retune_remark_new(sink->instance->name, sink->setting->knob,
                                    RETUNE_OUTCOME_PENDING, 0, "the CPU is offline"),
                  FALSE);
}

static void collect_cpus(Sink *sink)
{
  RetuneJob *job = sink->job;

  RETUNE_CPUSET_FOREACH (cpu, job->affected) {
    if (!retune_cpuset_contains(sink->instance->devices, (guint)cpu))
      continue;
    if (retune_cpuset_contains(job->online, (guint)cpu))
      resolve_unit(sink, (guint)cpu, (guint)cpu);
    else
      add_pending(sink, (guint)cpu);
  }
}

static gint first_common(const RetuneCpuset *a, const RetuneCpuset *b)
{
  RETUNE_CPUSET_FOREACH (cpu, a)
    if (retune_cpuset_contains(b, (guint)cpu))
      return cpu;
  return -1;
}

/* @policy is one that an affected CPU is in; does the instance have one there?
 * What it means is looked up at a CPU of its own, if one is online. */
static void collect_policy(Sink *sink, const RetunePolicy *policy)
{
  g_autoptr(RetuneCpuset) own = retune_cpuset_copy(policy->cpus);

  retune_cpuset_intersect(own, sink->instance->devices);
  if (retune_cpuset_is_empty(own))
    return;
  gint cpu = first_common(own, sink->job->online);
  if (cpu < 0)
    cpu = first_common(policy->cpus, sink->job->online);
  if (cpu >= 0)
    resolve_unit(sink, policy->number, (guint)cpu);
  else
    add_pending(sink, policy->number);
}

static void collect_policies(Sink *sink)
{
  RetuneJob *job = sink->job;
  g_autoptr(RetuneCpuset) seen = retune_cpuset_new();
  g_autoptr(RetuneCpuset) cpus = retune_cpuset_copy(job->affected);

  if (sink->setting->knob->gate != NULL)
    retune_cpuset_union(cpus, job->online); /* they share the gate, whoever is affected */
  RETUNE_CPUSET_FOREACH (cpu, cpus) {
    const RetunePolicy *policy = retune_machine_policy(job->machine, (guint)cpu);
    if (policy != NULL) {
      if (!retune_cpuset_contains(seen, policy->number))
        collect_policy(sink, policy);
      retune_cpuset_add(seen, policy->number);
    } else if (retune_cpuset_contains(sink->instance->devices, (guint)cpu)) {
      RetuneResolve where = {.id = (guint)cpu, .cpu = (guint)cpu};
      g_autofree char *why = g_strdup_printf("no such file%s", sink->setting->knob->hint_absent);
      g_autoptr(GError) failure =
          g_error_new_literal(RETUNE_ERROR, RETUNE_ERROR_NOT_SUPPORTED, why);
      note_failure(sink, &where, failure);
    }
  }
}

/* System options are resolved with the tables of the instance's first CPU that
 * is online, or of the machine's. */
static void collect_system(Sink *sink)
{
  gint cpu = first_common(sink->instance->devices, sink->job->online);
  if (cpu < 0)
    cpu = retune_cpuset_next(sink->job->online, 0);
  resolve_unit(sink, 0, cpu < 0 ? 0 : (guint)cpu);
}

void retune_job_collect(RetuneJob *job)
{
  static void (*const collect[])(Sink *) = {collect_cpus, collect_policies, collect_system};
  const GPtrArray *instances = retune_model_instances(job->after);

  for (guint i = 0; i < instances->len; i++) {
    const RetuneInstance *instance = instances->pdata[i];
    for (guint k = 0; k < instance->settings->len; k++) {
      Sink sink = {job, instance, instance->settings->pdata[k], NULL, NULL};
      collect[sink.setting->knob->scope](&sink);
    }
  }
}
