// SPDX-License-Identifier: GPL-2.0-or-later
/* The plan: who decides, what is written, and in which order; with the real
 * table. */
#include "plan.h"

#include "plan-fixture.h"
#include "util.h"

/* --- the arbiter --- */

static void on_shadowed(const RetuneWant *loser, const RetuneWant *winner, gpointer data)
{
  g_string_append_printf(data, "%s<%s ", loser->instance->name, winner->instance->name);
}

typedef struct {
  const char *name; /* of the instance; its age is its position */
  gint priority;
  const char *option;
  guint id;
  const char *text; /* NULL: pending */
} Wish;

/* Expects these winners ("a:governor0 b:boost2 ") and losers ("c<a ") of @wishes. */
static void expect_arbitrated(const Wish *wishes, guint n_wishes, const char *winners,
                              const char *losers)
{
  g_autoptr(GPtrArray) wants = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GPtrArray) instances =
      g_ptr_array_new_with_free_func((GDestroyNotify)retune_instance_unref);
  g_autoptr(GString) won = g_string_new(NULL), lost = g_string_new(NULL);

  for (guint i = 0; i < n_wishes; i++) {
    RetuneInstance *instance = util_instance(wishes[i].name, "0", NULL);
    RetuneWant *want = g_new0(RetuneWant, 1);
    instance->priority = wishes[i].priority;
    instance->age = i;
    g_ptr_array_add(instances, instance);
    *want = (RetuneWant){.place = util_knob(wishes[i].option),
                         .id = wishes[i].id,
                         .option = util_knob(wishes[i].option),
                         .instance = instance,
                         .text = wishes[i].text,
                         .pending = wishes[i].text == NULL};
    g_ptr_array_add(wants, want);
  }
  g_autoptr(GPtrArray) result = retune_plan_arbitrate(wants, on_shadowed, lost);
  for (guint i = 0; i < result->len; i++) {
    const RetuneWant *want = result->pdata[i];
    g_string_append_printf(won, "%s:%s%u ", want->instance->name, want->place->name, want->id);
  }
  EXPECT(g_str_equal(won->str, winners), "winners '%s', expected '%s'", won->str, winners);
  EXPECT(g_str_equal(lost->str, losers), "losers '%s', expected '%s'", lost->str, losers);
}

static void test_arbiter_priority(void)
{
  static const Wish wishes[] = {{"a", 5, "governor", 0, "powersave"},
                                {"b", -1, "governor", 0, "performance"},
                                {"c", 0, "governor", 0, "schedutil"}};
  expect_arbitrated(wishes, G_N_ELEMENTS(wishes), "b:governor0 ", "c<b a<b ");
}

static void test_arbiter_age(void)
{
  static const Wish wishes[] = {{"a", 0, "governor", 0, "powersave"},
                                {"b", 0, "governor", 0, "performance"}};
  expect_arbitrated(wishes, G_N_ELEMENTS(wishes), "a:governor0 ", "b<a ");
}

static void test_arbiter_places(void)
{
  static const Wish wishes[] = {{"a", 0, "boost", 2, "1"},
                                {"b", 9, "boost", 0, "1"},
                                {"c", 5, "governor", 7, "powersave"},
                                {"d", 0, "boost", 0, "0"}};
  expect_arbitrated(wishes, G_N_ELEMENTS(wishes), "c:governor7 d:boost0 a:boost2 ", "b<d ");
}

static void test_arbiter_minimum(void)
{
  static const Wish wishes[] = {{"a", -5, "force_latency", 0, "100"},
                                {"b", 5, "force_latency", 0, "9"},
                                {"c", 0, "force_latency", 0, "20"}};
  expect_arbitrated(wishes, G_N_ELEMENTS(wishes), "b:force_latency0 ", "c<b a<b ");
}

static void test_arbiter_minimum_tie(void)
{
  static const Wish wishes[] = {{"a", 5, "force_latency", 0, "10"},
                                {"b", 0, "force_latency", 0, "10"},
                                {"c", 0, "force_latency", 0, "10"}};
  expect_arbitrated(wishes, G_N_ELEMENTS(wishes), "b:force_latency0 ", "c<b a<b ");
}

/* What waits for a CPU counts by priority too. */
static void test_arbiter_pending(void)
{
  static const Wish wishes[] = {{"a", 5, "governor", 0, "powersave"},
                                {"b", 0, "governor", 0, NULL}};
  expect_arbitrated(wishes, G_N_ELEMENTS(wishes), "b:governor0 ", "a<b ");
}

static void test_arbiter_none(void)
{
  expect_arbitrated(NULL, 0, "", "");
}

/* --- '<' and '>' --- */

static void test_text(void)
{
  static const struct {
    const char *option;
    char compare;
    const char *text, *baseline, *expected;
  } rows[] = {
      {"energy_perf_bias", 0, "6", "15", "6"},
      {"energy_perf_bias", '<', "6", "15", "6"}, /* only if the present one is larger */
      {"energy_perf_bias", '<', "6", "0", "0"},
      {"energy_perf_bias", '<', "6", "6", "6"},
      {"energy_perf_bias", '>', "6", "15", "15"},
      {"energy_perf_bias", '>', "6", "0", "6"},
      {"scaling_max_freq", '<', "900000", "1000000", "900000"},
      {"scaling_max_freq", '>', "900000", "1000000", "1000000"},
      {"pm_qos_resume_latency_us", '<', "100", "0", "100"}, /* 0: no bound at all */
      {"pm_qos_resume_latency_us", '<', "100", "50", "50"},
      {"pm_qos_resume_latency_us", '<', "100", "n/a", "n/a"},
      {"pm_qos_resume_latency_us", '>', "100", "n/a", "100"},
      {"force_latency", '<', "100", "none", "100"},
      {"force_latency", '>', "100", "none", "none"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    gboolean applies = retune_alternative_applies(util_knob(rows[i].option), rows[i].compare,
                                                  rows[i].text, rows[i].baseline);
    const char *text = applies ? rows[i].text : rows[i].baseline;
    EXPECT(g_strcmp0(text, rows[i].expected) == 0, "row %u (%s): got '%s'", i, rows[i].option,
           text);
  }
}

static void test_text_baseline(void)
{
  RetuneWant want = {.place = util_knob("governor"), .kind = RETUNE_WANT_BASELINE};

  g_assert_cmpstr(retune_plan_text(&want, "powersave"), ==, "powersave");
}

/* --- what is written --- */

static void test_new(Plan *plan, gconstpointer unused)
{
  (void)unused;
  plan_wish(plan, "governor", 0, "performance")->seen = "powersave";
  EXPECT_PLAN(plan, "governor0 powersave>performance");
}

static void test_equal_seen(Plan *plan, gconstpointer unused)
{
  (void)unused;
  plan_wish(plan, "governor", 0, "performance")->seen = "performance";
  plan_wish(plan, "energy_perf_bias", 1, "6")->seen = "6";
  EXPECT_PLAN(plan, "");
}

/* Another text of the same meaning is written once, for the driver to judge ... */
static void test_equal_meaning(Plan *plan, gconstpointer unused)
{
  (void)unused;
  plan_wish(plan, "energy_performance_preference", 0, "128")->seen = "balance_performance";
  EXPECT_PLAN(plan, "energy_performance_preference0 balance_performance>128");
}

/* ... and is left when that is how it read back then. */
static void test_equal_read_back(Plan *plan, gconstpointer unused)
{
  (void)unused;
  RetuneGoal *goal = plan_wish(plan, "energy_performance_preference", 0, "128");
  plan_entry(plan, goal, "power", "128", "balance_performance");
  goal->seen = "balance_performance";
  EXPECT_PLAN(plan, "");
}

/* Written, but read back otherwise now than then. */
static void test_read_back_otherwise(Plan *plan, gconstpointer unused)
{
  (void)unused;
  RetuneGoal *goal = plan_wish(plan, "energy_performance_preference", 0, "128");
  plan_entry(plan, goal, "power", "128", "balance_performance");
  goal->seen = "power";
  EXPECT_PLAN(plan, "energy_performance_preference0 power>128");
}

static void test_equal_written(Plan *plan, gconstpointer unused)
{
  (void)unused;
  plan_entry(plan, plan_wish(plan, "governor", 0, "performance"), "powersave", "performance",
             "performance");
  EXPECT_PLAN(plan, "");
}

static void test_other_written(Plan *plan, gconstpointer unused)
{
  (void)unused;
  plan_entry(plan, plan_wish(plan, "energy_perf_bias", 0, "6"), "0", "15", "15");
  EXPECT_PLAN(plan, "energy_perf_bias0 15>6");
}

/* What was seen counts more than what was once written. */
static void test_drifted(Plan *plan, gconstpointer unused)
{
  (void)unused;
  RetuneGoal *goal = plan_wish(plan, "energy_perf_bias", 0, "6");
  plan_entry(plan, goal, "0", "6", "6");
  goal->seen = "9";
  EXPECT_PLAN(plan, "energy_perf_bias0 9>6");
}

static void test_force(Plan *plan, gconstpointer unused)
{
  (void)unused;
  RetuneGoal *goal = plan_wish(plan, "energy_perf_bias", 0, "6");
  goal->seen = "6";
  goal->force = TRUE;
  EXPECT_PLAN(plan, "energy_perf_bias0 6>6");
}

static void test_offline(Plan *plan, gconstpointer unused)
{
  (void)unused;
  RetuneGoal *goal = plan_release(plan, "energy_perf_bias", 0);
  plan_entry(plan, goal, "0", "6", "6");
  goal->offline = TRUE;
  EXPECT_PLAN(plan, "");
}

static void test_pending(Plan *plan, gconstpointer unused)
{
  (void)unused;
  RetuneGoal *goal = plan_wish(plan, "energy_perf_bias", 0, NULL);
  plan_want(goal)->pending = TRUE;
  goal->force = TRUE;
  plan_entry(plan, goal, "0", "6", "6");
  EXPECT_PLAN(plan, "");
}

static void test_restore(Plan *plan, gconstpointer unused)
{
  (void)unused;
  RetuneGoal *goal = plan_release(plan, "energy_perf_bias", 3);
  plan_entry(plan, goal, "0", "6", "6");
  goal->seen = "6";
  EXPECT_PLAN(plan, "energy_perf_bias3 6>0");
}

static void test_restore_equal(Plan *plan, gconstpointer unused)
{
  (void)unused;
  RetuneGoal *goal = plan_release(plan, "energy_perf_bias", 3);
  plan_entry(plan, goal, "0", "6", "6");
  goal->seen = "0";
  EXPECT_PLAN(plan, "");
}

static void test_restore_unknown(Plan *plan, gconstpointer unused)
{
  (void)unused;
  plan_entry(plan, plan_release(plan, "energy_perf_bias", 3), NULL, NULL, NULL);
  EXPECT_PLAN(plan, "");
}

static void test_baseline_wish(Plan *plan, gconstpointer unused)
{
  (void)unused;
  RetuneGoal *goal = plan_wish(plan, "energy_performance_preference", 0, NULL);
  plan_want(goal)->kind = RETUNE_WANT_BASELINE;
  plan_entry(plan, goal, "power", NULL, NULL);
  goal->seen = "performance";
  EXPECT_PLAN(plan, "energy_performance_preference0 performance>power");
}

static void test_details(Plan *plan, gconstpointer unused)
{
  (void)unused;
  plan_entry(plan, plan_wish(plan, "energy_perf_bias", 1, "6"), "15", "7", "7");
  plan_entry(plan, plan_release(plan, "energy_perf_bias", 2), "14", "7", "7");
  g_autoptr(GArray) changes = retune_plan_make(plan->goals);

  g_assert_cmpuint(changes->len, ==, 2);
  const RetuneChange *first = &g_array_index(changes, RetuneChange, 0);
  const RetuneChange *second = &g_array_index(changes, RetuneChange, 1);
  g_assert_true(first->want == g_array_index(plan->goals, RetuneGoal, 0).want);
  g_assert_null(second->want);
  g_assert_cmpstr(first->baseline, ==, "15");
  g_assert_cmpstr(second->baseline, ==, "14");
  g_assert_cmpuint(first->goal, ==, 0);
  g_assert_cmpuint(second->goal, ==, 1);
}

static void test_nothing(Plan *plan, gconstpointer unused)
{
  (void)unused;
  EXPECT_PLAN(plan, "");
}

int main(int argc, char **argv)
{
  static const PlanTest tests[] = {
      {"/plan/change/new/written", test_new},
      {"/plan/change/equal-to-seen/none", test_equal_seen},
      {"/plan/change/other-text-of-same-meaning/written", test_equal_meaning},
      {"/plan/change/seen-as-it-read-back/none", test_equal_read_back},
      {"/plan/change/seen-otherwise-than-it-read-back/written", test_read_back_otherwise},
      {"/plan/change/equal-to-written/none", test_equal_written},
      {"/plan/change/other-than-written/written", test_other_written},
      {"/plan/change/drifted/written", test_drifted},
      {"/plan/change/forced/written-though-equal", test_force},
      {"/plan/change/offline/none", test_offline},
      {"/plan/change/pending/none", test_pending},
      {"/plan/restore/known-baseline/written", test_restore},
      {"/plan/restore/equal/none", test_restore_equal},
      {"/plan/restore/unknown-baseline/none", test_restore_unknown},
      {"/plan/change/wish-for-baseline/written", test_baseline_wish},
      {"/plan/change/each/knows-want-baseline-and-goal", test_details},
      {"/plan/change/no-goals/none", test_nothing},
  };

  util_init(argc, argv);
  g_test_add_func("/plan/arbiter/priorities/strongest-wins", test_arbiter_priority);
  g_test_add_func("/plan/arbiter/equal-priorities/older-wins", test_arbiter_age);
  g_test_add_func("/plan/arbiter/other-places/one-winner-each", test_arbiter_places);
  g_test_add_func("/plan/arbiter/latency-bounds/smallest-wins", test_arbiter_minimum);
  g_test_add_func("/plan/arbiter/equal-bounds/strongest-wins", test_arbiter_minimum_tie);
  g_test_add_func("/plan/arbiter/pending/counts", test_arbiter_pending);
  g_test_add_func("/plan/arbiter/no-wishes/no-winners", test_arbiter_none);
  g_test_add_func("/plan/text/comparisons/decided-by-baseline", test_text);
  g_test_add_func("/plan/text/wish-for-baseline/is-baseline", test_text_baseline);
  plan_add_tests(tests, G_N_ELEMENTS(tests));
  return g_test_run();
}
