// SPDX-License-Identifier: GPL-2.0-or-later
/* The real table: which values each option takes, how values compare, and where
 * they are written. A new option needs a row of values here. */
#include "knob.h"

#include <string.h>

#include "table.h"
#include "types.h"
#include "util.h"

/* Words that each option takes and refuses, one alternative each, ended by NULL. */
static const struct {
  const char *option;
  const char *good[16];
  const char *bad[28];
} values[] = {
    {"governor",
     {"performance", "schedutil", "powersave", "Powersave", "my-gov_2", "fifteen_letters"},
     {"sixteen_letters_", "a/b", "../x", "two words", "performance\n", "a;b", "a\tb", "\u00e9",
      "a.b", "$(x)", "%s"}},
    {"energy_performance_preference",
     {"default", "performance", "balance_performance", "balance_power", "power",
      "balance-performance", "Balance_Power", "0", "128", "255"},
     {"256", "-1", "1.5", "0x80", " 128", "128 ", "turbo", "performance x", "", "99999999999",
      "normal", "balance power"}},
    {"scaling_min_freq",
     {"0", "800000", "800MHz", "2.1GHz", "2.1 GHz", "2100000kHz", "800000 khz", "60%", "60.5 %",
      "0%", "100%", "min", "max", "2147483647"},
     {"",           "-1",      "-60%",     "101%",     "100.1%",   "fast",  "1.2.3GHz",
      "GHz",        "%",       "0x124f80", "1e999",    "nan",      "inf",   "2147483648",
      "4294967295", "2.1THz",  "2.1Hz",    "800000 x", "800000\n", "1GHz%", "2,1GHz",
      "minimum",    " 800000", "+800000",  "3000GHz",  ".",        "%s"}},
    {"scaling_max_freq",
     {"800000", "2.1GHz", "60%", "min", "max", "clamp:5GHz", "clamp:60%", "clamp:max"},
     {"", "-1", "101%", "0x124f80", "max ", "MAXIMUM", "2147483648", "clamp:", "clamp:x",
      "clamp:clamp:1", "clamp 5GHz", "clamp:-1"}},
    {"scaling_setspeed", {"800000", "2.1GHz", "60%", "min", "clamp:9GHz"}, {"", "-1", "101%"}},
    {"online", {"1", "0", "yes", "off"}, {"2", "-1", "", "offline"}},
    {"governor.sampling_rate", {"1", "20000", "4294967295"}, {"0", "-1", "4294967296", "1ms"}},
    {"governor.up_threshold", {"1", "80", "100"}, {"0", "101", "80%", "x"}},
    {"governor.down_threshold", {"1", "20", "99"}, {"0", "100", "20%", ""}},
    {"governor.sampling_down_factor", {"1", "100000"}, {"0", "100001"}},
    {"sampling_down_factor", {"1"}, {"0", "100001", "-1"}},
    {"governor.ignore_nice_load", {"0", "1"}, {"2", "-1"}},
    {"governor.freq_step", {"0", "100"}, {"101", "-1"}},
    {"governor.powersave_bias", {"0", "1000"}, {"1001", "-1"}},
    {"governor.io_is_busy", {"0", "1"}, {"2", "-1"}},
    {"governor.rate_limit_us", {"0", "4294967295"}, {"-1", "4294967296", "1ms"}},
    {"sched_util_clamp_min",
     {"0", "1024", "50%", "0%", "100%", "12.5%"},
     {"1025", "-1", "101%", "-1%", "0x10", "50 %", "%", "max", ""}},
    {"sched_util_clamp_max", {"0", "1024", "50%"}, {"1025", "-1", "101%", ""}},
    {"sched_util_clamp_min_rt_default", {"0", "1024", "50%"}, {"1025", "-1", "101%", ""}},
    {"boost",
     {"1", "0", "true", "FALSE", "yes", "no", "on", "off", "y", "n"},
     {"2", "-1", "", " 1", "maybe", "truee", "01", "1.0"}},
    {"energy_perf_bias",
     {"0", "6", "15", "performance", "balance-performance", "balance_performance", "normal",
      "balance-power", "power", "Normal", "powersave"},
     {"16", "-1", "255", "0x6", "6 x", " 6", "normal ", "turbo", "", "1.5"}},
    {"pm_qos_resume_latency_us",
     {"0", "1", "100", "2147483646", "n/a", "cstate.id:0", "cstate.id:3", "cstate.id_no_zero:1",
      "cstate.name:C1", "cstate.name:C1E-x", "cstate.name_no_zero:POLL"},
     {"-1",
      "2147483647",
      "2147483648",
      "4294967296",
      "99999999999999999999",
      "auto",
      "any",
      "N/A",
      "n/ax",
      "10 x",
      " 10",
      "0x10",
      "1.5",
      "",
      "cstate.id:",
      "cstate.name:",
      "cstate.id_no_zero:",
      "cstate.name_no_zero:",
      "cstate:1",
      "cstate.id",
      "cstate.latency:1",
      "10us"}},
    {"cpuidle_max_state",
     {"C1", "POLL", "C1E", "0", "3", "cpu-sleep-0", "C1_ACPI"},
     {"C1/../x", "C1;x", "C1\n", "%s", "C1\u00e9", "C1*", "$x"}},
    {"cpuidle_disable",
     {"C6", "C3,C6", "C3, C6", "2,3", "POLL"},
     {"C1/../x", "C1;C2", "C1 C2", "C1,,C2", "C1,", "%s", "C1*"}},
    {"force_latency",
     {"0", "1", "2147483646", "cstate.id:1", "cstate.name_no_zero:C1"},
     {"n/a", "-1", "2147483647", "none", "", "1.5", "10us", "cstate.id:", "1234 "}},
    {"min_perf_pct", {"0", "50", "100"}, {"-1", "101", "50%", "1.5", "", "x", "0x10"}},
    {"max_perf_pct", {"0", "50", "100"}, {"-1", "101", "50%", "1.5", "", "x", "0x10"}},
    {"no_turbo", {"1", "0", "true", "off"}, {"2", "", "maybe", "-1"}},
};

static void expect_check(const char *option, const char *word, gboolean expected)
{
  const RetuneKnob *knob = util_knob(option);
  g_autoptr(GError) error = NULL;
  gboolean taken = knob->type->check(knob, word, &error);

  EXPECT(taken == expected, "%s: '%s' is %s", option, word, taken ? "taken" : error->message);
  EXPECT(taken == (error == NULL), "%s: '%s': result and error disagree", option, word);
  if (!taken && error != NULL)
    EXPECT_REFUSED(&error, RETUNE_ERROR_INVALID_VALUE, option);
}

static void test_good(void)
{
  for (guint i = 0; i < G_N_ELEMENTS(values); i++)
    for (guint k = 0; values[i].good[k] != NULL; k++)
      expect_check(values[i].option, values[i].good[k], TRUE);
}

static void test_bad(void)
{
  for (guint i = 0; i < G_N_ELEMENTS(values); i++)
    for (guint k = 0; values[i].bad[k] != NULL; k++)
      expect_check(values[i].option, values[i].bad[k], FALSE);
}

static gboolean has_values(const char *option)
{
  for (guint i = 0; i < G_N_ELEMENTS(values); i++)
    if (g_str_equal(values[i].option, option))
      return values[i].good[0] != NULL && values[i].bad[0] != NULL;
  return FALSE;
}

static void test_all_covered(void)
{
  const RetuneKnobTable *table = retune_knobs_table();

  for (guint i = 0; i < table->n_rows; i++)
    if (table->rows[i].name != NULL)
      EXPECT(has_values(table->rows[i].name), "no values for %s here", table->rows[i].name);
}

/* An idle state's number is a number on any machine. */
static void test_state_numbers(void)
{
  static const char *const rows[] = {"cstate.id:abc", "cstate.id:C1",         "cstate.id:-1",
                                     "cstate.id:1.5", "cstate.id_no_zero:x",  "cstate.id: 1",
                                     "cstate.id:0x1", "cstate.id_no_zero:1 2"};
  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    expect_check("pm_qos_resume_latency_us", rows[i], FALSE);
    expect_check("force_latency", rows[i], FALSE);
  }
}

/* A list of states that names none does nothing, and is not what anybody wants. */
static void test_no_states(void)
{
  expect_check("cpuidle_disable", ",", FALSE);
  expect_check("cpuidle_disable", ", ,", FALSE);
}

static void test_one_deepest(void)
{
  expect_check("cpuidle_max_state", "C1,C6", FALSE);
}

static void test_message_utf8(void)
{
  const RetuneKnobTable *table = retune_knobs_table();

  for (guint i = 0; i < table->n_rows; i++) {
    const RetuneKnob *knob = &table->rows[i];
    g_autoptr(GError) error = NULL;
    if (knob->name == NULL)
      continue;
    g_assert_false(knob->type->check(knob, util_long_utf8, &error));
    EXPECT_REFUSED(&error, RETUNE_ERROR_INVALID_VALUE, knob->name);
    g_assert_false(knob->type->check(knob, util_long_utf8_odd, &error));
    EXPECT_REFUSED(&error, RETUNE_ERROR_INVALID_VALUE, knob->name);
  }
}

/* --- the table itself --- */

static void test_find(void)
{
  const RetuneKnobTable *table = retune_knobs_table();

  for (guint i = 0; i < table->n_rows; i++)
    if (table->rows[i].name != NULL)
      EXPECT(util_knob(table->rows[i].name) == &table->rows[i], "%s is there twice",
             table->rows[i].name);
}

static void test_find_unknown(void)
{
  static const char *const rows[] = {"", "x", "Governor", "governor ", "cpufreq/boost"};

  for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
    EXPECT(retune_knob_find(retune_knobs_table(), rows[i]) == NULL, "'%s' is found", rows[i]);
}

static void test_unknown_suggestion(void)
{
  static const char *const others[] = {"priority", NULL};
  g_autoptr(GError) error = NULL;

  retune_knob_unknown(retune_knobs_table(), "scaling_max_fraq", others, &error);
  EXPECT_REFUSED(&error, RETUNE_ERROR_UNKNOWN_OPTION, "did you mean 'scaling_max_freq'?");
  retune_knob_unknown(retune_knobs_table(), "priorty", others, &error);
  EXPECT_REFUSED(&error, RETUNE_ERROR_UNKNOWN_OPTION, "did you mean 'priority'?");
}

static void test_described(void)
{
  const RetuneKnobTable *table = retune_knobs_table();

  for (guint i = 0; i < table->n_rows; i++) {
    const RetuneKnob *knob = &table->rows[i];
    g_assert_nonnull(knob->file);
    g_assert_nonnull(knob->type);
    g_assert_nonnull(knob->type->check);
    if (knob->name == NULL)
      continue;
    EXPECT(knob->summary != NULL && *knob->summary != '\0', "%s: no summary", knob->name);
    EXPECT(knob->syntax != NULL && *knob->syntax != '\0', "%s: no syntax", knob->name);
    EXPECT(knob->hint_absent != NULL, "%s: no hint", knob->name);
    EXPECT(knob->type->resolve != NULL, "%s: no resolve", knob->name);
    EXPECT(!retune_instance_has_attribute(knob->name), "%s is an attribute", knob->name);
  }
}

/* "expected 0-15, power," is half a sentence. */
static void test_syntax_ends(void)
{
  const RetuneKnobTable *table = retune_knobs_table();

  for (guint i = 0; i < table->n_rows; i++) {
    const RetuneKnob *knob = &table->rows[i];
    gsize length = knob->syntax != NULL ? strlen(knob->syntax) : 0;
    if (length > 0)
      EXPECT(strchr(", ;", knob->syntax[length - 1]) == NULL, "%s: syntax '%s'", knob->name,
             knob->syntax);
  }
}

static void test_relations(void)
{
  const RetuneKnobTable *table = retune_knobs_table();

  for (guint i = 0; i < table->n_rows; i++) {
    const RetuneKnob *row = &table->rows[i];
    if (row->rival != NULL)
      g_assert_true(row->rival->rival == row);
    if (row->place != NULL)
      g_assert_true(row->place->place == NULL && g_str_equal(row->place->file, row->file));
    if (row->upper != NULL)
      g_assert_true(row->type->magnitude != NULL && row->upper->scope == row->scope);
    if (row->follower != NULL)
      g_assert_true(row->follower > row && (row->pins == NULL) == (row->pinned == NULL));
    if (row->opposite != NULL)
      g_assert_true(row->opposite->opposite == row);
    if (row->leader != NULL) { /* it is written after the governor, and is collected after it */
      g_assert_true(row->leader < row && row->leader->phase < row->phase);
      g_assert_true(row->governors != NULL && row->governors[0] != NULL);
    }
    if (row->twin != NULL)
      g_assert_true(row->twin->scope == RETUNE_SCOPE_SYSTEM && row->twin->leader == row->leader &&
                    row->twin->governors == row->governors && row->twin->pair == row->pair &&
                    row->twin->phase == row->phase && row->twin->phase_down == row->phase_down);
    if (row->upper != NULL && row->twin != NULL)
      g_assert_true(row->twin->upper == row->upper->twin);
    g_assert_true((row->locked_errno != 0) == (row->locked != NULL));
    if (row->switches_cpu) /* other options of the CPU depend on it */
      g_assert_true(row == table->rows && row->scope == RETUNE_SCOPE_CPU);
    if (row->combine == RETUNE_COMBINE_MINIMUM || row->phase_down != 0)
      g_assert_nonnull(row->type->magnitude);
  }
}

/* What must be written in an order has phases that give it. */
static void test_phases(void)
{
  const RetuneKnob *boost = util_knob("boost"), *governor = util_knob("governor");

  g_assert_cmpuint(governor->phase, <, governor->follower->phase);
  g_assert_cmpuint(boost->gate->phase, <, boost->phase);
  g_assert_cmpuint(boost->phase, <, boost->gate->phase_down);
  for (guint i = 0; i < retune_knobs_table()->n_rows; i++) {
    const RetuneKnob *lower = &retune_knobs_table()->rows[i];
    if (lower->upper == NULL)
      continue;
    g_assert_cmpuint(lower->upper->phase, <, lower->phase);
    g_assert_cmpuint(lower->phase, <, lower->upper->phase_down);
  }
}

/* --- values that mean the same; sizes of values --- */

static void test_same(void)
{
  static const struct {
    const char *option, *wanted, *actual;
    gboolean expected;
  } rows[] = {
      {"governor", "performance", "performance", TRUE},
      {"governor", "performance", "powersave", FALSE},
      {"governor", "performance", "", FALSE},
      {"scaling_max_freq", "800000", "800000", TRUE},
      {"scaling_max_freq", "800000", "800001", FALSE},
      {"energy_performance_preference", "128", "balance_performance", TRUE},
      {"energy_performance_preference", "balance_performance", "128", TRUE},
      {"energy_performance_preference", "0", "performance", TRUE},
      {"energy_performance_preference", "255", "power", TRUE},
      {"energy_performance_preference", "37", "37", TRUE},
      {"energy_performance_preference", "37", "38", FALSE},
      {"energy_performance_preference", "power", "performance", FALSE},
      {"energy_performance_preference", "default", "balance_power", TRUE},
      {"energy_performance_preference", "power", "default", FALSE},
  };
  for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
    EXPECT(retune_knob_same(util_knob(rows[i].option), rows[i].wanted, rows[i].actual) ==
               rows[i].expected,
           "%s: wanted '%s', actual '%s'", rows[i].option, rows[i].wanted, rows[i].actual);
}

/* What cannot be read, or is no preference, is not "performance" (0). */
static void test_same_unreadable(void)
{
  static const char *const actual[] = {"", "unknown", "x", " ", "12x", "-1"};
  static const char *const wanted[] = {"performance", "0", "12", "power"};

  for (guint i = 0; i < G_N_ELEMENTS(actual); i++)
    for (guint k = 0; k < G_N_ELEMENTS(wanted); k++)
      EXPECT(!retune_knob_same(util_knob("energy_performance_preference"), wanted[k], actual[i]),
             "'%s' counts as '%s'", actual[i], wanted[k]);
}

static void test_magnitude(void)
{
  static const struct {
    const char *option, *smaller, *larger;
  } rows[] = {
      {"pm_qos_resume_latency_us", "n/a", "1"},
      {"pm_qos_resume_latency_us", "1", "100"},
      {"pm_qos_resume_latency_us", "2147483646", "0"}, /* 0: no bound */
      {"pm_qos_resume_latency_us", "n/a", "0"},
      {"force_latency", "0", "1"},
      {"force_latency", "9", "10"},
      {"force_latency", "2147483646", "none"},
      {"scaling_min_freq", "800000", "3000000"},
      {"energy_perf_bias", "6", "15"},
      {"min_perf_pct", "9", "10"},
      {"max_perf_pct", "0", "100"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    const RetuneKnob *knob = util_knob(rows[i].option);
    g_assert_nonnull(knob->type->magnitude);
    EXPECT(knob->type->magnitude(rows[i].smaller) < knob->type->magnitude(rows[i].larger),
           "%s: '%s' is not smaller than '%s'", rows[i].option, rows[i].smaller, rows[i].larger);
  }
}

/* --- places --- */

static void test_paths(void)
{
  static const struct {
    const char *option;
    guint id;
    const char *path, *unit;
  } rows[] = {
      {"governor", 0, "cpufreq/policy0/scaling_governor", "policy0"},
      {"governor", 16383, "cpufreq/policy16383/scaling_governor", "policy16383"},
      {"energy_perf_bias", 7, "cpu7/power/energy_perf_bias", "cpu7"},
      {"cpuidle_max_state", 0, "cpu0/cpuidle/state0/disable", "cpu0"},
      {"cpuidle_max_state", 39, "cpu3/cpuidle/state9/disable", "cpu3"},
      {"cpuidle_max_state", 163839, "cpu16383/cpuidle/state9/disable", "cpu16383"},
      {"force_latency", 0, "/dev/cpu_dma_latency", "system"},
      {"no_turbo", 0, "intel_pstate/no_turbo", "system"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    char path[128], unit[24];
    retune_knob_path(util_knob(rows[i].option), rows[i].id, path, sizeof path);
    retune_knob_unit(util_knob(rows[i].option), rows[i].id, unit, sizeof unit);
    g_assert_cmpstr(path, ==, rows[i].path);
    g_assert_cmpstr(unit, ==, rows[i].unit);
  }
}

/* Paths are cut, not overrun; those of the table are never cut at 128. */
static void test_path_fits(void)
{
  const RetuneKnobTable *table = retune_knobs_table();

  for (guint i = 0; i < table->n_rows; i++) {
    char path[128], roomy[1024];
    guint id = G_MAXUINT;
    retune_knob_path(&table->rows[i], id, path, sizeof path);
    retune_knob_path(&table->rows[i], id, roomy, sizeof roomy);
    g_assert_cmpstr(path, ==, roomy);
  }
}

static void test_path_cut(void)
{
  char path[40];

  memset(path, '#', sizeof path);
  retune_knob_path(util_knob("governor"), G_MAXUINT, path, 32);
  g_assert_nonnull(memchr(path, '\0', 32));
  g_assert_cmpint(path[32], ==, '#');
}

static void test_stride(void)
{
  g_assert_cmpuint(retune_knob_stride(util_knob("governor")), ==, 1);
  g_assert_cmpuint(retune_knob_stride(util_knob("force_latency")), ==, 1);
  g_assert_cmpuint(retune_knob_stride(util_knob("cpuidle_disable")), ==, RETUNE_IDLE_STATES);
  g_assert_cmpuint(retune_knob_cpu(util_knob("cpuidle_disable"), 59), ==, 5);
  g_assert_cmpuint(retune_knob_cpu(util_knob("energy_perf_bias"), 59), ==, 59);
  g_assert_cmpuint(retune_knob_stride(util_knob("governor.up_threshold")->twin), ==, 2);
  g_assert_cmpuint(retune_knob_stride(util_knob("scaling_setspeed")), ==, 1);
}

static void test_place(void)
{
  g_assert_true(retune_knob_place(util_knob("cpuidle_disable")) == util_knob("cpuidle_max_state"));
  g_assert_true(retune_knob_place(util_knob("governor")) == util_knob("governor"));
}

static void test_scopes(void)
{
  g_assert_cmpstr(retune_scope_name(RETUNE_SCOPE_CPU), ==, "cpu");
  g_assert_cmpstr(retune_scope_name(RETUNE_SCOPE_POLICY), ==, "policy");
  g_assert_cmpstr(retune_scope_name(RETUNE_SCOPE_SYSTEM), ==, "system");
}

/* --- words and numbers --- */

static void test_number_parse(void)
{
  static const RetuneKnob knob = {.name = "n", .syntax = "a number", .minimum = -2, .maximum = 9};
  static const char *const bad[] = {"-3", "10", "", " 1", "1 ", "1.0", "0x1", "one", "1,0"};
  gint64 value = 0;

  g_assert_true(retune_number_parse(&knob, "-2", &value, NULL));
  g_assert_cmpint(value, ==, -2);
  g_assert_true(retune_number_parse(&knob, "9", &value, NULL));
  g_assert_cmpint(value, ==, 9);
  for (guint i = 0; i < G_N_ELEMENTS(bad); i++) {
    g_autoptr(GError) error = NULL;
    EXPECT(!retune_number_parse(&knob, bad[i], &value, &error), "'%s' is taken", bad[i]);
    EXPECT_REFUSED(&error, RETUNE_ERROR_INVALID_VALUE, "from -2 to 9");
  }
}

static void test_words(void)
{
  static const RetuneWord words[] = {{"one_two", 1}, {"three", 3}};

  g_assert_true(retune_word_find(words, 2, "one_two") == &words[0]);
  g_assert_true(retune_word_find(words, 2, "One-Two") == &words[0]);
  g_assert_true(retune_word_find(words, 2, "THREE") == &words[1]);
  g_assert_null(retune_word_find(words, 2, "thre"));
  g_assert_null(retune_word_find(words, 2, ""));
  g_assert_null(retune_word_find(words, 1, "three"));
}

int main(int argc, char **argv)
{
  util_init(argc, argv);
  g_test_add_func("/knobs/check/good-values/taken", test_good);
  g_test_add_func("/knobs/check/bad-values/refused", test_bad);
  g_test_add_func("/knobs/check/every-option/has-values-here", test_all_covered);
  g_test_add_func("/knobs/check/bad-number-of-state/refused", test_state_numbers);
  g_test_add_func("/knobs/check/list-of-no-states/refused", test_no_states);
  g_test_add_func("/knobs/check/two-deepest-states/refused", test_one_deepest);
  g_test_add_func("/knobs/check/long-utf8/message-is-utf8", test_message_utf8);
  g_test_add_func("/knobs/table/find/each-name-once", test_find);
  g_test_add_func("/knobs/table/find-unknown/null", test_find_unknown);
  g_test_add_func("/knobs/table/unknown-option/suggests", test_unknown_suggestion);
  g_test_add_func("/knobs/table/rows/are-complete", test_described);
  g_test_add_func("/knobs/table/syntax/ends-properly", test_syntax_ends);
  g_test_add_func("/knobs/table/relations/are-consistent", test_relations);
  g_test_add_func("/knobs/table/phases/give-the-order-of-writes", test_phases);
  g_test_add_func("/knobs/same/pairs/judged", test_same);
  g_test_add_func("/knobs/same/unreadable/differs", test_same_unreadable);
  g_test_add_func("/knobs/magnitude/pairs/ordered", test_magnitude);
  g_test_add_func("/knobs/path/ids/give-file-and-unit", test_paths);
  g_test_add_func("/knobs/path/largest-id/is-not-cut", test_path_fits);
  g_test_add_func("/knobs/path/small-buffer/is-not-overrun", test_path_cut);
  g_test_add_func("/knobs/stride/places/count-states", test_stride);
  g_test_add_func("/knobs/place/shared/is-that-row", test_place);
  g_test_add_func("/knobs/scope/each/has-its-name", test_scopes);
  g_test_add_func("/knobs/number/range/is-checked", test_number_parse);
  g_test_add_func("/knobs/words/spellings/found", test_words);
  return g_test_run();
}
