// SPDX-License-Identifier: GPL-2.0-or-later
/* What comes and goes with governors. When the last policy leaves a governor, the
 * kernel forgets its tunables; with the governor as the baseline they must come
 * back as well (cpufreq_governor.c, Documentation/admin-guide/pm/cpufreq.rst). */
#include <errno.h>

#include "job.h"

/* The governor under which place @id exists. */
static const char *governor_of(const RetuneKnob *place, guint id)
{
  guint stride = retune_knob_stride(place);

  return place->governors[stride > 1 ? id % stride : 0];
}

/* --- baselines that count later --- */

typedef struct {
  RetuneJob *job;
  const RetuneKnob *place;
  guint id;
  const char *governor;
  gboolean found;
} Search;

static const RetuneGoal *find_goal(const RetuneJob *job, const RetuneKnob *place, guint id)
{
  for (guint i = 0; i < job->goals->len; i++) {
    const RetuneGoal *goal = &g_array_index(job->goals, RetuneGoal, i);
    if (goal->place == place && goal->id == id)
      return goal;
  }
  return NULL;
}

/* Does the governor come back at the policy of this entry, but not yet? */
static void visit_leader(const RetuneKnob *place, guint id, const RetuneEntry *entry, gpointer data)
{
  Search *search = data;
  const RetuneKnob *sought = search->place;

  if (search->found || place != sought->leader || g_strcmp0(entry->baseline, search->governor) != 0)
    return;
  if (sought->scope == RETUNE_SCOPE_POLICY && retune_knob_cpu(sought, search->id) != id)
    return;
  const RetuneGoal *goal = find_goal(search->job, place, id);
  guint cpu;
  search->found =
      goal == NULL || goal->want != NULL || !retune_job_unit_online(search->job, place, id, &cpu);
}

typedef struct {
  const RetuneJob *job;
  gboolean found;
} Held;

static void visit_switch(const RetuneKnob *place, guint id, const RetuneEntry *entry, gpointer data)
{
  Held *held = data;

  if (place->switches_cpu && g_strcmp0(entry->wrote, "0") == 0 &&
      !retune_cpuset_contains(held->job->online, id))
    held->found = TRUE;
}

/* Are CPUs held offline? */
static gboolean holds_cpus(const RetuneJob *job)
{
  Held held = {job, FALSE};

  retune_ledger_foreach(job->ledger, visit_switch, &held);
  return held.found;
}

gboolean retune_job_must_hold(RetuneJob *job, const RetuneKnob *place, guint id)
{
  Search search = {.job = job, .place = place, .id = id};

  if (place->leader == NULL)
    return FALSE;
  if (place->scope == RETUNE_SCOPE_SYSTEM && holds_cpus(job))
    return TRUE; /* the policies of these may run the governor */
  search.governor = governor_of(place, id);
  retune_ledger_foreach(job->ledger, visit_leader, &search);
  return search.found;
}

/* --- tunables of a governor that goes --- */

/* Was a goal of place @id added after the first @n_goals? That of the system comes from
 * many policies, and that of a policy from its CPUs, one after the other. */
static gboolean is_added(const RetuneJob *job, guint n_goals, const RetuneKnob *place, guint id)
{
  guint recent = place->scope == RETUNE_SCOPE_SYSTEM ? G_MAXUINT : job->table->n_rows;

  for (guint i = job->goals->len; i > n_goals && recent > 0; i--, recent--) {
    const RetuneGoal *goal = &g_array_index(job->goals, RetuneGoal, i - 1);
    if (goal->place == place && goal->id == id)
      return TRUE;
  }
  return FALSE;
}

/* Adds a goal that holds place @id, unless there is one already. */
static void hold(RetuneJob *job, guint n_goals, const RetuneKnob *place, guint id)
{
  RetuneGoal goal = {.place = place, .id = id, .hold = TRUE};

  if (retune_ledger_get(job->ledger, place, id) != NULL ||
      retune_job_has_goal(job, n_goals, place, id) || is_added(job, n_goals, place, id))
    return;
  g_array_append_val(job->goals, goal);
}

/* The policy of a goal for @leader is about to leave governor @old for the first
 * time. */
static void hold_tunables(RetuneJob *job, guint n_goals, const RetuneKnob *leader, guint policy,
                          const char *old)
{
  for (guint row = 0; row < job->table->n_rows; row++) {
    const RetuneKnob *knob = &job->table->rows[row];
    const RetuneKnob *place;
    guint id;
    if (knob->leader == leader && knob->place == NULL && knob->name != NULL &&
        retune_machine_locate(job->machine, knob, policy, old, &place, &id))
      hold(job, n_goals, place, id);
  }
}

/* Is @place one under which others exist? */
static gboolean leads(const RetuneJob *job, const RetuneKnob *place)
{
  for (guint row = 0; row < job->table->n_rows; row++)
    if (job->table->rows[row].leader == place)
      return TRUE;
  return FALSE;
}

/* The CPU of @goal is about to be held offline: with the last one of its policy, what
 * goes with the governor, and what some drivers forget, is lost. */
static void hold_policy(RetuneJob *job, guint n_goals, const RetuneGoal *goal)
{
  const RetunePolicy *policy = retune_machine_policy(job->machine, goal->id);
  char governor[RETUNE_VALUE_SIZE];

  for (guint row = 0; policy != NULL && row < job->table->n_rows; row++) {
    const RetuneKnob *place = &job->table->rows[row];
    if (place->lost_offline)
      hold(job, n_goals, place, policy->number);
    if (leads(job, place) &&
        retune_machine_read(job->machine, place, policy->number, governor, sizeof governor) == 0)
      hold_tunables(job, n_goals, place, policy->number, governor);
  }
}

/* Adds what a goal that is new to its place makes necessary. */
static void add_hold(RetuneJob *job, guint n_goals, const RetuneGoal *goal, gboolean is_leader)
{
  const RetuneEntry *entry = goal->entry;
  const char *before = entry != NULL && entry->baseline != NULL ? entry->baseline : goal->seen;
  const char *now = goal->seen != NULL ? goal->seen : entry != NULL ? entry->found : NULL;

  if (goal->want == NULL || goal->want->text == NULL)
    return;
  if (is_leader && before != NULL && g_strcmp0(before, now) == 0 &&
      !g_str_equal(goal->want->text, before))
    hold_tunables(job, n_goals, goal->place, goal->id, before);
  if (goal->place->switches_cpu && g_str_equal(goal->want->text, "0") &&
      retune_cpuset_contains(job->online, goal->id))
    hold_policy(job, n_goals, goal);
}

void retune_job_add_holds(RetuneJob *job)
{
  const RetuneKnob *last = NULL;
  gboolean is_leader = FALSE;
  guint n_goals = job->goals->len;

  for (guint i = 0; i < n_goals; i++) {
    RetuneGoal goal = g_array_index(job->goals, RetuneGoal, i); /* they move as more come */
    if (goal.place != last)
      is_leader = leads(job, goal.place);
    last = goal.place;
    add_hold(job, n_goals, &goal, is_leader);
  }
}

/* --- governors that hold other values --- */

/* A driver that chooses frequencies by itself, as intel_pstate and amd_pstate in active
 * mode, has two governors of its own, and "performance" holds the preference. One that
 * is told, as intel_pstate in passive mode, leaves it alone (intel_pstate.c). */
gboolean retune_job_pins(RetuneJob *job, const RetuneKnob *leader, guint id)
{
  guint cpu;

  if (!retune_job_unit_online(job, leader, id, &cpu))
    return TRUE;
  const char *const *governors = retune_machine_governors(job->machine, cpu);
  for (guint i = 0; governors != NULL && governors[i] != NULL; i++)
    if (!g_str_equal(governors[i], leader->pins) && !g_str_equal(governors[i], "powersave"))
      return FALSE;
  return TRUE;
}

/* --- where tunables are --- */

gboolean retune_job_is_misplaced(RetuneJob *job, const RetuneChange *change, int error)
{
  const RetuneKnob *place = change->place;

  if (error != ENOENT || place->leader == NULL || place->scope != RETUNE_SCOPE_SYSTEM)
    return FALSE;
  const char *governor = governor_of(place, change->id);
  for (guint i = 0; i < job->changes->len; i++) {
    const RetuneChange *other = &g_array_index(job->changes, RetuneChange, i);
    if (other->place == place->leader && g_strcmp0(other->to, governor) == 0 &&
        retune_machine_relocate(job->machine, other->id, governor))
      return TRUE;
  }
  return FALSE;
}
