// SPDX-License-Identifier: GPL-2.0-or-later
/* Profiles: syntax, variables, which sections are instances. */
#include "profile.h"

#include <string.h>

#include "devices.h"
#include "profile-fixture.h"
#include "util.h"

/* --- syntax --- */

static void test_plain(void)
{
  EXPECT_PROFILE("[net]\ntype=cpu\ndevices=28,30\ngovernor=performance\npriority=5\n", NULL,
                 "net{28,30}[governor=performance priority=5]");
}

static void test_plugin_name(void)
{
  EXPECT_PROFILE("[cpu]\ndevices=0\ngovernor=powersave\n", NULL, "cpu{0}[governor=powersave]");
}

static void test_blanks(void)
{
  EXPECT_PROFILE("\n  [ net ]  \n\t type = cpu \r\n  devices =  0 , 1  \r\n governor\t=\tx\n\n",
                 NULL, "net{0 , 1}[governor=x]");
}

static void test_no_final_newline(void)
{
  EXPECT_PROFILE("[cpu]\ndevices=0", NULL, "cpu{0}[]");
}

static void test_comments(void)
{
  EXPECT_PROFILE("# one\n; two\n[cpu] # three\ndevices=0 # four\n  # five\n"
                 "governor=a#b\nboost=1;x\n#governor=z\n",
                 NULL, "cpu{0}[governor=a#b boost=1;x]");
}

static void test_values(void)
{
  static const struct {
    const char *value, *expected;
  } rows[] = {
      {"\"powersave\"", "powersave"},
      {"'powersave'", "powersave"},
      {"\"a b\"", "a b"},
      {"\"a'", "\"a'"},
      {"\"", "\""},
      {"\"\"", ""},
      {"", ""},
      {"a=b=c", "a=b=c"},
      {"a|b", "a|b"},
      {"$", "$"},
      {"$x", "$x"},
      {"a$", "a$"},
      {"}", "}"},
      {"[x]", "[x]"},
      {"%s%n", "%s%n"},
      {"\u00e9", "\u00e9"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *text = g_strdup_printf("[cpu]\ndevices=0\ngovernor=%s\n", rows[i].value);
    g_autofree char *expected = g_strdup_printf("cpu{0}[governor=%s]", rows[i].expected);
    EXPECT_PROFILE(text, NULL, expected);
  }
}

static void test_malformed(void)
{
  static const struct {
    const char *text, *part;
  } rows[] = {
      {"governor=x\n[cpu]\n", "p:1: "},
      {"\n# c\nx\n", "p:3: "},
      {"[cpu]\ndevices=0\nnonsense\n", "p:3: 'nonsense'"},
      {"[cpu]\n=x\n", "p:2: "},
      {"[cpu]\n = x\n", "p:2: "},
      {"[cpu\ndevices=0\n", "p:1: '[cpu'"},
      {"[cpu]\n[]\n", "p:2: '[]'"},
      {"[cpu]\n[ ]\n", "p:2: "},
      {"[cpu]x\n", "p:1: '[cpu]x'"},
      {"[", "p:1: "},
      {"<html>", "p:1: "},
  };
  for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
    EXPECT_PROFILE_REFUSED(rows[i].text, NULL, RETUNE_ERROR_INVALID_VALUE, rows[i].part);
}

static void test_duplicate_section(void)
{
  EXPECT_PROFILE_REFUSED("[cpu]\ndevices=0\n[ cpu ]\n", NULL, RETUNE_ERROR_INVALID_VALUE,
                         "p:3: section [cpu] is there already, at p:1");
}

static void test_duplicate_key(void)
{
  EXPECT_PROFILE_REFUSED("[cpu]\nboost=1\ngovernor=x\nboost = 1\n", NULL,
                         RETUNE_ERROR_INVALID_VALUE,
                         "p:4: 'boost' is given twice in section [cpu], first at p:2");
}

static void test_not_utf8(void)
{
  EXPECT_PROFILE_REFUSED("[cpu]\ngovernor=\xff\xfe\n", NULL, RETUNE_ERROR_INVALID_VALUE, "p: ");
}

static void test_where(void)
{
  g_autoptr(RetuneProfile) profile =
      profile_parse("# c\n[cpu]\n\ndevices=0\ngovernor=x\n", NULL, NULL);

  g_assert_nonnull(profile);
  const RetuneSpec *spec = profile->specs->pdata[0];
  const RetuneOption *option = spec->options->pdata[0];
  g_assert_cmpstr(spec->where, ==, "p:2");
  g_assert_cmpstr(option->where, ==, "p:5");
}

/* --- variables --- */

static void test_variables(void)
{
  static const struct {
    const char *variables, *value, *expected;
  } rows[] = {
      {"x=powersave", "${x}", "powersave"},
      {"x=a\ny=b", "${x}|${y}", "a|b"},
      {"x=${y}\ny=${z}\nz=deep", "<${x}>", "<deep>"},
      {"x=", "a${x}b", "ab"},
      {"x=1", "${f:cpulist2devs:${x},3}", "1,3"},
      {"x=1", "${f:cpulist2devs:0-3}", "0-3"},
      {"x=${f:cpulist2devs:${y}}\ny=4", "${x}", "4"},
      {"x=$", "${x}{y}", "${y}"}, /* what comes out is not read again */
  };
  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *text = g_strdup_printf("[variables]\n%s\n[cpu]\ndevices=0\ngovernor=%s\n",
                                            rows[i].variables, rows[i].value);
    g_autofree char *expected = g_strdup_printf("cpu{0}[governor=%s]", rows[i].expected);
    EXPECT_PROFILE(text, NULL, expected);
  }
}

static void test_variables_devices(void)
{
  EXPECT_PROFILE("[cpu]\ndevices=${f:cpulist2devs:${isolated}}\n[variables]\nisolated=2-5\n", NULL,
                 "cpu{2-5}[]");
}

static void test_variables_bad(void)
{
  static const struct {
    const char *variables, *value, *part;
  } rows[] = {
      {"x=1", "${y}", "p:5: no variable 'y'"},
      {"x=1", "${}", "p:5: no variable ''"},
      {"x=1", "${x", "'${' without '}'"},
      {"x=1", "${f:cpulist2devs:${x}", "'${' without '}'"},
      {"x=${y}", "${x}", "no variable 'y'"},
      {"x=${x}", "${x}", "p:5: "},
      {"x=a${x}", "${x}", "p:5: "},
      {"x=1", "${ x}", "no variable"},
      {"x=1", "${${x}}", "p:5: "},
  };
  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *text = g_strdup_printf("[variables]\n%s\n[cpu]\ndevices=0\ngovernor=%s\n",
                                            rows[i].variables, rows[i].value);
    g_autoptr(GError) error = NULL;
    g_autoptr(RetuneProfile) profile = profile_parse(text, NULL, &error);
    EXPECT(profile == NULL, "'%s' is taken", rows[i].value);
    EXPECT(error != NULL && strstr(error->message, rows[i].part) != NULL &&
               g_str_has_prefix(error->message, "p:5: "),
           "'%s': %s", rows[i].value, error != NULL ? error->message : "no error");
  }
}

/* Functions of TuneD that run programs or read files are refused. */
static void test_functions(void)
{
  static const char *const rows[] = {
      "${f:exec:/bin/sh:-c:reboot}",
      "${f:exec:touch:/tmp/x}",
      "${f:virt_check:a:b}",
      "${f:calc_isolated_cores:1}",
      "${f:}",
      "${f:cpulist2devs}",
      "${f:check_net_queue_count:${x}}",
  };
  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *text = g_strdup_printf("[cpu]\ndevices=0\ngovernor=%s\n", rows[i]);
    EXPECT_PROFILE_REFUSED(text, NULL, RETUNE_ERROR_INVALID_VALUE, "p:3: function");
  }
}

static void test_no_variables(void)
{
  EXPECT_PROFILE_REFUSED("[cpu]\ndevices=${x}\n", NULL, RETUNE_ERROR_INVALID_VALUE,
                         "p:2: no variable 'x'");
}

/* --- which sections are instances --- */

static void test_other_plugins(void)
{
  g_autoptr(RetuneProfile) profile =
      profile_parse("[main]\nsummary=x\n[variables]\na=1\n[sysctl]\nvm.swappiness=10\n"
                    "[cpu]\ndevices=0\n[script]\nscript=${i:PROFILE_DIR}/x.sh\n[d]\ntype=disk\n",
                    NULL, NULL);

  g_assert_nonnull(profile);
  g_assert_cmpuint(profile->ignored->len, ==, 3);
  g_assert_cmpstr(profile->ignored->pdata[0], ==, "sysctl");
  g_assert_cmpstr(profile->ignored->pdata[1], ==, "script");
  g_assert_cmpstr(profile->ignored->pdata[2], ==, "d");
  EXPECT_TEXT(profile_describe(profile), "cpu{0}[]");
}

static void test_missing_type(void)
{
  EXPECT_PROFILE_REFUSED("[cpu]\ndevices=0\n[net]\ndevices=1\ngovernor=x\n", NULL,
                         RETUNE_ERROR_INVALID_VALUE, "p:3: section [net]");
  EXPECT_PROFILE_REFUSED("[net]\ndevices=1\ngovernor=x\n", NULL, RETUNE_ERROR_INVALID_VALUE,
                         "type=cpu");
}

static void test_other_type(void)
{
  EXPECT_PROFILE("[cpu]\ndevices=0\n[net]\ntype=net\ngovernor=x\n", NULL, "cpu{0}[]");
}

static void test_disabled(void)
{
  static const char *const rows[] = {"0", "false", "no", "off", "False", "n"};

  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *text = g_strdup_printf(
        "[cpu]\ndevices=0\n[net]\ntype=cpu\nenabled=%s\ngovernor=${nothing}\n", rows[i]);
    EXPECT_PROFILE(text, NULL, "cpu{0}[]");
  }
}

static void test_enabled(void)
{
  static const char *const rows[] = {"1", "true", "yes", "on", "True"};

  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *text = g_strdup_printf("[cpu]\ndevices=0\nenabled=%s\n", rows[i]);
    EXPECT_PROFILE(text, NULL, "cpu{0}[]");
  }
}

static void test_enabled_bad(void)
{
  EXPECT_PROFILE_REFUSED("[cpu]\ndevices=0\nenabled=nope\n", NULL, RETUNE_ERROR_INVALID_VALUE,
                         "p:3: ");
}

static void test_none(void)
{
  static const char *const rows[] = {"", "\n\n", "[main]\nsummary=x\n", "[sysctl]\na=1\n",
                                     "[variables]\na=1\n"};
  for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
    EXPECT_PROFILE_REFUSED(rows[i], NULL, RETUNE_ERROR_INVALID_VALUE, "p: no section");
}

/* Options are not judged here, but with the machine at hand. */
static void test_unchecked(void)
{
  EXPECT_PROFILE("[cpu]\ndevices=99\nnonsense=x\nboost=maybe\n", NULL,
                 "cpu{99}[nonsense=x boost=maybe]");
}

/* --- default claims --- */

/* Expects that section [rest], without devices, has @expected on 16 CPUs. */
static void expect_rest(const char *others, const char *expected)
{
  g_autofree char *text = g_strdup_printf("[rest]\ntype=cpu\nboost=1\n%s", others);
  g_autoptr(RetuneCpuset) existing = util_set("0-15");
  g_autoptr(GError) error = NULL;
  g_autoptr(RetuneProfile) profile = profile_parse(text, NULL, &error);

  g_assert_no_error(error);
  g_assert_null(((const RetuneSpec *)profile->specs->pdata[0])->claim);
  g_autofree char *list = retune_specs_unclaimed(profile->specs, existing);
  EXPECT(g_str_equal(list, expected), "the rest is %s, expected %s", list, expected);
}

static void test_default_all(void)
{
  expect_rest("", "0-15");
}

static void test_default_rest(void)
{
  expect_rest("[net]\ntype=cpu\ndevices=2,4\n", "0-1,3,5-15");
  expect_rest("[a]\ntype=cpu\ndevices=0-3\n[b]\ntype=cpu\ndevices=cpu8 9\n", "4-7,10-15");
  expect_rest("[a]\ntype=cpu\ndevices=cpulist:0-3,cpu1*\n", "4-9");
  expect_rest("[variables]\nx=5-15\n[a]\ntype=cpu\ndevices=${x}\n", "0-4");
  expect_rest("[a]\ntype=cpu\ndevices=0-15:1/2\n", "1,3,5,7,9,11,13,15");
}

static void test_default_disabled(void)
{
  expect_rest("[net]\ntype=cpu\ndevices=2\nenabled=0\n", "0-15");
}

/* All separators of device expressions count. */
static void test_default_tabs(void)
{
  expect_rest("[net]\ntype=cpu\ndevices=2\t4\n", "0-1,3,5-15");
}

/* What another section excludes is not its own, and so falls to the rest. */
static void test_default_exclusions(void)
{
  expect_rest("[net]\ntype=cpu\ndevices=0-7,!3\n", "3,8-15");
  expect_rest("[net]\ntype=cpu\ndevices=!0-3\n", "0-3");
}

static void test_default_nothing(void)
{
  expect_rest("[net]\ntype=cpu\ndevices=all\n", "");
}

/* What is wrong with a claim is said when it is made an instance. */
static void test_default_wrong(void)
{
  expect_rest("[net]\ntype=cpu\ndevices=nonsense\n", "0-15");
  expect_rest("[net]\ntype=cpu\ndevices=12-99\n", "0-11");
}

int main(int argc, char **argv)
{
  util_init(argc, argv);
  g_test_add_func("/profile/syntax/plain/read", test_plain);
  g_test_add_func("/profile/syntax/named-like-plugin/needs-no-type", test_plugin_name);
  g_test_add_func("/profile/syntax/blanks/trimmed", test_blanks);
  g_test_add_func("/profile/syntax/no-final-newline/read", test_no_final_newline);
  g_test_add_func("/profile/syntax/comments/cut", test_comments);
  g_test_add_func("/profile/syntax/values/unquoted-or-kept", test_values);
  g_test_add_func("/profile/syntax/malformed/refused-with-line", test_malformed);
  g_test_add_func("/profile/syntax/duplicate-section/refused-with-both-lines",
                  test_duplicate_section);
  g_test_add_func("/profile/syntax/duplicate-key/refused-with-both-lines", test_duplicate_key);
  g_test_add_func("/profile/syntax/not-utf8/refused", test_not_utf8);
  g_test_add_func("/profile/syntax/place/kept", test_where);
  g_test_add_func("/profile/variables/valid/expanded", test_variables);
  g_test_add_func("/profile/variables/in-devices/expanded", test_variables_devices);
  g_test_add_func("/profile/variables/bad/refused-with-line", test_variables_bad);
  g_test_add_func("/profile/variables/functions/refused-but-one", test_functions);
  g_test_add_func("/profile/variables/no-section/refused", test_no_variables);
  g_test_add_func("/profile/sections/other-plugins/ignored-by-name", test_other_plugins);
  g_test_add_func("/profile/sections/cpu-option-without-type/refused", test_missing_type);
  g_test_add_func("/profile/sections/other-type/ignored", test_other_type);
  g_test_add_func("/profile/sections/disabled/left-out", test_disabled);
  g_test_add_func("/profile/sections/enabled/read", test_enabled);
  g_test_add_func("/profile/sections/enabled-misspelt/refused", test_enabled_bad);
  g_test_add_func("/profile/sections/none-of-cpu/refused", test_none);
  g_test_add_func("/profile/sections/options/not-judged-here", test_unchecked);
  g_test_add_func("/profile/claim/alone/all", test_default_all);
  g_test_add_func("/profile/claim/others-name-cpus/the-rest", test_default_rest);
  g_test_add_func("/profile/claim/other-disabled/all", test_default_disabled);
  g_test_add_func("/profile/claim/others-use-tabs/the-rest", test_default_tabs);
  g_test_add_func("/profile/claim/others-exclude/excluded-are-in-the-rest",
                  test_default_exclusions);
  g_test_add_func("/profile/claim/others-have-all/nothing", test_default_nothing);
  g_test_add_func("/profile/claim/others-are-wrong/count-for-what-exists", test_default_wrong);
  return g_test_run();
}
