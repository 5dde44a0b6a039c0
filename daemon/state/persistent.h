// SPDX-License-Identifier: GPL-2.0-or-later
/* The instances that are there again after the next boot, in one file that is replaced
 * as a whole. docs/state.md describes it. */
#pragma once

#include "model.h"

G_BEGIN_DECLS

typedef struct _RetunePersistent RetunePersistent;

/* In @directory, which is made when there is something to keep. */
RetunePersistent *retune_persistent_new(const char *directory, const RetuneKnobTable *table);
void retune_persistent_free(RetunePersistent *persistent);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RetunePersistent, retune_persistent_free)

/* Adds to @model what the file has and @model has not, with the CPUs of @present that
 * are free. Returns the new model; a file that makes no sense is set aside, and an
 * instance that does not is left out, with a message in the log. */
RetuneModel *retune_persistent_load(RetunePersistent *persistent, RetuneModel *model,
                                    const RetuneCpuset *present);

/* Writes what @model has beside the file, which stays as it is until the commit. Does
 * nothing if that is what the file has. Errors: FAILED, naming the file: what is
 * promised to be kept could not be. */
gboolean retune_persistent_prepare(RetunePersistent *persistent, const RetuneModel *model,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* What was prepared becomes the file, or is dropped. From the thread of prepare, or
 * when that is done. */
void retune_persistent_commit(RetunePersistent *persistent);
void retune_persistent_abort(RetunePersistent *persistent);

G_END_DECLS
