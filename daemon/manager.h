// SPDX-License-Identifier: GPL-2.0-or-later
/* Owns the model and the ledger, and runs one task after another: the main
 * thread decides and commits, the worker reads and writes the kernel's files.
 * All functions are for the main thread. */
#pragma once

#include "instance-files.h"
#include "job.h"
#include "persistent.h"
#include "query.h"
#include "request.h"
#include "state.h"

G_BEGIN_DECLS

typedef struct _RetuneManager RetuneManager;

/* What came of it. */
typedef struct {
  GError *error;                  /* or the rest is valid */
  GPtrArray *moves;               /* RetuneMove */
  GPtrArray *created;             /* names of the new instances */
  const GPtrArray *preview_lines; /* RetuneLine */
  guint n_unrestored;             /* baselines that the kernel would not take back */
  guint n_writes;
} RetuneReply;

typedef void (*RetuneReplyFunc)(RetuneManager *manager, const RetuneReply *reply, gpointer data);

/* Who is told of every change, before the caller gets the reply. */
typedef struct {
  void (*changed)(RetuneModel *before, RetuneModel *after, gpointer data);
  void (*drifted)(const RetuneLine *line, gpointer data);
  gpointer data;
} RetuneObserver;

/* What outlives the daemon, or is there before it. */
typedef struct {
  RetuneState *state;           /* over a crash or restart; may be NULL */
  RetunePersistent *persistent; /* over a boot; may be NULL */
  RetuneInstanceFiles files;    /* wanted at each start */
} RetuneStores;

/* Borrows all but @stores itself. */
RetuneManager *retune_manager_new(const RetuneKnobTable *table, RetuneMachine *machine,
                                  const RetuneStores *stores,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
void retune_manager_free(RetuneManager *manager);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RetuneManager, retune_manager_free)
void retune_manager_observe(RetuneManager *manager, const RetuneObserver *observer);

/* Takes over what a retuned before us had, if it could not put it back itself:
 * the first change of all. @func is called once. */
void retune_manager_adopt(RetuneManager *manager, RetuneReplyFunc func, gpointer data);

/* Queues a change; takes @request. @func is called once. */
void retune_manager_submit(RetuneManager *manager, RetuneRequest *request, RetuneReplyFunc func,
                           gpointer data);

/* @expression alone, with the lists that its selectors stand for. It touches nothing of
 * a manager, so also the worker may ask. Errors: as retune_selectors_expand(). */
char *retune_manager_expand(RetuneMachine *machine, RetuneModel *model, const RetuneCpuset *present,
                            const char *expression, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* A question for the worker. @ask runs there, @answer in the main thread. */
typedef struct {
  void (*ask)(const RetuneKnobTable *table, RetuneMachine *machine, const RetuneLedger *ledger,
              RetuneModel *model, gpointer data);
  void (*answer)(gpointer data);
  void (*cancel)(gpointer data); /* instead of both: the daemon is stopping */
} RetuneQuestion;

/* Queues a question behind what is queued already. FALSE: the daemon is
 * stopping, and nothing will be called. */
gboolean retune_manager_ask(RetuneManager *manager, const RetuneQuestion *question,
                            gpointer data) G_GNUC_WARN_UNUSED_RESULT;

/* @cpu came, went, or was switched on or off, perhaps both in turn: look again,
 * and at its values in any case. */
void retune_manager_device_changed(RetuneManager *manager, guint cpu);

/* The cpufreq driver may have another mode: look, and if so, forget what it has
 * forgotten and set everything anew. */
void retune_manager_driver_changed(RetuneManager *manager);

/* The machine has slept: look at every value, and put right what is not. */
void retune_manager_resumed(RetuneManager *manager);

/* Puts every baseline back and destroys all instances, after what is queued.
 * From now on everything else is refused. */
void retune_manager_release_all(RetuneManager *manager, RetuneReplyFunc func, gpointer data);

/* Ends after what is under way, and leaves everything as it is: another retuned will
 * take over. From now on everything else is refused. */
void retune_manager_leave(RetuneManager *manager, void (*func)(RetuneManager *, gpointer),
                          gpointer data);

/* How many values were set again by changes of our own. */
guint retune_manager_count_repaired(RetuneManager *manager);

/* How many baselines are kept, since they may have to be put back. */
guint retune_manager_count_baselines(RetuneManager *manager);

RetuneModel *retune_manager_model(RetuneManager *manager);
const RetuneCpuset *retune_manager_present(RetuneManager *manager);
const RetuneCpuset *retune_manager_online(RetuneManager *manager);
const RetuneKnobTable *retune_manager_table(RetuneManager *manager);

/* What is not as an instance wishes, grouped: RetuneFinding. */
GPtrArray *retune_manager_problems(RetuneManager *manager, const RetuneInstance *instance);

G_END_DECLS
