// SPDX-License-Identifier: GPL-2.0-or-later
/* Prints every change as it happens, from the daemon's signals. */
#include <glib-unix.h>
#include <stdio.h>

#include "client.h"

typedef struct {
  Client *client;
  GMainLoop *loop;
} Monitor;

static void print_line(const Monitor *monitor, const char *event, GVariant *parameters,
                       const char *text)
{
  if (monitor->client->json) {
    GVariantDict dict;
    g_variant_dict_init(&dict, NULL);
    g_variant_dict_insert(&dict, "event", "s", event);
    g_variant_dict_insert_value(&dict, "data", parameters);
    output_json_line(g_variant_dict_end(&dict), NULL);
  } else {
    g_autoptr(GDateTime) now = g_date_time_new_now_local();
    g_autofree char *time = g_date_time_format(now, "%H:%M:%S");
    g_print("%s %s\n", time, text);
  }
  fflush(stdout);
}

static const char *or_free(const char *instance)
{
  return *instance != '\0' ? instance : "(free)";
}

static char *describe_moved(const char *path, GVariant *parameters)
{
  const char *plugin, *devices, *from, *to;

  (void)path;
  g_variant_get(parameters, "(&s&s&s&s)", &plugin, &devices, &from, &to);
  return g_strdup_printf("CPU %s: %s -> %s", devices, or_free(from), or_free(to));
}

static char *describe_drifted(const char *path, GVariant *parameters)
{
  const char *instance, *devices, *option, *wanted, *actual;

  (void)path;
  g_variant_get(parameters, "(&s&s&s&s&s)", &instance, &devices, &option, &wanted, &actual);
  return g_strdup_printf("%s: %s of %s was changed by somebody else from %s to %s", instance,
                         option, devices, wanted, actual);
}

static char *describe_added(const char *path, GVariant *parameters)
{
  const char *object;

  (void)path;
  g_variant_get(parameters, "(&o@*)", &object, NULL);
  return g_strdup_printf("created %s", object);
}

static char *describe_removed(const char *path, GVariant *parameters)
{
  const char *object;

  (void)path;
  g_variant_get(parameters, "(&o@*)", &object, NULL);
  return g_strdup_printf("destroyed %s", object);
}

static char *describe_changed(const char *path, GVariant *parameters)
{
  g_autoptr(GVariant) changed = g_variant_get_child_value(parameters, 1);
  GString *text = g_string_new(path);
  GVariantIter iter;
  const char *name;
  GVariant *child;

  g_variant_iter_init(&iter, changed);
  while (g_variant_iter_next(&iter, "{&sv}", &name, &child)) {
    g_autoptr(GVariant) value = child;
    g_autofree char *value_text = output_text(value);
    g_string_append_printf(text, " %s=%s", name, value_text);
  }
  return g_string_free(text, FALSE);
}

static const struct {
  const char *signal;
  char *(*describe)(const char *path, GVariant *parameters);
} signals[] = {
    {"DevicesMoved", describe_moved},        {"Drifted", describe_drifted},
    {"InterfacesAdded", describe_added},     {"InterfacesRemoved", describe_removed},
    {"PropertiesChanged", describe_changed},
};

static void on_signal(GDBusConnection *bus, const char *sender, const char *path,
                      const char *interface, const char *signal, GVariant *parameters,
                      gpointer data)
{
  (void)bus;
  (void)sender;
  (void)interface;
  for (guint i = 0; i < G_N_ELEMENTS(signals); i++) {
    if (!g_str_equal(signals[i].signal, signal))
      continue;
    g_autofree char *text = signals[i].describe(path, parameters);
    print_line(data, signal, parameters, text);
  }
}

static void on_appeared(GDBusConnection *bus, const char *name, const char *owner, gpointer data)
{
  (void)bus;
  (void)owner;
  print_line(data, "Appeared", g_variant_new_string(name), "retuned is there");
}

static void on_vanished(GDBusConnection *bus, const char *name, gpointer data)
{
  (void)bus;
  print_line(data, "Vanished", g_variant_new_string(name), "retuned is not running");
}

static gboolean on_interrupt(gpointer data)
{
  g_main_loop_quit(data);
  return G_SOURCE_CONTINUE;
}

static int run_monitor(Client *client, int argc, char **argv)
{
  Monitor monitor = {client, g_main_loop_new(NULL, FALSE)};

  (void)argc;
  (void)argv;
  guint subscription =
      g_dbus_connection_signal_subscribe(client->bus, RETUNE_BUS_NAME, NULL, NULL, NULL, NULL,
                                         G_DBUS_SIGNAL_FLAGS_NONE, on_signal, &monitor, NULL);
  guint watch = g_bus_watch_name_on_connection(client->bus, RETUNE_BUS_NAME,
                                               G_BUS_NAME_WATCHER_FLAGS_AUTO_START, on_appeared,
                                               on_vanished, &monitor, NULL);
  guint interrupt = g_unix_signal_add(SIGINT, on_interrupt, monitor.loop);
  guint term = g_unix_signal_add(SIGTERM, on_interrupt, monitor.loop);
  g_main_loop_run(monitor.loop);
  g_source_remove(term);
  g_source_remove(interrupt);
  g_bus_unwatch_name(watch);
  g_dbus_connection_signal_unsubscribe(client->bus, subscription);
  g_main_loop_unref(monitor.loop);
  return CLIENT_DONE;
}

const Command command_monitor = {
    .name = "monitor",
    .arguments = "",
    .summary = "Print every change as it happens, until interrupted",
    .description = "With --json, one object per line: {\"event\": ..., \"data\": ...}.\n",
    .example = "retunectl monitor",
    .max_arguments = 0,
    .run = run_monitor,
};
