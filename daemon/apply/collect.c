// SPDX-License-Identifier: GPL-2.0-or-later
/* First step of a job: what every instance wishes for the affected CPUs, in the
 * words the kernel uses. Reads facts of the machine, but no present values. */
#include "error.h"
#include "job.h"

#define OFFLINE "the CPU is offline"

/* Where the words of one setting go while they are resolved for one unit. */
typedef struct {
  RetuneJob *job;
  const RetuneInstance *instance;
  const RetuneSetting *setting;
  GHashTable *governors; /* policy -> the strongest wish for its governor; or NULL */
  const RetuneAlternative *alternative;
  guint unit;         /* what is resolved: the CPU, the policy, or 0 */
  RetuneWant *last;   /* the last one added */
  GPtrArray *untried; /* while further words are resolved: where they go, or NULL */
} Sink;

static RetuneWant *add_want(Sink *sink, const RetuneKnob *place, guint id)
{
  RetuneWant *want = retune_job_new_want(sink->job);
  want->place = place;
  want->id = id;
  want->unit = sink->unit;
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
  if (sink->untried != NULL) {
    g_ptr_array_add(sink->untried, g_string_chunk_insert_const(sink->job->strings, text));
    return;
  }
  add_want(sink, place, id)->text = g_string_chunk_insert_const(sink->job->strings, text);
}

static gint first_common(const RetuneCpuset *a, const RetuneCpuset *b)
{
  RETUNE_CPUSET_FOREACH (cpu, a)
    if (retune_cpuset_contains(b, (guint)cpu))
      return cpu;
  return -1;
}

/* Is a CPU of that unit affected? What others lack is no news. */
static gboolean concerns(Sink *sink, const RetuneResolve *where)
{
  const RetunePolicy *policy = sink->setting->knob->scope == RETUNE_SCOPE_POLICY
                                   ? retune_machine_policy(sink->job->machine, where->cpu)
                                   : NULL;

  return policy == NULL || first_common(policy->cpus, sink->job->affected) >= 0;
}

static void note_failure(Sink *sink, const RetuneResolve *where, const GError *failure)
{
  gboolean elsewhere = !concerns(sink, where);
  if (elsewhere && sink->setting->knob->gate == NULL)
    return; /* what was said of it before still stands */
  gboolean invalid = g_error_matches(failure, RETUNE_ERROR, RETUNE_ERROR_INVALID_VALUE);

  retune_job_note(sink->job, retune_knob_place(sink->setting->knob),
                  where->id * retune_knob_stride(sink->setting->knob), where->cpu,
                  retune_remark_new(sink->instance->name, sink->setting->knob,
                                    invalid ? RETUNE_OUTCOME_REFUSED : RETUNE_OUTCOME_UNSUPPORTED,
                                    0, failure->message),
                  invalid);
  g_array_index(sink->job->notes, RetuneNote, sink->job->notes->len - 1).elsewhere = elsewhere;
}

/* Has the alternatives after @first ready, in case that the kernel refuses the
 * wish that was just added. */
static void add_untried(Sink *sink, const RetuneResolve *where, guint first)
{
  const RetuneSetting *setting = sink->setting;
  RetuneWant *want = sink->last;

  if (want == NULL)
    return;
  GPtrArray *texts = g_ptr_array_new();
  g_ptr_array_add(sink->job->untried, texts);
  sink->untried = texts;
  for (guint i = first + 1; i < setting->alternatives->len; i++) {
    sink->alternative = setting->alternatives->pdata[i];
    if (setting->knob->type->resolve(setting->knob, sink->alternative->word, where, NULL))
      continue;
    g_autofree char *word = g_ascii_strdown(sink->alternative->word, -1);
    if (setting->knob->loadable)
      emit(sink, retune_knob_place(setting->knob), where->id, word);
  }
  sink->untried = NULL;
  want->untried = texts;
}

/* None of the words is offered, but the kernel may load a module for one. */
static void ask_kernel(Sink *sink, const RetuneResolve *where)
{
  const RetuneSetting *setting = sink->setting;

  sink->alternative = setting->alternatives->pdata[0];
  g_autofree char *word = g_ascii_strdown(sink->alternative->word, -1);
  emit(sink, retune_knob_place(setting->knob), where->id, word);
  add_untried(sink, where, 0);
}

/* Is @word, which is not the last one, known to be refused by the kernel here? */
static gboolean is_known_bad(Sink *sink, guint i, const char *word)
{
  const RetuneKnobType *type = sink->setting->knob->type;

  return type->unsure != NULL && i + 1 < sink->setting->alternatives->len && type->unsure(word) &&
         retune_machine_is_refused(sink->job->machine, retune_knob_place(sink->setting->knob),
                                   word);
}

/* Takes the first alternative that this unit supports. */
static void resolve(Sink *sink, const RetuneResolve *where)
{
  const RetuneSetting *setting = sink->setting;
  const RetuneKnobType *type = setting->knob->type;
  g_autoptr(GError) failure = NULL;

  for (guint i = 0; i < setting->alternatives->len; i++) {
    guint mark = sink->job->wants->len;
    sink->alternative = setting->alternatives->pdata[i];
    if (is_known_bad(sink, i, sink->alternative->word))
      continue;
    g_clear_error(&failure);
    sink->last = NULL;
    if (type->resolve(setting->knob, sink->alternative->word, where, &failure)) {
      if (type->unsure != NULL && type->unsure(sink->alternative->word))
        add_untried(sink, where, i);
      return;
    }
    g_ptr_array_set_size(sink->job->wants, (gint)mark);
    sink->last = NULL;
  }
  if (setting->knob->loadable)
    ask_kernel(sink, where);
  else
    note_failure(sink, where, failure);
}

static RetuneResolve at(Sink *sink, guint id, guint cpu)
{
  sink->unit = id;
  return (RetuneResolve){
      .machine = sink->job->machine, .id = id, .cpu = cpu, .emit = emit, .sink = sink};
}

static void resolve_unit(Sink *sink, guint id, guint cpu)
{
  RetuneResolve where = at(sink, id, cpu);

  if (!repeat(sink, id))
    resolve(sink, &where);
}

static void add_pending(Sink *sink, guint id, const char *why)
{
  const RetuneKnob *place = retune_knob_place(sink->setting->knob);
  guint stride = retune_knob_stride(place);

  for (guint i = 0; i < stride; i++) {
    if (stride > 1 && retune_ledger_get(sink->job->ledger, place, id * stride + i) == NULL)
      continue;
    add_want(sink, place, id * stride + i)->pending = TRUE;
  }
  retune_job_note(
      sink->job, place, id * stride, id,
      retune_remark_new(sink->instance->name, sink->setting->knob, RETUNE_OUTCOME_PENDING, 0, why),
      FALSE);
}

/* Is the CPU online though we switched it off? Then its values count. */
static gboolean is_switched_back(Sink *sink, guint cpu)
{
  const RetuneEntry *entry =
      retune_ledger_get(sink->job->ledger, retune_knob_place(sink->setting->knob), cpu);

  return entry != NULL && g_strcmp0(entry->wrote, "0") == 0 &&
         retune_cpuset_contains(sink->job->online, cpu);
}

static void collect_cpu(Sink *sink, guint cpu)
{
  RetuneJob *job = sink->job;

  if (sink->setting->knob->switches_cpu) {
    resolve_unit(sink, cpu, cpu);
    if (sink->last != NULL && g_str_equal(sink->last->text, "0") && !is_switched_back(sink, cpu))
      retune_cpuset_add(job->held, cpu);
  } else if (retune_cpuset_contains(job->held, cpu)) {
    add_pending(sink, cpu, "the instance holds the CPU offline");
  } else if (retune_cpuset_contains(job->online, cpu)) {
    resolve_unit(sink, cpu, cpu);
  } else {
    add_pending(sink, cpu, OFFLINE);
  }
}

static void collect_cpus(Sink *sink)
{
  RETUNE_CPUSET_FOREACH (cpu, sink->job->affected)
    if (retune_cpuset_contains(sink->instance->devices, (guint)cpu))
      collect_cpu(sink, (guint)cpu);
}

/* Where the kernel is asked which one it can load, the first that would do. */
static const char *likely_governor(Sink *sink, const RetuneWant *wish)
{
  const char *const *wanted = retune_knob_place(sink->setting->knob)->governors;

  if (wish->untried == NULL || g_strv_contains(wanted, wish->text))
    return wish->text;
  for (guint i = 0; i < wish->untried->len; i++)
    if (g_strv_contains(wanted, wish->untried->pdata[i]))
      return wish->untried->pdata[i];
  return wish->text;
}

/* The governor that will run at @policy: the one wished for; else the one that comes
 * back, or, where nothing is to change, the one that is there. */
static const char *governor_of(Sink *sink, const RetuneKnob *leader, const RetunePolicy *policy)
{
  gpointer key = GUINT_TO_POINTER(policy->number + 1);
  const RetuneWant *wish = g_hash_table_lookup(sink->governors, key);
  const RetuneEntry *entry = retune_ledger_get(sink->job->ledger, leader, policy->number);
  gboolean affected = first_common(policy->cpus, sink->job->affected) >= 0;
  const char *known = entry == NULL ? NULL : affected ? entry->baseline : entry->wrote;
  char present[RETUNE_VALUE_SIZE];

  if (wish != NULL)
    return likely_governor(sink, wish);
  if (known != NULL)
    return known;
  if (retune_machine_read(sink->job->machine, leader, policy->number, present, sizeof present) != 0)
    return NULL;
  return g_string_chunk_insert_const(sink->job->strings, present);
}

static void resolve_policy(Sink *sink, const RetunePolicy *policy, guint cpu)
{
  const RetuneKnob *leader = sink->setting->knob->leader;
  RetuneResolve where = at(sink, policy->number, cpu);

  if (leader == NULL) {
    resolve_unit(sink, policy->number, cpu);
    return;
  }
  where.governor = governor_of(sink, leader, policy);
  resolve(sink, &where);
}

/* @policy is one that an affected CPU is in; does the instance have one there?
 * What it means is looked up at a CPU of its own, if one is online. */
static void collect_policy(Sink *sink, const RetunePolicy *policy)
{
  g_autoptr(RetuneCpuset) own = retune_cpuset_copy(policy->cpus);

  retune_cpuset_intersect(own, sink->instance->devices);
  if (retune_cpuset_is_empty(own))
    return;
  g_autoptr(RetuneCpuset) usable = retune_cpuset_copy(sink->job->online);
  retune_cpuset_subtract(usable, sink->job->held);
  gint cpu = first_common(own, usable);
  if (cpu < 0)
    cpu = first_common(policy->cpus, usable);
  if (cpu >= 0)
    resolve_policy(sink, policy, (guint)cpu);
  else
    add_pending(sink, policy->number, OFFLINE);
}

static void collect_policies(Sink *sink)
{
  RetuneJob *job = sink->job;
  g_autoptr(RetuneCpuset) seen = retune_cpuset_new();
  g_autoptr(RetuneCpuset) cpus = retune_cpuset_copy(job->affected);

  if (sink->setting->knob->gate != NULL || retune_knob_place(sink->setting->knob)->twin != NULL)
    retune_cpuset_union(cpus, job->online); /* they share a place, whoever is affected */
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

/* System options are resolved with the tables of all CPUs of the instance that are
 * online, or of the machine's first one. */
static void collect_system(Sink *sink)
{
  g_autoptr(RetuneCpuset) own = retune_cpuset_copy(sink->instance->devices);

  retune_cpuset_intersect(own, sink->job->online);
  if (retune_cpuset_is_empty(own))
    retune_cpuset_add(own, (guint)MAX(retune_cpuset_next(sink->job->online, 0), 0));
  RetuneResolve where = at(sink, 0, (guint)retune_cpuset_next(own, 0));
  where.cpus = own;
  resolve(sink, &where);
}

/* Collects the settings that need a certain governor, or those that do not. */
static void collect_settings(RetuneJob *job, GHashTable *governors)
{
  static void (*const collect[])(Sink *) = {collect_cpus, collect_policies, collect_system};
  const GPtrArray *instances = retune_model_instances(job->after);

  for (guint i = 0; i < instances->len; i++) {
    const RetuneInstance *instance = instances->pdata[i];
    for (guint k = 0; k < instance->settings->len; k++) {
      Sink sink = {job, instance, instance->settings->pdata[k], governors, NULL, 0, NULL, NULL};
      if ((sink.setting->knob->leader != NULL) == (governors != NULL))
        collect[sink.setting->knob->scope](&sink);
    }
  }
}

/* The row under which places exist that an instance wishes something for, or NULL. */
static const RetuneKnob *wished_leader(const RetuneJob *job)
{
  const GPtrArray *instances = retune_model_instances(job->after);

  for (guint i = 0; i < instances->len; i++) {
    const GPtrArray *settings = ((const RetuneInstance *)instances->pdata[i])->settings;
    for (guint k = 0; k < settings->len; k++) {
      const RetuneSetting *setting = settings->pdata[k];
      if (setting->knob->leader != NULL)
        return setting->knob->leader;
    }
  }
  return NULL;
}

/* What exists only under a certain governor comes last, when it is known which ones
 * are wished for. */
void retune_job_collect(RetuneJob *job)
{
  collect_settings(job, NULL);
  const RetuneKnob *leader = wished_leader(job);
  if (leader == NULL)
    return;
  g_autoptr(GHashTable) governors = g_hash_table_new(NULL, NULL);
  for (guint i = 0; i < job->wants->len; i++) {
    RetuneWant *want = job->wants->pdata[i];
    gpointer key = GUINT_TO_POINTER(want->id + 1);
    const RetuneWant *known = want->place == leader ? g_hash_table_lookup(governors, key) : NULL;
    if (want->place == leader && !want->pending &&
        (known == NULL || retune_instance_compare(want->instance, known->instance) < 0))
      g_hash_table_insert(governors, key, want);
  }
  collect_settings(job, governors);
}
