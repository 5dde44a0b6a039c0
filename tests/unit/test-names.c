// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of instances, hints for misspelt words, booleans. */
#include "names.h"

#include "util.h"

static void test_instance_valid(void)
{
  g_autofree char *longest = g_strnfill(RETUNE_NAME_MAX_LENGTH, 'n');
  const char *const rows[] = {"a", "Z", "0", "_", "net", "net-rx.2_b", "a-", "a.", "7", longest};

  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(GError) error = NULL;
    EXPECT(retune_names_check_instance(rows[i], &error), "'%s' is refused", rows[i]);
    g_assert_no_error(error);
  }
}

static void test_instance_invalid(void)
{
  static const char *const rows[] = {
      "-a",  ".a",  ".",   "..",  "a b", " a",  "a ",  "a/b",    "../a",    "a\n",
      "a\t", "a:b", "a=b", "[a]", "a%s", "a;b", "a'b", "\u00e9", "a\u200b",
  };
  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(GError) error = NULL;
    EXPECT(!retune_names_check_instance(rows[i], &error), "'%s' is taken", rows[i]);
    EXPECT_REFUSED(&error, RETUNE_ERROR_INVALID_VALUE, rows[i]);
  }
}

static void test_instance_empty(void)
{
  g_autoptr(GError) error = NULL;

  g_assert_false(retune_names_check_instance("", &error));
  EXPECT_REFUSED(&error, RETUNE_ERROR_INVALID_VALUE, "expected letters");
}

static void test_instance_too_long(void)
{
  g_autofree char *name = g_strnfill(RETUNE_NAME_MAX_LENGTH + 1, 'n');
  g_autoptr(GError) error = NULL;

  g_assert_false(retune_names_check_instance(name, &error));
  EXPECT_REFUSED(&error, RETUNE_ERROR_LIMITS_EXCEEDED, "64");
}

static void test_instance_utf8(void)
{
  const char *const rows[] = {util_long_utf8, util_long_utf8_odd};

  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(GError) error = NULL;
    g_assert_false(retune_names_check_instance(rows[i], &error));
    EXPECT_REFUSED(&error, RETUNE_ERROR_LIMITS_EXCEEDED, "aaa");
  }
}

static const char *const known[] = {"governor", "boost", "no_turbo", "energy_perf_bias"};

static void test_hint_near(void)
{
  static const struct {
    const char *name, *expected;
  } rows[] = {
      {"govenor", "; did you mean 'governor'?"},
      {"governer", "; did you mean 'governor'?"},
      {"Governor", "; did you mean 'governor'?"},
      {"bost", "; did you mean 'boost'?"},
      {"boosts", "; did you mean 'boost'?"},
      {"no-turbo", "; did you mean 'no_turbo'?"},
      {"energy_perf_bais", "; did you mean 'energy_perf_bias'?"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
    EXPECT_TEXT(retune_names_hint(rows[i].name, known, G_N_ELEMENTS(known)), rows[i].expected);
}

static void test_hint_far(void)
{
  static const char *const rows[] = {"frequency", "xxxxxxxx", ""};

  for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
    EXPECT_TEXT(retune_names_hint(rows[i], known, G_N_ELEMENTS(known)),
                "; there is: governor, boost, no_turbo, energy_perf_bias");
}

static void test_hint_long(void)
{
  g_autofree char *name = g_strnfill(100000, 'g');

  EXPECT_TEXT(retune_names_hint(name, known, 1), "; there is: governor");
}

static void test_boolean_valid(void)
{
  static const struct {
    const char *text;
    gboolean value;
  } rows[] = {
      {"1", TRUE},    {"true", TRUE}, {"yes", TRUE},    {"on", TRUE},     {"y", TRUE},
      {"TRUE", TRUE}, {"On", TRUE},   {"0", FALSE},     {"false", FALSE}, {"no", FALSE},
      {"off", FALSE}, {"n", FALSE},   {"False", FALSE}, {"OFF", FALSE},
  };
  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    gboolean value = !rows[i].value;
    EXPECT(retune_names_parse_boolean(rows[i].text, &value), "'%s' is refused", rows[i].text);
    EXPECT(value == rows[i].value, "'%s' is read wrong", rows[i].text);
  }
}

static void test_boolean_invalid(void)
{
  static const char *const rows[] = {"",   "2",  "-1", "t",   "f",      "truee", "enable",
                                     " 1", "1 ", "01", "1.0", "yes no", "\u0661"};
  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    gboolean value = 42;
    EXPECT(!retune_names_parse_boolean(rows[i], &value), "'%s' is taken", rows[i]);
    EXPECT(value == 42, "'%s' changes the value", rows[i]);
  }
}

int main(int argc, char **argv)
{
  util_init(argc, argv);
  g_test_add_func("/names/instance/valid/taken", test_instance_valid);
  g_test_add_func("/names/instance/invalid/refused", test_instance_invalid);
  g_test_add_func("/names/instance/empty/refused", test_instance_empty);
  g_test_add_func("/names/instance/too-long/refused", test_instance_too_long);
  g_test_add_func("/names/instance/long-utf8/message-is-utf8", test_instance_utf8);
  g_test_add_func("/names/hint/near/suggests", test_hint_near);
  g_test_add_func("/names/hint/far/lists-known", test_hint_far);
  g_test_add_func("/names/hint/very-long/lists-known", test_hint_long);
  g_test_add_func("/names/boolean/valid/read", test_boolean_valid);
  g_test_add_func("/names/boolean/invalid/refused", test_boolean_invalid);
  return g_test_run();
}
