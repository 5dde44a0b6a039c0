// SPDX-License-Identifier: GPL-2.0-or-later
/* Sets of CPUs: the cpulist syntax, set operations, sizes. */
#include "cpuset.h"

#include <string.h>

#include "util.h"

/* --- reading --- */

static void test_parse_valid(void)
{
  static const struct {
    const char *text;
    const char *printed;
  } rows[] = {
      {"", ""},
      {"   ", ""},
      {"\n", ""},
      {"0", "0"},
      {"0\n", "0"},
      {"007", "7"},
      {"0-3", "0-3"},
      {"3-3", "3"},
      {"0,1,2,3", "0-3"},
      {"8,0-3", "0-3,8"},
      {"3,2,1,0", "0-3"},
      {"0-3,2-5", "0-5"},
      {"0-1,3-4", "0-1,3-4"},
      {" 0-3 , 8 ", "0-3,8"},
      {"5,5,5", "5"},
      {"62-65", "62-65"},
      {"63,64", "63-64"},
      {"127,129", "127,129"},
      {"16383", "16383"},
      {"0,16383", "0,16383"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(RetuneCpuset) set = retune_cpuset_parse(rows[i].text, &error);
    EXPECT(set != NULL, "'%s' is refused: %s", rows[i].text, error != NULL ? error->message : "?");
    if (set != NULL)
      EXPECT_SET(set, rows[i].printed);
  }
}

static void test_parse_strides(void)
{
  static const struct {
    const char *text;
    const char *printed;
  } rows[] = {
      {"0-31:2/8", "0-1,8-9,16-17,24-25"},
      {"0-7:1/2", "0,2,4,6"},
      {"1-7:1/2", "1,3,5,7"},
      {"0-7:1/1", "0-7"},
      {"0-7:8/8", "0-7"},
      {"0-7:3/8", "0-2"},
      {"0-9:4/8", "0-3,8-9"},
      {"2-6:2/3", "2-3,5-6"},
      {"5-5:1/16383", "5"},
      {"0-100:1/64,3", "0,3,64"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(RetuneCpuset) set = util_set(rows[i].text);
    EXPECT_SET(set, rows[i].printed);
  }
}

static void test_parse_malformed(void)
{
  static const char *const rows[] = {
      "x",      "-",      "-1",      "1-",      "1--2",     "3-1",      "0-3:",      "0-3:1",
      "0-3:/2", "0-3:1/", "0-3:0/2", "0-3:3/2", "0-3:1/0",  "0-3:1/2x", "0-3:-1/2",  "3:1/2",
      "0x3",    "1.5",    "+1",      "1 2",     "0-3-5",    "0..3",     "1e3",       "all",
      "cpu0",   "0;1",    "0\n1",    "\xff",    "0-\u0663", "%s%n",     "0-3:1/2/3",
  };
  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(RetuneCpuset) set = retune_cpuset_parse(rows[i], &error);
    EXPECT(set == NULL, "'%s' is taken", rows[i]);
    EXPECT(g_error_matches(error, RETUNE_ERROR, RETUNE_ERROR_INVALID_VALUE),
           "'%s': not INVALID_VALUE", rows[i]);
  }
}

static void test_parse_beyond_limit(void)
{
  static const char *const rows[] = {
      "16384",
      "0-16384",
      "4294967295",
      "4294967296",
      "18446744073709551616",
      "0-3:1/16384",
      "99999999999999999999999999999999999999999",
  };
  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(RetuneCpuset) set = retune_cpuset_parse(rows[i], &error);
    EXPECT(set == NULL, "'%s' is taken", rows[i]);
    EXPECT_REFUSED(&error, RETUNE_ERROR_LIMITS_EXCEEDED, "16384");
  }
}

static void test_parse_error_item(void)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(RetuneCpuset) set = retune_cpuset_parse("0-3,seven,8", &error);

  g_assert_null(set);
  EXPECT(strstr(error->message, "0-3,seven") == NULL, "names more than the item: %s",
         error->message);
  EXPECT_REFUSED(&error, RETUNE_ERROR_INVALID_VALUE, "seven");
}

/* "0-31:2" lacks the group; a message that calls the '/' unexpected misleads. */
static void test_parse_error_group(void)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(RetuneCpuset) set = retune_cpuset_parse("0-31:2", &error);

  g_assert_null(set);
  EXPECT(strstr(error->message, "unexpected '/'") == NULL, "the missing '/' is unexpected: %s",
         error->message);
  EXPECT_REFUSED(&error, RETUNE_ERROR_INVALID_VALUE, "0-31:2");
}

static void test_parse_error_utf8(void)
{
  const char *const rows[] = {util_long_utf8, util_long_utf8_odd};

  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(RetuneCpuset) set = retune_cpuset_parse(rows[i], &error);
    g_assert_null(set);
    EXPECT_REFUSED(&error, RETUNE_ERROR_INVALID_VALUE, "aaa");
  }
}

static void test_parse_long(void)
{
  g_autoptr(GString) text = g_string_new("1");
  for (guint i = 0; i < 100000; i++)
    g_string_append(text, ",1");
  g_autoptr(RetuneCpuset) set = util_set(text->str);
  EXPECT_SET(set, "1");
}

static void test_range_adds(void)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(RetuneCpuset) set = util_set("1,3");

  g_assert_true(retune_cpuset_add_range(set, "5-6", &error));
  g_assert_no_error(error);
  EXPECT_SET(set, "1,3,5-6");
}

static void test_range_malformed(void)
{
  static const char *const rows[] = {"5-", "5-6x", "6-5", "5-9:1", "5-99999", "", "5,6"};

  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(RetuneCpuset) set = util_set("1");
    g_autoptr(GError) error = NULL;
    EXPECT(!retune_cpuset_add_range(set, rows[i], &error), "'%s' is taken", rows[i]);
    g_assert_nonnull(error);
    EXPECT_SET(set, "1");
  }
}

/* --- members --- */

static void test_add_limit(void)
{
  g_autoptr(RetuneCpuset) set = util_set("1");

  g_test_expect_message(G_LOG_DOMAIN, G_LOG_LEVEL_CRITICAL, "*RETUNE_CPU_LIMIT*");
  retune_cpuset_add(set, RETUNE_CPU_LIMIT);
  g_test_assert_expected_messages();
  EXPECT_SET(set, "1");
}

static void test_remove(void)
{
  g_autoptr(RetuneCpuset) set = util_set("0-3");

  retune_cpuset_remove(set, 1);
  EXPECT_SET(set, "0,2-3");
}

static void test_remove_absent(void)
{
  g_autoptr(RetuneCpuset) set = util_set("0-3");

  retune_cpuset_remove(set, 60);
  retune_cpuset_remove(set, 5000);
  retune_cpuset_remove(set, G_MAXUINT);
  EXPECT_SET(set, "0-3");
}

static void test_contains(void)
{
  static const guint members[] = {0, 63, 64, 16383};
  static const guint others[] = {1, 62, 65, 127, 128, 16382, 16384, G_MAXUINT};
  g_autoptr(RetuneCpuset) set = util_set("0,63-64,16383");

  for (guint i = 0; i < G_N_ELEMENTS(members); i++)
    EXPECT(retune_cpuset_contains(set, members[i]), "%u is missing", members[i]);
  for (guint i = 0; i < G_N_ELEMENTS(others); i++)
    EXPECT(!retune_cpuset_contains(set, others[i]), "%u is in it", others[i]);
}

static void test_empty(void)
{
  g_autoptr(RetuneCpuset) set = retune_cpuset_new();

  g_assert_true(retune_cpuset_is_empty(set));
  g_assert_cmpuint(retune_cpuset_count(set), ==, 0);
  EXPECT_SET(set, "");
}

static void test_emptied(void)
{
  g_autoptr(RetuneCpuset) set = util_set("100");

  retune_cpuset_remove(set, 100);
  g_assert_true(retune_cpuset_is_empty(set));
}

static void test_equal_sizes(void)
{
  g_autoptr(RetuneCpuset) small = util_set("1");
  g_autoptr(RetuneCpuset) large = util_set("1,9000");

  g_assert_false(retune_cpuset_equal(small, large));
  g_assert_false(retune_cpuset_equal(large, small));
  retune_cpuset_remove(large, 9000);
  g_assert_true(retune_cpuset_equal(small, large));
  g_assert_true(retune_cpuset_equal(large, small));
}

static void test_copy(void)
{
  g_autoptr(RetuneCpuset) set = util_set("1-2");
  g_autoptr(RetuneCpuset) copy = retune_cpuset_copy(set);

  retune_cpuset_add(copy, 9);
  retune_cpuset_remove(set, 1);
  EXPECT_SET(set, "2");
  EXPECT_SET(copy, "1-2,9");
}

static void test_copy_empty(void)
{
  g_autoptr(RetuneCpuset) set = retune_cpuset_new();
  g_autoptr(RetuneCpuset) copy = retune_cpuset_copy(set);

  retune_cpuset_add(copy, 3);
  EXPECT_SET(copy, "3");
  EXPECT_SET(set, "");
}

/* --- operations --- */

static void test_operations(void)
{
  static const struct {
    const char *a, *b, *both, *either, *difference;
  } rows[] = {
      {"", "", "", "", ""},
      {"0-3", "", "", "0-3", "0-3"},
      {"", "0-3", "", "0-3", ""},
      {"0-3", "2-5", "2-3", "0-5", "0-1"},
      {"0-3", "0-3", "0-3", "0-3", ""},
      {"1", "9000", "", "1,9000", "1"},
      {"9000", "1", "", "1,9000", "9000"},
      {"0-127", "64-200", "64-127", "0-200", "0-63"},
      {"0-16383", "1,16383", "1,16383", "0-16383", "0,2-16382"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(RetuneCpuset) a = util_set(rows[i].a);
    g_autoptr(RetuneCpuset) b = util_set(rows[i].b);
    g_autoptr(RetuneCpuset) both = retune_cpuset_copy(a);
    g_autoptr(RetuneCpuset) either = retune_cpuset_copy(a);
    retune_cpuset_intersect(both, b);
    retune_cpuset_union(either, b);
    retune_cpuset_subtract(a, b);
    EXPECT_SET(both, rows[i].both);
    EXPECT_SET(either, rows[i].either);
    EXPECT_SET(a, rows[i].difference);
    EXPECT_SET(b, rows[i].b);
  }
}

static void test_operations_itself(void)
{
  g_autoptr(RetuneCpuset) set = util_set("1,70");

  retune_cpuset_union(set, set);
  retune_cpuset_intersect(set, set);
  EXPECT_SET(set, "1,70");
  retune_cpuset_subtract(set, set);
  EXPECT_SET(set, "");
}

static void test_next(void)
{
  static const struct {
    gint from, expected;
  } rows[] = {
      {0, 3},     {3, 3},     {4, 64},      {63, 64},       {64, 64},    {65, 127},
      {127, 127}, {128, 128}, {129, 16383}, {16383, 16383}, {16384, -1}, {G_MAXINT, -1},
  };
  g_autoptr(RetuneCpuset) set = util_set("3,64,127-128,16383");

  for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
    EXPECT(retune_cpuset_next(set, rows[i].from) == rows[i].expected, "from %d: got %d",
           rows[i].from, retune_cpuset_next(set, rows[i].from));
}

static void test_foreach(void)
{
  g_autoptr(RetuneCpuset) set = util_set("16383,0,63-64");
  g_autoptr(GString) seen = g_string_new(NULL);

  RETUNE_CPUSET_FOREACH (cpu, set)
    g_string_append_printf(seen, "%d ", cpu);
  g_assert_cmpstr(seen->str, ==, "0 63 64 16383 ");
}

static void test_foreach_empty(void)
{
  g_autoptr(RetuneCpuset) set = retune_cpuset_new();

  RETUNE_CPUSET_FOREACH (cpu, set)
    EXPECT(FALSE, "visited %d", cpu);
  g_assert_cmpint(retune_cpuset_next(set, 0), ==, -1);
}

/* --- size --- */

static void test_sparse(void)
{
  g_autoptr(RetuneCpuset) set = retune_cpuset_new();
  guint count = 0;

  for (guint cpu = 1; cpu < RETUNE_CPU_LIMIT; cpu += 2, count++)
    retune_cpuset_add(set, cpu);
  g_autofree char *text = retune_cpuset_to_string(set);
  g_autoptr(RetuneCpuset) again = util_set(text);
  g_assert_cmpuint(retune_cpuset_count(set), ==, count);
  g_assert_true(retune_cpuset_equal(set, again));
}

static void test_full(void)
{
  g_autoptr(RetuneCpuset) set = util_set("0-16383");

  g_assert_cmpuint(retune_cpuset_count(set), ==, RETUNE_CPU_LIMIT);
  EXPECT_SET(set, "0-16383");
}

/* Random sets against the plainest implementation there is. */
static void test_random(void)
{
  enum { SIZE = 200 };

  for (guint round = 0; round < 300; round++) {
    g_autoptr(RetuneCpuset) a = retune_cpuset_new();
    g_autoptr(RetuneCpuset) b = retune_cpuset_new();
    gboolean in_a[SIZE] = {0}, in_b[SIZE] = {0};
    for (guint i = 0; i < 60; i++) {
      guint x = (guint)g_test_rand_int_range(0, SIZE), y = (guint)g_test_rand_int_range(0, SIZE);
      retune_cpuset_add(a, x);
      retune_cpuset_add(b, y);
      in_a[x] = in_b[y] = TRUE;
    }
    g_autofree char *text = retune_cpuset_to_string(a);
    g_autoptr(RetuneCpuset) read = util_set(text);
    retune_cpuset_subtract(read, b);
    retune_cpuset_intersect(b, a);
    for (guint cpu = 0; cpu < SIZE; cpu++) {
      g_assert_cmpint(retune_cpuset_contains(read, cpu), ==, in_a[cpu] && !in_b[cpu]);
      g_assert_cmpint(retune_cpuset_contains(b, cpu), ==, in_a[cpu] && in_b[cpu]);
    }
  }
}

int main(int argc, char **argv)
{
  util_init(argc, argv);
  g_test_add_func("/cpuset/parse/valid/gives-canonical-list", test_parse_valid);
  g_test_add_func("/cpuset/parse/stride/gives-members", test_parse_strides);
  g_test_add_func("/cpuset/parse/malformed/refused", test_parse_malformed);
  g_test_add_func("/cpuset/parse/beyond-limit/refused", test_parse_beyond_limit);
  g_test_add_func("/cpuset/parse/bad-item/is-named", test_parse_error_item);
  g_test_add_func("/cpuset/parse/missing-group/is-explained", test_parse_error_group);
  g_test_add_func("/cpuset/parse/long-utf8/message-is-utf8", test_parse_error_utf8);
  g_test_add_func("/cpuset/parse/long-list/taken", test_parse_long);
  g_test_add_func("/cpuset/add-range/valid/adds", test_range_adds);
  g_test_add_func("/cpuset/add-range/malformed/adds-nothing", test_range_malformed);
  g_test_add_func("/cpuset/add/at-limit/adds-nothing", test_add_limit);
  g_test_add_func("/cpuset/remove/member/gone", test_remove);
  g_test_add_func("/cpuset/remove/absent/changes-nothing", test_remove_absent);
  g_test_add_func("/cpuset/contains/any-number/tells-members", test_contains);
  g_test_add_func("/cpuset/new/fresh/is-empty", test_empty);
  g_test_add_func("/cpuset/is-empty/last-removed/is-empty", test_emptied);
  g_test_add_func("/cpuset/equal/other-storage/compares-members", test_equal_sizes);
  g_test_add_func("/cpuset/copy/changed/leaves-original", test_copy);
  g_test_add_func("/cpuset/copy/empty/can-grow", test_copy_empty);
  g_test_add_func("/cpuset/operations/pairs/give-set-algebra", test_operations);
  g_test_add_func("/cpuset/operations/with-itself/work", test_operations_itself);
  g_test_add_func("/cpuset/next/any-start/finds-first-member", test_next);
  g_test_add_func("/cpuset/foreach/members/in-order", test_foreach);
  g_test_add_func("/cpuset/foreach/empty/visits-nothing", test_foreach_empty);
  g_test_add_func("/cpuset/size/sparse/round-trips", test_sparse);
  g_test_add_func("/cpuset/size/full/is-one-range", test_full);
  g_test_add_func("/cpuset/random/operations/match-plain-arrays", test_random);
  return g_test_run();
}
