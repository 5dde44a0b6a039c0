// SPDX-License-Identifier: GPL-2.0-or-later
/* Checks and inputs for all targets. */
#include "fuzz.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

void fuzz_fail(const char *file, int line, const char *format, ...)
{
  va_list arguments;

  va_start(arguments, format);
  fprintf(stderr, "\n%s:%d: ", file, line);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  abort();
}

/* Not g_log_set_always_fatal() alone: that traps, and libFuzzer keeps the input only
 * of a program that aborts. */
static GLogWriterOutput write_log(GLogLevelFlags level, const GLogField *fields, gsize n_fields,
                                  gpointer unused)
{
  g_autofree char *text = NULL;

  (void)unused;
  if ((level & (G_LOG_LEVEL_ERROR | G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING)) == 0)
    return G_LOG_WRITER_HANDLED;
  text = g_log_writer_format_fields(level, fields, n_fields, FALSE);
  fuzz_fail(__FILE__, __LINE__, "%s", text);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
  (void)argc, (void)argv;
  setlocale(LC_ALL, "C.UTF-8"); /* for fnmatch(), as in the daemon */
  g_log_set_writer_func(write_log, NULL, NULL);
  g_log_set_always_fatal(G_LOG_LEVEL_ERROR | G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING);
  return 0;
}

void fuzz_check_error(gboolean succeeded, const GError *error)
{
  FUZZ_CHECK(!succeeded || error == NULL, "it succeeded, with an error: %s", error->message);
  FUZZ_CHECK(succeeded || error != NULL, "it failed without an error");
  if (error == NULL)
    return;
  FUZZ_CHECK(error->domain == RETUNE_ERROR, "a foreign error: %s", error->message);
  FUZZ_CHECK(error->code >= 0 && error->code < (gint)RETUNE_N_ERRORS, "no code of ours: %d",
             error->code);
  FUZZ_CHECK(*error->message != '\0', "an error without a message");
  FUZZ_CHECK(g_utf8_validate(error->message, -1, NULL), "not UTF-8: %s", error->message);
}

char *fuzz_text(const uint8_t *data, size_t size)
{
  return g_strndup((const char *)data, size);
}

char *fuzz_cut_line(char *text)
{
  char *end = strchr(text, '\n');

  if (end == NULL)
    return text + strlen(text);
  *end = '\0';
  return end + 1;
}

GPtrArray *fuzz_options(const char *text)
{
  GPtrArray *options = retune_options_new();
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

  for (guint i = 0; lines[i] != NULL; i++) {
    char *equals = strchr(lines[i], '=');
    if (equals == NULL)
      continue;
    *equals = '\0';
    g_ptr_array_add(options, retune_option_new(lines[i], equals + 1, NULL));
  }
  return options;
}

void fuzz_check_same_setting(const RetuneSetting *a, const RetuneSetting *b)
{
  FUZZ_CHECK(a->knob == b->knob, "option %s, then %s", a->knob->name, b->knob->name);
  FUZZ_CHECK(g_str_equal(a->text, b->text), "%s: '%s', then '%s'", a->knob->name, a->text, b->text);
  FUZZ_CHECK(a->alternatives->len == b->alternatives->len, "%s '%s': %u alternatives, then %u",
             a->knob->name, a->text, a->alternatives->len, b->alternatives->len);
  for (guint i = 0; i < a->alternatives->len; i++) {
    const RetuneAlternative *x = a->alternatives->pdata[i], *y = b->alternatives->pdata[i];
    FUZZ_CHECK(x->compare == y->compare && g_str_equal(x->word, y->word),
               "%s '%s': '%s', then '%s'", a->knob->name, a->text, x->word, y->word);
  }
}

void fuzz_check_same_wishes(const RetuneInstance *a, const RetuneInstance *b)
{
  FUZZ_CHECK(a->priority == b->priority, "priority %d, then %d", a->priority, b->priority);
  FUZZ_CHECK(a->lifetime == b->lifetime, "lifetime differs");
  FUZZ_CHECK(a->best_effort == b->best_effort, "best_effort differs");
  FUZZ_CHECK(a->exclusive == b->exclusive, "exclusive differs");
  FUZZ_CHECK(a->settings->len == b->settings->len, "%u settings, then %u", a->settings->len,
             b->settings->len);
  for (guint i = 0; i < a->settings->len; i++)
    fuzz_check_same_setting(a->settings->pdata[i], b->settings->pdata[i]);
}

void fuzz_check_instance(const RetuneInstance *instance, const RetuneKnobTable *table)
{
  g_autoptr(GPtrArray) options = retune_options_new();
  g_autoptr(RetuneInstance) again = NULL;
  g_autoptr(GError) error = NULL;

  for (guint i = 0; i < instance->settings->len; i++) {
    const RetuneSetting *setting = instance->settings->pdata[i];
    FUZZ_CHECK(i == 0 || ((RetuneSetting *)instance->settings->pdata[i - 1])->knob < setting->knob,
               "%s: not in the order of the table", setting->knob->name);
    FUZZ_CHECK(retune_instance_setting(instance, setting->knob) == setting, "%s: another one",
               setting->knob->name);
    g_ptr_array_add(options, retune_option_new(setting->knob->name, setting->text, NULL));
  }
  again = retune_instance_copy(instance);
  g_ptr_array_set_size(again->settings, 0);
  if (!retune_instance_apply(again, table, options, NULL, &error))
    fuzz_fail(__FILE__, __LINE__, "its own options are refused: %s", error->message);
  fuzz_check_same_wishes(instance, again);
}
