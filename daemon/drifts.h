// SPDX-License-Identifier: GPL-2.0-or-later
/* Foreign writes to values of ours, and what becomes of them (on_drift). */
#pragma once

#include "manager.h"

G_BEGIN_DECLS

typedef struct _RetuneDrifts RetuneDrifts;

RetuneDrifts *retune_drifts_new(RetuneManager *manager);
void retune_drifts_free(RetuneDrifts *drifts);

/* Before jobs, and after them: what was written in between by ourselves is not foreign. */
void retune_drifts_pause(RetuneDrifts *drifts);
void retune_drifts_resume(RetuneDrifts *drifts);
/* What a committed job took is watched from now on, what it gave up not any more. */
void retune_drifts_watch(RetuneDrifts *drifts, const RetuneJob *job);

/* Logs what a job has found changed by others, and counts the losses of those that
 * write again. */
void retune_drifts_note(RetuneDrifts *drifts, const RetuneJob *job);
/* A call is about the instance: what it has lost before does not count any more. */
void retune_drifts_forgive(RetuneDrifts *drifts, const char *name);

G_END_DECLS
