// SPDX-License-Identifier: GPL-2.0-or-later
/* Answers to questions about the machine, with equal answers grouped: a machine
 * has many CPUs, but few kinds of them. */
#include "query.h"

#include <errno.h>

#include "job.h"

/* --- grouping --- */

typedef struct {
  GPtrArray *findings;
  GHashTable *index; /* text of a finding -> RetuneFinding, for adding CPUs to it */
} Groups;

static void finding_free(gpointer data)
{
  RetuneFinding *finding = data;
  retune_cpuset_free(finding->cpus);
  g_free(finding->wanted);
  g_free(finding->actual);
  g_free(finding->detail);
  g_free(finding);
}

GPtrArray *retune_findings_new(void)
{
  return g_ptr_array_new_with_free_func(finding_free);
}

static Groups groups_new(void)
{
  return (Groups){retune_findings_new(),
                  g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL)};
}

static gint compare_findings(gconstpointer pa, gconstpointer pb)
{
  const RetuneFinding *a = *(const RetuneFinding *const *)pa;
  const RetuneFinding *b = *(const RetuneFinding *const *)pb;

  if (a->option != b->option)
    return a->option < b->option ? -1 : 1;
  return retune_cpuset_next(a->cpus, 0) - retune_cpuset_next(b->cpus, 0);
}

static GPtrArray *groups_finish(Groups *groups)
{
  g_hash_table_unref(groups->index);
  g_ptr_array_sort(groups->findings, compare_findings);
  return groups->findings;
}

static void add(Groups *groups, const RetuneKnob *option, const RetuneCpuset *cpus,
                const char *wanted, const char *actual, RetuneOutcome outcome, const char *detail)
{
  g_autofree char *key =
      g_strdup_printf("%s\n%s\n%s\n%d\n%s", option->name, wanted, actual, (gint)outcome, detail);
  RetuneFinding *finding = g_hash_table_lookup(groups->index, key);

  if (finding == NULL) {
    finding = g_new0(RetuneFinding, 1);
    finding->cpus = retune_cpuset_new();
    finding->option = option;
    finding->wanted = g_strdup(wanted);
    finding->actual = g_strdup(actual);
    finding->outcome = outcome;
    finding->detail = g_strdup(detail);
    g_ptr_array_add(groups->findings, finding);
    g_hash_table_insert(groups->index, g_steal_pointer(&key), finding);
  }
  retune_cpuset_union(finding->cpus, cpus);
}

GPtrArray *retune_findings_group(GPtrArray *findings)
{
  Groups groups = groups_new();

  for (guint i = 0; i < findings->len; i++) {
    const RetuneFinding *one = findings->pdata[i];
    add(&groups, one->option, one->cpus, one->wanted, one->actual, one->outcome, one->detail);
  }
  g_ptr_array_unref(findings);
  return groups_finish(&groups);
}

/* --- verify --- */

RetuneCpuset *retune_query_cpus(RetuneMachine *machine, const RetuneKnob *place, guint id,
                                const RetuneCpuset *devices)
{
  RetuneCpuset *cpus = retune_cpuset_new();

  if (place->scope == RETUNE_SCOPE_SYSTEM) {
    retune_cpuset_union(cpus, devices);
  } else if (place->scope == RETUNE_SCOPE_CPU) {
    retune_cpuset_add(cpus, retune_knob_cpu(place, id));
  } else {
    guint number = retune_knob_cpu(place, id);
    RETUNE_CPUSET_FOREACH (cpu, devices) {
      const RetunePolicy *policy = retune_machine_policy(machine, (guint)cpu);
      if (policy != NULL && policy->number == number)
        retune_cpuset_add(cpus, (guint)cpu);
    }
    if (retune_cpuset_is_empty(cpus))
      retune_cpuset_add(cpus, number); /* it has no policy; what lacks one is known by its CPU */
  }
  return cpus;
}

/* @bent: the kernel holds the value down to the upper limit of its pair. */
static RetuneOutcome judge(const RetuneKnob *place, const RetuneEntry *entry, const char *wanted,
                           const char *actual, gboolean bent)
{
  if (g_str_equal(wanted, actual))
    return RETUNE_OUTCOME_APPLIED;
  if (entry == NULL || g_strcmp0(entry->wrote, wanted) != 0)
    return RETUNE_OUTCOME_REFUSED;
  if (entry->found != NULL && !g_str_equal(entry->found, actual) && !bent)
    return RETUNE_OUTCOME_DRIFTED;
  return retune_knob_same(place, wanted, actual) ? RETUNE_OUTCOME_APPLIED
                                                 : RETUNE_OUTCOME_INEFFECTIVE;
}

/* Idle states share an option; their findings say which state. */
static char *with_state(RetuneMachine *machine, const RetuneKnob *place, guint id, const char *text)
{
  guint stride = retune_knob_stride(place);

  if (stride != RETUNE_IDLE_STATES)
    return g_strdup(text);
  const RetuneIdleTable *table = retune_machine_idle_table(machine, id / stride);
  const char *name = id % stride < table->n_states ? table->names[id % stride] : NULL;
  return g_strdup_printf("%s %s", name != NULL ? name : "?", *text == '1' ? "disabled" : "enabled");
}

/* What was said when @want could not be set, or NULL. */
static const RetuneRemark *find_remark(const RetuneEntry *entry, const RetuneWant *want)
{
  for (guint i = 0; entry != NULL && entry->remarks != NULL && i < entry->remarks->len; i++) {
    const RetuneRemark *remark = entry->remarks->pdata[i];
    if (remark->option == want->option && g_str_equal(remark->instance, want->instance->name) &&
        (remark->outcome == RETUNE_OUTCOME_REFUSED ||
         remark->outcome == RETUNE_OUTCOME_UNSUPPORTED ||
         remark->outcome == RETUNE_OUTCOME_DRIFTED))
      return remark;
  }
  return NULL;
}

/* @want is not what reads back, and was not taken when it was written. */
static void verify_refused(Groups *groups, RetuneJob *job, const RetuneWant *want,
                           const RetuneCpuset *cpus, const char *wanted, const char *actual)
{
  const RetuneEntry *entry = retune_ledger_get(job->ledger, want->place, want->id);
  const RetuneRemark *remark = find_remark(entry, want);

  add(groups, want->option, cpus, wanted, actual,
      remark != NULL ? remark->outcome : RETUNE_OUTCOME_REFUSED,
      remark != NULL ? remark->detail : "");
}

/* The CPUs that @want is for: those of the policy it comes from, also where the place is
 * the system's. */
static RetuneCpuset *cpus_of(RetuneJob *job, const RetuneWant *want)
{
  gboolean shared =
      want->place->scope == RETUNE_SCOPE_SYSTEM && want->option->scope == RETUNE_SCOPE_POLICY;
  const RetuneKnob policy = {.file = "%u", .scope = RETUNE_SCOPE_POLICY};

  return shared ? retune_query_cpus(job->machine, &policy, want->unit, want->instance->devices)
                : retune_query_cpus(job->machine, want->place, want->id, want->instance->devices);
}

static void verify_want(Groups *groups, RetuneJob *job, const RetuneWant *want)
{
  const RetuneEntry *entry = retune_ledger_get(job->ledger, want->place, want->id);
  g_autoptr(RetuneCpuset) cpus = cpus_of(job, want);
  char actual[RETUNE_VALUE_SIZE] = "";
  int result = retune_machine_read(job->machine, want->place, want->id, actual, sizeof actual);
  const char *baseline = entry != NULL ? entry->baseline : NULL;
  const char *wanted = retune_plan_text(want, baseline != NULL ? baseline : actual);

  if (result != 0) {
    gboolean absent = result == ENOENT || result == ENODEV;
    g_autofree char *why =
        absent ? g_strdup_printf("no such file%s", want->option->hint_absent) : NULL;
    add(groups, want->option, cpus, wanted, "",
        absent ? RETUNE_OUTCOME_UNSUPPORTED : RETUNE_OUTCOME_REFUSED,
        absent ? why : g_strerror(result));
    return;
  }
  gboolean bent = retune_job_is_bent(job, want->place, want->id, wanted, actual);
  RetuneOutcome outcome = judge(want->place, entry, wanted, actual, bent);
  g_autofree char *wanted_text = with_state(job->machine, want->place, want->id, wanted);
  g_autofree char *actual_text = with_state(job->machine, want->place, want->id, actual);
  if (outcome == RETUNE_OUTCOME_REFUSED ||
      (outcome == RETUNE_OUTCOME_INEFFECTIVE && find_remark(entry, want) != NULL)) {
    verify_refused(groups, job, want, cpus, wanted_text, actual_text);
    return;
  }
  g_autofree char *advice =
      outcome == RETUNE_OUTCOME_APPLIED ? retune_job_advise(job, want, actual, baseline)
      : bent && outcome == RETUNE_OUTCOME_INEFFECTIVE
          ? g_strdup("it is held down by the upper limit, or by what the hardware can do now")
          : NULL;
  add(groups, want->option, cpus, wanted_text, actual_text, outcome, advice != NULL ? advice : "");
}

typedef struct {
  Groups *groups;
  RetuneJob *job;
  const RetuneInstance *instance;
} Verification;

static void verify_loser(const RetuneWant *loser, const RetuneWant *winner, gpointer data)
{
  Verification *verification = data;
  char actual[RETUNE_VALUE_SIZE] = "";

  if (loser->instance != verification->instance || loser->pending)
    return; /* the notes tell of what is pending */
  if (g_strcmp0(loser->text, winner->text) == 0) {
    verify_want(verification->groups, verification->job, loser);
    return;
  }
  g_autoptr(RetuneCpuset) cpus = cpus_of(verification->job, loser);
  if (loser->instance == winner->instance)
    return;
  g_autofree char *detail = g_strdup_printf("instance '%s' decides here", winner->instance->name);
  if (retune_machine_read(verification->job->machine, loser->place, loser->id, actual,
                          sizeof actual) != 0)
    actual[0] = '\0';
  add(verification->groups, loser->option, cpus, loser->text != NULL ? loser->text : "", actual,
      RETUNE_OUTCOME_SHADOWED, detail);
}

/* What could not even be resolved, or waits for its CPU. */
static void verify_notes(Verification *verification)
{
  const GArray *notes = verification->job->notes;

  for (guint i = 0; i < notes->len; i++) {
    const RetuneNote *note = &g_array_index(notes, RetuneNote, i);
    if (!g_str_equal(note->remark->instance, verification->instance->name))
      continue;
    const RetuneSetting *setting =
        retune_instance_setting(verification->instance, note->remark->option);
    g_autoptr(RetuneCpuset) cpus = retune_query_cpus(verification->job->machine, note->place,
                                                     note->id, verification->instance->devices);
    add(verification->groups, note->remark->option, cpus, setting != NULL ? setting->text : "", "",
        note->remark->outcome, note->remark->detail);
  }
}

/* Options that come to no write anywhere: the deepest idle state as the deepest one,
 * '<' where the value found is small enough, the switch of a CPU that has none. */
static void verify_silent(Verification *verification)
{
  RetuneJob *job = verification->job;
  const RetuneInstance *instance = verification->instance;
  const GPtrArray *findings = verification->groups->findings;

  for (guint i = 0; i < instance->settings->len; i++) {
    const RetuneSetting *setting = instance->settings->pdata[i];
    g_autoptr(RetuneCpuset) rest = retune_cpuset_copy(instance->devices);
    for (guint k = 0; k < findings->len; k++) {
      const RetuneFinding *finding = findings->pdata[k];
      if (finding->option == setting->knob)
        retune_cpuset_subtract(rest, finding->cpus);
    }
    retune_cpuset_intersect(rest, job->online);
    if (!retune_cpuset_is_empty(rest))
      add(verification->groups, setting->knob, rest, setting->text, "", RETUNE_OUTCOME_APPLIED,
          "nothing has to be written");
  }
}

GPtrArray *retune_query_verify(const RetuneKnobTable *table, RetuneMachine *machine,
                               const RetuneLedger *ledger, RetuneModel *model, const char *name,
                               GError **error)
{
  const RetuneInstance *instance = retune_model_find(model, name, error);
  if (instance == NULL)
    return NULL;
  g_autoptr(RetuneJob) job = retune_job_new(table, machine, ledger, model, model);
  job->online = retune_machine_read_online(machine, error);
  if (job->online == NULL)
    return NULL;
  retune_cpuset_union(job->affected, instance->devices);
  retune_job_collect(job);
  Groups groups = groups_new();
  Verification verification = {&groups, job, instance};
  g_autoptr(GPtrArray) winners = retune_plan_arbitrate(job->wants, verify_loser, &verification);
  g_autoptr(GPtrArray) extra = g_ptr_array_new();
  retune_job_add_consequences(job, winners, extra);
  for (guint i = 0; i < winners->len; i++) {
    const RetuneWant *want = winners->pdata[i];
    if (want->instance == instance && !want->pending && want->kind == RETUNE_WANT_VALUE)
      verify_want(&groups, job, want);
  }
  verify_notes(&verification);
  verify_silent(&verification);
  return groups_finish(&groups);
}

/* --- what was there before --- */

typedef struct {
  Groups *groups;
  const RetuneKnobTable *table;
  RetuneMachine *machine;
  const RetuneInstance *instance;
} Before;

static void visit_before(const RetuneKnob *place, guint id, const RetuneEntry *entry, gpointer data)
{
  Before *before = data;
  const RetuneKnob *option = retune_knob_option(before->table, place);

  if (entry->baseline == NULL || option->name == NULL ||
      (place->scope == RETUNE_SCOPE_SYSTEM &&
       retune_instance_setting(before->instance, option) == NULL))
    return;
  g_autoptr(RetuneCpuset) cpus =
      retune_query_cpus(before->machine, place, id, before->instance->devices);
  retune_cpuset_intersect(cpus, before->instance->devices);
  if (retune_cpuset_is_empty(cpus))
    return;
  g_autofree char *text = with_state(before->machine, place, id, entry->baseline);
  add(before->groups, option, cpus, "", text, RETUNE_OUTCOME_APPLIED, "");
}

GPtrArray *retune_query_baselines(const RetuneKnobTable *table, RetuneMachine *machine,
                                  const RetuneLedger *ledger, RetuneModel *model, const char *name,
                                  GError **error)
{
  const RetuneInstance *instance = retune_model_find(model, name, error);
  if (instance == NULL)
    return NULL;
  Groups groups = groups_new();
  Before before = {&groups, table, machine, instance};
  retune_ledger_foreach(ledger, visit_before, &before);
  return groups_finish(&groups);
}

/* --- present values --- */

/* The names of the idle states that are disabled. */
static int read_disabled(RetuneMachine *machine, const RetuneKnob *place, guint cpu, char *text,
                         gsize size)
{
  const RetuneIdleTable *table = retune_machine_idle_table(machine, cpu);
  char flag[RETUNE_VALUE_SIZE];

  text[0] = '\0';
  for (guint state = 0; state < table->n_states; state++) {
    int result =
        retune_machine_read(machine, place, cpu * RETUNE_IDLE_STATES + state, flag, sizeof flag);
    if (result != 0)
      return result;
    if (*flag != '1')
      continue;
    g_strlcat(text, *text != '\0' ? "," : "", size);
    g_strlcat(text, table->names[state] != NULL ? table->names[state] : "?", size);
  }
  return table->n_states > 0 ? 0 : ENOENT;
}

/* A place that only exists under a governor: that of the one that runs now. */
static int read_governed(RetuneMachine *machine, const RetuneKnob *place, guint policy, char *text,
                         gsize size)
{
  char governor[RETUNE_VALUE_SIZE];
  const RetuneKnob *where;
  guint id;

  int result = retune_machine_read(machine, place->leader, policy, governor, sizeof governor);
  if (result != 0)
    return result;
  if (!retune_machine_locate(machine, place, policy, governor, &where, &id))
    return ENOENT;
  return retune_machine_read(machine, where, id, text, size);
}

int retune_query_read(RetuneMachine *machine, const RetuneKnob *option, guint cpu, char *text,
                      gsize size)
{
  const RetuneKnob *place = retune_knob_place(option);

  if (place->scope == RETUNE_SCOPE_SYSTEM)
    return retune_machine_read(machine, place, 0, text, size);
  if (place->scope == RETUNE_SCOPE_CPU)
    return retune_knob_stride(place) == 1 ? retune_machine_read(machine, place, cpu, text, size)
                                          : read_disabled(machine, place, cpu, text, size);
  const RetunePolicy *policy = retune_machine_policy(machine, cpu);
  if (policy == NULL)
    return ENOENT;
  return place->leader != NULL ? read_governed(machine, place, policy->number, text, size)
                               : retune_machine_read(machine, place, policy->number, text, size);
}

GPtrArray *retune_query_values(RetuneMachine *machine, const GPtrArray *options,
                               const RetuneCpuset *cpus, GError **error)
{
  g_autoptr(RetuneCpuset) online = retune_machine_read_online(machine, error);

  if (online == NULL)
    return NULL;
  retune_cpuset_intersect(online, cpus);
  Groups groups = groups_new();
  for (guint i = 0; i < options->len; i++) {
    const RetuneKnob *option = options->pdata[i];
    RETUNE_CPUSET_FOREACH (cpu, option->switches_cpu ? cpus : online) {
      char text[RETUNE_VALUE_SIZE];
      g_autoptr(RetuneCpuset) one = retune_cpuset_new();
      retune_cpuset_add(one, (guint)cpu);
      if (retune_query_read(machine, option, (guint)cpu, text, sizeof text) == 0)
        add(&groups, option, one, "", text, RETUNE_OUTCOME_APPLIED, "");
    }
  }
  return groups_finish(&groups);
}
