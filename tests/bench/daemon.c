// SPDX-License-Identifier: GPL-2.0-or-later
/* Start and stop are seen as a client sees them: by NameOwnerChanged. */
#include "daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bus.h"
#include "sample.h"

#define TIME_LIMIT_US 10e6
#define TICK_MS 100
/* What is left of the end of a call must not count as waking up when idle. */
#define CALM_US (2UL * G_USEC_PER_SEC)
#define LOG_TAIL 2000

struct _BenchDaemon {
  char *path;
  char *log;
  pid_t pid; /* 0: does not run */
  GDBusConnection *bus;
  guint subscription;
  gboolean owned;    /* somebody has the name */
  double changed_at; /* since then */
};

static void on_owner(GDBusConnection *bus, const char *sender, const char *path,
                     const char *interface, const char *signal, GVariant *arguments, gpointer data)
{
  BenchDaemon *daemon = data;
  const char *owner;

  (void)bus;
  (void)sender;
  (void)path;
  (void)interface;
  (void)signal;
  g_variant_get(arguments, "(&s&s&s)", NULL, NULL, &owner);
  daemon->owned = *owner != '\0';
  daemon->changed_at = bench_now();
}

BenchDaemon *bench_daemon_new(const char *path, const char *log, GError **error)
{
  g_autoptr(BenchDaemon) daemon = g_new0(BenchDaemon, 1);

  daemon->path = g_strdup(path);
  daemon->log = g_strdup(log);
  daemon->bus = bench_bus_open(error);
  if (daemon->bus == NULL)
    return NULL;
  daemon->subscription = g_dbus_connection_signal_subscribe(
      daemon->bus, "org.freedesktop.DBus", "org.freedesktop.DBus", "NameOwnerChanged", NULL,
      BENCH_BUS_NAME, G_DBUS_SIGNAL_FLAGS_NONE, on_owner, daemon, NULL);
  /* A call and its reply, so that the bus has the subscription. */
  g_autoptr(GVariant) reply =
      g_dbus_connection_call_sync(daemon->bus, "org.freedesktop.DBus", "/", "org.freedesktop.DBus",
                                  "GetId", NULL, NULL, G_DBUS_CALL_FLAGS_NONE, -1, NULL, error);
  return reply != NULL ? g_steal_pointer(&daemon) : NULL;
}

void bench_daemon_free(BenchDaemon *daemon)
{
  if (daemon == NULL)
    return;
  if (daemon->pid != 0) {
    kill(daemon->pid, SIGKILL);
    waitpid(daemon->pid, NULL, 0);
  }
  if (daemon->subscription != 0)
    g_dbus_connection_signal_unsubscribe(daemon->bus, daemon->subscription);
  g_clear_object(&daemon->bus);
  g_free(daemon->path);
  g_free(daemon->log);
  g_free(daemon);
}

/* --- start and stop --- */

static gboolean spawn(BenchDaemon *daemon, GError **error)
{
  extern char **environ;
  char *arguments[] = {daemon->path, NULL};
  posix_spawn_file_actions_t actions;

  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, daemon->log, O_WRONLY | O_CREAT | O_APPEND, 0644);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  int result = posix_spawn(&daemon->pid, daemon->path, &actions, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (result == 0)
    return TRUE;
  daemon->pid = 0;
  g_set_error(error, G_IO_ERROR, G_IO_ERROR_FAILED, "cannot start %s: %s", daemon->path,
              g_strerror(result));
  return FALSE;
}

static gboolean keep_ticking(gpointer unused)
{
  (void)unused;
  return G_SOURCE_CONTINUE;
}

/* Waits until the name is owned, or is not, for as long as it takes. */
static gboolean wait_for_name(BenchDaemon *daemon, gboolean owned)
{
  double end = bench_now() + TIME_LIMIT_US;
  guint tick = g_timeout_add(TICK_MS, keep_ticking, NULL);
  int status;

  while (daemon->owned != owned && bench_now() < end) {
    g_main_context_iteration(NULL, TRUE);
    if (owned && waitpid(daemon->pid, &status, WNOHANG) == daemon->pid) {
      daemon->pid = 0;
      break;
    }
  }
  g_source_remove(tick);
  return daemon->owned == owned;
}

gboolean bench_daemon_start(BenchDaemon *daemon, double *ret_us, GError **error)
{
  double start = bench_now();

  if (!spawn(daemon, error))
    return FALSE;
  if (!wait_for_name(daemon, TRUE)) {
    g_set_error(error, G_IO_ERROR, G_IO_ERROR_FAILED, "retuned %s before it owned " BENCH_BUS_NAME,
                daemon->pid == 0 ? "ended" : "waited too long");
    return FALSE;
  }
  *ret_us = daemon->changed_at - start;
  return TRUE;
}

gboolean bench_daemon_stop(BenchDaemon *daemon, GError **error)
{
  double end = bench_now() + TIME_LIMIT_US;
  pid_t gone;
  int status = 0;

  kill(daemon->pid, SIGTERM);
  while ((gone = waitpid(daemon->pid, &status, WNOHANG)) == 0 && bench_now() < end)
    g_usleep(1000);
  if (gone != daemon->pid) {
    g_set_error(error, G_IO_ERROR, G_IO_ERROR_TIMED_OUT, "retuned does not stop");
    return FALSE;
  }
  daemon->pid = 0;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || !wait_for_name(daemon, FALSE)) {
    g_set_error(error, G_IO_ERROR, G_IO_ERROR_FAILED, "retuned ended badly: wait status %#x",
                (guint)status);
    return FALSE;
  }
  return TRUE;
}

/* --- what the kernel tells --- */

static char *read_proc(const BenchDaemon *daemon, const char *name, GError **error)
{
  g_autofree char *path = g_strdup_printf("/proc/%d/%s", (int)daemon->pid, name);
  char *text = NULL;

  return g_file_get_contents(path, &text, NULL, error) ? text : NULL;
}

/* The number behind "\n@key:" in @text, 0 if there is none. */
static guint find_number(const char *text, const char *key)
{
  g_autofree char *head = g_strdup_printf("\n%s:", key);
  const char *found = strstr(text, head);

  return found != NULL ? (guint)g_ascii_strtoull(found + strlen(head), NULL, 10) : 0;
}

gboolean bench_daemon_memory(const BenchDaemon *daemon, BenchMemory *ret_memory, GError **error)
{
  g_autofree char *text = read_proc(daemon, "smaps_rollup", error);

  if (text == NULL)
    return FALSE;
  ret_memory->rss = find_number(text, "Rss");
  ret_memory->pss = find_number(text, "Pss");
  ret_memory->private_size =
      find_number(text, "Private_Clean") + find_number(text, "Private_Dirty");
  return TRUE;
}

/* Thread -> how often it was switched to; NULL and @error if that is not told. */
static GHashTable *count_switches(const BenchDaemon *daemon, GError **error)
{
  g_autofree char *path = g_strdup_printf("/proc/%d/task", (int)daemon->pid);
  g_autoptr(GDir) threads = g_dir_open(path, 0, error);
  g_autoptr(GHashTable) counts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  const char *thread;

  if (threads == NULL)
    return NULL;
  while ((thread = g_dir_read_name(threads)) != NULL) {
    g_autofree char *name = g_strdup_printf("task/%s/status", thread);
    g_autofree char *text = read_proc(daemon, name, NULL);
    if (text == NULL)
      continue; /* it has just ended */
    guint count = find_number(text, "voluntary_ctxt_switches") +
                  find_number(text, "nonvoluntary_ctxt_switches");
    g_hash_table_insert(counts, g_strdup(thread), GUINT_TO_POINTER(count));
  }
  return g_steal_pointer(&counts);
}

gboolean bench_daemon_switches(const BenchDaemon *daemon, guint seconds, guint *ret_switches,
                               GError **error)
{
  GHashTableIter iter;
  gpointer thread, count;

  g_usleep(CALM_US);
  g_autoptr(GHashTable) before = count_switches(daemon, error);
  if (before == NULL)
    return FALSE;
  g_usleep((gulong)seconds * G_USEC_PER_SEC);
  g_autoptr(GHashTable) after = count_switches(daemon, error);
  if (after == NULL)
    return FALSE;
  *ret_switches = 0;
  g_hash_table_iter_init(&iter, after);
  while (g_hash_table_iter_next(&iter, &thread, &count))
    *ret_switches +=
        GPOINTER_TO_UINT(count) - GPOINTER_TO_UINT(g_hash_table_lookup(before, thread));
  g_hash_table_iter_init(&iter, before);
  while (g_hash_table_iter_next(&iter, &thread, NULL)) /* to end, it had to wake up */
    *ret_switches += g_hash_table_contains(after, thread) ? 0 : 1;
  return TRUE;
}

void bench_daemon_print_log(const BenchDaemon *daemon)
{
  g_autofree char *text = NULL;
  gsize length;

  if (!g_file_get_contents(daemon->log, &text, &length, NULL) || length == 0)
    return;
  g_printerr("the end of what retuned said:\n%s\n",
             text + (length > LOG_TAIL ? length - LOG_TAIL : 0));
}
