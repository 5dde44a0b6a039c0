// SPDX-License-Identifier: GPL-2.0-or-later
/* What manager.c and own-changes.c share. */
#pragma once

#include "drifts.h"
#include "manager.h"
#include "tasks.h"

G_BEGIN_DECLS

struct _RetuneManager {
  const RetuneKnobTable *table;
  RetuneMachine *machine;
  RetuneState *state;           /* or NULL: nothing outlives us */
  RetunePersistent *persistent; /* or NULL: nothing outlives the boot */
  RetuneInstanceFiles files;
  gboolean unsaved; /* the state file is not what it should be */
  RetuneLedger *ledger;
  RetuneModel *model;
  RetuneCpuset *present;
  RetuneCpuset *online;
  RetuneObserver observer;
  RetuneTasks *tasks;
  RetuneDrifts *drifts;
  gboolean devices_queued;
  RetuneCpuset *stirred;     /* CPUs that were switched since the last look */
  guint64 driver_generation; /* see retune_machine_driver_generation */
  gboolean policies_new;     /* it has changed, and not all values are set again yet */
  gboolean adopting;         /* the state file is not yet ours to replace */
  guint retry_source;        /* timer for what failed and nobody will ask for again */
  guint n_repaired;          /* values that changes of our own have set again */
  gboolean stopping;
  guint trim_source; /* timer that gives memory back after the last job */
};

/* A change on its way through the queue. */
typedef struct {
  RetuneTask task;
  RetuneRequest *request; /* NULL for changes of our own */
  RetuneJob *job;
  RetuneJob *first; /* the job before, if that has switched CPUs on; else NULL */
  GError *error;    /* the wish failed */
  RetuneReplyFunc func;
  gpointer data;
} RetuneChangeTask;

/* A change that begins with @begin, which makes the job. */
RetuneChangeTask *retune_change_task_new(gboolean (*begin)(gpointer owner, RetuneTask *task),
                                         RetuneReplyFunc func, gpointer data);
/* A job from the present model to @after. */
RetuneJob *retune_manager_new_job(RetuneManager *manager, RetuneModel *after);
/* The same that nobody asked for: it looks at what is there, and nothing must work. */
RetuneJob *retune_manager_new_own_job(RetuneManager *manager, RetuneModel *after);
/* Queues a change of our own; @occasion says in the log why values were set again. */
void retune_manager_add_own(RetuneManager *manager,
                            gboolean (*begin)(gpointer owner, RetuneTask *task),
                            const char *occasion);
/* Says in the log what is new among a job's notes; before they are committed. */
void retune_manager_log_notes(RetuneManager *manager, const RetuneJob *job);
/* Moves a job's notes to the ledger, after its entries. */
void retune_manager_commit_notes(RetuneManager *manager, RetuneJob *job);
/* Has a look at which CPUs there are and are online. */
void retune_manager_look_at_devices(RetuneManager *manager);
/* The same in a while, and at all values of @cpus. */
void retune_manager_look_again(RetuneManager *manager, const RetuneCpuset *cpus);
/* Forgets what the cpufreq driver has forgotten, if it has made its policies anew,
 * and has all values set again. Before each change: what is there then is what was
 * there before us. */
void retune_manager_check_driver(RetuneManager *manager);

G_END_DECLS
