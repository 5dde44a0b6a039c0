// SPDX-License-Identifier: GPL-2.0-or-later
/* Helpers of the unit tests. */
#include "util.h"

#include <string.h>

#include "table.h"

#define TEN_LETTERS "\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9"
#define SIXTY_BYTES "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

#define SEED "R02S5f3759df0000000100000002feedc0de"

const char util_long_utf8[] = SIXTY_BYTES "aa" TEN_LETTERS TEN_LETTERS TEN_LETTERS TEN_LETTERS;
const char util_long_utf8_odd[] = SIXTY_BYTES "aaa" TEN_LETTERS TEN_LETTERS TEN_LETTERS TEN_LETTERS;

void util_init(int argc, char **argv)
{
  static char seed[] = "--seed=" SEED, keep_going[] = "--keep-going"; /* kept by the harness */
  int n_arguments = argc + 2;
  g_autofree char **arguments = g_new0(char *, argc + 3);
  char **list = arguments;

  arguments[0] = argv[0];
  arguments[1] = seed;
  arguments[2] = keep_going;
  for (int i = 1; i < argc; i++)
    arguments[i + 2] = argv[i];
  g_test_init(&n_arguments, &list, NULL);
}

void util_fail(const char *file, int line, const char *format, ...)
{
  va_list arguments;

  va_start(arguments, format);
  g_autofree char *message = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  g_autofree char *name = g_path_get_basename(file);
  g_printerr("# %s:%d: %s: %s\n", name, line, g_test_get_path(), message);
  g_test_fail();
}

void util_expect_text(const char *file, int line, char *actual, const char *expected)
{
  g_autofree char *owned = actual;

  if (g_strcmp0(owned, expected) != 0)
    util_fail(file, line, "expected '%s', got '%s'", expected, owned != NULL ? owned : "(null)");
}

void util_expect_refused(const char *file, int line, GError **error, gint code, const char *part)
{
  if (*error == NULL) {
    util_fail(file, line, "no error; expected one with '%s'", part);
    return;
  }
  const char *message = (*error)->message;
  if (!g_error_matches(*error, RETUNE_ERROR, code))
    util_fail(file, line, "expected code %d, got %s %d: %s", code,
              g_quark_to_string((*error)->domain), (*error)->code, message);
  if (strstr(message, part) == NULL)
    util_fail(file, line, "expected '%s' in the message: %s", part, message);
  if (!g_utf8_validate(message, -1, NULL))
    util_fail(file, line, "the message is no valid UTF-8: %s", message);
  g_clear_error(error);
}

RetuneCpuset *util_set(const char *cpulist)
{
  g_autoptr(GError) error = NULL;
  RetuneCpuset *set = retune_cpuset_parse(cpulist, &error);

  g_assert_no_error(error);
  return set;
}

const RetuneKnob *util_knob(const char *option)
{
  const RetuneKnob *knob = retune_knob_find(retune_knobs_table(), option);

  g_assert_nonnull(knob);
  return knob;
}

static GPtrArray *collect_options(const char *name, va_list arguments)
{
  GPtrArray *options = retune_options_new();

  for (; name != NULL; name = va_arg(arguments, const char *))
    g_ptr_array_add(options, retune_option_new(name, va_arg(arguments, const char *), NULL));
  return options;
}

GPtrArray *util_options(const char *name, ...)
{
  va_list arguments;

  va_start(arguments, name);
  GPtrArray *options = collect_options(name, arguments);
  va_end(arguments);
  return options;
}

RetuneInstance *util_instance(const char *name, const char *claim, ...)
{
  g_autoptr(GError) error = NULL;
  va_list arguments;

  RetuneInstance *instance = retune_instance_new(name, claim, &error);
  g_assert_no_error(error);
  va_start(arguments, claim);
  const char *first = va_arg(arguments, const char *);
  g_autoptr(GPtrArray) options = collect_options(first, arguments);
  va_end(arguments);
  gboolean applied = retune_instance_apply(instance, retune_knobs_table(), options, NULL, &error);
  g_assert_no_error(error);
  g_assert_true(applied);
  return instance;
}

char *util_describe_model(const RetuneModel *model)
{
  const GPtrArray *instances = retune_model_instances(model);
  GString *out = g_string_new(NULL);

  for (guint i = 0; i < instances->len; i++) {
    const RetuneInstance *instance = instances->pdata[i];
    g_autofree char *devices = retune_cpuset_to_string(instance->devices);
    g_string_append_printf(out, "%s%s=%s", i > 0 ? " " : "", instance->name, devices);
  }
  return g_string_free(out, FALSE);
}

char *util_describe_moves(GPtrArray *moves)
{
  GString *out = g_string_new(NULL);

  for (guint i = 0; i < moves->len; i++) {
    const RetuneMove *move = moves->pdata[i];
    g_autofree char *devices = retune_cpuset_to_string(move->devices);
    g_string_append_printf(out, "%s%s:%s>%s", i > 0 ? " " : "", devices, move->from, move->to);
  }
  g_ptr_array_unref(moves);
  return g_string_free(out, FALSE);
}
