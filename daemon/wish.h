// SPDX-License-Identifier: GPL-2.0-or-later
/* First of the three steps: a request becomes another model, or an error. Pure
 * data; called by the manager. */
#pragma once

#include "model.h"
#include "request.h"

G_BEGIN_DECLS

/* What the request makes of @model. @subjects (names) gets the instances that
 * the request is about, @affected the CPUs whose values it may change.
 * Errors: those of the model and of options, with file and line where known. */
RetuneModel *retune_wish(RetuneModel *model, const RetuneRequest *request,
                         const RetuneKnobTable *table, const RetuneCpuset *present,
                         GPtrArray *subjects, RetuneCpuset *affected,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Adds the file and line of @option of @instance to @error, if the request came
 * from a file. */
void retune_wish_locate(const RetuneRequest *request, const char *instance, const char *option,
                        GError **error);

G_END_DECLS
