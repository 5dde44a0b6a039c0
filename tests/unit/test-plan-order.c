// SPDX-License-Identifier: GPL-2.0-or-later
/* The order of writes, what the kernel changes along with them, and how a plan is
 * undone; with the real table. */
#include "plan.h"

#include <stdlib.h>

#include "plan-fixture.h"
#include "util.h"

#define EPP "energy_performance_preference"

static void see(Plan *plan, const char *option, guint id, const char *text, const char *seen)
{
  plan_wish(plan, option, id, text)->seen = seen;
}

static void hold(Plan *plan, const char *option, guint id, const char *seen)
{
  RetuneGoal *goal = plan_wish(plan, option, id, NULL);
  plan_want(goal)->kind = RETUNE_WANT_HOLD;
  goal->seen = seen;
}

static void put_back(Plan *plan, const char *option, guint id, const char *baseline,
                     const char *seen)
{
  RetuneGoal *goal = plan_release(plan, option, id);
  plan_entry(plan, goal, baseline, seen, seen);
  goal->seen = seen;
}

/* --- governor and EPP --- */

static void test_governor_first(Plan *plan, gconstpointer unused)
{
  (void)unused;
  see(plan, "governor", 0, "powersave", "schedutil");
  see(plan, EPP, 0, "power", "balance_power");
  EXPECT_PLAN(plan, "governor0 schedutil>powersave, " EPP "0 balance_power>power");
}

/* All governors, then all preferences. */
static void test_governors_first(Plan *plan, gconstpointer unused)
{
  (void)unused;
  see(plan, "governor", 0, "powersave", "schedutil");
  see(plan, "governor", 4, "powersave", "schedutil");
  see(plan, EPP, 0, "power", "balance_power");
  see(plan, EPP, 4, "power", "balance_power");
  EXPECT_PLAN(plan, "governor0 schedutil>powersave, governor4 schedutil>powersave, " EPP
                    "0 balance_power>power, " EPP "4 balance_power>power");
}

/* Leaving performance, the kernel may or may not move EPP: look, though it is right. */
static void test_leaving_pin(Plan *plan, gconstpointer unused)
{
  (void)unused;
  see(plan, "governor", 0, "powersave", "performance");
  see(plan, EPP, 0, "performance", "performance");
  EXPECT_PLAN(plan, "governor0 performance>powersave, " EPP "0 performance>performance?");
}

static void test_entering_pin(Plan *plan, gconstpointer unused)
{
  (void)unused;
  see(plan, "governor", 0, "performance", "powersave");
  hold(plan, EPP, 0, "balance_power");
  EXPECT_PLAN(plan, "governor0 powersave>performance, " EPP "0 balance_power>balance_power?~");
}

static void test_staying_pinned(Plan *plan, gconstpointer unused)
{
  (void)unused;
  see(plan, "governor", 0, "performance", "performance");
  hold(plan, EPP, 0, "performance");
  EXPECT_PLAN(plan, "");
}

static void test_unpinned_change(Plan *plan, gconstpointer unused)
{
  (void)unused;
  see(plan, "governor", 0, "powersave", "schedutil");
  see(plan, EPP, 0, "power", "power");
  EXPECT_PLAN(plan, "governor0 schedutil>powersave");
}

static void test_other_policy(Plan *plan, gconstpointer unused)
{
  (void)unused;
  see(plan, "governor", 0, "powersave", "performance");
  see(plan, EPP, 0, "power", "performance");
  see(plan, EPP, 4, "power", "power");
  EXPECT_PLAN(plan, "governor0 performance>powersave, " EPP "0 performance>power?");
}

static void test_pin_restored(Plan *plan, gconstpointer unused)
{
  (void)unused;
  put_back(plan, "governor", 0, "powersave", "performance");
  put_back(plan, EPP, 0, "balance_power", "performance");
  EXPECT_PLAN(plan, "governor0 performance>powersave, " EPP "0 performance>balance_power?");
}

/* The governor goes back to where the kernel holds EPP: there is nothing to write. */
static void test_pin_is_baseline(Plan *plan, gconstpointer unused)
{
  (void)unused;
  put_back(plan, "governor", 0, "performance", "powersave");
  put_back(plan, EPP, 0, "performance", "power");
  EXPECT_PLAN(plan, "governor0 powersave>performance, " EPP "0 power>power?~");
}

/* --- pairs of limits --- */

static void test_limits_up(Plan *plan, gconstpointer unused)
{
  (void)unused;
  see(plan, "scaling_max_freq", 0, "4000000", "2000000");
  see(plan, "scaling_min_freq", 0, "3000000", "800000");
  EXPECT_PLAN(plan, "scaling_max_freq0 2000000>4000000, scaling_min_freq0 800000>3000000?");
}

static void test_limits_down(Plan *plan, gconstpointer unused)
{
  (void)unused;
  see(plan, "scaling_max_freq", 0, "2000000", "4000000");
  see(plan, "scaling_min_freq", 0, "800000", "3000000");
  EXPECT_PLAN(plan, "scaling_min_freq0 3000000>800000?, scaling_max_freq0 4000000>2000000");
}

/* Compared as numbers: 1000000 is more than 900000. */
static void test_limits_digits(Plan *plan, gconstpointer unused)
{
  (void)unused;
  see(plan, "scaling_max_freq", 0, "1000000", "900000");
  see(plan, "scaling_min_freq", 0, "950000", "800000");
  EXPECT_PLAN(plan, "scaling_max_freq0 900000>1000000, scaling_min_freq0 800000>950000?");
}

static void test_limits_mixed(Plan *plan, gconstpointer unused)
{
  (void)unused;
  see(plan, "scaling_max_freq", 0, "4000000", "2000000");
  see(plan, "scaling_max_freq", 1, "2000000", "4000000");
  see(plan, "scaling_min_freq", 0, "3000000", "800000");
  see(plan, "scaling_min_freq", 1, "800000", "3000000");
  EXPECT_PLAN(plan, "scaling_max_freq0 2000000>4000000, scaling_min_freq0 800000>3000000?, "
                    "scaling_min_freq1 3000000>800000?, scaling_max_freq1 4000000>2000000");
}

static void test_limits_restored(Plan *plan, gconstpointer unused)
{
  (void)unused;
  put_back(plan, "max_perf_pct", 0, "50", "90");
  put_back(plan, "min_perf_pct", 0, "20", "60");
  EXPECT_PLAN(plan, "min_perf_pct0 60>20, max_perf_pct0 90>50");
}

/* At no step of any change of both is the lower limit above the upper one. */
static void test_limits_all(void)
{
  static const char *const levels[] = {"100", "200", "300", "1000"};

  for (guint i = 0; i < 256; i++) {
    guint n[4] = {i % 4, i / 4 % 4, i / 16 % 4, i / 64};
    if (n[0] > n[1] || n[2] > n[3])
      continue;
    RetuneGoal goals[] = {
        {.place = plan_place("scaling_min_freq"), .seen = levels[n[0]]},
        {.place = plan_place("scaling_max_freq"), .seen = levels[n[1]]},
    };
    RetuneWant low = {.place = goals[0].place, .text = levels[n[2]]};
    RetuneWant high = {.place = goals[1].place, .text = levels[n[3]]};
    gint now[] = {atoi(levels[n[0]]), atoi(levels[n[1]])};
    goals[0].want = &low;
    goals[1].want = &high;
    g_autoptr(GArray) array = g_array_new(FALSE, FALSE, sizeof(RetuneGoal));
    g_array_append_val(array, goals[1]); /* in the order of the table */
    g_array_append_val(array, goals[0]);
    g_autoptr(GArray) changes = retune_plan_make(array);
    for (guint k = 0; k < changes->len; k++) {
      const RetuneChange *change = &g_array_index(changes, RetuneChange, k);
      now[change->place == goals[1].place] = atoi(change->to);
      EXPECT(now[0] <= now[1], "%s-%s to %s-%s passes %d-%d", levels[n[0]], levels[n[1]],
             levels[n[2]], levels[n[3]], now[0], now[1]);
    }
    g_assert_cmpint(now[0], ==, atoi(levels[n[2]]));
    g_assert_cmpint(now[1], ==, atoi(levels[n[3]]));
  }
}

/* --- the gate --- */

static void test_gate_raised(Plan *plan, gconstpointer unused)
{
  (void)unused;
  see(plan, "governor", 0, "powersave", "schedutil");
  see(plan, "gate", 0, "1", "0");
  see(plan, "boost", 0, "1", "0");
  see(plan, "boost", 4, "1", "0");
  EXPECT_PLAN(plan, "gate0 0>1, governor0 schedutil>powersave, boost0 0>1?, boost4 0>1?");
}

static void test_gate_lowered(Plan *plan, gconstpointer unused)
{
  (void)unused;
  put_back(plan, "governor", 0, "schedutil", "powersave");
  put_back(plan, "gate", 0, "0", "1");
  put_back(plan, "boost", 0, "0", "1");
  put_back(plan, "energy_perf_bias", 0, "6", "0");
  EXPECT_PLAN(plan, "governor0 powersave>schedutil, boost0 1>0?, energy_perf_bias0 0>6, gate0 1>0");
}

/* The kernel switches on all that is behind a gate: look, though it was right. */
static void test_gate_stirs(Plan *plan, gconstpointer unused)
{
  (void)unused;
  see(plan, "gate", 0, "1", "0");
  see(plan, "boost", 0, "1", "0");
  see(plan, "boost", 4, "0", "0");
  EXPECT_PLAN(plan, "gate0 0>1, boost0 0>1?, boost4 0>0?");
}

static void test_gate_open(Plan *plan, gconstpointer unused)
{
  (void)unused;
  see(plan, "gate", 0, "1", "1");
  see(plan, "boost", 0, "1", "0");
  see(plan, "boost", 4, "0", "0");
  EXPECT_PLAN(plan, "boost0 0>1");
}

/* --- undoing --- */

static void test_undo_nothing(Plan *plan, gconstpointer unused)
{
  (void)unused;
  see(plan, "governor", 0, "powersave", "schedutil");
  see(plan, "energy_perf_bias", 0, "6", "0");
  EXPECT_TEXT(plan_undo(plan, 0), "");
}

static void test_undo_some(Plan *plan, gconstpointer unused)
{
  (void)unused;
  see(plan, "energy_perf_bias", 0, "6", "0");
  see(plan, "energy_perf_bias", 1, "6", "1");
  see(plan, "energy_perf_bias", 2, "6", "2");
  EXPECT_TEXT(plan_undo(plan, 2), "energy_perf_bias0 6>0?, energy_perf_bias1 6>1?");
}

static void test_undo_limits(Plan *plan, gconstpointer unused)
{
  (void)unused;
  see(plan, "scaling_max_freq", 0, "4000000", "2000000");
  see(plan, "scaling_min_freq", 0, "3000000", "800000");
  EXPECT_TEXT(plan_undo(plan, 2),
              "scaling_min_freq0 3000000>800000?, scaling_max_freq0 4000000>2000000?");
}

static void test_undo_gate(Plan *plan, gconstpointer unused)
{
  (void)unused;
  see(plan, "gate", 0, "1", "0");
  see(plan, "boost", 0, "1", "0");
  EXPECT_TEXT(plan_undo(plan, 2), "boost0 1>0?, gate0 1>0?");
}

static void test_undo_gate_lowered(Plan *plan, gconstpointer unused)
{
  (void)unused;
  put_back(plan, "gate", 0, "0", "1");
  put_back(plan, "boost", 0, "0", "1");
  EXPECT_TEXT(plan_undo(plan, 2), "gate0 0>1?, boost0 0>1?");
}

/* EPP after the governor in this direction too. */
static void test_undo_governor(Plan *plan, gconstpointer unused)
{
  (void)unused;
  see(plan, "governor", 0, "powersave", "performance");
  see(plan, EPP, 0, "power", "performance");
  EXPECT_TEXT(plan_undo(plan, 2), "governor0 powersave>performance?, " EPP "0 power>performance?");
}

/* What the kernel changed by itself comes back too, though nothing was written. */
static void test_undo_pin(Plan *plan, gconstpointer unused)
{
  (void)unused;
  see(plan, "governor", 0, "performance", "powersave");
  hold(plan, EPP, 0, "balance_power");
  see(plan, "energy_perf_bias", 0, "6", "0");
  EXPECT_TEXT(plan_undo(plan, 1),
              "governor0 performance>powersave?, " EPP "0 balance_power>balance_power?");
}

/* Nobody's wish is undone under somebody's name. */
static void test_undo_anonymous(Plan *plan, gconstpointer unused)
{
  (void)unused;
  see(plan, "energy_perf_bias", 0, "6", "0");
  g_autoptr(GArray) changes = retune_plan_make(plan->goals);
  g_autoptr(GArray) inverse = retune_plan_invert(changes, 1);

  g_assert_cmpuint(inverse->len, ==, 1);
  g_assert_null(g_array_index(inverse, RetuneChange, 0).want);
  g_assert_false(g_array_index(inverse, RetuneChange, 0).passive);
}

/* --- many --- */

static void test_many(Plan *plan, gconstpointer unused)
{
  (void)unused;
  g_autoptr(GString) expected = g_string_new(NULL);

  for (guint id = 0; id < PLAN_MAX_GOALS / 2; id++)
    see(plan, "governor", id, "powersave", "performance");
  for (guint id = 0; id < PLAN_MAX_GOALS / 2; id++)
    see(plan, EPP, id, "power", "power");
  for (guint id = 0; id < PLAN_MAX_GOALS / 2; id++)
    g_string_append_printf(expected, "governor%u performance>powersave, ", id);
  for (guint id = 0; id < PLAN_MAX_GOALS / 2; id++)
    g_string_append_printf(expected, EPP "%u power>power?, ", id);
  g_string_truncate(expected, expected->len - 2);
  EXPECT_PLAN(plan, expected->str);
}

int main(int argc, char **argv)
{
  static const PlanTest tests[] = {
      {"/plan/governor/with-epp/comes-first", test_governor_first},
      {"/plan/governor/several/come-before-all-epps", test_governors_first},
      {"/plan/governor/leaving-performance/epp-is-checked", test_leaving_pin},
      {"/plan/governor/entering-performance/epp-is-passive", test_entering_pin},
      {"/plan/governor/staying-performance/nothing", test_staying_pinned},
      {"/plan/governor/without-performance/epp-is-left", test_unpinned_change},
      {"/plan/governor/other-policy/epp-is-left", test_other_policy},
      {"/plan/governor/restored/epp-comes-after", test_pin_restored},
      {"/plan/governor/restored-to-performance/epp-is-passive", test_pin_is_baseline},
      {"/plan/limits/both-up/upper-first", test_limits_up},
      {"/plan/limits/both-down/lower-first", test_limits_down},
      {"/plan/limits/more-digits/compared-as-numbers", test_limits_digits},
      {"/plan/limits/two-policies/each-in-its-order", test_limits_mixed},
      {"/plan/limits/restored-down/lower-first", test_limits_restored},
      {"/plan/gate/raised/first", test_gate_raised},
      {"/plan/gate/lowered/last", test_gate_lowered},
      {"/plan/gate/raised/all-behind-it-is-checked", test_gate_stirs},
      {"/plan/gate/open-already/others-are-left", test_gate_open},
      {"/plan/undo/nothing-done/nothing", test_undo_nothing},
      {"/plan/undo/some-done/only-those", test_undo_some},
      {"/plan/undo/limits/lower-first", test_undo_limits},
      {"/plan/undo/gate-raised/gate-last", test_undo_gate},
      {"/plan/undo/gate-lowered/gate-first", test_undo_gate_lowered},
      {"/plan/undo/governor/epp-after", test_undo_governor},
      {"/plan/undo/entered-performance/epp-comes-back", test_undo_pin},
      {"/plan/undo/wish/is-nobodys", test_undo_anonymous},
      {"/plan/order/many-policies/leader-found-for-each", test_many},
  };

  util_init(argc, argv);
  g_test_add_func("/plan/limits/any-change/never-crossed", test_limits_all);
  plan_add_tests(tests, G_N_ELEMENTS(tests));
  return g_test_run();
}
