// SPDX-License-Identifier: GPL-2.0-or-later
/* Instances: their options and attributes, with the real table. */
#include "instance.h"

#include "table.h"
#include "util.h"

/* "governor=powersave boost=1": the settings in their order. */
static char *describe(const RetuneInstance *instance)
{
  GString *out = g_string_new(NULL);

  for (guint i = 0; i < instance->settings->len; i++) {
    const RetuneSetting *setting = instance->settings->pdata[i];
    g_string_append_printf(out, "%s%s=%s", i > 0 ? " " : "", setting->knob->name, setting->text);
  }
  return g_string_free(out, FALSE);
}

static void apply(RetuneInstance *instance, GPtrArray *options)
{
  g_autoptr(GError) error = NULL;
  gboolean applied = retune_instance_apply(instance, retune_knobs_table(), options, NULL, &error);

  g_assert_no_error(error);
  g_assert_true(applied);
  g_ptr_array_unref(options);
}

/* Expects an error with @part in it and with option number @culprit at fault. */
static void expect_refused(RetuneInstance *instance, GPtrArray *options, RetuneError code,
                           const char *part, guint culprit)
{
  g_autoptr(GError) error = NULL;
  const RetuneOption *found = NULL;

  EXPECT(!retune_instance_apply(instance, retune_knobs_table(), options, &found, &error),
         "taken; expected an error with '%s'", part);
  EXPECT_REFUSED(&error, code, part);
  EXPECT(found == options->pdata[culprit], "the culprit is '%s', expected '%s'",
         found != NULL ? found->name : "nothing", ((RetuneOption *)options->pdata[culprit])->name);
  g_ptr_array_unref(options);
}

/* --- as created --- */

static void test_new_defaults(void)
{
  g_autoptr(RetuneInstance) instance = retune_instance_new("net", "28,30", NULL);

  g_assert_nonnull(instance);
  g_assert_cmpstr(instance->name, ==, "net");
  g_assert_cmpstr(instance->claim, ==, "28,30");
  g_assert_true(retune_cpuset_is_empty(instance->devices));
  g_assert_cmpint(instance->priority, ==, 0);
  g_assert_false(instance->best_effort);
  g_assert_false(instance->exclusive);
  g_assert_cmpuint(instance->settings->len, ==, 0);
}

static void test_new_bad_name(void)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(RetuneInstance) instance = retune_instance_new("a/b", "0", &error);

  g_assert_null(instance);
  EXPECT_REFUSED(&error, RETUNE_ERROR_INVALID_VALUE, "a/b");
}

static void test_new_long_name(void)
{
  g_autofree char *name = g_strnfill(65, 'x');
  g_autoptr(GError) error = NULL;
  g_autoptr(RetuneInstance) instance = retune_instance_new(name, "0", &error);

  g_assert_null(instance);
  EXPECT_REFUSED(&error, RETUNE_ERROR_LIMITS_EXCEEDED, "xxx");
}

/* --- options --- */

static void test_table_order(void)
{
  g_autoptr(RetuneInstance) instance =
      util_instance("a", "0", "no_turbo", "1", "governor", "powersave", "scaling_max_freq", "max",
                    "energy_performance_preference", "power", NULL);

  EXPECT_TEXT(describe(instance), "governor=powersave energy_performance_preference=power "
                                  "scaling_max_freq=max no_turbo=1");
}

static void test_replace(void)
{
  g_autoptr(RetuneInstance) instance =
      util_instance("a", "0", "governor", "powersave", "boost", "1", NULL);

  apply(instance, util_options("governor", "performance", NULL));
  EXPECT_TEXT(describe(instance), "governor=performance boost=1");
}

static void test_unset(void)
{
  g_autoptr(RetuneInstance) instance =
      util_instance("a", "0", "governor", "powersave", "boost", "1", NULL);

  apply(instance, util_options("governor", "", NULL));
  EXPECT_TEXT(describe(instance), "boost=1");
}

static void test_unset_blank(void)
{
  g_autoptr(RetuneInstance) instance = util_instance("a", "0", "boost", "1", NULL);

  apply(instance, util_options("boost", " \t\n", NULL));
  EXPECT_TEXT(describe(instance), "");
}

static void test_unset_absent(void)
{
  g_autoptr(RetuneInstance) instance = util_instance("a", "0", "boost", "1", NULL);

  apply(instance, util_options("governor", "", NULL));
  EXPECT_TEXT(describe(instance), "boost=1");
}

static void test_nothing(void)
{
  g_autoptr(RetuneInstance) instance = util_instance("a", "0", "boost", "1", NULL);

  apply(instance, retune_options_new());
  EXPECT_TEXT(describe(instance), "boost=1");
}

static void test_unknown_suggestion(void)
{
  g_autoptr(RetuneInstance) instance = util_instance("a", "0", NULL);

  expect_refused(instance, util_options("boost", "1", "govenor", "powersave", NULL),
                 RETUNE_ERROR_UNKNOWN_OPTION, "did you mean 'governor'?", 1);
}

static void test_unknown_list(void)
{
  g_autoptr(RetuneInstance) instance = util_instance("a", "0", NULL);

  expect_refused(instance, util_options("frobnicate", "", NULL), RETUNE_ERROR_UNKNOWN_OPTION,
                 "there is: online, governor, ", 0);
}

/* Attributes are misspelt like options, and are found like them. */
static void test_unknown_attribute(void)
{
  g_autoptr(RetuneInstance) instance = util_instance("a", "0", NULL);

  expect_refused(instance, util_options("best-effort", "1", NULL), RETUNE_ERROR_UNKNOWN_OPTION,
                 "best_effort", 0);
  expect_refused(instance, util_options("prority", "1", NULL), RETUNE_ERROR_UNKNOWN_OPTION,
                 "priority", 0);
}

static void test_unknown_hostile(void)
{
  static const char *const rows[] = {"", " governor", "GOVERNOR", "governor\n", "%s%n", "../boost"};
  g_autoptr(RetuneInstance) instance = util_instance("a", "0", NULL);

  for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
    expect_refused(instance, util_options(rows[i], "1", NULL), RETUNE_ERROR_UNKNOWN_OPTION,
                   "unknown option", 0);
}

static void test_unknown_utf8(void)
{
  g_autoptr(RetuneInstance) instance = util_instance("a", "0", NULL);

  expect_refused(instance, util_options(util_long_utf8, "1", NULL), RETUNE_ERROR_UNKNOWN_OPTION,
                 "aaa", 0);
  expect_refused(instance, util_options(util_long_utf8_odd, "1", NULL), RETUNE_ERROR_UNKNOWN_OPTION,
                 "aaa", 0);
}

static void test_bad_value(void)
{
  g_autoptr(RetuneInstance) instance = util_instance("a", "0", NULL);

  expect_refused(instance, util_options("boost", "1", "energy_perf_bias", "99", NULL),
                 RETUNE_ERROR_INVALID_VALUE, "energy_perf_bias '99'", 1);
}

static void test_bad_value_keeps(void)
{
  g_autoptr(RetuneInstance) instance = util_instance("a", "0", "energy_perf_bias", "6", NULL);

  expect_refused(instance, util_options("energy_perf_bias", "99", NULL), RETUNE_ERROR_INVALID_VALUE,
                 "99", 0);
  EXPECT_TEXT(describe(instance), "energy_perf_bias=6");
}

static void test_long_value(void)
{
  g_autofree char *value = g_strnfill(RETUNE_VALUE_MAX_LENGTH + 1, 'a');
  g_autoptr(RetuneInstance) instance = util_instance("a", "0", NULL);

  expect_refused(instance, util_options("governor", value, NULL), RETUNE_ERROR_LIMITS_EXCEEDED,
                 "governor", 0);
}

static void test_duplicate(void)
{
  g_autoptr(RetuneInstance) instance = util_instance("a", "0", NULL);

  expect_refused(instance, util_options("boost", "1", "governor", "a", "boost", "1", NULL),
                 RETUNE_ERROR_INVALID_VALUE, "'boost' is given twice", 2);
}

static void test_duplicate_attribute(void)
{
  g_autoptr(RetuneInstance) instance = util_instance("a", "0", NULL);

  expect_refused(instance, util_options("priority", "1", "priority", "1", NULL),
                 RETUNE_ERROR_INVALID_VALUE, "'priority' is given twice", 1);
}

/* --- rivals --- */

static void test_rivals_together(void)
{
  g_autoptr(RetuneInstance) instance = util_instance("a", "0", NULL);

  expect_refused(instance, util_options("cpuidle_max_state", "C1", "cpuidle_disable", "C6", NULL),
                 RETUNE_ERROR_INVALID_VALUE, "cpuidle_disable", 1);
}

static void test_rivals_one_after_other(void)
{
  g_autoptr(RetuneInstance) instance = util_instance("a", "0", "cpuidle_disable", "C6", NULL);

  expect_refused(instance, util_options("cpuidle_max_state", "C1", NULL),
                 RETUNE_ERROR_INVALID_VALUE, "cpuidle_max_state", 0);
}

/* What comes after the rivals is not at fault. */
static void test_rivals_culprit(void)
{
  g_autoptr(RetuneInstance) instance = util_instance("a", "0", "cpuidle_disable", "C6", NULL);

  expect_refused(instance, util_options("cpuidle_max_state", "C1", "governor", "powersave", NULL),
                 RETUNE_ERROR_INVALID_VALUE, "cpuidle_max_state", 0);
}

static void test_rivals_swapped(void)
{
  g_autoptr(RetuneInstance) instance = util_instance("a", "0", "cpuidle_disable", "C6", NULL);

  apply(instance, util_options("cpuidle_max_state", "C1", "cpuidle_disable", "", NULL));
  EXPECT_TEXT(describe(instance), "cpuidle_max_state=C1");
  apply(instance, util_options("cpuidle_max_state", "", "cpuidle_disable", "C6", NULL));
  EXPECT_TEXT(describe(instance), "cpuidle_disable=C6");
}

/* --- attributes --- */

static void test_priority(void)
{
  static const struct {
    const char *text;
    gint value;
  } rows[] = {{"0", 0}, {"-5", -5},         {"7", 7},        {" 7 ", 7},
              {"", 0},  {"-32768", -32768}, {"32767", 32767}};
  g_autoptr(RetuneInstance) instance = util_instance("a", "0", "priority", "3", NULL);

  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    apply(instance, util_options("priority", rows[i].text, NULL));
    EXPECT(instance->priority == rows[i].value, "'%s' gives %d", rows[i].text, instance->priority);
  }
}

static void test_priority_bad(void)
{
  static const char *const rows[] = {
      "32768", "-32769", "x", "1.5", "0x1", "1 2", "high", "99999999999999999999", "|", "<1"};
  g_autoptr(RetuneInstance) instance = util_instance("a", "0", "priority", "3", NULL);

  for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
    expect_refused(instance, util_options("priority", rows[i], NULL), RETUNE_ERROR_INVALID_VALUE,
                   rows[i], 0);
  g_assert_cmpint(instance->priority, ==, 3);
}

static void test_flags(void)
{
  g_autoptr(RetuneInstance) instance =
      util_instance("a", "0", "best_effort", "true", "exclusive", "on", NULL);

  g_assert_true(instance->best_effort);
  g_assert_true(instance->exclusive);
  apply(instance, util_options("best_effort", "no", NULL));
  g_assert_false(instance->best_effort);
  g_assert_true(instance->exclusive);
  apply(instance, util_options("exclusive", "", NULL));
  g_assert_false(instance->exclusive);
}

static void test_flags_bad(void)
{
  g_autoptr(RetuneInstance) instance = util_instance("a", "0", NULL);

  expect_refused(instance, util_options("best_effort", "2", NULL), RETUNE_ERROR_INVALID_VALUE,
                 "best_effort '2'", 0);
  expect_refused(instance, util_options("exclusive", "maybe", NULL), RETUNE_ERROR_INVALID_VALUE,
                 "exclusive 'maybe'", 0);
}

static void test_lifetime(void)
{
  g_autoptr(RetuneInstance) instance = util_instance("a", "0", NULL);

  apply(instance, util_options("lifetime", "runtime", NULL));
  apply(instance, util_options("lifetime", "", NULL));
  expect_refused(instance, util_options("lifetime", "eternal", NULL), RETUNE_ERROR_INVALID_VALUE,
                 "eternal", 0);
}

static void test_attribute_names(void)
{
  g_assert_true(retune_instance_has_attribute("priority"));
  g_assert_true(retune_instance_has_attribute("best_effort"));
  g_assert_true(retune_instance_has_attribute("exclusive"));
  g_assert_true(retune_instance_has_attribute("lifetime"));
  g_assert_false(retune_instance_has_attribute("governor"));
  g_assert_false(retune_instance_has_attribute(""));
}

static void test_attribute_message_utf8(void)
{
  static const char *const names[] = {"priority", "best_effort", "exclusive", "lifetime"};
  g_autoptr(RetuneInstance) instance = util_instance("a", "0", NULL);

  for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
    expect_refused(instance, util_options(names[i], util_long_utf8, NULL),
                   RETUNE_ERROR_INVALID_VALUE, names[i], 0);
    expect_refused(instance, util_options(names[i], util_long_utf8_odd, NULL),
                   RETUNE_ERROR_INVALID_VALUE, names[i], 0);
  }
}

/* --- copies, look-up, order --- */

static void test_copy(void)
{
  g_autoptr(RetuneInstance) instance =
      util_instance("a", "0-3", "governor", "powersave", "priority", "5", NULL);
  retune_cpuset_add(instance->devices, 1);
  g_autoptr(RetuneInstance) copy = retune_instance_copy(instance);

  apply(copy, util_options("governor", "performance", "boost", "1", "priority", "", NULL));
  retune_cpuset_add(copy->devices, 2);
  EXPECT_TEXT(describe(instance), "governor=powersave");
  EXPECT_SET(instance->devices, "1");
  g_assert_cmpint(instance->priority, ==, 5);
  EXPECT_TEXT(describe(copy), "governor=performance boost=1");
  EXPECT_SET(copy->devices, "1-2");
}

static void test_copy_outlives(void)
{
  RetuneInstance *instance = util_instance("a", "0-3", "governor", "powersave", NULL);
  g_autoptr(RetuneInstance) copy = retune_instance_copy(instance);

  retune_instance_unref(instance);
  g_assert_cmpstr(copy->name, ==, "a");
  g_assert_cmpstr(copy->claim, ==, "0-3");
  EXPECT_TEXT(describe(copy), "governor=powersave");
}

static void test_find_setting(void)
{
  g_autoptr(RetuneInstance) instance = util_instance("a", "0", "boost", "1", NULL);
  const RetuneSetting *setting = retune_instance_setting(instance, util_knob("boost"));

  g_assert_nonnull(setting);
  g_assert_cmpstr(setting->text, ==, "1");
  g_assert_null(retune_instance_setting(instance, util_knob("governor")));
}

static void test_compare(void)
{
  static const struct {
    gint priority_a, priority_b;
    guint64 age_a, age_b;
    gint expected;
  } rows[] = {
      {0, 1, 9, 1, -1}, {1, 0, 1, 9, 1},           {0, 0, 1, 2, -1},
      {0, 0, 2, 1, 1},  {-32768, 32767, 9, 1, -1}, {0, 0, 1, G_MAXUINT64, -1},
      {5, 5, 3, 3, 0},
  };
  g_autoptr(RetuneInstance) a = util_instance("a", "0", NULL);
  g_autoptr(RetuneInstance) b = util_instance("b", "0", NULL);

  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    a->priority = rows[i].priority_a;
    b->priority = rows[i].priority_b;
    a->age = rows[i].age_a;
    b->age = rows[i].age_b;
    gint result = retune_instance_compare(a, b);
    EXPECT((result > 0) - (result < 0) == rows[i].expected, "row %u gives %d", i, result);
  }
}

int main(int argc, char **argv)
{
  util_init(argc, argv);
  g_test_add_func("/instance/new/valid/has-defaults", test_new_defaults);
  g_test_add_func("/instance/new/bad-name/refused", test_new_bad_name);
  g_test_add_func("/instance/new/long-name/refused", test_new_long_name);
  g_test_add_func("/instance/options/any-order/kept-in-order-of-table", test_table_order);
  g_test_add_func("/instance/options/given-again/replaced", test_replace);
  g_test_add_func("/instance/options/empty-value/unset", test_unset);
  g_test_add_func("/instance/options/blank-value/unset", test_unset_blank);
  g_test_add_func("/instance/options/empty-value-of-unset/changes-nothing", test_unset_absent);
  g_test_add_func("/instance/options/none/changes-nothing", test_nothing);
  g_test_add_func("/instance/options/misspelt/suggests", test_unknown_suggestion);
  g_test_add_func("/instance/options/unknown/lists-all", test_unknown_list);
  g_test_add_func("/instance/options/misspelt-attribute/suggests", test_unknown_attribute);
  g_test_add_func("/instance/options/hostile-name/refused", test_unknown_hostile);
  g_test_add_func("/instance/options/long-utf8-name/message-is-utf8", test_unknown_utf8);
  g_test_add_func("/instance/options/bad-value/refused-with-culprit", test_bad_value);
  g_test_add_func("/instance/options/bad-value/keeps-old-value", test_bad_value_keeps);
  g_test_add_func("/instance/options/long-value/refused", test_long_value);
  g_test_add_func("/instance/options/duplicate/refused", test_duplicate);
  g_test_add_func("/instance/options/duplicate-attribute/refused", test_duplicate_attribute);
  g_test_add_func("/instance/rivals/together/refused", test_rivals_together);
  g_test_add_func("/instance/rivals/one-after-other/refused", test_rivals_one_after_other);
  g_test_add_func("/instance/rivals/more-options-behind/culprit-is-rival", test_rivals_culprit);
  g_test_add_func("/instance/rivals/swapped-in-one-call/taken", test_rivals_swapped);
  g_test_add_func("/instance/priority/valid/read", test_priority);
  g_test_add_func("/instance/priority/bad/refused", test_priority_bad);
  g_test_add_func("/instance/flags/valid/read", test_flags);
  g_test_add_func("/instance/flags/bad/refused", test_flags_bad);
  g_test_add_func("/instance/lifetime/known-or-not/taken-or-refused", test_lifetime);
  g_test_add_func("/instance/attributes/names/told-from-options", test_attribute_names);
  g_test_add_func("/instance/attributes/long-utf8/message-is-utf8", test_attribute_message_utf8);
  g_test_add_func("/instance/copy/changed/leaves-original", test_copy);
  g_test_add_func("/instance/copy/original-freed/stays", test_copy_outlives);
  g_test_add_func("/instance/setting/by-knob/found-or-null", test_find_setting);
  g_test_add_func("/instance/compare/pairs/by-priority-then-age", test_compare);
  return g_test_run();
}
