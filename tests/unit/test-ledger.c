// SPDX-License-Identifier: GPL-2.0-or-later
/* The ledger of places that were written. */
#include "ledger.h"

#include "table.h"
#include "util.h"

static void test_empty(void)
{
  g_autoptr(RetuneLedger) ledger = retune_ledger_new(retune_knobs_table());

  g_assert_null(retune_ledger_get(ledger, util_knob("governor"), 0));
  g_assert_null(retune_ledger_get(ledger, util_knob("governor"), G_MAXUINT));
}

static void test_set(void)
{
  g_autoptr(RetuneLedger) ledger = retune_ledger_new(retune_knobs_table());

  retune_ledger_set(ledger, util_knob("governor"), 3, retune_entry_new("a", "b", "c"));
  const RetuneEntry *entry = retune_ledger_get(ledger, util_knob("governor"), 3);
  g_assert_nonnull(entry);
  g_assert_cmpstr(entry->baseline, ==, "a");
  g_assert_cmpstr(entry->wrote, ==, "b");
  g_assert_cmpstr(entry->found, ==, "c");
  g_assert_null(entry->remarks);
}

static void test_set_apart(void)
{
  g_autoptr(RetuneLedger) ledger = retune_ledger_new(retune_knobs_table());

  retune_ledger_set(ledger, util_knob("governor"), 3, retune_entry_new("a", NULL, NULL));
  g_assert_null(retune_ledger_get(ledger, util_knob("governor"), 2));
  g_assert_null(retune_ledger_get(ledger, util_knob("governor"), 4));
  g_assert_null(retune_ledger_get(ledger, util_knob("boost"), 3));
}

static void test_nulls(void)
{
  g_autoptr(RetuneEntry) entry = retune_entry_new(NULL, NULL, NULL);

  g_assert_null(entry->baseline);
  g_assert_null(entry->wrote);
  g_assert_null(entry->found);
}

static void test_replace(void)
{
  g_autoptr(RetuneLedger) ledger = retune_ledger_new(retune_knobs_table());

  retune_ledger_set(ledger, util_knob("boost"), 1, retune_entry_new("0", "1", "1"));
  retune_ledger_set(ledger, util_knob("boost"), 1, retune_entry_new("0", NULL, NULL));
  g_assert_null(retune_ledger_get(ledger, util_knob("boost"), 1)->wrote);
}

static void test_remove(void)
{
  g_autoptr(RetuneLedger) ledger = retune_ledger_new(retune_knobs_table());

  retune_ledger_set(ledger, util_knob("boost"), 1, retune_entry_new("0", "1", "1"));
  retune_ledger_set(ledger, util_knob("boost"), 1, NULL);
  g_assert_null(retune_ledger_get(ledger, util_knob("boost"), 1));
}

static void test_remove_absent(void)
{
  g_autoptr(RetuneLedger) ledger = retune_ledger_new(retune_knobs_table());

  retune_ledger_set(ledger, util_knob("boost"), 7, NULL);
  retune_ledger_set(ledger, util_knob("boost"), 1, retune_entry_new("0", "1", "1"));
  retune_ledger_set(ledger, util_knob("boost"), 0, NULL);
  g_assert_nonnull(retune_ledger_get(ledger, util_knob("boost"), 1));
}

static void test_largest(void)
{
  const RetuneKnob *place = util_knob("cpuidle_max_state");
  guint id = RETUNE_CPU_LIMIT * RETUNE_IDLE_STATES - 1;
  g_autoptr(RetuneLedger) ledger = retune_ledger_new(retune_knobs_table());

  retune_ledger_set(ledger, place, id, retune_entry_new("0", "1", "1"));
  g_assert_nonnull(retune_ledger_get(ledger, place, id));
  g_assert_null(retune_ledger_get(ledger, place, id - 1));
}

static void describe_entry(const RetuneKnob *place, guint id, const RetuneEntry *entry,
                           gpointer data)
{
  g_string_append_printf(data, "%s:%u=%s ", place->name != NULL ? place->name : "gate", id,
                         entry->baseline);
}

static void test_foreach(void)
{
  g_autoptr(RetuneLedger) ledger = retune_ledger_new(retune_knobs_table());
  g_autoptr(GString) seen = g_string_new(NULL);

  retune_ledger_set(ledger, util_knob("boost"), 9, retune_entry_new("d", NULL, NULL));
  retune_ledger_set(ledger, util_knob("boost"), 2, retune_entry_new("c", NULL, NULL));
  retune_ledger_set(ledger, util_knob("boost")->gate, 0, retune_entry_new("b", NULL, NULL));
  retune_ledger_set(ledger, util_knob("governor"), 5, retune_entry_new("a", NULL, NULL));
  retune_ledger_set(ledger, util_knob("governor"), 6, retune_entry_new("x", NULL, NULL));
  retune_ledger_set(ledger, util_knob("governor"), 6, NULL);
  retune_ledger_foreach(ledger, describe_entry, seen);
  g_assert_cmpstr(seen->str, ==, "governor:5=a gate:0=b boost:2=c boost:9=d ");
}

static void test_foreach_empty(void)
{
  g_autoptr(RetuneLedger) ledger = retune_ledger_new(retune_knobs_table());
  g_autoptr(GString) seen = g_string_new(NULL);

  retune_ledger_foreach(ledger, describe_entry, seen);
  g_assert_cmpstr(seen->str, ==, "");
}

static void remark(RetuneLedger *ledger, guint id, RetuneOutcome outcome, const char *detail)
{
  retune_ledger_add_remark(ledger, util_knob("boost"), id,
                           retune_remark_new("net", util_knob("boost"), outcome, 16, detail));
}

static void test_remarks(void)
{
  g_autoptr(RetuneLedger) ledger = retune_ledger_new(retune_knobs_table());

  retune_ledger_set(ledger, util_knob("boost"), 3, retune_entry_new("0", "1", "1"));
  remark(ledger, 3, RETUNE_OUTCOME_REFUSED, "why");
  remark(ledger, 3, RETUNE_OUTCOME_PENDING, NULL);
  const RetuneEntry *entry = retune_ledger_get(ledger, util_knob("boost"), 3);
  g_assert_cmpstr(entry->baseline, ==, "0");
  g_assert_cmpuint(entry->remarks->len, ==, 2);
  const RetuneRemark *first = entry->remarks->pdata[0], *second = entry->remarks->pdata[1];
  g_assert_cmpstr(first->instance, ==, "net");
  g_assert_true(first->option == util_knob("boost"));
  g_assert_cmpint(first->outcome, ==, RETUNE_OUTCOME_REFUSED);
  g_assert_cmpint(first->errno_value, ==, 16);
  g_assert_cmpstr(first->detail, ==, "why");
  g_assert_cmpint(second->outcome, ==, RETUNE_OUTCOME_PENDING);
}

static void test_remark_without_entry(void)
{
  g_autoptr(RetuneLedger) ledger = retune_ledger_new(retune_knobs_table());

  remark(ledger, 3, RETUNE_OUTCOME_UNSUPPORTED, "why");
  const RetuneEntry *entry = retune_ledger_get(ledger, util_knob("boost"), 3);
  g_assert_nonnull(entry);
  g_assert_null(entry->baseline);
  g_assert_cmpuint(entry->remarks->len, ==, 1);
}

static void test_has_remarks(void)
{
  g_autoptr(RetuneLedger) ledger = retune_ledger_new(retune_knobs_table());

  retune_ledger_set(ledger, util_knob("boost"), 1, retune_entry_new("0", "1", "1"));
  g_assert_false(retune_ledger_has_remarks(ledger));
  remark(ledger, 1, RETUNE_OUTCOME_REFUSED, "why");
  remark(ledger, 1, RETUNE_OUTCOME_REFUSED, "why");
  remark(ledger, 2, RETUNE_OUTCOME_REFUSED, "why");
  g_assert_true(retune_ledger_has_remarks(ledger));
  retune_ledger_set(ledger, util_knob("boost"), 1, retune_entry_new("0", "1", "1"));
  g_assert_true(retune_ledger_has_remarks(ledger));
  retune_ledger_set(ledger, util_knob("boost"), 2, NULL);
  g_assert_false(retune_ledger_has_remarks(ledger));
}

static void test_count(void)
{
  g_autoptr(RetuneLedger) ledger = retune_ledger_new(retune_knobs_table());
  const RetuneKnob *boost = util_knob("boost");

  g_assert_cmpuint(retune_ledger_count(ledger, boost), ==, 0);
  retune_ledger_set(ledger, boost, 9, NULL);
  retune_ledger_set(ledger, boost, 5, retune_entry_new("0", "1", "1"));
  retune_ledger_set(ledger, boost, 5, retune_entry_new("0", NULL, NULL));
  retune_ledger_set(ledger, boost, 2, NULL);
  g_assert_cmpuint(retune_ledger_count(ledger, boost), ==, 1);
  remark(ledger, 7, RETUNE_OUTCOME_REFUSED, "why");
  g_assert_cmpuint(retune_ledger_count(ledger, boost), ==, 2);
  g_assert_cmpuint(retune_ledger_count(ledger, util_knob("governor")), ==, 0);
  retune_ledger_set(ledger, boost, 5, NULL);
  retune_ledger_set(ledger, boost, 7, NULL);
  g_assert_cmpuint(retune_ledger_count(ledger, boost), ==, 0);
}

/* Entries share texts, but each has its own. */
static void test_shared_texts(void)
{
  g_autoptr(RetuneEntry) entry = retune_entry_new("same", "same", "same");
  RetuneEntry *other = retune_entry_new("same", "same", NULL);

  retune_entry_free(other);
  g_assert_cmpstr(entry->baseline, ==, "same");
  g_assert_cmpstr(entry->wrote, ==, "same");
  g_assert_cmpstr(entry->found, ==, "same");
}

/* The names are in the API. */
static void test_outcomes(void)
{
  static const char *const names[] = {
      [RETUNE_OUTCOME_APPLIED] = "applied", [RETUNE_OUTCOME_UNSUPPORTED] = "unsupported",
      [RETUNE_OUTCOME_REFUSED] = "refused", [RETUNE_OUTCOME_SHADOWED] = "shadowed",
      [RETUNE_OUTCOME_PENDING] = "pending", [RETUNE_OUTCOME_INEFFECTIVE] = "ineffective",
      [RETUNE_OUTCOME_DRIFTED] = "drifted",
  };
  for (guint i = 0; i < G_N_ELEMENTS(names); i++)
    g_assert_cmpstr(retune_outcome_name((RetuneOutcome)i), ==, names[i]);
}

int main(int argc, char **argv)
{
  util_init(argc, argv);
  g_test_add_func("/ledger/get/empty/null", test_empty);
  g_test_add_func("/ledger/set/new/kept", test_set);
  g_test_add_func("/ledger/set/new/leaves-others", test_set_apart);
  g_test_add_func("/ledger/entry/unknown-texts/null", test_nulls);
  g_test_add_func("/ledger/set/again/replaced", test_replace);
  g_test_add_func("/ledger/set/null/removed", test_remove);
  g_test_add_func("/ledger/set/null-for-absent/changes-nothing", test_remove_absent);
  g_test_add_func("/ledger/set/largest-id/kept", test_largest);
  g_test_add_func("/ledger/foreach/entries/in-order-of-table-then-id", test_foreach);
  g_test_add_func("/ledger/foreach/empty/visits-nothing", test_foreach_empty);
  g_test_add_func("/ledger/remarks/added/kept-in-order", test_remarks);
  g_test_add_func("/ledger/remarks/no-entry/made", test_remark_without_entry);
  g_test_add_func("/ledger/remarks/come-and-go/known", test_has_remarks);
  g_test_add_func("/ledger/count/entries-come-and-go/counted", test_count);
  g_test_add_func("/ledger/entry/equal-texts/freed-apart", test_shared_texts);
  g_test_add_func("/ledger/outcome/each/has-its-name", test_outcomes);
  return g_test_run();
}
