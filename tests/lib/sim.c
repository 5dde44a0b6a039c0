/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * retune-sim: runs a command on a simulated machine. README.md says how.
 */
#include <errno.h>
#include <glib-unix.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim-control.h"
#include "sim-machine.h"
#include "sim-tree.h"

#define UMOCKDEV_PRELOAD "libumockdev-preload.so.0"
#define MEMORY_DIR "/dev/shm"
#define FAILURE 125 /* our own, as with env(1) */

typedef struct {
  GMainLoop *loop;
  GPid pid;   /* the command's process */
  int status; /* as from waitpid() */
} Run;

typedef struct {
  char *machine;
  char *control;
  char *root_file;
  char **command;
} Options;

static void options_clear(Options *options)
{
  g_free(options->machine);
  g_free(options->control);
  g_free(options->root_file);
  g_strfreev(options->command);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, options_clear)

static gboolean options_parse(Options *options, int argc, char **argv, GError **error)
{
  const GOptionEntry entries[] = {
      {"machine", 'm', 0, G_OPTION_ARG_STRING, &options->machine,
       "The machine: a name, or a file (default cascadelake)", "NAME"},
      {"control", 'c', 0, G_OPTION_ARG_FILENAME, &options->control,
       "Make this named pipe and obey it", "FIFO"},
      {"root-file", 'r', 0, G_OPTION_ARG_FILENAME, &options->root_file,
       "Write the testbed's directory to this file when it is ready", "FILE"},
      {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options->command, NULL, NULL},
      G_OPTION_ENTRY_NULL,
  };
  g_autoptr(GOptionContext) context = g_option_context_new("-- COMMAND [ARGUMENT...]");

  g_option_context_add_main_entries(context, entries, NULL);
  g_option_context_set_strict_posix(context, TRUE);
  g_option_context_set_summary(context, "Runs a command on a simulated machine.");
  if (!g_option_context_parse(context, &argc, &argv, error))
    return FALSE;

  if (options->command == NULL) {
    g_set_error_literal(error, G_OPTION_ERROR, G_OPTION_ERROR_FAILED, "no command given");
    return FALSE;
  }
  if (options->machine == NULL)
    options->machine = g_strdup("cascadelake");
  return TRUE;
}

/* Sanitizers insist on being the first library, which they need not be: what we
 * preload defines no function of memory. */
static void relax_sanitizer(void)
{
  const char *given = g_getenv("ASAN_OPTIONS");
  g_autofree char *options = NULL;

  if (given != NULL && strstr(given, "verify_asan_link_order") != NULL)
    return;
  options = g_strconcat(given != NULL ? given : "", given != NULL ? ":" : "",
                        "verify_asan_link_order=0", NULL);
  g_setenv("ASAN_OPTIONS", options, TRUE);
}

/* Events need umockdev in this process too, so it starts itself once more. What
 * was preloaded is for the command: libasan in front of a program without it
 * breaks the locks of gettext. */
static int start_again(char **argv)
{
  const char *given = g_getenv("LD_PRELOAD");

  g_setenv("RETUNE_SIM_PRELOAD", given != NULL ? given : "", TRUE);
  g_setenv("LD_PRELOAD", UMOCKDEV_PRELOAD, TRUE);
  relax_sanitizer();
  execv("/proc/self/exe", argv);
  g_printerr("retune-sim: cannot start again: %s\n", g_strerror(errno));
  return FAILURE;
}

/* The command's environment: what was preloaded before, our kernel, umockdev. */
static char **command_environment(const char *root)
{
  char **environment = g_get_environ();
  const char *given = g_environ_getenv(environment, "RETUNE_SIM_PRELOAD");
  g_autofree char *preload = NULL;

  preload = g_strconcat(given != NULL ? given : "", given != NULL && *given != '\0' ? ":" : "",
                        RETUNE_SIM_KERNEL ":" UMOCKDEV_PRELOAD, NULL);
  environment = g_environ_setenv(environment, "LD_PRELOAD", preload, TRUE);
  environment = g_environ_setenv(environment, "RETUNE_SIM_ROOT", root, TRUE);
  return g_environ_unsetenv(environment, "RETUNE_SIM_PRELOAD");
}

static void on_command_exit(GPid pid, gint status, gpointer data)
{
  Run *run = data;

  g_spawn_close_pid(pid);
  run->pid = 0;
  run->status = status;
  g_main_loop_quit(run->loop);
}

static gboolean on_signal(Run *run, int number)
{
  if (run->pid > 0)
    kill(run->pid, number);
  return G_SOURCE_CONTINUE;
}

static gboolean on_sigterm(gpointer data)
{
  return on_signal(data, SIGTERM);
}

static gboolean on_sigint(gpointer data)
{
  return on_signal(data, SIGINT);
}

/* Runs the command to its end; the status to leave with, as a shell gives it. */
static gboolean run_command(char **command, const char *root, int *ret_status, GError **error)
{
  g_auto(GStrv) environment = command_environment(root);
  g_autoptr(GMainLoop) loop = g_main_loop_new(NULL, FALSE);
  Run run = {.loop = loop};
  guint term_source, interrupt_source;

  if (!g_spawn_async(NULL, command, environment,
                     G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_SEARCH_PATH |
                         G_SPAWN_CHILD_INHERITS_STDIN | G_SPAWN_LEAVE_DESCRIPTORS_OPEN,
                     NULL, NULL, &run.pid, error))
    return FALSE;

  g_child_watch_add(run.pid, on_command_exit, &run);
  term_source = g_unix_signal_add(SIGTERM, on_sigterm, &run);
  interrupt_source = g_unix_signal_add(SIGINT, on_sigint, &run);
  g_main_loop_run(loop);
  g_source_remove(term_source);
  g_source_remove(interrupt_source);

  *ret_status = WIFEXITED(run.status) ? WEXITSTATUS(run.status) : 128 + WTERMSIG(run.status);
  return TRUE;
}

/* Where the testbed goes: TMPDIR if that is set, else memory if there is room for
 * a page for each of 80 files of each CPU, else the usual folder. Descriptors show
 * resolved paths, so this one must have no symlink. GLib reads TMPDIR once. */
static void choose_temporary_dir(const SimMachine *machine)
{
  const char *given = g_getenv("TMPDIR");
  const guint64 needed = (guint64)sim_cpus_count(&machine->present) * 80 * 4096;
  struct statvfs room;
  g_autofree char *saved = g_strdup(given);
  g_autofree char *dir = NULL;

  if (given == NULL && access(MEMORY_DIR, W_OK) == 0 && statvfs(MEMORY_DIR, &room) == 0 &&
      (guint64)room.f_bavail * room.f_bsize > 2 * needed)
    given = MEMORY_DIR;
  dir = realpath(given != NULL ? given : "/tmp", NULL);
  if (dir == NULL)
    return;

  g_setenv("TMPDIR", dir, TRUE);
  g_get_tmp_dir();
  if (saved != NULL)
    g_setenv("TMPDIR", saved, TRUE);
  else
    g_unsetenv("TMPDIR");
}

static gboolean run(const Options *options, int *ret_status, GError **error)
{
  g_autoptr(SimMachine) machine = NULL;
  g_autoptr(UMockdevTestbed) testbed = NULL;
  g_autoptr(SimControl) control = NULL;
  g_autofree char *root = NULL;
  g_autofree char *line = NULL;

  machine = sim_machine_load(RETUNE_SIM_MACHINES, options->machine, error);
  if (machine == NULL)
    return FALSE;

  choose_temporary_dir(machine);
  testbed = umockdev_testbed_new();
  if (!sim_tree_build(testbed, machine, error))
    return FALSE;
  control = sim_control_new(testbed, options->control, error);
  if (control == NULL)
    return FALSE;

  root = umockdev_testbed_get_root_dir(testbed);
  line = g_strconcat(root, "\n", NULL);
  if (options->root_file != NULL && !g_file_set_contents(options->root_file, line, -1, error))
    return FALSE;
  return run_command(options->command, root, ret_status, error);
}

int main(int argc, char **argv)
{
  g_auto(Options) options = {0};
  g_autoptr(GError) error = NULL;
  int status = FAILURE;

  if (g_getenv("RETUNE_SIM_PRELOAD") == NULL)
    return start_again(argv);

  umask(022);
  if (!options_parse(&options, argc, argv, &error) || !run(&options, &status, &error))
    g_printerr("retune-sim: %s\n", error->message);
  return status;
}
