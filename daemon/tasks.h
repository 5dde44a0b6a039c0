// SPDX-License-Identifier: GPL-2.0-or-later
/* A queue of tasks that run one after another: begun and ended in the main
 * thread, worked on in one worker thread, which sleeps while there is none. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The head of a task; the rest follows it in a struct of the caller's. */
typedef struct _RetuneTask RetuneTask;
struct _RetuneTask {
  /* In the main thread, when its turn has come. FALSE: no work to do. May be
   * NULL. */
  gboolean (*begin)(gpointer owner, RetuneTask *task);
  void (*work)(gpointer owner, RetuneTask *task); /* in the worker */
  /* In the main thread; frees the task, or returns TRUE if there is more work. */
  gboolean (*end)(gpointer owner, RetuneTask *task);
  void (*cancel)(gpointer owner, RetuneTask *task); /* instead of all that; NULL: cannot be */
};

typedef struct _RetuneTasks RetuneTasks;

/* @owner is passed to the functions of tasks. */
RetuneTasks *retune_tasks_new(gpointer owner);
/* No task may be left. */
void retune_tasks_free(RetuneTasks *tasks);
/* Cancels the waiting tasks that can be. */
void retune_tasks_cancel(RetuneTasks *tasks);
/* Takes @task. If nothing is before it, it begins at once. */
void retune_tasks_add(RetuneTasks *tasks, RetuneTask *task);

G_END_DECLS
