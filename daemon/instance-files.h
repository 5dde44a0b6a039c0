// SPDX-License-Identifier: GPL-2.0-or-later
/* Instances that files want at each start: /etc/retune/instances.d/NAME.conf, in the
 * syntax of profiles. */
#pragma once

#include "machine.h"
#include "model.h"

G_BEGIN_DECLS

/* Where they are, and what reading them needs. */
typedef struct {
  const char *directory;
  const char *const *profile_path; /* of included profiles */
} RetuneInstanceFiles;

/* @model with what the files want: new instances, those that are wanted otherwise
 * now, and without those whose file does not want them any more. A file with anything
 * wrong counts for nothing, with its name and the line in the log; what there is of it
 * stays. Returns the new model. */
RetuneModel *retune_instance_files_merge(const RetuneInstanceFiles *files, RetuneModel *model,
                                         const RetuneKnobTable *table, RetuneMachine *machine,
                                         const RetuneCpuset *present);

G_END_DECLS
