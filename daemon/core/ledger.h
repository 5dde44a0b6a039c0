// SPDX-License-Identifier: GPL-2.0-or-later
/* What retune knows of every place it has written: the baseline, what it wrote,
 * what was read back, and what is to be said about it. The main thread changes
 * it, and only between jobs; the worker reads it during one. */
#pragma once

#include "knob.h"

G_BEGIN_DECLS

/* What became of one option of one instance at one place. */
typedef enum {
  RETUNE_OUTCOME_APPLIED,
  RETUNE_OUTCOME_UNSUPPORTED, /* this CPU lacks it */
  RETUNE_OUTCOME_REFUSED,     /* the kernel answered an errno */
  RETUNE_OUTCOME_SHADOWED,    /* another instance's wish counts here */
  RETUNE_OUTCOME_PENDING,     /* the CPU is offline */
  RETUNE_OUTCOME_INEFFECTIVE, /* written, but reads back otherwise */
  RETUNE_OUTCOME_DRIFTED,     /* somebody else has changed it since */
} RetuneOutcome;

const char *retune_outcome_name(RetuneOutcome outcome);

/* An outcome other than applied. */
typedef struct {
  const RetuneKnob *option;
  RetuneOutcome outcome;
  int errno_value; /* for refused, else 0 */
  char *instance;
  char *detail; /* for people */
} RetuneRemark;

RetuneRemark *retune_remark_new(const char *instance, const RetuneKnob *option,
                                RetuneOutcome outcome, int errno_value, const char *detail);
void retune_remark_free(RetuneRemark *remark);

/* The texts are interned GRefStrings: a machine has many places, but few values. */
typedef struct {
  char *baseline;     /* what was there before retune wrote; NULL: not yet known */
  char *wrote;        /* the value in force by our wish; NULL: none */
  char *found;        /* what was read back then; NULL: not read */
  char *refused;      /* what the kernel would not take instead; NULL: nothing */
  gboolean stuck;     /* the baseline was to be put back, and the kernel refused */
  GPtrArray *remarks; /* RetuneRemark, or NULL */
} RetuneEntry;

RetuneEntry *retune_entry_new(const char *baseline, const char *wrote, const char *found);
void retune_entry_free(RetuneEntry *entry);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RetuneEntry, retune_entry_free)
/* Remembers that @text was refused; for an entry that is not in a ledger yet. */
void retune_entry_set_refused(RetuneEntry *entry, const char *text);
/* Is it known, and said to @instance, that @text is refused? */
gboolean retune_entry_refuses(const RetuneEntry *entry, const char *instance, const char *text);
/* Takes @remark; for an entry that is not in a ledger yet. */
void retune_entry_add_remark(RetuneEntry *entry, RetuneRemark *remark);

typedef struct _RetuneLedger RetuneLedger;

RetuneLedger *retune_ledger_new(const RetuneKnobTable *table);
void retune_ledger_free(RetuneLedger *ledger);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RetuneLedger, retune_ledger_free)

/* The entry of place @id, or NULL. */
const RetuneEntry *retune_ledger_get(const RetuneLedger *ledger, const RetuneKnob *place, guint id);
/* Replaces the entry; takes @entry, NULL removes. */
void retune_ledger_set(RetuneLedger *ledger, const RetuneKnob *place, guint id, RetuneEntry *entry);

/* Forgets all entries of @place. */
void retune_ledger_forget(RetuneLedger *ledger, const RetuneKnob *place);

/* Adds a remark to the entry, which is made if there is none; takes @remark. */
void retune_ledger_add_remark(RetuneLedger *ledger, const RetuneKnob *place, guint id,
                              RetuneRemark *remark);
/* How many entries there are of @place. */
guint retune_ledger_count(const RetuneLedger *ledger, const RetuneKnob *place);
/* Does any entry have a remark? */
gboolean retune_ledger_has_remarks(const RetuneLedger *ledger);

/* Calls @visit for each entry, in the order of the table, then of ids. */
typedef void (*RetuneLedgerVisit)(const RetuneKnob *place, guint id, const RetuneEntry *entry,
                                  gpointer data);
void retune_ledger_foreach(const RetuneLedger *ledger, RetuneLedgerVisit visit, gpointer data);

G_END_DECLS
