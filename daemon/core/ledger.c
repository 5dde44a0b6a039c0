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

RetuneEntry *retune_entry_new(const char *baseline, const char *wrote, const char *found)
{
  RetuneEntry *entry = g_new0(RetuneEntry, 1);
  entry->baseline = g_strdup(baseline);
  entry->wrote = g_strdup(wrote);
  entry->found = g_strdup(found);
  return entry;
}

void retune_entry_free(RetuneEntry *entry)
{
  if (entry == NULL)
    return;
  g_free(entry->baseline);
  g_free(entry->wrote);
  g_free(entry->found);
  g_clear_pointer(&entry->remarks, g_ptr_array_unref);
  g_free(entry);
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
  retune_entry_free(entries->pdata[id]);
  entries->pdata[id] = entry;
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
