// SPDX-License-Identifier: GPL-2.0-or-later
/* What the writer and the reader of the state file share. */
#pragma once

#include <json-c/json.h>

#include "state.h"

G_BEGIN_DECLS

#define RETUNE_STATE_VERSION 1

/* How a place is called in the file; @index is the idle state, or 0. */
char *retune_state_file_name(const RetuneKnob *place, guint index);

/* @text as JSON, strictly and not too much of it. Errors: FAILED. */
json_object *retune_state_parse(const char *text, gsize length,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The text of @root for a file. Takes @root. */
char *retune_state_to_text(json_object *root);
/* One instance, written and read. Errors: any. */
json_object *retune_state_describe_instance(const RetuneInstance *instance);
RetuneInstance *retune_state_read_instance(json_object *object, const RetuneKnobTable *table,
                                           GError **error) G_GNUC_WARN_UNUSED_RESULT;

gboolean retune_draft_is_empty(const RetuneDraft *draft);
char *retune_draft_to_text(const RetuneDraft *draft, const char *boot_id);

/* The boot that @root is of, or NULL if it makes no sense.
 * Errors: FAILED, saying what is wrong. */
const char *retune_state_boot(json_object *root, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Reads all of @root. On error, which says what is wrong, @ledger may have some
 * of it. Errors: any. */
RetuneModel *retune_state_read(json_object *root, const RetuneKnobTable *table,
                               RetuneLedger *ledger, RetuneCpuset **ret_present,
                               guint64 *ret_driver, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
