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
    RETUNE_CPUSET_FOREACH (cpu, devices) {
      const RetunePolicy *policy = retune_machine_policy(machine, (guint)cpu);
      if (policy != NULL && policy->number == id)
        retune_cpuset_add(cpus, (guint)cpu);
    }
    if (retune_cpuset_is_empty(cpus))
      retune_cpuset_add(cpus, id); /* it has no policy; what lacks one is known by its CPU */
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

  if (stride == 1)
    return g_strdup(text);
  const RetuneIdleTable *table = retune_machine_idle_table(machine, id / stride);
  const char *name = id % stride < table->n_states ? table->names[id % stride] : NULL;
  return g_strdup_printf("%s %s", name != NULL ? name : "?", *text == '1' ? "disabled" : "enabled");
}

static void verify_want(Groups *groups, RetuneJob *job, const RetuneWant *want)
{
  const RetuneEntry *entry = retune_ledger_get(job->ledger, want->place, want->id);
  g_autoptr(RetuneCpuset) cpus =
      retune_query_cpus(job->machine, want->place, want->id, want->instance->devices);
  char actual[RETUNE_VALUE_SIZE] = "";
  int result = retune_machine_read(job->machine, want->place, want->id, actual, sizeof actual);
  const char *baseline = entry != NULL ? entry->baseline : NULL;
  const char *wanted = retune_plan_text(want, baseline != NULL ? baseline : actual);

  if (result != 0) {
    gboolean absent = result == ENOENT || result == ENODEV;
    add(groups, want->option, cpus, wanted, "",
        absent ? RETUNE_OUTCOME_UNSUPPORTED : RETUNE_OUTCOME_REFUSED, g_strerror(result));
    return;
  }
  gboolean bent = retune_job_is_bent(job, want->place, want->id, actual);
  RetuneOutcome outcome = judge(want->place, entry, wanted, actual, bent);
  g_autofree char *wanted_text = with_state(job->machine, want->place, want->id, wanted);
  g_autofree char *actual_text = with_state(job->machine, want->place, want->id, actual);
  add(groups, want->option, cpus, wanted_text, actual_text, outcome,
      bent && outcome == RETUNE_OUTCOME_INEFFECTIVE ? "the upper limit there is lower" : "");
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

  if (loser->instance != verification->instance || loser->instance == winner->instance)
    return;
  if (loser->pending)
    return; /* the notes tell */
  if (g_strcmp0(loser->text, winner->text) == 0) {
    verify_want(verification->groups, verification->job, loser);
    return;
  }
  g_autoptr(RetuneCpuset) cpus = retune_query_cpus(verification->job->machine, loser->place,
                                                   loser->id, loser->instance->devices);
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
  return groups_finish(&groups);
}

/* --- present values --- */

/* Reads one value of @cpu; idle states become the list of those disabled.
 * Returns an errno value. */
static int read_option(RetuneMachine *machine, const RetuneKnob *option, guint cpu, char *text,
                       gsize size)
{
  const RetuneKnob *place = retune_knob_place(option);
  guint id = cpu;

  if (place->scope == RETUNE_SCOPE_SYSTEM) {
    id = 0;
  } else if (place->scope == RETUNE_SCOPE_POLICY) {
    const RetunePolicy *policy = retune_machine_policy(machine, cpu);
    if (policy == NULL)
      return ENOENT;
    id = policy->number;
  }
  if (retune_knob_stride(place) == 1)
    return retune_machine_read(machine, place, id, text, size);
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
    RETUNE_CPUSET_FOREACH (cpu, online) {
      char text[RETUNE_VALUE_SIZE];
      g_autoptr(RetuneCpuset) one = retune_cpuset_new();
      retune_cpuset_add(one, (guint)cpu);
      if (read_option(machine, option, (guint)cpu, text, sizeof text) == 0)
        add(&groups, option, one, "", text, RETUNE_OUTCOME_APPLIED, "");
    }
  }
  return groups_finish(&groups);
}

/* --- support --- */

static void support_free(gpointer data)
{
  RetuneSupport *support = data;
  retune_cpuset_free(support->supported);
  g_free(support->why_not);
  g_free(support);
}

/* boost also works where there is but the global file. */
static gboolean is_supported(RetuneMachine *machine, const RetuneKnob *option, guint cpu)
{
  char text[RETUNE_VALUE_SIZE];

  if (read_option(machine, option, cpu, text, sizeof text) == 0)
    return TRUE;
  return option->gate != NULL && read_option(machine, option->gate, cpu, text, sizeof text) == 0;
}

static char *explain_lack(const RetuneKnob *option, const RetuneCpuset *lacking,
                          const RetuneCpuset *offline)
{
  g_autofree char *lacking_list = retune_cpuset_to_string(lacking);
  g_autofree char *offline_list = retune_cpuset_to_string(offline);
  GString *why = g_string_new(NULL);

  if (*lacking_list != '\0')
    g_string_append_printf(why, "CPU %s: no such file%s", lacking_list, option->hint_absent);
  if (*offline_list != '\0')
    g_string_append_printf(why, "%sCPU %s: offline", why->len > 0 ? "; " : "", offline_list);
  return g_string_free(why, FALSE);
}

static RetuneSupport *find_support(RetuneMachine *machine, const RetuneKnob *option,
                                   const RetuneCpuset *present, const RetuneCpuset *online)
{
  RetuneSupport *support = g_new0(RetuneSupport, 1);
  g_autoptr(RetuneCpuset) lacking = retune_cpuset_new();
  g_autoptr(RetuneCpuset) offline = retune_cpuset_copy(present);

  support->option = option;
  support->supported = retune_cpuset_new();
  if (option->scope == RETUNE_SCOPE_SYSTEM) {
    /* One file for all of them, offline or not. */
    retune_cpuset_union(is_supported(machine, option, 0) ? support->supported : lacking, present);
    retune_cpuset_subtract(offline, present);
  } else {
    retune_cpuset_subtract(offline, online);
    RETUNE_CPUSET_FOREACH (cpu, online)
      retune_cpuset_add(is_supported(machine, option, (guint)cpu) ? support->supported : lacking,
                        (guint)cpu);
  }
  support->why_not = explain_lack(option, lacking, offline);
  return support;
}

GPtrArray *retune_query_support(const RetuneKnobTable *table, RetuneMachine *machine,
                                const RetuneCpuset *present, GError **error)
{
  g_autoptr(RetuneCpuset) online = retune_machine_read_online(machine, error);

  if (online == NULL)
    return NULL;
  retune_machine_forget_absent(machine);
  GPtrArray *result = g_ptr_array_new_with_free_func(support_free);
  for (guint i = 0; i < table->n_rows; i++)
    if (table->rows[i].name != NULL)
      g_ptr_array_add(result, find_support(machine, &table->rows[i], present, online));
  return result;
}
