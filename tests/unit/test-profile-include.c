// SPDX-License-Identifier: GPL-2.0-or-later
/* Profiles that include others, and texts made to do harm. */
#include "profile.h"

#include "profile-fixture.h"
#include "profile-syntax.h"
#include "table.h"
#include "util.h"

#define MAIN "[main]\ninclude="

/* --- includes --- */

static const ProfileFile files[] = {
    {"base", "[cpu]\ndevices=0-3\ngovernor=powersave\nboost=0\n"},
    {"net", "[net]\ntype=cpu\ndevices=8\n[cpu]\nboost=1\n"},
    {"nested", MAIN "base\n[cpu]\ngovernor=schedutil\n"},
    {"vars", "[variables]\nx=4\ny=5\n"},
    {"broken", "[cpu]\n\nnonsense\n"},
    {"loop-a", MAIN "loop-b\n[cpu]\ndevices=0\n"},
    {"loop-b", MAIN "loop-a\n"},
    {"self", MAIN "self\n"},
    {NULL, NULL},
};

static void test_include(void)
{
  EXPECT_PROFILE(MAIN "base\n", files, "cpu{0-3}[governor=powersave boost=0]");
}

static void test_include_override(void)
{
  EXPECT_PROFILE(MAIN "base\n[cpu]\nboost=1\n", files, "cpu{0-3}[governor=powersave boost=1]");
}

/* Wherever in the file the include stands, what the file says itself counts. */
static void test_include_last(void)
{
  EXPECT_PROFILE("[cpu]\nboost=1\n" MAIN "base\n", files, "cpu{0-3}[governor=powersave boost=1]");
}

static void test_include_several(void)
{
  EXPECT_PROFILE(MAIN "base,net\n", files, "cpu{0-3}[governor=powersave boost=1] net{8}[]");
  EXPECT_PROFILE(MAIN "net base\n", files, "net{8}[] cpu{0-3}[governor=powersave boost=0]");
  EXPECT_PROFILE(MAIN " base , net \n", files, "cpu{0-3}[governor=powersave boost=1] net{8}[]");
}

static void test_include_nested(void)
{
  EXPECT_PROFILE(MAIN "nested\n", files, "cpu{0-3}[boost=0 governor=schedutil]");
}

static void test_include_variables(void)
{
  EXPECT_PROFILE(MAIN "vars\n[variables]\ny=6\n[cpu]\ndevices=${x},${y}\n", files, "cpu{4,6}[]");
}

static void test_include_missing(void)
{
  EXPECT_PROFILE_REFUSED("\n" MAIN "absent\n[cpu]\n", files, RETUNE_ERROR_INVALID_VALUE,
                         "p:3: profile 'absent' not found");
}

static void test_include_optional(void)
{
  EXPECT_PROFILE(MAIN "-absent\n[cpu]\ndevices=0\n", files, "cpu{0}[]");
  EXPECT_PROFILE(MAIN "-base\n", files, "cpu{0-3}[governor=powersave boost=0]");
}

static void test_include_broken(void)
{
  EXPECT_PROFILE_REFUSED(MAIN "broken\n", files, RETUNE_ERROR_INVALID_VALUE, "inc/broken:3: ");
}

/* Optional means it may be absent, not that it may be wrong. */
static void test_include_optional_broken(void)
{
  EXPECT_PROFILE_REFUSED(MAIN "-broken\n[cpu]\ndevices=0\n", files, RETUNE_ERROR_INVALID_VALUE,
                         "inc/broken:3: ");
}

static void test_include_cycle(void)
{
  EXPECT_PROFILE_REFUSED(MAIN "self\n", files, RETUNE_ERROR_LIMITS_EXCEEDED, "inc/self:2: ");
  EXPECT_PROFILE_REFUSED(MAIN "loop-a\n", files, RETUNE_ERROR_LIMITS_EXCEEDED, "inc/loop-");
  EXPECT_PROFILE_REFUSED(MAIN "-self\n", files, RETUNE_ERROR_LIMITS_EXCEEDED, "inc/self:2: ");
}

static void test_include_place(void)
{
  g_autoptr(RetuneProfile) profile = profile_parse(MAIN "base\n[cpu]\nboost=1\n", files, NULL);

  g_assert_nonnull(profile);
  const RetuneSpec *spec = profile->specs->pdata[0];
  g_assert_cmpstr(((RetuneOption *)spec->options->pdata[0])->where, ==, "inc/base:3");
  g_assert_cmpstr(((RetuneOption *)spec->options->pdata[1])->where, ==, "p:4");
  g_assert_cmpstr(spec->where, ==, "p:3");
}

static void test_replace(void)
{
  EXPECT_PROFILE(MAIN "base\n[cpu]\nreplace=1\ndevices=5\n", files, "cpu{5}[]");
}

/* The same words as for any boolean. */
static void test_replace_words(void)
{
  EXPECT_PROFILE(MAIN "base\n[cpu]\nreplace=true\ndevices=5\n", files, "cpu{5}[]");
  EXPECT_PROFILE(MAIN "base\n[cpu]\nreplace=yes\ndevices=5\n", files, "cpu{5}[]");
  EXPECT_PROFILE(MAIN "base\n[cpu]\nreplace=0\ndevices=5\n", files,
                 "cpu{5}[governor=powersave boost=0]");
}

static void test_disable_included(void)
{
  EXPECT_PROFILE(MAIN "base,net\n[net]\nenabled=0\n", files,
                 "cpu{0-3}[governor=powersave boost=1]");
}

/* --- texts made to do harm: each must end, and soon --- */

#define PATIENCE (20 * G_TIME_SPAN_SECOND)

/* Runs the hostile test of that name in a process of its own, which is killed if it
 * does not end. AddressSanitizer's strstr() measures all of the text each time,
 * which would count for our own slowness. */
static void expect_ends(const char *name)
{
  g_autofree char *path = g_strdup_printf("/profile/hostile/subprocess/%s", name);

  g_setenv("ASAN_OPTIONS", "intercept_strstr=0", FALSE);
  g_test_trap_subprocess(path, PATIENCE, 0);
  EXPECT(!g_test_trap_reached_timeout(), "%s does not end", name);
  if (!g_test_trap_reached_timeout())
    EXPECT(g_test_trap_has_passed(), "%s fails", name);
}

/* v0 is nothing, and each further variable is 200 times the one before. */
static void child_bomb(void)
{
  g_autoptr(GString) text = g_string_new("[variables]\nv0=\n");

  for (guint i = 1; i <= 14; i++) {
    g_string_append_printf(text, "v%u=", i);
    for (guint k = 0; k < 200; k++)
      g_string_append_printf(text, "${v%u}", i - 1);
    g_string_append_c(text, '\n');
  }
  g_string_append(text, "[cpu]\ndevices=${v14}\n");
  g_autoptr(GError) error = NULL;
  g_autoptr(RetuneProfile) profile = profile_parse(text->str, NULL, &error);
  g_assert_null(profile);
  g_assert_nonnull(error);
}

static void test_bomb(void)
{
  expect_ends("bomb");
}

/* Variables that grow stay within what a value may have. */
static void test_growth(void)
{
  g_autoptr(GString) text = g_string_new("[variables]\nv0=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n");

  for (guint i = 1; i <= 12; i++)
    g_string_append_printf(text, "v%u=${v%u}${v%u}${v%u}${v%u}\n", i, i - 1, i - 1, i - 1, i - 1);
  g_string_append(text, "[cpu]\ndevices=${v12}\n");
  g_autoptr(GError) error = NULL;
  g_autoptr(RetuneProfile) profile = profile_parse(text->str, NULL, &error);
  g_assert_null(profile);
  g_assert_nonnull(error);
}

static void test_deep_braces(void)
{
  g_autoptr(GString) text = g_string_new("[cpu]\ndevices=");

  for (guint i = 0; i < 30000; i++)
    g_string_append(text, "${");
  EXPECT_PROFILE_REFUSED(text->str, NULL, RETUNE_ERROR_INVALID_VALUE, "p:2: ");
}

static void test_deep_functions(void)
{
  g_autoptr(GString) text = g_string_new("[cpu]\ndevices=");

  for (guint i = 0; i < 3000; i++)
    g_string_append(text, "${f:cpulist2devs:");
  for (guint i = 0; i < 3000; i++)
    g_string_append(text, "}");
  EXPECT_PROFILE_REFUSED(text->str, NULL, RETUNE_ERROR_INVALID_VALUE, "p:2: ");
}

/* 15 levels that each include the next one four times: few files, many loads. */
static void test_include_fan(void)
{
  ProfileFile fan[17] = {{NULL, NULL}};
  ProfileFiles data = {fan, 0, 20000};
  g_autoptr(GPtrArray) owned = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GError) error = NULL;

  for (guint i = 0; i < 15; i++) {
    char *name = g_strdup_printf("f%u", i);
    char *text = i < 14 ? g_strdup_printf(MAIN "f%u f%u f%u f%u\n", i + 1, i + 1, i + 1, i + 1)
                        : g_strdup("[cpu]\ndevices=0\n");
    fan[i] = (ProfileFile){name, text};
    g_ptr_array_add(owned, name);
    g_ptr_array_add(owned, text);
  }
  g_autoptr(RetuneProfile) profile =
      retune_profile_parse(MAIN "f0\n", "p", retune_knobs_table(), profile_load, &data, &error);
  EXPECT(data.n_loads <= 1000, "%u profiles are loaded", data.n_loads);
  if (profile == NULL)
    EXPECT_REFUSED(&error, RETUNE_ERROR_LIMITS_EXCEEDED, ":2: ");
}

/* Appends "@beforeN@after" with ever larger N, up to the largest size of a file. */
static void fill(GString *text, const char *before, const char *after)
{
  for (guint i = 0; text->len < RETUNE_PROFILE_MAX_SIZE - 32; i++)
    g_string_append_printf(text, "%s%u%s", before, i, after);
}

static void child_keys(void)
{
  g_autoptr(GString) text = g_string_new("[sysctl]\n");

  fill(text, "k", "=\n");
  g_autoptr(RetuneProfile) profile = profile_parse(text->str, NULL, NULL);
  g_assert_null(profile); /* too many, or no section of cpu */
}

static void test_many_keys(void)
{
  expect_ends("keys");
}

static void child_sections(void)
{
  g_autoptr(GString) text = g_string_new(NULL);

  fill(text, "[s", "]\n");
  g_autoptr(RetuneProfile) profile = profile_parse(text->str, NULL, NULL);
  g_assert_null(profile);
}

static void test_many_sections(void)
{
  expect_ends("sections");
}

static void test_many_lines(void)
{
  /* Not the full size: AddressSanitizer makes the search for lines quadratic. */
  g_autofree char *text = g_strnfill(RETUNE_PROFILE_MAX_SIZE / 8, '\n');
  EXPECT_PROFILE_REFUSED(text, NULL, RETUNE_ERROR_INVALID_VALUE, "no section");
}

static void test_long_line(void)
{
  g_autofree char *text = g_strnfill(RETUNE_PROFILE_MAX_SIZE, 'x');
  EXPECT_PROFILE_REFUSED(text, NULL, RETUNE_ERROR_LIMITS_EXCEEDED, "p:1: ");
}

/* A profile of @n_sections other sections with @n_keys keys each. */
static char *make_large(guint n_sections, guint n_keys)
{
  GString *text = g_string_new("[cpu]\ndevices=0\n");

  for (guint i = 0; i < n_sections; i++) {
    g_string_append_printf(text, "[s%u]\n", i);
    for (guint k = 0; k < n_keys; k++)
      g_string_append_printf(text, "k%u=\n", k);
  }
  return g_string_free(text, FALSE);
}

static void test_most_items(void)
{
  g_autofree char *sections = make_large(RETUNE_PROFILE_MAX_ITEMS - 1, 0);
  g_autofree char *keys = make_large(1, RETUNE_PROFILE_MAX_ITEMS);

  EXPECT_PROFILE(sections, NULL, "cpu{0}[]");
  EXPECT_PROFILE(keys, NULL, "cpu{0}[]");
}

static void test_too_many_items(void)
{
  g_autofree char *sections = make_large(RETUNE_PROFILE_MAX_ITEMS, 0);
  g_autofree char *keys = make_large(1, RETUNE_PROFILE_MAX_ITEMS + 1);

  EXPECT_PROFILE_REFUSED(sections, NULL, RETUNE_ERROR_LIMITS_EXCEEDED, "p:1002: ");
  EXPECT_PROFILE_REFUSED(keys, NULL, RETUNE_ERROR_LIMITS_EXCEEDED, "p:1004: ");
}

static void test_long_names(void)
{
  g_autofree char *name = g_strnfill(RETUNE_PROFILE_MAX_NAME + 1, 'x');
  g_autofree char *section = g_strdup_printf("[%s]\n", name);
  g_autofree char *key = g_strdup_printf("[cpu]\n%s=1\n", name);

  EXPECT_PROFILE_REFUSED(section, NULL, RETUNE_ERROR_LIMITS_EXCEEDED, "p:1: ");
  EXPECT_PROFILE_REFUSED(key, NULL, RETUNE_ERROR_LIMITS_EXCEEDED, "p:2: ");
}

static void test_message_utf8(void)
{
  static const char *const rows[] = {
      "%s",
      "[%s",
      "[%s]\n[%s]\n",
      "[cpu]\n%s\n",
      "[cpu]\n%s=1\n%s=1\n",
      "[cpu]\nx=${%s}\n",
      "[cpu]\nx=${%s\n",
      "[cpu]\nx=${f:%s}\n",
      "[%s]\ngovernor=x\n",
  };
  const char *const words[] = {util_long_utf8, util_long_utf8_odd};

  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    for (guint k = 0; k < G_N_ELEMENTS(words); k++) {
      g_autoptr(GString) text = g_string_new(rows[i]);
      g_string_replace(text, "%s", words[k], 0);
      EXPECT_PROFILE_REFUSED(text->str, NULL, RETUNE_ERROR_INVALID_VALUE, "p:");
    }
  }
}

int main(int argc, char **argv)
{
  util_init(argc, argv);
  g_test_add_func("/profile/include/one/read", test_include);
  g_test_add_func("/profile/include/same-key/including-file-counts", test_include_override);
  g_test_add_func("/profile/include/at-the-end/read-first", test_include_last);
  g_test_add_func("/profile/include/several/in-order", test_include_several);
  g_test_add_func("/profile/include/nested/read", test_include_nested);
  g_test_add_func("/profile/include/variables/merged", test_include_variables);
  g_test_add_func("/profile/include/missing/refused-with-line", test_include_missing);
  g_test_add_func("/profile/include/optional/may-be-missing", test_include_optional);
  g_test_add_func("/profile/include/broken/refused-with-its-line", test_include_broken);
  g_test_add_func("/profile/include/optional-broken/refused", test_include_optional_broken);
  g_test_add_func("/profile/include/cycle/refused", test_include_cycle);
  g_test_add_func("/profile/include/place/is-where-it-was-written", test_include_place);
  g_test_add_func("/profile/replace/1/drops-included-keys", test_replace);
  g_test_add_func("/profile/replace/other-words/are-booleans", test_replace_words);
  g_test_add_func("/profile/include/disabled-by-including/left-out", test_disable_included);
  g_test_add_func("/profile/hostile/subprocess/bomb", child_bomb);
  g_test_add_func("/profile/hostile/subprocess/keys", child_keys);
  g_test_add_func("/profile/hostile/subprocess/sections", child_sections);
  g_test_add_func("/profile/hostile/empty-bomb/ends", test_bomb);
  g_test_add_func("/profile/hostile/growing-variables/refused", test_growth);
  g_test_add_func("/profile/hostile/deep-braces/refused", test_deep_braces);
  g_test_add_func("/profile/hostile/deep-functions/refused", test_deep_functions);
  g_test_add_func("/profile/hostile/fan-of-includes/bounded", test_include_fan);
  g_test_add_func("/profile/hostile/many-keys/ends", test_many_keys);
  g_test_add_func("/profile/hostile/many-sections/ends", test_many_sections);
  g_test_add_func("/profile/hostile/many-lines/refused", test_many_lines);
  g_test_add_func("/profile/hostile/long-line/refused", test_long_line);
  g_test_add_func("/profile/limits/most-items/read", test_most_items);
  g_test_add_func("/profile/limits/too-many-items/refused", test_too_many_items);
  g_test_add_func("/profile/limits/long-names/refused", test_long_names);
  g_test_add_func("/profile/hostile/long-utf8/message-is-utf8", test_message_utf8);
  return g_test_run();
}
