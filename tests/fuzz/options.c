// SPDX-License-Identifier: GPL-2.0-or-later
/* One value, for each option of the table. */
#include <string.h>

#include "error.h"
#include "fuzz.h"
#include "table.h"
#include "types.h"

static void emit(gpointer sink, const RetuneKnob *place, guint id, const char *text)
{
  char **found = sink;

  (void)place, (void)id;
  FUZZ_CHECK(*found == NULL, "it means both '%s' and '%s'", *found, text);
  *found = g_strdup(text);
}

/* What @word means, where that needs no machine; NULL if it needs one. */
static char *resolve(const RetuneKnob *knob, const char *word)
{
  g_autoptr(GError) error = NULL;
  char *found = NULL;
  RetuneResolve where = {.emit = emit, .sink = &found};

  if (knob->type != &retune_type_number && knob->type != &retune_type_boolean &&
      knob->type != &retune_type_epb && knob->type != &retune_type_clamp)
    return NULL;
  if (!knob->type->resolve(knob, word, &where, &error))
    fuzz_fail(__FILE__, __LINE__, "%s '%s' is well-formed, but: %s", knob->name, word,
              error->message);
  FUZZ_CHECK(found != NULL, "%s '%s' means nothing", knob->name, word);
  return found;
}

static void check_word(const RetuneKnob *knob, const char *word)
{
  const RetuneKnobType *type = knob->type;
  g_autofree char *meaning = resolve(knob, word);

  FUZZ_CHECK(type->check(knob, word, NULL), "%s '%s': well-formed once, then not", knob->name,
             word);
  FUZZ_CHECK(retune_knob_same(knob, word, word), "%s '%s' is not itself", knob->name, word);
  if (type->magnitude != NULL)
    (void)type->magnitude(word);
  if (type->unsure != NULL)
    (void)type->unsure(word);
  if (meaning == NULL)
    return;
  g_autofree char *again = resolve(knob, meaning);
  FUZZ_CHECK(g_str_equal(meaning, again), "%s '%s' means '%s', which means '%s'", knob->name, word,
             meaning, again);
}

static void check_value(const RetuneKnob *knob, const char *value)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(RetuneSetting) setting = retune_setting_new(knob, value, &error);

  fuzz_check_error(setting != NULL, error);
  if (setting == NULL)
    return;
  FUZZ_CHECK(setting->knob == knob && setting->alternatives->len > 0, "%s: empty", knob->name);
  FUZZ_CHECK(strlen(setting->text) <= RETUNE_VALUE_MAX_LENGTH, "%s: too long", knob->name);
  FUZZ_CHECK(!g_utf8_validate(value, -1, NULL) || g_utf8_validate(setting->text, -1, NULL),
             "%s: not UTF-8 any more", knob->name);
  g_autoptr(RetuneSetting) copy = retune_setting_copy(setting);
  fuzz_check_same_setting(setting, copy);
  g_autoptr(RetuneSetting) again = retune_setting_new(knob, setting->text, &error);
  FUZZ_CHECK(again != NULL, "%s '%s' is refused the second time", knob->name, setting->text);
  fuzz_check_same_setting(setting, again);
  for (guint i = 0; i < setting->alternatives->len; i++) {
    const RetuneAlternative *alternative = setting->alternatives->pdata[i];
    FUZZ_CHECK(alternative->compare == 0 || knob->type->magnitude != NULL,
               "%s: values without an order are compared", knob->name);
    check_word(knob, alternative->word);
    (void)retune_alternative_applies(retune_knob_place(knob), alternative->compare,
                                     alternative->word, value);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  const RetuneKnobTable *table = retune_knobs_table();
  g_autofree char *value = fuzz_text(data, size);

  for (guint i = 0; i < table->n_rows; i++)
    if (table->rows[i].name != NULL)
      check_value(&table->rows[i], value);
  return 0;
}
