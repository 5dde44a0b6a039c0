// SPDX-License-Identifier: GPL-2.0-or-later
/* What must outlive the daemon: instances and baselines, in one file that is
 * replaced as a whole. docs/state.md describes it. */
#pragma once

#include "ledger.h"
#include "model.h"

G_BEGIN_DECLS

typedef struct _RetuneState RetuneState;

/* The state of this boot in @directory, which is made if it is not there, and
 * locked. Errors: FAILED, also if another process has the lock. */
RetuneState *retune_state_new(const char *directory, const RetuneKnobTable *table,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
void retune_state_free(RetuneState *state);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RetuneState, retune_state_free)

/* Reads instances, and baselines into @ledger, which is empty. *@ret_model is NULL
 * if there is nothing to restore: a file of another boot is removed; one that makes
 * no sense is set aside, with a message in the log. *@ret_driver and *@ret_present are what the
 * draft had; the caller frees the latter. Errors: FAILED if there is a file that cannot be read. */
gboolean retune_state_load(RetuneState *state, RetuneLedger *ledger, RetuneModel **ret_model,
                           RetuneCpuset **ret_present, guint64 *ret_driver,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* What is about to be saved. */
typedef struct _RetuneDraft RetuneDraft;

/* Of @model and the baselines in @ledger; both may change afterwards. @driver is
 * the generation of the policies that they are of (see machine.h), @present what CPUs
 * there are. */
RetuneDraft *retune_draft_new(const RetuneModel *model, const RetuneLedger *ledger,
                              const RetuneCpuset *present, guint64 driver);
void retune_draft_free(RetuneDraft *draft);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RetuneDraft, retune_draft_free)
void retune_draft_add_baseline(RetuneDraft *draft, const RetuneKnob *place, guint id,
                               const char *text);

/* Replaces the file, so that a crash at any moment leaves the old one or the new
 * one; removes it if there is nothing to say. From any one thread at a time.
 * Errors: FAILED, naming the file. */
gboolean retune_state_save(RetuneState *state, const RetuneDraft *draft,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
