// SPDX-License-Identifier: GPL-2.0-or-later
/* Second step of a job: one goal per place. Arbitrates between wishes, adds the
 * places that the kernel changes along, finds what to put back, and reads the
 * values that the plan must know. Still writes nothing. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "job.h"

/* --- wishes that lose, and wishes that contradict --- */

static void note_shadowed(RetuneJob *job, const RetuneWant *loser, const RetuneInstance *winner)
{
  g_autofree char *detail = g_strdup_printf("instance '%s' decides here", winner->name);
  retune_job_note_want(job, loser, RETUNE_OUTCOME_SHADOWED, 0, detail);
}

static void fail(RetuneJob *job, const RetuneWant *want, RetuneError code, const char *message)
{
  if (job->error != NULL)
    return;
  g_set_error_literal(&job->error, RETUNE_ERROR, (gint)code, message);
  job->culprit_instance = g_strdup(want->instance->name);
  job->culprit_option = want->option;
}

void retune_job_contradict(RetuneJob *job, RetuneWant *want, const char *message)
{
  if (retune_job_is_subject(job, want->instance->name)) {
    fail(job, want, RETUNE_ERROR_INVALID_VALUE, message);
    return;
  }
  retune_job_note_want(job, want, RETUNE_OUTCOME_REFUSED, 0, message);
  want->kind = RETUNE_WANT_HOLD;
}

static void on_shadowed(const RetuneWant *loser, const RetuneWant *winner, gpointer data)
{
  RetuneJob *job = data;
  gboolean concerned = retune_job_is_subject(job, loser->instance->name) ||
                       retune_job_is_subject(job, winner->instance->name);

  if (loser->pending)
    return; /* that is noted already */
  if (loser->instance == winner->instance)
    return; /* one wish that reaches a shared place from several sides */
  if (g_strcmp0(loser->text, winner->text) == 0) {
    g_ptr_array_add(job->agreed, (gpointer)loser);
    g_ptr_array_add(job->agreed, (gpointer)winner);
    return;
  }
  if (concerned && (loser->instance->exclusive || winner->instance->exclusive)) {
    char unit[24];
    retune_knob_unit(loser->place, loser->id, unit, sizeof unit);
    g_autofree char *message = g_strdup_printf(
        "%s of %s is wished for by '%s' and by '%s', and '%s' is exclusive", winner->option->name,
        unit, winner->instance->name, loser->instance->name,
        loser->instance->exclusive ? loser->instance->name : winner->instance->name);
    fail(job, loser, RETUNE_ERROR_CONFLICT, message);
  }
  note_shadowed(job, loser, winner->instance);
}

RetuneWant *retune_job_find_winner(const GPtrArray *winners, const RetuneKnob *place, guint id)
{
  guint low = 0, high = winners->len;

  while (low < high) {
    guint middle = (low + high) / 2;
    RetuneWant *want = winners->pdata[middle];
    if (want->place == place && want->id == id)
      return want;
    if (want->place < place || (want->place == place && want->id < id))
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}

static void add_extra(RetuneJob *job, GPtrArray *extra, const RetuneWant *cause,
                      const RetuneKnob *place, guint id, RetuneWantKind kind)
{
  RetuneWant *want = retune_job_new_want(job);

  *want = *cause;
  want->place = place;
  want->id = id;
  want->kind = kind;
  want->text = NULL;
  want->untried = NULL;
  g_ptr_array_add(extra, want);
}

/* @wish is for a place that @leader pins at another value. */
static void bend(RetuneJob *job, RetuneWant *wish, const RetuneWant *leader)
{
  if (wish->pending || retune_knob_same(wish->place, leader->place->pinned, wish->text))
    return;
  if (wish->instance != leader->instance) {
    note_shadowed(job, wish, leader->instance);
    wish->kind = RETUNE_WANT_HOLD;
    return;
  }
  g_autofree char *message = g_strdup_printf(
      "%s=%s contradicts %s=%s, under which the kernel holds it at %s", wish->option->name,
      wish->text, leader->option->name, leader->text, leader->place->pinned);
  retune_job_contradict(job, wish, message);
}

/* Adds a wish for the place that the kernel changes along with @leader's, so
 * that its baseline is kept and comes back; or bends the wish that is there. */
static void add_follower(RetuneJob *job, const GPtrArray *winners, GPtrArray *extra,
                         const RetuneWant *leader)
{
  const RetuneKnob *place = leader->place->follower;
  const char *pins = leader->place->pins;
  const RetuneEntry *entry = retune_ledger_get(job->ledger, leader->place, leader->id);
  const char *before = entry != NULL ? entry->baseline : NULL;
  RetuneWant *wish = retune_job_find_winner(winners, place, leader->id);
  gboolean can_pin = pins != NULL && retune_job_pins(job, leader->place, leader->id);
  gboolean pinned = can_pin && g_strcmp0(leader->text, pins) == 0;

  if (leader->pending)
    return;
  if (wish != NULL) {
    if (pinned)
      bend(job, wish, leader);
    return;
  }
  if (before != NULL && retune_ledger_get(job->ledger, place, leader->id) == NULL)
    return; /* it was not there when the leader's baseline was taken */
  /* What it was while it was pinned before us was not its own value. */
  gboolean was_pinned = can_pin && g_strcmp0(before, pins) == 0;
  add_extra(job, extra, leader, place, leader->id,
            pinned || was_pinned ? RETUNE_WANT_HOLD : RETUNE_WANT_BASELINE);
}

/* Does opening @gate change what is behind it? The kernel then switches on all
 * of it, so everything but what is wished for must get its baseline back. */
static gboolean gate_stirs(const RetuneJob *job, const RetuneKnob *gate)
{
  const RetuneEntry *entry = retune_ledger_get(job->ledger, gate, 0);
  char text[RETUNE_VALUE_SIZE];

  if (entry != NULL && entry->baseline != NULL)
    return !g_str_equal(entry->baseline, "1");
  return retune_machine_read(job->machine, gate, 0, text, sizeof text) == 0 &&
         !g_str_equal(text, "1");
}

/* Adds wishes for the baseline of all that is behind the gate that @opener
 * opens and that nobody wishes for. */
static void add_behind_gate(RetuneJob *job, const GPtrArray *winners, GPtrArray *extra,
                            const RetuneWant *opener, const RetuneKnob *place)
{
  g_autoptr(RetuneCpuset) seen = retune_cpuset_new();

  RETUNE_CPUSET_FOREACH (cpu, job->online) {
    const RetunePolicy *policy = retune_machine_policy(job->machine, (guint)cpu);
    if (policy == NULL || retune_cpuset_contains(seen, policy->number))
      continue;
    retune_cpuset_add(seen, policy->number);
    if (retune_job_find_winner(winners, place, policy->number) == NULL)
      add_extra(job, extra, opener, place, policy->number, RETUNE_WANT_BASELINE);
  }
}

/* The rows whose gate is @gate. */
static void add_gated(RetuneJob *job, const GPtrArray *winners, GPtrArray *extra,
                      const RetuneWant *opener)
{
  for (guint row = 0; row < job->table->n_rows; row++) {
    const RetuneKnob *place = &job->table->rows[row];
    if (place->gate == opener->place && g_strcmp0(opener->text, "1") == 0 &&
        gate_stirs(job, opener->place))
      add_behind_gate(job, winners, extra, opener, place);
  }
}

static gint compare_extra(gconstpointer pa, gconstpointer pb)
{
  const RetuneWant *a = *(const RetuneWant *const *)pa;
  const RetuneWant *b = *(const RetuneWant *const *)pb;

  if (a->place != b->place)
    return a->place < b->place ? -1 : 1;
  return a->id < b->id ? -1 : a->id > b->id;
}

/* --- goals --- */

/* The row whose follower is @place, and which pins it; or NULL. */
static const RetuneKnob *pinning_leader(const RetuneJob *job, const RetuneKnob *place)
{
  for (guint row = 0; row < job->table->n_rows; row++)
    if (job->table->rows[row].follower == place && job->table->rows[row].pins != NULL)
      return &job->table->rows[row];
  return NULL;
}

static RetuneGoal *add_goal(RetuneJob *job, const RetuneKnob *place, guint id,
                            const RetuneWant *want)
{
  RetuneGoal goal = {
      .place = place,
      .id = id,
      .want = want,
      .entry = retune_ledger_get(job->ledger, place, id),
      .force = job->force && want != NULL && retune_job_is_subject(job, want->instance->name),
      .insist =
          (job->recheck && (job->thorough || place->scope != RETUNE_SCOPE_SYSTEM) && want != NULL &&
           want->instance->on_drift != RETUNE_DRIFT_YIELD) ||
          (job->report && want != NULL && want->instance->on_drift == RETUNE_DRIFT_REASSERT) ||
          (want != NULL && retune_job_is_subject(job, want->instance->name)),
  };
  const RetuneKnob *leader = pinning_leader(job, place);
  goal.unpinned = leader != NULL && !retune_job_pins(job, leader, id);
  g_array_append_val(job->goals, goal);
  return &g_array_index(job->goals, RetuneGoal, job->goals->len - 1);
}

/* What we hold at place @id, with nobody wishing for it any more. */
static void add_release(RetuneJob *job, const GPtrArray *winners, const GPtrArray *extra,
                        const RetuneKnob *place, guint id)
{
  if (retune_ledger_get(job->ledger, place, id) == NULL ||
      retune_job_find_winner(winners, place, id) != NULL ||
      retune_job_find_winner(extra, place, id) != NULL)
    return;
  RetuneGoal *goal = add_goal(job, place, id, NULL);
  goal->hold = retune_job_must_hold(job, place, id);
  retune_job_bend_release(job, winners, goal);
}

static void add_releases(RetuneJob *job, const GPtrArray *winners, const GPtrArray *extra,
                         const RetuneKnob *place)
{
  guint stride = retune_knob_stride(place);
  g_autoptr(RetuneCpuset) seen = retune_cpuset_new();

  if (retune_ledger_count(job->ledger, place) == 0)
    return;
  if (place->scope == RETUNE_SCOPE_SYSTEM) {
    for (guint i = 0; i < stride; i++)
      add_release(job, winners, extra, place, i);
    return;
  }
  g_autoptr(RetuneCpuset) cpus = retune_cpuset_copy(job->affected);
  if (place->gate != NULL)
    retune_cpuset_union(cpus, job->online); /* held where nobody asked for it */
  RETUNE_CPUSET_FOREACH (cpu, cpus) {
    guint unit = (guint)cpu;
    if (place->scope == RETUNE_SCOPE_POLICY) {
      const RetunePolicy *policy = retune_machine_policy(job->machine, unit);
      if (policy != NULL)
        unit = policy->number; /* what has no policy is known by its CPU */
      if (retune_cpuset_contains(seen, unit))
        continue;
      retune_cpuset_add(seen, unit);
    }
    for (guint i = 0; i < stride; i++)
      add_release(job, winners, extra, place, unit * stride + i);
  }
}

static gint compare_goals(gconstpointer pa, gconstpointer pb)
{
  const RetuneGoal *a = pa;
  const RetuneGoal *b = pb;

  if (a->place != b->place)
    return a->place < b->place ? -1 : 1;
  return a->id < b->id ? -1 : a->id > b->id;
}

gboolean retune_job_has_goal(const RetuneJob *job, guint n_goals, const RetuneKnob *place, guint id)
{
  RetuneGoal sought = {.place = place, .id = id};

  return n_goals > 0 &&
         bsearch(&sought, job->goals->data, n_goals, sizeof sought, compare_goals) != NULL;
}

/* --- what must be read first --- */

static void note_unreadable(RetuneJob *job, const RetuneWant *want, int result)
{
  gboolean absent = result == ENOENT || result == ENODEV;
  char path[128];

  retune_knob_path(want->place, want->id, path, sizeof path);
  g_autofree char *detail = absent ? g_strdup_printf("no such file%s", want->option->hint_absent)
                                   : g_strdup_printf("cannot read %s: %s (%s)", path,
                                                     g_strerror(result), strerrorname_np(result));
  retune_job_note_want(job, want, absent ? RETUNE_OUTCOME_UNSUPPORTED : RETUNE_OUTCOME_REFUSED,
                       absent ? 0 : result, detail);
}

/* Who owned @goal's place until now, for messages. */
static const char *former_holder(RetuneJob *job, const RetuneGoal *goal, guint cpu)
{
  if (goal->want != NULL)
    return goal->want->instance->name;
  if (goal->place->scope == RETUNE_SCOPE_SYSTEM)
    return job->subjects->len > 0 ? job->subjects->pdata[0] : "";
  const RetuneInstance *owner = retune_model_owner(job->before, cpu);
  return owner != NULL ? owner->name : "";
}

/* Reads the present value where the plan needs it. FALSE: the goal is void. */
static gboolean observe(RetuneJob *job, RetuneGoal *goal)
{
  gboolean baseline_known = goal->entry != NULL && goal->entry->baseline != NULL;
  char text[RETUNE_VALUE_SIZE];
  guint cpu = 0;

  if (goal->want != NULL &&
      (goal->want->pending || (baseline_known && !job->recheck && !goal->place->sticky)))
    return TRUE;
  if (goal->want == NULL && !baseline_known && !goal->hold)
    return TRUE;
  goal->offline = !retune_job_unit_online(job, goal->place, goal->id, &cpu);
  if (goal->offline)
    return TRUE;
  int result = retune_machine_read(job->machine, goal->place, goal->id, text, sizeof text);
  if (result == 0) {
    goal->seen = g_string_chunk_insert_const(job->strings, text);
    retune_job_note_drift(job, goal, former_holder(job, goal, cpu));
    goal->left = retune_job_leaves(job, goal);
    return TRUE;
  }
  if (goal->want == NULL || baseline_known || (result == ENOENT && goal->place->leader != NULL))
    return TRUE;                /* the write will tell */
  if (goal->want->text != NULL) /* else it is no wish of its own */
    note_unreadable(job, goal->want, result);
  return FALSE;
}

/* Observes the goals from position @first on. */
static void observe_all(RetuneJob *job, guint first)
{
  guint kept = first;

  for (guint i = first; i < job->goals->len; i++) {
    RetuneGoal goal = g_array_index(job->goals, RetuneGoal, i);
    if (observe(job, &goal)) {
      g_array_index(job->goals, RetuneGoal, kept++) = goal;
    } else if (goal.entry != NULL) { /* nothing but old remarks */
      RetuneUpdate update = {goal.place, goal.id, NULL};
      g_array_append_val(job->updates, update);
    }
  }
  g_array_set_size(job->goals, kept);
}

void retune_job_add_consequences(RetuneJob *job, const GPtrArray *winners, GPtrArray *extra)
{
  for (guint i = 0; i < winners->len; i++) {
    RetuneWant *want = winners->pdata[i];
    retune_job_check_pair(job, winners, want);
    if (want->place->follower != NULL)
      add_follower(job, winners, extra, want);
    if (want->place->scope == RETUNE_SCOPE_SYSTEM)
      add_gated(job, winners, extra, want);
  }
  g_ptr_array_sort(extra, compare_extra);
}

static void add_goals(RetuneJob *job, const GPtrArray *wants)
{
  for (guint i = 0; i < wants->len; i++) {
    const RetuneWant *want = wants->pdata[i];
    add_goal(job, want->place, want->id, want);
  }
}

gboolean retune_job_aim(RetuneJob *job)
{
  g_autoptr(GPtrArray) winners = retune_plan_arbitrate(job->wants, on_shadowed, job);
  g_autoptr(GPtrArray) extra = g_ptr_array_new();

  retune_job_add_consequences(job, winners, extra);
  if (job->error != NULL)
    return FALSE;
  add_goals(job, winners);
  add_goals(job, extra);
  for (guint row = 0; row < job->table->n_rows; row++)
    if (job->table->rows[row].place == NULL)
      add_releases(job, winners, extra, &job->table->rows[row]);
  g_array_sort(job->goals, compare_goals);
  observe_all(job, 0);
  guint n_observed = job->goals->len;
  retune_job_add_holds(job);
  observe_all(job, n_observed);
  g_array_sort(job->goals, compare_goals);
  return retune_job_check_switches(job);
}
