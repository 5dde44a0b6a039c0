// SPDX-License-Identifier: GPL-2.0-or-later
/* The ledger: one growing array of entries per row of the knob table. */
#include "ledger.h"

const char *retune_outcome_name(RetuneOutcome outcome)
{
  static const char *const names[] = {"applied", "unsupported", "refused", "shadowed",
                                      "pending", "ineffective", "drifted"};
  return names[outcome];
}

RetuneRemark *retune_remark_new(const char *instance, const RetuneKnob *option,
                                RetuneOutcome outcome, int errno_value, const char *detail)
{
  RetuneRemark *remark = g_new0(RetuneRemark, 1);
  remark->option = option;
  remark->outcome = outcome;
  remark->errno_value = errno_value;
  remark->instance = g_strdup(instance);
  remark->detail = g_strdup(detail);
  return remark;
}

void retune_remark_free(RetuneRemark *remark)
{
  if (remark == NULL)
    return;
  g_free(remark->instance);
  g_free(remark->detail);
  g_free(remark);
}

static char *intern(const char *text)
{
  return text != NULL ? g_ref_string_new_intern(text) : NULL;
}

RetuneEntry *retune_entry_new(const char *baseline, const char *wrote, const char *found)
{
  RetuneEntry *entry = g_new0(RetuneEntry, 1);
  entry->baseline = intern(baseline);
  entry->wrote = intern(wrote);
  entry->found = intern(found);
  return entry;
}

void retune_entry_free(RetuneEntry *entry)
{
  if (entry == NULL)
    return;
  g_clear_pointer(&entry->baseline, g_ref_string_release);
  g_clear_pointer(&entry->wrote, g_ref_string_release);
  g_clear_pointer(&entry->found, g_ref_string_release);
  g_clear_pointer(&entry->refused, g_ref_string_release);
  g_clear_pointer(&entry->remarks, g_ptr_array_unref);
  g_free(entry);
}

void retune_entry_set_refused(RetuneEntry *entry, const char *text)
{
  g_clear_pointer(&entry->refused, g_ref_string_release);
  entry->refused = intern(text);
}

gboolean retune_entry_refuses(const RetuneEntry *entry, const char *instance, const char *text)
{
  if (entry->refused == NULL || g_strcmp0(entry->refused, text) != 0)
    return FALSE;
  for (guint i = 0; entry->remarks != NULL && i < entry->remarks->len; i++)
    if (g_str_equal(((RetuneRemark *)entry->remarks->pdata[i])->instance, instance))
      return TRUE;
  return FALSE;
}

void retune_entry_add_remark(RetuneEntry *entry, RetuneRemark *remark)
{
  if (entry->remarks == NULL)
    entry->remarks = g_ptr_array_new_with_free_func((GDestroyNotify)retune_remark_free);
  g_ptr_array_add(entry->remarks, remark);
}

struct _RetuneLedger {
  const RetuneKnobTable *table;
  GPtrArray **entries; /* per row: RetuneEntry by id, with holes */
  guint *counts;       /* per row: how many entries are no holes */
  guint n_remarked;    /* entries with remarks */
};

static void entry_free_maybe(gpointer entry)
{
  retune_entry_free(entry);
}

RetuneLedger *retune_ledger_new(const RetuneKnobTable *table)
{
  RetuneLedger *ledger = g_new0(RetuneLedger, 1);
  ledger->table = table;
  ledger->entries = g_new0(GPtrArray *, table->n_rows);
  ledger->counts = g_new0(guint, table->n_rows);
  for (guint i = 0; i < table->n_rows; i++)
    ledger->entries[i] = g_ptr_array_new_with_free_func(entry_free_maybe);
  return ledger;
}

void retune_ledger_free(RetuneLedger *ledger)
{
  if (ledger == NULL)
    return;
  for (guint i = 0; i < ledger->table->n_rows; i++)
    g_ptr_array_unref(ledger->entries[i]);
  g_free(ledger->entries);
  g_free(ledger->counts);
  g_free(ledger);
}

const RetuneEntry *retune_ledger_get(const RetuneLedger *ledger, const RetuneKnob *place, guint id)
{
  const GPtrArray *entries = ledger->entries[place - ledger->table->rows];
  return id < entries->len ? entries->pdata[id] : NULL;
}

void retune_ledger_set(RetuneLedger *ledger, const RetuneKnob *place, guint id, RetuneEntry *entry)
{
  GPtrArray *entries = ledger->entries[place - ledger->table->rows];

  if (id >= entries->len) {
    if (entry == NULL)
      return;
    g_ptr_array_set_size(entries, (gint)id + 1);
  }
  RetuneEntry *old = entries->pdata[id];
  guint *count = &ledger->counts[place - ledger->table->rows];
  *count = *count - (old != NULL) + (entry != NULL);
  ledger->n_remarked -= old != NULL && old->remarks != NULL;
  ledger->n_remarked += entry != NULL && entry->remarks != NULL;
  retune_entry_free(old);
  entries->pdata[id] = entry;
}

void retune_ledger_forget(RetuneLedger *ledger, const RetuneKnob *place)
{
  const GPtrArray *entries = ledger->entries[place - ledger->table->rows];

  for (guint id = 0; id < entries->len; id++)
    retune_ledger_set(ledger, place, id, NULL);
}

void retune_ledger_add_remark(RetuneLedger *ledger, const RetuneKnob *place, guint id,
                              RetuneRemark *remark)
{
  if (retune_ledger_get(ledger, place, id) == NULL)
    retune_ledger_set(ledger, place, id, retune_entry_new(NULL, NULL, NULL));
  RetuneEntry *entry = ledger->entries[place - ledger->table->rows]->pdata[id];
  ledger->n_remarked += entry->remarks == NULL;
  retune_entry_add_remark(entry, remark);
}

guint retune_ledger_count(const RetuneLedger *ledger, const RetuneKnob *place)
{
  return ledger->counts[place - ledger->table->rows];
}

gboolean retune_ledger_has_remarks(const RetuneLedger *ledger)
{
  return ledger->n_remarked > 0;
}

void retune_ledger_foreach(const RetuneLedger *ledger, RetuneLedgerVisit visit, gpointer data)
{
  for (guint row = 0; row < ledger->table->n_rows; row++) {
    const GPtrArray *entries = ledger->entries[row];
    for (guint id = 0; id < entries->len; id++)
      if (entries->pdata[id] != NULL)
        visit(&ledger->table->rows[row], id, entries->pdata[id], data);
  }
}
