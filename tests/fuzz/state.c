// SPDX-License-Identifier: GPL-2.0-or-later
/* The state file: what is read from it is written again, and read again. */
#include <string.h>

#include "fuzz.h"
#include "state-format.h"
#include "table.h"

typedef struct {
  RetuneLedger *ledger;
  RetuneModel *model;
  RetuneCpuset *present;
  guint64 driver;
} Content;

static void content_clear(Content *content)
{
  g_clear_pointer(&content->ledger, retune_ledger_free);
  g_clear_pointer(&content->model, retune_model_unref);
  g_clear_pointer(&content->present, retune_cpuset_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Content, content_clear)

/* As retune_state_load() does. FALSE: it makes no sense. */
static gboolean read_content(Content *content, const char *text, gsize length)
{
  const RetuneKnobTable *table = retune_knobs_table();
  g_autoptr(GError) error = NULL;
  json_object *root = retune_state_parse(text, length, &error);
  const char *boot_id = root != NULL ? retune_state_boot(root, &error) : NULL;

  content->ledger = retune_ledger_new(table);
  if (boot_id != NULL)
    content->model = retune_state_read(root, table, content->ledger, &content->present,
                                       &content->driver, &error);
  fuzz_check_error(content->model != NULL, error);
  json_object_put(root);
  return content->model != NULL;
}

/* Reads what is written of @before. */
static void read_again(Content *after, const Content *before)
{
  g_autoptr(RetuneDraft) draft =
      retune_draft_new(before->model, before->ledger, before->present, before->driver);
  g_autofree char *text = retune_draft_to_text(draft, "boot");

  FUZZ_CHECK(g_utf8_validate(text, -1, NULL), "not UTF-8: %s", text);
  FUZZ_CHECK(read_content(after, text, strlen(text)), "not read again: %s", text);
  FUZZ_CHECK(after->driver == before->driver,
             "driver %" G_GUINT64_FORMAT ", then %" G_GUINT64_FORMAT, before->driver,
             after->driver);
  FUZZ_CHECK(retune_cpuset_equal(after->present, before->present), "other CPUs are present");
}

static void check_same_instances(const GPtrArray *before, const GPtrArray *after)
{
  FUZZ_CHECK(before->len == after->len, "%u instances, then %u", before->len, after->len);
  for (guint i = 0; i < before->len; i++) {
    const RetuneInstance *a = before->pdata[i], *b = after->pdata[i];
    FUZZ_CHECK(g_str_equal(a->name, b->name), "instance %s, then %s", a->name, b->name);
    FUZZ_CHECK(g_str_equal(a->claim, b->claim), "claim '%s', then '%s'", a->claim, b->claim);
    FUZZ_CHECK(g_utf8_validate(a->claim, -1, NULL), "not UTF-8: %s", a->claim);
    FUZZ_CHECK(retune_cpuset_equal(a->devices, b->devices), "%s: other CPUs", a->name);
    FUZZ_CHECK(a->age == b->age, "%s: of another age", a->name);
    FUZZ_CHECK(g_strcmp0(a->owner, b->owner) == 0, "%s: of another owner", a->name);
    FUZZ_CHECK(g_strcmp0(a->origin, b->origin) == 0, "%s: of another file", a->name);
    FUZZ_CHECK(a->origin == NULL || g_utf8_validate(a->origin, -1, NULL), "not UTF-8: %s",
               a->origin);
    fuzz_check_same_wishes(a, b);
    fuzz_check_instance(a, retune_knobs_table());
  }
}

static void check_entry(const RetuneKnob *place, guint id, const RetuneEntry *entry, gpointer data)
{
  const RetuneEntry *other = retune_ledger_get(data, place, id);

  FUZZ_CHECK(g_utf8_validate(entry->baseline, -1, NULL), "not UTF-8: %s", entry->baseline);
  FUZZ_CHECK(other != NULL && g_str_equal(entry->baseline, other->baseline),
             "%s %u: '%s', then '%s'", place->file, id, entry->baseline,
             other != NULL ? other->baseline : "(nothing)");
}

static void check_content(const Content *before)
{
  const RetuneKnobTable *table = retune_knobs_table();
  g_auto(Content) after = {0};

  read_again(&after, before);
  check_same_instances(retune_model_instances(before->model), retune_model_instances(after.model));
  retune_ledger_foreach(before->ledger, check_entry, after.ledger);
  for (guint i = 0; i < table->n_rows; i++)
    FUZZ_CHECK(retune_ledger_count(before->ledger, &table->rows[i]) ==
                   retune_ledger_count(after.ledger, &table->rows[i]),
               "%s: more baselines", table->rows[i].file);
}

/* Each file of the table is told apart from the others. */
static void check_places(void)
{
  const RetuneKnobTable *table = retune_knobs_table();
  g_auto(Content) all = {retune_ledger_new(table), retune_model_new(), retune_cpuset_new(), 1};

  for (guint i = 0; i < table->n_rows; i++) {
    const RetuneKnob *place = &table->rows[i];
    guint stride = retune_knob_stride(place);
    guint units = place->scope == RETUNE_SCOPE_SYSTEM ? 1 : 3;
    for (guint id = 0; place->place == NULL && id < units * stride; id++) {
      g_autofree char *text = g_strdup_printf("%u.%u", i, id);
      retune_ledger_set(all.ledger, place, id, retune_entry_new(text, NULL, NULL));
    }
  }
  check_content(&all);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static gsize once;
  g_autofree char *text = g_malloc0(size + 1);
  g_auto(Content) content = {0};

  if (g_once_init_enter(&once)) {
    check_places();
    g_once_init_leave(&once, 1);
  }
  memcpy(text, data, size);
  if (read_content(&content, text, size))
    check_content(&content);
  return 0;
}
