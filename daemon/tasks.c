// SPDX-License-Identifier: GPL-2.0-or-later
/* The queue and its worker. */
#include "tasks.h"

struct _RetuneTasks {
  gpointer owner;
  GThreadPool *worker;
  GQueue waiting;      /* RetuneTask */
  RetuneTask *running; /* or NULL */
  guint start_source;  /* idle source that starts the next task, or 0 */
};

static void start_next(RetuneTasks *tasks);

static gboolean on_idle_start(gpointer data)
{
  RetuneTasks *tasks = data;

  tasks->start_source = 0;
  start_next(tasks);
  return G_SOURCE_REMOVE;
}

static gboolean on_worked(gpointer data)
{
  RetuneTasks *tasks = data;

  if (tasks->running->end(tasks->owner, tasks->running)) {
    g_thread_pool_push(tasks->worker, tasks->running, NULL);
    return G_SOURCE_REMOVE;
  }
  tasks->running = NULL;
  start_next(tasks);
  return G_SOURCE_REMOVE;
}

/* In the worker. */
static void work(gpointer data, gpointer tasks_data)
{
  RetuneTasks *tasks = tasks_data;
  RetuneTask *task = data;

  task->work(tasks->owner, task);
  g_idle_add_full(G_PRIORITY_DEFAULT, on_worked, tasks, NULL);
}

/* Tasks without work end at once, but each gives the main loop a turn. */
static void start_next(RetuneTasks *tasks)
{
  if (tasks->running != NULL)
    return;
  RetuneTask *task = g_queue_pop_head(&tasks->waiting);
  if (task == NULL)
    return;
  tasks->running = task;
  if (task->begin == NULL || task->begin(tasks->owner, task)) {
    g_thread_pool_push(tasks->worker, task, NULL);
    return;
  }
  (void)task->end(tasks->owner, task); /* without work once, without work twice */
  tasks->running = NULL;
  if (tasks->start_source == 0)
    tasks->start_source = g_idle_add_full(G_PRIORITY_DEFAULT, on_idle_start, tasks, NULL);
}

RetuneTasks *retune_tasks_new(gpointer owner)
{
  RetuneTasks *tasks = g_new0(RetuneTasks, 1);
  tasks->owner = owner;
  g_queue_init(&tasks->waiting);
  tasks->worker = g_thread_pool_new(work, tasks, 1, TRUE, NULL);
  return tasks;
}

void retune_tasks_free(RetuneTasks *tasks)
{
  g_warn_if_fail(tasks->running == NULL && g_queue_is_empty(&tasks->waiting));
  g_clear_handle_id(&tasks->start_source, g_source_remove);
  g_thread_pool_free(tasks->worker, FALSE, TRUE);
  g_free(tasks);
}

void retune_tasks_add(RetuneTasks *tasks, RetuneTask *task)
{
  g_queue_push_tail(&tasks->waiting, task);
  start_next(tasks);
}

void retune_tasks_cancel(RetuneTasks *tasks)
{
  GList *next;

  for (GList *item = tasks->waiting.head; item != NULL; item = next) {
    RetuneTask *task = item->data;
    next = item->next;
    if (task->cancel == NULL)
      continue;
    g_queue_delete_link(&tasks->waiting, item);
    task->cancel(tasks->owner, task);
  }
}
