// SPDX-License-Identifier: GPL-2.0-or-later
/* The plan: a pure function of wishes, ledger and what was seen. */
#include "plan.h"

#include <string.h>

/* --- the arbiter --- */

static gint64 magnitude(const RetuneWant *want)
{
  return want->text != NULL ? want->place->type->magnitude(want->text) : G_MAXINT64;
}

static gint compare_wants(gconstpointer pa, gconstpointer pb)
{
  const RetuneWant *a = *(const RetuneWant *const *)pa;
  const RetuneWant *b = *(const RetuneWant *const *)pb;

  if (a->place != b->place)
    return a->place < b->place ? -1 : 1;
  if (a->id != b->id)
    return a->id < b->id ? -1 : 1;
  if (a->place->combine == RETUNE_COMBINE_MINIMUM && magnitude(a) != magnitude(b))
    return magnitude(a) < magnitude(b) ? -1 : 1;
  return retune_instance_compare(a->instance, b->instance);
}

GPtrArray *retune_plan_arbitrate(GPtrArray *wants, RetuneShadowed shadowed, gpointer data)
{
  GPtrArray *winners = g_ptr_array_new();
  const RetuneWant *winner = NULL;

  g_ptr_array_sort(wants, compare_wants);
  for (guint i = 0; i < wants->len; i++) {
    const RetuneWant *want = wants->pdata[i];
    if (winner == NULL || winner->place != want->place || winner->id != want->id) {
      winner = want;
      g_ptr_array_add(winners, (gpointer)want);
    } else {
      shadowed(want, winner, data);
    }
  }
  return winners;
}

/* --- goals to changes --- */

const char *retune_plan_text(const RetuneWant *want, const char *baseline)
{
  return want->kind == RETUNE_WANT_BASELINE ? baseline : want->text;
}

static guint phase_of(const RetuneKnob *place, const char *from, const char *to)
{
  if (place->phase_down != 0 && from != NULL && place->type->magnitude != NULL &&
      place->type->magnitude(to) < place->type->magnitude(from))
    return place->phase_down;
  return place->phase;
}

static const RetuneChange *find_change(const GArray *changes, const RetuneKnob *place, guint id)
{
  guint low = 0, high = changes->len;

  while (low < high) {
    guint middle = (low + high) / 2;
    const RetuneChange *change = &g_array_index(changes, RetuneChange, middle);
    if (change->place == place && change->id == id)
      return change;
    if (change->place < place || (change->place == place && change->id < id))
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}

/* Does the place of @leader pin @goal's while it has @value? */
static gboolean pins_at(const RetuneChange *leader, const RetuneGoal *goal, const char *value)
{
  return !goal->unpinned && leader->place->follower == goal->place && leader->place->pins != NULL &&
         g_strcmp0(leader->place->pins, value) == 0;
}

/* Will the kernel change @goal's place by itself when @leader is written? A gate
 * does, a governor under which it exists, and a leader that bends its follower; one
 * that pins it, when that starts or ends. */
static gboolean stirs(const RetuneChange *leader, const RetuneGoal *goal)
{
  return leader->place == goal->place->gate || leader->place == goal->place->leader ||
         leader->place->pins == NULL || pins_at(leader, goal, leader->from) ||
         pins_at(leader, goal, leader->to);
}

/* What the kernel does with a follower is not for us to write: while it is held,
 * after it was held before we came (the baseline was not its own then), and when
 * it is about to be held again. */
static gboolean is_passive(const RetuneGoal *goal, const RetuneChange *leader)
{
  if (goal->want == NULL)
    return leader != NULL && pins_at(leader, goal, leader->to);
  return goal->want->kind == RETUNE_WANT_HOLD ||
         (goal->want->kind == RETUNE_WANT_BASELINE && leader != NULL &&
          pins_at(leader, goal, leader->baseline));
}

/* What is there now, as far as is known. */
static const char *present(const RetuneGoal *goal, const RetuneChange *leader)
{
  if (goal->seen != NULL)
    return goal->seen;
  if (leader != NULL && pins_at(leader, goal, leader->from))
    return leader->place->pinned;
  if (goal->entry == NULL)
    return NULL;
  return goal->entry->found != NULL ? goal->entry->found : goal->entry->wrote;
}

/* Equal texts only: what else a text may mean is the driver's affair, and shows
 * when it has been written. */
static gboolean in_force(const RetuneGoal *goal, const char *to)
{
  const RetuneEntry *entry = goal->entry;
  gboolean written = entry != NULL && g_strcmp0(entry->wrote, to) == 0;

  if (goal->seen == NULL)
    return written;
  if (strcmp(to, goal->seen) == 0)
    return TRUE;
  /* It reads back as it did when it was written; if that was not what it means, it is
   * worth another try. What is put back must be there. */
  return goal->want != NULL && written && g_strcmp0(entry->found, goal->seen) == 0 &&
         (!goal->insist || retune_knob_same(goal->place, to, goal->seen));
}

/* A tunable that we never wrote, and that was kept only for the case that its governor
 * stops: the governor runs, so its value is nobody's to put back. */
static gboolean is_kept_by_others(const RetuneGoal *goal)
{
  return goal->want == NULL && goal->place->leader != NULL && goal->seen != NULL &&
         goal->entry != NULL && goal->entry->wrote == NULL && !goal->entry->stuck &&
         goal->bent == NULL;
}

/* Adds the change that the goal at @position needs, if any. @leader is the change,
 * if any, that stirs it. */
static void add_change(GArray *changes, const GArray *goals, guint position,
                       const RetuneChange *leader)
{
  const RetuneGoal *goal = &g_array_index(goals, RetuneGoal, position);
  const char *known = goal->entry != NULL ? goal->entry->baseline : NULL;
  const char *baseline = known != NULL ? known : goal->seen;
  gboolean stirred = leader != NULL && stirs(leader, goal);
  RetuneChange change = {
      .place = goal->place,
      .id = goal->id,
      .want = goal->want,
      .baseline = baseline,
      .from = present(goal, leader),
      .check_first = stirred,
      .passive = is_passive(goal, leader),
      .goal = position,
  };

  if (goal->offline || goal->left || is_kept_by_others(goal) ||
      (goal->want != NULL && goal->want->pending))
    return;
  change.to = change.passive       ? change.from
              : goal->bent != NULL ? goal->bent
              : goal->want == NULL ? baseline
                                   : retune_plan_text(goal->want, baseline);
  if (change.to == NULL || (change.passive && !stirred))
    return;
  if (goal->want != NULL && !goal->insist && goal->entry != NULL &&
      retune_entry_refuses(goal->entry, goal->want->instance->name, change.to))
    return;
  gboolean force = goal->force && !goal->place->sticky && goal->place->gate == NULL;
  if (!force && !stirred && in_force(goal, change.to))
    return;
  change.phase = phase_of(goal->place, change.from, change.to);
  g_array_append_val(changes, change);
}

static gint compare_changes(gconstpointer pa, gconstpointer pb)
{
  const RetuneChange *a = pa;
  const RetuneChange *b = pb;

  if (a->phase != b->phase)
    return a->phase < b->phase ? -1 : 1;
  if (a->place != b->place)
    return a->place < b->place ? -1 : 1;
  return a->id < b->id ? -1 : a->id > b->id;
}

/* The first change of @place, whatever its id. */
static const RetuneChange *find_any_change(const GArray *changes, const RetuneKnob *place)
{
  for (guint i = 0; i < changes->len; i++)
    if (g_array_index(changes, RetuneChange, i).place == place)
      return &g_array_index(changes, RetuneChange, i);
  return NULL;
}

/* The change, if any, that stirs @goal's place: its gate's, that of the governor
 * under which it exists, or that of the place whose follower it is (@leader, or
 * NULL). */
static const RetuneChange *find_stirring(const GArray *changes, const RetuneGoal *goal,
                                         const RetuneKnob *leader)
{
  const RetuneKnob *place = goal->place;

  if (place->gate != NULL)
    return find_change(changes, place->gate, 0);
  if (place->leader != NULL && place->scope == RETUNE_SCOPE_SYSTEM)
    return find_any_change(changes, place->leader);
  if (place->leader != NULL)
    return find_change(changes, place->leader, retune_knob_cpu(place, goal->id));
  return leader != NULL ? find_change(changes, leader, goal->id) : NULL;
}

/* The place that has @place as its follower, as found among @goals. */
static const RetuneKnob *leader_of(const GArray *goals, const RetuneKnob *place)
{
  const RetuneKnob *last = NULL;

  for (guint i = 0; i < goals->len; i++) {
    const RetuneKnob *candidate = g_array_index(goals, RetuneGoal, i).place;
    if (candidate != last && candidate->follower == place)
      return candidate;
    last = candidate;
  }
  return NULL;
}

GArray *retune_plan_make(const GArray *goals)
{
  GArray *changes = g_array_sized_new(FALSE, FALSE, sizeof(RetuneChange), goals->len);
  const RetuneKnob *place = NULL, *leader = NULL;

  for (guint i = 0; i < goals->len; i++) {
    const RetuneGoal *goal = &g_array_index(goals, RetuneGoal, i);
    if (goal->place != place) {
      place = goal->place;
      leader = leader_of(goals, place);
    }
    add_change(changes, goals, i, find_stirring(changes, goal, leader));
  }
  g_array_sort(changes, compare_changes);
  return changes;
}

GArray *retune_plan_invert(const GArray *changes, guint n_done)
{
  GArray *inverse = g_array_sized_new(FALSE, FALSE, sizeof(RetuneChange), n_done);

  for (guint i = 0; i < changes->len; i++) {
    RetuneChange change = g_array_index(changes, RetuneChange, i);
    const char *from = change.from;
    /* What was not done may have been stirred by what was. */
    gboolean touched = i < n_done || change.passive || change.check_first;
    if (!touched || from == NULL)
      continue;
    change.from = change.to;
    change.to = from;
    change.check_first = TRUE;
    change.passive = FALSE;
    change.want = NULL;
    change.phase = phase_of(change.place, change.from, change.to);
    g_array_append_val(inverse, change);
  }
  g_array_sort(inverse, compare_changes);
  return inverse;
}
