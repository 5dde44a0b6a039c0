// SPDX-License-Identifier: GPL-2.0-or-later
/* Goals for the tests of plans. */
#include "plan-fixture.h"

#include "util.h"

static void entry_free(gpointer entry)
{
  retune_entry_free(entry);
}

static void set_up(Plan *plan, gconstpointer unused)
{
  (void)unused;
  plan->instance = util_instance("net", "all", NULL);
  plan->goals = g_array_sized_new(FALSE, FALSE, sizeof(RetuneGoal), PLAN_MAX_GOALS);
  plan->wants = g_ptr_array_new_with_free_func(g_free);
  plan->entries = g_ptr_array_new_with_free_func(entry_free);
}

static void tear_down(Plan *plan, gconstpointer unused)
{
  (void)unused;
  g_array_unref(plan->goals);
  g_ptr_array_unref(plan->wants);
  g_ptr_array_unref(plan->entries);
  retune_instance_unref(plan->instance);
}

void plan_add_tests(const PlanTest *tests, guint n_tests)
{
  for (guint i = 0; i < n_tests; i++)
    g_test_add(tests[i].path, Plan, NULL, set_up, tests[i].test, tear_down);
}

const RetuneKnob *plan_place(const char *name)
{
  return g_str_equal(name, "gate") ? util_knob("boost")->gate : util_knob(name);
}

RetuneGoal *plan_release(Plan *plan, const char *option, guint id)
{
  RetuneGoal goal = {.place = plan_place(option), .id = id};

  g_assert_cmpuint(plan->goals->len, <, PLAN_MAX_GOALS);
  if (plan->goals->len > 0) {
    const RetuneGoal *last = &g_array_index(plan->goals, RetuneGoal, plan->goals->len - 1);
    g_assert_true(last->place < goal.place || (last->place == goal.place && last->id < id));
  }
  g_array_append_val(plan->goals, goal);
  return &g_array_index(plan->goals, RetuneGoal, plan->goals->len - 1);
}

RetuneGoal *plan_wish(Plan *plan, const char *option, guint id, const char *text)
{
  RetuneGoal *goal = plan_release(plan, option, id);
  RetuneWant *want = g_new0(RetuneWant, 1);

  *want = (RetuneWant){.place = goal->place,
                       .id = id,
                       .option = goal->place,
                       .instance = plan->instance,
                       .text = text};
  g_ptr_array_add(plan->wants, want);
  goal->want = want;
  return goal;
}

void plan_entry(Plan *plan, RetuneGoal *goal, const char *baseline, const char *wrote,
                const char *found)
{
  RetuneEntry *entry = retune_entry_new(baseline, wrote, found);

  g_ptr_array_add(plan->entries, entry);
  goal->entry = entry;
}

RetuneWant *plan_want(RetuneGoal *goal)
{
  return (RetuneWant *)goal->want;
}

char *plan_describe(const GArray *changes)
{
  GString *out = g_string_new(NULL);

  for (guint i = 0; i < changes->len; i++) {
    const RetuneChange *change = &g_array_index(changes, RetuneChange, i);
    g_string_append_printf(out, "%s%s%u %s>%s%s%s", i > 0 ? ", " : "",
                           change->place->name != NULL ? change->place->name : "gate", change->id,
                           change->from != NULL ? change->from : "?", change->to,
                           change->check_first ? "?" : "", change->passive ? "~" : "");
  }
  return g_string_free(out, FALSE);
}

char *plan_make(Plan *plan)
{
  g_autoptr(GArray) changes = retune_plan_make(plan->goals);
  return plan_describe(changes);
}

char *plan_undo(Plan *plan, guint n_done)
{
  g_autoptr(GArray) changes = retune_plan_make(plan->goals);
  g_autoptr(GArray) inverse = retune_plan_invert(changes, n_done);
  return plan_describe(inverse);
}
