// SPDX-License-Identifier: GPL-2.0-or-later
/* One watch for each name. */
#include "neighbours.h"

#define LOGIND "org.freedesktop.login1"

/* What is known to write files that are options here. */
static const struct {
  const char *name; /* on the bus */
  const char *service;
  const char *files;
} rivals[] = {
    {"com.redhat.tuned", "tuned", "governor, energy_perf_bias, force_latency, the percentages"},
    {"net.hadess.PowerProfiles", "power-profiles-daemon",
     "energy_performance_preference, energy_perf_bias, governor"},
    {"org.freedesktop.UPower.PowerProfiles", "power-profiles-daemon or TLP",
     "energy_performance_preference, energy_perf_bias, governor, boost"},
    {"org.freedesktop.thermald", "thermald", "max_perf_pct, no_turbo, scaling_max_freq"},
    {"org.freedesktop.intel_lpmd", "intel-lpmd", "energy_performance_preference, online"},
    {"com.system76.PowerDaemon", "system76-power", "governor, the percentages, no_turbo"},
    {"com.tuxedocomputers.tccd", "tuxedo-control-center", "governor, frequency limits, no_turbo"},
};

struct _RetuneNeighbours {
  guint watches[G_N_ELEMENTS(rivals)];
  gboolean present[G_N_ELEMENTS(rivals)];
  guint logind;
  RetuneNeighboursFunc func;
  gpointer data;
};

static void set_present(RetuneNeighbours *neighbours, const char *name, gboolean present)
{
  for (guint i = 0; i < G_N_ELEMENTS(rivals); i++) {
    if (!g_str_equal(rivals[i].name, name) || neighbours->present[i] == present)
      continue;
    neighbours->present[i] = present;
    if (present)
      g_message("%s runs, and may write %s as well", rivals[i].service, rivals[i].files);
    neighbours->func(neighbours->data);
  }
}

static void on_appeared(GDBusConnection *bus, const char *name, const char *owner, gpointer data)
{
  (void)bus, (void)owner;
  set_present(data, name, TRUE);
}

static void on_vanished(GDBusConnection *bus, const char *name, gpointer data)
{
  if (bus != NULL)
    set_present(data, name, FALSE);
}

static void on_no_logind(GDBusConnection *bus, const char *name, gpointer data)
{
  RetuneNeighbours *neighbours = data;

  (void)name;
  if (bus != NULL)
    g_message("logind does not run; after a sleep of the machine, values are not looked at");
  g_clear_handle_id(&neighbours->logind, g_bus_unwatch_name); /* said once */
}

RetuneNeighbours *retune_neighbours_new(GDBusConnection *bus, RetuneNeighboursFunc func,
                                        gpointer data)
{
  RetuneNeighbours *neighbours = g_new0(RetuneNeighbours, 1);

  neighbours->func = func;
  neighbours->data = data;
  neighbours->logind = g_bus_watch_name_on_connection(bus, LOGIND, G_BUS_NAME_WATCHER_FLAGS_NONE,
                                                      NULL, on_no_logind, neighbours, NULL);
  for (guint i = 0; i < G_N_ELEMENTS(rivals); i++)
    neighbours->watches[i] =
        g_bus_watch_name_on_connection(bus, rivals[i].name, G_BUS_NAME_WATCHER_FLAGS_NONE,
                                       on_appeared, on_vanished, neighbours, NULL);
  return neighbours;
}

void retune_neighbours_free(RetuneNeighbours *neighbours)
{
  for (guint i = 0; i < G_N_ELEMENTS(rivals); i++)
    g_bus_unwatch_name(neighbours->watches[i]);
  g_clear_handle_id(&neighbours->logind, g_bus_unwatch_name);
  g_free(neighbours);
}

GVariant *retune_neighbours_rivals(const RetuneNeighbours *neighbours)
{
  GVariantBuilder builder;

  g_variant_builder_init(&builder, G_VARIANT_TYPE("a(ss)"));
  for (guint i = 0; i < G_N_ELEMENTS(rivals); i++)
    if (neighbours->present[i])
      g_variant_builder_add(&builder, "(ss)", rivals[i].service, rivals[i].files);
  return g_variant_builder_end(&builder);
}
