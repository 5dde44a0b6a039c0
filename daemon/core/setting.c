// SPDX-License-Identifier: GPL-2.0-or-later
/* Options as wished: the grammar of values that is the same for all of them. */
#include "setting.h"

#include <string.h>

#include "error.h"

RetuneOption *retune_option_new(const char *name, const char *value, const char *where)
{
  RetuneOption *option = g_new0(RetuneOption, 1);
  option->name = g_strdup(name);
  option->value = g_strdup(value);
  option->where = g_strdup(where);
  return option;
}

void retune_option_free(RetuneOption *option)
{
  if (option == NULL)
    return;
  g_free(option->name);
  g_free(option->value);
  g_free(option->where);
  g_free(option);
}

GPtrArray *retune_options_new(void)
{
  return g_ptr_array_new_with_free_func((GDestroyNotify)retune_option_free);
}

gboolean retune_alternative_applies(const RetuneKnob *place, char compare, const char *text,
                                    const char *before)
{
  if (compare == 0)
    return TRUE;
  gint64 wanted = place->type->magnitude(text);
  gint64 found = place->type->magnitude(before);
  return compare == '<' ? found > wanted : found < wanted;
}

static void alternative_free(gpointer data)
{
  RetuneAlternative *alternative = data;
  g_free(alternative->word);
  g_free(alternative);
}

/* Reads one word of "a|b|c", with its '<' or '>'. */
static RetuneAlternative *read_alternative(const RetuneKnob *knob, char *word, GError **error)
{
  char compare = 0;

  if (*word == '<' || *word == '>') {
    if (knob->type->magnitude == NULL) {
      retune_set_error(error, RETUNE_ERROR_INVALID_VALUE,
                       "%s takes no '%c': its values have no order; expected %s", knob->name, *word,
                       knob->syntax);
      return NULL;
    }
    compare = *word;
    word = g_strstrip(word + 1);
  }
  if (*word == '\0') {
    retune_set_error(error, RETUNE_ERROR_INVALID_VALUE, "%s: empty value; expected %s", knob->name,
                     knob->syntax);
    return NULL;
  }
  if (!knob->type->check(knob, word, error))
    return NULL;
  RetuneAlternative *alternative = g_new0(RetuneAlternative, 1);
  alternative->compare = compare;
  alternative->word = g_strdup(word);
  return alternative;
}

RetuneSetting *retune_setting_new(const RetuneKnob *knob, const char *value, GError **error)
{
  if (strlen(value) > RETUNE_VALUE_MAX_LENGTH) {
    retune_set_error(error, RETUNE_ERROR_LIMITS_EXCEEDED, "%s: the value is longer than %u bytes",
                     knob->name, RETUNE_VALUE_MAX_LENGTH);
    return NULL;
  }
  g_autoptr(RetuneSetting) setting = g_new0(RetuneSetting, 1);
  setting->knob = knob;
  setting->text = g_strstrip(g_strdup(value));
  setting->alternatives = g_ptr_array_new_with_free_func(alternative_free);
  g_auto(GStrv) words = g_strsplit(setting->text, "|", -1);
  for (guint i = 0; words[i] != NULL || i == 0; i++) {
    char empty[] = "";
    RetuneAlternative *alternative =
        read_alternative(knob, words[i] != NULL ? g_strstrip(words[i]) : empty, error);
    if (alternative == NULL)
      return NULL;
    g_ptr_array_add(setting->alternatives, alternative);
  }
  return g_steal_pointer(&setting);
}

static gpointer alternative_copy(gconstpointer source, gpointer unused)
{
  const RetuneAlternative *from = source;
  RetuneAlternative *copy = g_new0(RetuneAlternative, 1);

  (void)unused;
  copy->compare = from->compare;
  copy->word = g_strdup(from->word);
  return copy;
}

RetuneSetting *retune_setting_copy(const RetuneSetting *setting)
{
  RetuneSetting *copy = g_new0(RetuneSetting, 1);
  copy->knob = setting->knob;
  copy->text = g_strdup(setting->text);
  copy->alternatives = g_ptr_array_copy(setting->alternatives, alternative_copy, NULL);
  return copy;
}

void retune_setting_free(RetuneSetting *setting)
{
  if (setting == NULL)
    return;
  g_free(setting->text);
  g_clear_pointer(&setting->alternatives, g_ptr_array_unref);
  g_free(setting);
}
