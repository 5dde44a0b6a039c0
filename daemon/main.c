// SPDX-License-Identifier: GPL-2.0-or-later
/* retuned: reads the command line, joins the parts, runs the main loop. */
#include <gio/gio.h>
#include <glib-unix.h>
#include <locale.h>
#include <stdlib.h>
#include <systemd/sd-daemon.h>

#include "convert.h"
#include "driver-mode.h"
#include "hotplug.h"
#include "machine.h"
#include "manager.h"
#include "service.h"
#include "state.h"
#include "table.h"
#include "version.h"

typedef struct {
  GMainLoop *loop;
  GDBusConnection *bus;
  RetuneManager *manager;
  guint name; /* of the bus name's ownership, or 0 */
  gboolean stopping;
  gboolean over;
  int status;
} Daemon;

#define RUNTIME_DIRECTORY "/run/retune"
#define STATE_DIRECTORY RETUNE_STATEDIR "/lib/retune"
#define CONFIGURATION_DIRECTORY RETUNE_SYSCONFDIR "/retune"

/* Where included profiles are looked for, in this order. */
static const char *const profile_path[] = {
    RETUNE_SYSCONFDIR "/retune/profiles",
    RETUNE_SYSCONFDIR "/tuned",
    RETUNE_SYSCONFDIR "/tuned/profiles",
    "/usr/lib/tuned",
    "/usr/lib/tuned/profiles",
    NULL,
};

static void finish(Daemon *daemon)
{
  daemon->over = TRUE; /* perhaps before the loop runs */
  g_main_loop_quit(daemon->loop);
}

static void on_released(RetuneManager *manager, const RetuneReply *reply, gpointer data)
{
  Daemon *daemon = data;

  if (reply->error != NULL)
    g_warning("nothing could be put back: %s", reply->error->message);
  if (reply->error != NULL || reply->n_unrestored > 0)
    daemon->status = EXIT_FAILURE;
  guint n_left = retune_manager_count_baselines(manager);
  if (n_left > 0)
    g_warning("%u value(s) are not as before; a retuned that is started puts them back once their "
              "CPUs are online",
              n_left);
  finish(daemon);
}

static void stop(Daemon *daemon, const char *why)
{
  if (daemon->stopping)
    return;
  daemon->stopping = TRUE;
  (void)sd_notify(0, "STOPPING=1");
  g_message("stopping (%s); putting back what was there before", why);
  retune_manager_release_all(daemon->manager, on_released, daemon);
}

static gboolean on_signal(gpointer data)
{
  stop(data, "asked to by a signal");
  return G_SOURCE_CONTINUE;
}

static void on_left(RetuneManager *manager, gpointer data)
{
  (void)manager;
  finish(data);
}

/* Before another retuned takes over: what is owned stays as it is, and so does the
 * state file. The unit sends this signal for a restart only. */
static gboolean on_restart(gpointer data)
{
  Daemon *daemon = data;

  if (daemon->stopping)
    return G_SOURCE_CONTINUE;
  daemon->stopping = TRUE;
  g_message("stopping for a restart; everything stays as it is");
  retune_manager_leave(daemon->manager, on_left, daemon);
  return G_SOURCE_CONTINUE;
}

static void on_bus_closed(GDBusConnection *bus, gboolean peer_vanished, GError *error,
                          Daemon *daemon)
{
  (void)bus;
  (void)peer_vanished;
  daemon->status = EXIT_FAILURE;
  stop(daemon, error != NULL ? error->message : "the bus is gone");
}

static void on_name_acquired(GDBusConnection *bus, const char *name, gpointer data)
{
  (void)bus;
  (void)data;
  g_message("retuned " RETUNE_VERSION " is ready as %s", name);
  (void)sd_notify(0, "READY=1");
}

static void on_name_lost(GDBusConnection *bus, const char *name, gpointer data)
{
  Daemon *daemon = data;

  g_warning("cannot have the bus name %s: %s", name,
            bus == NULL ? "no bus" : "another process has it, or the bus policy forbids it");
  daemon->status = EXIT_FAILURE;
  stop(daemon, "no bus name");
}

/* Whoever sees the name finds all that was there before a restart. */
static void on_adopted(RetuneManager *manager, const RetuneReply *reply, gpointer data)
{
  Daemon *daemon = data;

  (void)manager;
  if (reply->error != NULL) { /* the file stays for the next one */
    g_warning("cannot take over what a retuned before this one has left: %s",
              reply->error->message);
    daemon->status = EXIT_FAILURE;
    finish(daemon);
    return;
  }
  if (reply->n_writes > 0)
    g_message("%u value(s) were set again", reply->n_writes);
  if (!daemon->stopping)
    daemon->name = g_bus_own_name_on_connection(daemon->bus, RETUNE_BUS_NAME,
                                                G_BUS_NAME_OWNER_FLAGS_DO_NOT_QUEUE,
                                                on_name_acquired, on_name_lost, daemon, NULL);
}

static void on_device_changed(guint cpu, gpointer data)
{
  retune_manager_device_changed(((Daemon *)data)->manager, cpu);
}

static void on_driver_changed(gpointer data)
{
  retune_manager_driver_changed(((Daemon *)data)->manager);
}

/* logind says so with FALSE when the machine is awake again. Without logind,
 * nobody does. */
static void on_prepare_for_sleep(GDBusConnection *bus, const char *sender, const char *path,
                                 const char *interface, const char *signal, GVariant *arguments,
                                 gpointer data)
{
  gboolean going;

  (void)bus, (void)sender, (void)path, (void)interface, (void)signal;
  if (!g_variant_is_of_type(arguments, G_VARIANT_TYPE("(b)")))
    return;
  g_variant_get(arguments, "(b)", &going);
  if (!going)
    retune_manager_resumed(((Daemon *)data)->manager);
}

static guint watch_sleep(GDBusConnection *bus, Daemon *daemon)
{
  return g_dbus_connection_signal_subscribe(
      bus, "org.freedesktop.login1", "org.freedesktop.login1.Manager", "PrepareForSleep",
      "/org/freedesktop/login1", NULL, G_DBUS_SIGNAL_FLAGS_NONE, on_prepare_for_sleep, daemon,
      NULL);
}

static gboolean parse_arguments(int *argc, char ***argv)
{
  gboolean version = FALSE, debug = FALSE;
  g_autoptr(GError) error = NULL;
  const GOptionEntry entries[] = {
      {"debug", 0, 0, G_OPTION_ARG_NONE, &debug, "Log every change of state", NULL},
      {"version", 0, 0, G_OPTION_ARG_NONE, &version, "Print the version and exit", NULL},
      G_OPTION_ENTRY_NULL,
  };
  g_autoptr(GOptionContext) context = g_option_context_new(NULL);

  g_option_context_set_summary(
      context, "Tunes the CPUs of this machine at run time, as " RETUNE_BUS_NAME
               " on the system bus.\nNot for starting by hand: the bus or systemd does.");
  g_option_context_add_main_entries(context, entries, NULL);
  if (!g_option_context_parse(context, argc, argv, &error) || *argc > 1) {
    g_printerr("retuned: %s\n", error != NULL ? error->message : "unexpected argument");
    exit(2);
  }
  if (debug)
    g_log_set_debug_enabled(TRUE);
  if (version)
    g_print("retuned %s\n", RETUNE_VERSION);
  return !version;
}

/* Where things are; systemd says so, from RuntimeDirectory= and the like. */
static const char *directory_of(const char *variable, const char *usual)
{
  const char *directory = g_getenv(variable);
  return directory != NULL && *directory != '\0' ? directory : usual;
}

/* Listens to all that may happen until it is over. */
static void run_loop(Daemon *daemon)
{
  RetuneHotplug *hotplug = retune_hotplug_new(on_device_changed, daemon);
  RetuneDriverMode *mode = retune_driver_mode_new(on_driver_changed, daemon);
  guint sleep = watch_sleep(daemon->bus, daemon);
  g_dbus_connection_set_exit_on_close(daemon->bus, FALSE);
  g_signal_connect(daemon->bus, "closed", G_CALLBACK(on_bus_closed), daemon);
  guint term = g_unix_signal_add(SIGTERM, on_signal, daemon);
  guint interrupt = g_unix_signal_add(SIGINT, on_signal, daemon);
  guint restart = g_unix_signal_add(SIGUSR1, on_restart, daemon);
  retune_manager_adopt(daemon->manager, on_adopted, daemon);
  if (!daemon->over)
    g_main_loop_run(daemon->loop);
  if (daemon->name != 0)
    g_bus_unown_name(daemon->name);
  g_source_remove(restart);
  g_source_remove(interrupt);
  g_source_remove(term);
  g_signal_handlers_disconnect_by_data(daemon->bus, daemon);
  g_dbus_connection_signal_unsubscribe(daemon->bus, sleep);
  retune_driver_mode_free(mode);
  retune_hotplug_free(hotplug);
}

static int run(Daemon *daemon, GError **error)
{
  g_autoptr(RetuneState) state = retune_state_new(
      directory_of("RUNTIME_DIRECTORY", RUNTIME_DIRECTORY), retune_knobs_table(), error);
  if (state == NULL)
    return EXIT_FAILURE;
  g_autoptr(RetuneMachine) machine = retune_machine_new(error);
  if (machine == NULL)
    return EXIT_FAILURE;
  g_autoptr(RetunePersistent) persistent =
      retune_persistent_new(directory_of("STATE_DIRECTORY", STATE_DIRECTORY), retune_knobs_table());
  g_autofree char *files = g_build_filename(
      directory_of("CONFIGURATION_DIRECTORY", CONFIGURATION_DIRECTORY), "instances.d", NULL);
  const RetuneStores stores = {state, persistent, {files, profile_path}};
  g_autoptr(RetuneManager) manager =
      retune_manager_new(retune_knobs_table(), machine, &stores, error);
  if (manager == NULL)
    return EXIT_FAILURE;
  g_autoptr(GDBusConnection) bus = g_bus_get_sync(G_BUS_TYPE_SYSTEM, NULL, error);
  if (bus == NULL)
    return EXIT_FAILURE;
  g_autoptr(RetuneService) service = retune_service_new(bus, manager, profile_path, error);
  if (service == NULL)
    return EXIT_FAILURE;
  daemon->manager = manager;
  daemon->bus = bus;
  run_loop(daemon);
  return daemon->status;
}

int main(int argc, char **argv)
{
  Daemon daemon = {0};
  g_autoptr(GError) error = NULL;

  setlocale(LC_ALL, "");
  if (!parse_arguments(&argc, &argv))
    return EXIT_SUCCESS;
  daemon.loop = g_main_loop_new(NULL, FALSE);
  int status = run(&daemon, &error);
  if (error != NULL)
    g_printerr("retuned: %s\n", error->message);
  g_main_loop_unref(daemon.loop);
  return status;
}
