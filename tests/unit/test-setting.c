// SPDX-License-Identifier: GPL-2.0-or-later
/* The grammar of values that all options share. */
#include "setting.h"

#include "util.h"

/* "word" or "<word", with "|" between alternatives, as they were understood. */
static char *describe(const RetuneSetting *setting)
{
  GString *out = g_string_new(NULL);

  for (guint i = 0; i < setting->alternatives->len; i++) {
    const RetuneAlternative *alternative = setting->alternatives->pdata[i];
    if (i > 0)
      g_string_append_c(out, '|');
    if (alternative->compare != 0)
      g_string_append_c(out, alternative->compare);
    g_string_append(out, alternative->word);
  }
  return g_string_free(out, FALSE);
}

typedef struct {
  const char *option, *value, *expected;
} Row;

static void expect_understood(const Row *rows, guint n_rows)
{
  for (guint i = 0; i < n_rows; i++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(RetuneSetting) setting =
        retune_setting_new(util_knob(rows[i].option), rows[i].value, &error);
    EXPECT(setting != NULL, "%s='%s' is refused: %s", rows[i].option, rows[i].value,
           error != NULL ? error->message : "?");
    if (setting != NULL)
      EXPECT_TEXT(describe(setting), rows[i].expected);
  }
}

static void expect_refused(const Row *rows, guint n_rows)
{
  for (guint i = 0; i < n_rows; i++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(RetuneSetting) setting =
        retune_setting_new(util_knob(rows[i].option), rows[i].value, &error);
    EXPECT(setting == NULL, "%s='%s' is taken", rows[i].option, rows[i].value);
    if (setting == NULL)
      EXPECT_REFUSED(&error, RETUNE_ERROR_INVALID_VALUE, rows[i].expected);
  }
}

static void test_alternatives(void)
{
  static const Row rows[] = {
      {"governor", "powersave", "powersave"},
      {"governor", "schedutil|ondemand|powersave", "schedutil|ondemand|powersave"},
      {"governor", " schedutil | ondemand\t", "schedutil|ondemand"},
      {"governor", "a|a", "a|a"},
      {"energy_perf_bias", "normal|6", "normal|6"},
      {"pm_qos_resume_latency_us", "cstate.name:C1|cstate.id:1|n/a",
       "cstate.name:C1|cstate.id:1|n/a"},
      {"cpuidle_disable", "C6,C3|C2", "C6,C3|C2"},
      {"scaling_max_freq", "2.1 GHz|60%", "2.1 GHz|60%"},
  };
  expect_understood(rows, G_N_ELEMENTS(rows));
}

static void test_comparisons(void)
{
  static const Row rows[] = {
      {"energy_perf_bias", "<6", "<6"},
      {"energy_perf_bias", ">6|8", ">6|8"},
      {"pm_qos_resume_latency_us", "< 100", "<100"},
      {"pm_qos_resume_latency_us", "<n/a", "<n/a"},
      {"pm_qos_resume_latency_us", ">cstate.id:1", ">cstate.id:1"},
      {"force_latency", "<10", "<10"},
      {"scaling_min_freq", ">1.2GHz|<50%", ">1.2GHz|<50%"},
      {"min_perf_pct", ">30", ">30"},
  };
  expect_understood(rows, G_N_ELEMENTS(rows));
}

static void test_comparison_unordered(void)
{
  static const Row rows[] = {
      {"governor", "<performance", "governor takes no '<'"},
      {"governor", "powersave|>performance", "governor takes no '>'"},
      {"energy_performance_preference", "<128", "energy_performance_preference takes no '<'"},
      {"boost", ">0", "boost takes no '>'"},
      {"cpuidle_max_state", "<C1", "cpuidle_max_state takes no '<'"},
      {"no_turbo", "<1", "no_turbo takes no '<'"},
  };
  expect_refused(rows, G_N_ELEMENTS(rows));
}

static void test_comparison_doubled(void)
{
  static const Row rows[] = {
      {"energy_perf_bias", "<<6", "<6"},
      {"energy_perf_bias", "<>6", ">6"},
      {"energy_perf_bias", "6<", "6<"},
      {"energy_perf_bias", "<=6", "=6"},
  };
  expect_refused(rows, G_N_ELEMENTS(rows));
}

static void test_empty(void)
{
  static const Row rows[] = {
      {"governor", "", "governor: empty value"}, {"governor", "  ", "empty value"},
      {"governor", "|", "empty value"},          {"governor", "a|", "empty value"},
      {"governor", "|a", "empty value"},         {"governor", "a||b", "empty value"},
      {"governor", "a| |b", "empty value"},      {"energy_perf_bias", "<", "empty value"},
      {"energy_perf_bias", "> ", "empty value"}, {"energy_perf_bias", "6|<", "empty value"},
  };
  expect_refused(rows, G_N_ELEMENTS(rows));
}

/* An empty value is explained by what would be accepted. */
static void test_empty_explained(void)
{
  static const Row rows[] = {{"energy_perf_bias", "6|", "0-15"}, {"force_latency", "", "us"}};
  expect_refused(rows, G_N_ELEMENTS(rows));
}

static void test_bad_alternative(void)
{
  static const Row rows[] = {
      {"energy_perf_bias", "6|99", "energy_perf_bias '99'"},
      {"energy_perf_bias", "99|6", "energy_perf_bias '99'"},
      {"governor", "powersave|a/b", "governor 'a/b'"},
  };
  expect_refused(rows, G_N_ELEMENTS(rows));
}

static void test_message_utf8(void)
{
  const char *const rows[] = {util_long_utf8, util_long_utf8_odd};

  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(RetuneSetting) setting = retune_setting_new(util_knob("governor"), rows[i], &error);
    g_assert_null(setting);
    EXPECT_REFUSED(&error, RETUNE_ERROR_INVALID_VALUE, "governor");
  }
}

static void test_text(void)
{
  g_autoptr(RetuneSetting) setting =
      retune_setting_new(util_knob("governor"), "  Schedutil| ondemand \n", NULL);

  g_assert_nonnull(setting);
  g_assert_cmpstr(setting->text, ==, "Schedutil| ondemand");
  g_assert_true(setting->knob == util_knob("governor"));
}

static void test_length_fits(void)
{
  g_autofree char *value = g_strnfill(RETUNE_VALUE_MAX_LENGTH, ' ');
  value[0] = 'a';
  g_autoptr(RetuneSetting) setting = retune_setting_new(util_knob("governor"), value, NULL);

  g_assert_nonnull(setting);
  EXPECT_TEXT(describe(setting), "a");
}

static void test_length_exceeded(void)
{
  g_autofree char *value = g_strnfill(RETUNE_VALUE_MAX_LENGTH + 1, 'a');
  g_autoptr(GError) error = NULL;
  g_autoptr(RetuneSetting) setting = retune_setting_new(util_knob("governor"), value, &error);

  g_assert_null(setting);
  EXPECT_REFUSED(&error, RETUNE_ERROR_LIMITS_EXCEEDED, "governor");
}

static void test_most_alternatives(void)
{
  g_autoptr(GString) value = g_string_new("a");
  while (value->len + 2 <= RETUNE_VALUE_MAX_LENGTH)
    g_string_append(value, "|a");
  g_autoptr(RetuneSetting) setting = retune_setting_new(util_knob("governor"), value->str, NULL);

  g_assert_nonnull(setting);
  g_assert_cmpuint(setting->alternatives->len, ==, (value->len + 1) / 2);
}

static void test_copy(void)
{
  g_autoptr(RetuneSetting) setting =
      retune_setting_new(util_knob("energy_perf_bias"), "<6|normal", NULL);
  g_autoptr(RetuneSetting) copy = retune_setting_copy(setting);

  ((RetuneAlternative *)copy->alternatives->pdata[0])->word[0] = '9';
  g_ptr_array_set_size(copy->alternatives, 1);
  copy->text[0] = '>';
  EXPECT_TEXT(describe(setting), "<6|normal");
  g_assert_cmpstr(setting->text, ==, "<6|normal");
  g_assert_true(copy->knob == setting->knob);
}

static void test_option_where(void)
{
  g_autoptr(RetuneOption) placed = retune_option_new("governor", "x", "file:3");
  g_autoptr(RetuneOption) unplaced = retune_option_new("governor", "x", NULL);

  g_assert_cmpstr(placed->where, ==, "file:3");
  g_assert_null(unplaced->where);
}

int main(int argc, char **argv)
{
  util_init(argc, argv);
  g_test_add_func("/setting/alternatives/valid/kept-in-order", test_alternatives);
  g_test_add_func("/setting/comparison/ordered-option/taken", test_comparisons);
  g_test_add_func("/setting/comparison/unordered-option/refused", test_comparison_unordered);
  g_test_add_func("/setting/comparison/doubled/refused", test_comparison_doubled);
  g_test_add_func("/setting/empty/any-place/refused", test_empty);
  g_test_add_func("/setting/empty/any-place/message-says-what-is-accepted", test_empty_explained);
  g_test_add_func("/setting/alternatives/one-bad/refused-and-named", test_bad_alternative);
  g_test_add_func("/setting/message/long-utf8/is-utf8", test_message_utf8);
  g_test_add_func("/setting/text/blanks-around/trimmed", test_text);
  g_test_add_func("/setting/length/just-fits/taken", test_length_fits);
  g_test_add_func("/setting/length/too-long/refused", test_length_exceeded);
  g_test_add_func("/setting/length/most-alternatives/taken", test_most_alternatives);
  g_test_add_func("/setting/copy/changed/leaves-original", test_copy);
  g_test_add_func("/setting/option/where/kept-or-absent", test_option_where);
  return g_test_run();
}
