// SPDX-License-Identifier: GPL-2.0-or-later
/* Device expressions on ordinary, sparse and empty machines. */
#include "devices.h"

#include "util.h"

#define ORDINARY "0-15"
#define SPARSE "0,2,4-5,64,1000"

typedef struct {
  const char *expression;
  const char *expected;
} Row;

static void expect_rows(const char *machine, RetuneDevicesMode mode, const Row *rows, guint n_rows)
{
  g_autoptr(RetuneCpuset) existing = util_set(machine);

  for (guint i = 0; i < n_rows; i++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(RetuneCpuset) set = retune_devices_parse(rows[i].expression, existing, mode, &error);
    EXPECT(set != NULL, "'%s' is refused: %s", rows[i].expression,
           error != NULL ? error->message : "no error set");
    if (set == NULL)
      continue;
    g_autofree char *text = retune_cpuset_to_string(set);
    EXPECT(g_str_equal(text, rows[i].expected), "'%s': expected %s, got %s", rows[i].expression,
           rows[i].expected, text);
  }
}

static void expect_refused(const char *machine, RetuneDevicesMode mode, RetuneError code,
                           const Row *rows, guint n_rows)
{
  g_autoptr(RetuneCpuset) existing = util_set(machine);

  for (guint i = 0; i < n_rows; i++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(RetuneCpuset) set = retune_devices_parse(rows[i].expression, existing, mode, &error);
    EXPECT(set == NULL, "'%s' is taken", rows[i].expression);
    if (set == NULL)
      EXPECT_REFUSED(&error, code, rows[i].expected);
  }
}

static void test_lists(void)
{
  static const Row rows[] = {
      {"0", "0"},         {"0-3,8", "0-3,8"},      {"8,0-3", "0-3,8"},
      {"0-3 8", "0-3,8"}, {"0-3\t8\n", "0-3,8"},   {" 0 , 1 ", "0-1"},
      {",,1,,", "1"},     {"0-15:2/8", "0-1,8-9"}, {"1,1,1", "1"},
      {"03", "3"},
  };
  expect_rows(ORDINARY, RETUNE_DEVICES_STRICT, rows, G_N_ELEMENTS(rows));
}

static void test_names(void)
{
  static const Row rows[] = {
      {"cpu0", "0"},     {"cpu10", "10"},      {"cpu0-cpu3", "0-3"},
      {"cpu0-3", "0-3"}, {"cpu1,cpu2", "1-2"}, {"cpu0-cpu15:1/4", "0,4,8,12"},
      {"0 cpu2", "0,2"},
  };
  expect_rows(ORDINARY, RETUNE_DEVICES_STRICT, rows, G_N_ELEMENTS(rows));
}

static void test_all(void)
{
  static const Row rows[] = {{"all", "0-15"}, {"all,3", "0-15"}, {"cpulist:all", "0-15"}};
  expect_rows(ORDINARY, RETUNE_DEVICES_STRICT, rows, G_N_ELEMENTS(rows));
}

static void test_prefix(void)
{
  static const Row rows[] = {
      {"cpulist:0-3", "0-3"},
      {"cpulist:0-3,8", "0-3,8"},
      {"cpulist:0,cpulist:2", "0,2"},
      {"cpulist:0-3,!1", "0,2-3"},
      {"!cpulist:1", "0,2-15"},
      {"cpulist:cpu1", "1"},
      {"cpulist:0-3,^cpulist:2", "0-1,3"},
  };
  expect_rows(ORDINARY, RETUNE_DEVICES_STRICT, rows, G_N_ELEMENTS(rows));
}

static void test_globs(void)
{
  static const Row rows[] = {
      {"*", "0-15"},
      {"cpu*", "0-15"},
      {"cpu?", "0-9"},
      {"cpu1?", "10-15"},
      {"cpu1*", "1,10-15"},
      {"cpu[02]", "0,2"},
      {"cpu[0-3]", "0-3"},
      {"cpu[!0-7]", "8-9"},
      {"cpu[^0-7]", "8-9"},
      {"cpu1[!0-4]", "15"},
      {"*5", "5,15"},
      {"!cpu1*", "0,2-9"},
      {"cpu?,!cpu[0-7]", "8-9"},
  };
  expect_rows(ORDINARY, RETUNE_DEVICES_STRICT, rows, G_N_ELEMENTS(rows));
}

static void test_exclusions(void)
{
  static const Row rows[] = {
      {"0-7,!3", "0-2,4-7"},
      {"!3,0-7", "0-2,4-7"},
      {"0-7,^3", "0-2,4-7"},
      {"!0", "1-15"},
      {"^0-7", "8-15"},
      {"!0-3,!8-15", "4-7"},
      {"all,!0", "1-15"},
      {"0-3,!2-3,2", "0-1"},
      {"0-3,!9", "0-3"},
      {"!cpu0", "1-15"},
      {"all !0-14:1/2", "1,3,5,7,9,11,13,15"},
  };
  expect_rows(ORDINARY, RETUNE_DEVICES_STRICT, rows, G_N_ELEMENTS(rows));
}

static void test_sparse(void)
{
  static const Row rows[] = {
      {"all", SPARSE}, {"!0", "2,4-5,64,1000"}, {"cpu1000", "1000"},
      {"4-5", "4-5"},  {"cpu?", "0,2,4-5"},     {"*,!cpu?", "64,1000"},
  };
  expect_rows(SPARSE, RETUNE_DEVICES_STRICT, rows, G_N_ELEMENTS(rows));
}

static void test_strict_absent(void)
{
  static const Row rows[] = {
      {"16", "16"},      {"0-16", "16"},     {"cpu99", "99"},    {"0,99,3", "99"},
      {"0-3,!99", "99"}, {"14-20", "16-20"}, {"16383", "16383"},
  };
  expect_refused(ORDINARY, RETUNE_DEVICES_STRICT, RETUNE_ERROR_UNKNOWN_DEVICE, rows,
                 G_N_ELEMENTS(rows));
}

/* A range over holes names CPUs that do not exist. */
static void test_strict_holes(void)
{
  static const Row rows[] = {{"0-2", "CPU 1 "}, {"0-5", "1,3"}, {"64-1000", "65-999"}};
  expect_refused(SPARSE, RETUNE_DEVICES_STRICT, RETUNE_ERROR_UNKNOWN_DEVICE, rows,
                 G_N_ELEMENTS(rows));
}

static void test_strict_shows_machine(void)
{
  static const Row rows[] = {{"7", SPARSE}};
  expect_refused(SPARSE, RETUNE_DEVICES_STRICT, RETUNE_ERROR_UNKNOWN_DEVICE, rows,
                 G_N_ELEMENTS(rows));
}

static void test_strict_no_match(void)
{
  static const Row rows[] = {
      {"gpu*", "gpu*"}, {"cpu[x]", "cpu[x]"}, {"0,cpu9?", "cpu9?"}, {"!disk*", "disk*"}, {"[", "["},
  };
  expect_refused(ORDINARY, RETUNE_DEVICES_STRICT, RETUNE_ERROR_UNKNOWN_DEVICE, rows,
                 G_N_ELEMENTS(rows));
}

static void test_strict_empty(void)
{
  static const Row rows[] = {
      {"", "names no CPU"},     {"  ", "names no CPU"}, {",,", "names no CPU"}, {"0,!0", "0,!0"},
      {"all,!all", "all,!all"}, {"!all", "!all"},       {"!0-15", "!0-15"},
  };
  expect_refused(ORDINARY, RETUNE_DEVICES_STRICT, RETUNE_ERROR_UNKNOWN_DEVICE, rows,
                 G_N_ELEMENTS(rows));
}

static void test_malformed(void)
{
  static const Row rows[] = {
      {"x", "x"},
      {"cpu", "cpu"},
      {"cpu-1", "cpu-1"},
      {"cpux", "cpux"},
      {"0-", "0-"},
      {"3-1", "3-1"},
      {"!", "'' is not a list"},
      {"!!0", "!0"},
      {"0-3:2", "0-3:2"},
      {"0-3:0/4", "0-3"},
      {"cpulist:", "'' is not a list"},
      {"ALL", "ALL"},
      {"CPU0", "CPU0"},
      {"0;1", "0;1"},
      {"$(reboot)", "$(reboot)"},
      {"../0", "../0"},
      {"%n%s", "%n%s"},
      {"gpu0", "gpu0"},
      {"allx", "allx"},
  };
  expect_refused(ORDINARY, RETUNE_DEVICES_STRICT, RETUNE_ERROR_INVALID_VALUE, rows,
                 G_N_ELEMENTS(rows));
}

/* The name of a CPU is "cpu" before a number; "1cpu2" is not CPU 12. */
static void test_misplaced_names(void)
{
  static const Row rows[] = {
      {"1cpu2", "1cpu2"},           {"3cpu", "3cpu"}, {"cpucpu3", "cpucpu3"}, {"0-3cpu", "0-3cpu"},
      {"0-7:cpu1/2", "0-7:cpu1/2"},
  };
  expect_refused(ORDINARY, RETUNE_DEVICES_STRICT, RETUNE_ERROR_INVALID_VALUE, rows,
                 G_N_ELEMENTS(rows));
}

static void test_beyond_limit(void)
{
  static const Row rows[] = {{"99999", "99999"}, {"0-16384", "0-16384"}};
  expect_refused(ORDINARY, RETUNE_DEVICES_STRICT, RETUNE_ERROR_LIMITS_EXCEEDED, rows,
                 G_N_ELEMENTS(rows));
}

static void test_claim_absent(void)
{
  static const Row rows[] = {
      {"0-31", "0-15"},   {"99", ""},      {"14-20", "14-15"}, {"gpu*", ""},    {"0,cpu9?", "0"},
      {"0-3,!99", "0-3"}, {"!99", "0-15"}, {"0,!0", ""},       {"all", "0-15"},
  };
  expect_rows(ORDINARY, RETUNE_DEVICES_CLAIM, rows, G_N_ELEMENTS(rows));
}

/* Excluding what does not exist (any more) leaves everything, by glob or number. */
static void test_claim_exclusion(void)
{
  static const Row rows[] = {{"!99", "0-15"}, {"!cpu9?", "0-15"}, {"!cpu9?,!0", "1-15"}};
  expect_rows(ORDINARY, RETUNE_DEVICES_CLAIM, rows, G_N_ELEMENTS(rows));
}

static void test_claim_malformed(void)
{
  static const Row rows[] = {{"x", "x"}, {"0,3-1", "3-1"}};
  expect_refused(ORDINARY, RETUNE_DEVICES_CLAIM, RETUNE_ERROR_INVALID_VALUE, rows,
                 G_N_ELEMENTS(rows));
}

static void test_no_machine(void)
{
  static const Row rows[] = {{"all", ""}, {"0-3", ""}, {"!0", ""}};
  expect_rows("", RETUNE_DEVICES_CLAIM, rows, G_N_ELEMENTS(rows));
}

static void test_too_long(void)
{
  g_autoptr(RetuneCpuset) existing = util_set(ORDINARY);
  g_autoptr(GError) error = NULL;
  g_autofree char *text = g_strnfill(RETUNE_DEVICES_MAX_LENGTH + 1, ' ');

  text[0] = '0';
  g_autoptr(RetuneCpuset) set = retune_devices_parse(text, existing, RETUNE_DEVICES_STRICT, &error);
  g_assert_null(set);
  EXPECT_REFUSED(&error, RETUNE_ERROR_LIMITS_EXCEEDED, "65536");
}

static void test_just_fits(void)
{
  g_autoptr(RetuneCpuset) existing = util_set(ORDINARY);
  g_autofree char *text = g_strnfill(RETUNE_DEVICES_MAX_LENGTH, ' ');

  text[0] = '5';
  g_autoptr(RetuneCpuset) set = retune_devices_parse(text, existing, RETUNE_DEVICES_STRICT, NULL);
  g_assert_nonnull(set);
  EXPECT_SET(set, "5");
}

static void test_message_utf8(void)
{
  g_autoptr(RetuneCpuset) existing = util_set(ORDINARY);
  g_autofree char *glob = g_strconcat("*", util_long_utf8_odd, NULL);
  g_autofree char *blanks = g_strconcat("!0-15,", util_long_utf8, NULL);
  const char *const rows[] = {util_long_utf8, util_long_utf8_odd, glob, blanks};

  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(RetuneCpuset) set =
        retune_devices_parse(rows[i], existing, RETUNE_DEVICES_STRICT, &error);
    g_assert_null(set);
    EXPECT(g_utf8_validate(error->message, -1, NULL), "no UTF-8: %s", error->message);
  }
}

static void test_globs_limit(void)
{
  g_autoptr(RetuneCpuset) existing = util_set(ORDINARY);
  g_autoptr(GString) text = g_string_new("cpu*");
  g_autoptr(GError) error = NULL;

  for (guint i = 1; i < RETUNE_DEVICES_MAX_GLOBS; i++)
    g_string_append(text, ",cpu*");
  g_autoptr(RetuneCpuset) most =
      retune_devices_parse(text->str, existing, RETUNE_DEVICES_STRICT, NULL);
  g_assert_nonnull(most);
  g_string_append(text, ",!cpu1");
  g_autoptr(RetuneCpuset) no_glob =
      retune_devices_parse(text->str, existing, RETUNE_DEVICES_STRICT, NULL);
  g_assert_nonnull(no_glob);
  g_string_append(text, ",!cpu?");
  g_autoptr(RetuneCpuset) more =
      retune_devices_parse(text->str, existing, RETUNE_DEVICES_STRICT, &error);
  g_assert_null(more);
  EXPECT_REFUSED(&error, RETUNE_ERROR_LIMITS_EXCEEDED, "64");
}

/* One caller must not keep the others waiting, however many globs it sends and
 * however large the machine is; they may be refused. */
static void test_costly(void)
{
  g_autoptr(RetuneCpuset) existing = util_set("0-16383");
  g_autoptr(GString) text = g_string_new("*");
  g_autoptr(GError) error = NULL;

  while (text->len < RETUNE_DEVICES_MAX_LENGTH - 8)
    g_string_append(text, ",*[a]*");
  gint64 start = g_get_monotonic_time();
  g_autoptr(RetuneCpuset) set =
      retune_devices_parse(text->str, existing, RETUNE_DEVICES_CLAIM, &error);
  gint64 spent = g_get_monotonic_time() - start;
  if (set == NULL)
    EXPECT_REFUSED(&error, RETUNE_ERROR_LIMITS_EXCEEDED, "");
  EXPECT(spent < 5 * G_TIME_SPAN_SECOND, "takes %d ms", (gint)(spent / 1000));
}

int main(int argc, char **argv)
{
  util_init(argc, argv);
  g_test_add_func("/devices/lists/valid/give-members", test_lists);
  g_test_add_func("/devices/names/valid/give-members", test_names);
  g_test_add_func("/devices/all/any-form/gives-existing", test_all);
  g_test_add_func("/devices/prefix/any-item/is-skipped", test_prefix);
  g_test_add_func("/devices/globs/matching/give-members", test_globs);
  g_test_add_func("/devices/exclusions/any-place/apply-last", test_exclusions);
  g_test_add_func("/devices/sparse/valid/give-members", test_sparse);
  g_test_add_func("/devices/strict/absent-cpu/refused", test_strict_absent);
  g_test_add_func("/devices/strict/range-over-holes/refused", test_strict_holes);
  g_test_add_func("/devices/strict/absent-cpu/message-shows-machine", test_strict_shows_machine);
  g_test_add_func("/devices/strict/glob-without-match/refused", test_strict_no_match);
  g_test_add_func("/devices/strict/nothing-left/refused", test_strict_empty);
  g_test_add_func("/devices/strict/malformed/refused", test_malformed);
  g_test_add_func("/devices/strict/misplaced-name/refused", test_misplaced_names);
  g_test_add_func("/devices/strict/beyond-limit/refused", test_beyond_limit);
  g_test_add_func("/devices/claim/absent-cpu/left-out", test_claim_absent);
  g_test_add_func("/devices/claim/exclusion-of-nothing/leaves-all", test_claim_exclusion);
  g_test_add_func("/devices/claim/malformed/refused", test_claim_malformed);
  g_test_add_func("/devices/claim/no-cpus/empty", test_no_machine);
  g_test_add_func("/devices/length/too-long/refused", test_too_long);
  g_test_add_func("/devices/length/just-fits/taken", test_just_fits);
  g_test_add_func("/devices/message/long-utf8/is-utf8", test_message_utf8);
  g_test_add_func("/devices/globs/more-than-limit/refused", test_globs_limit);
  g_test_add_func("/devices/cost/many-globs/bounded", test_costly);
  return g_test_run();
}
