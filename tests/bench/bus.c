// SPDX-License-Identifier: GPL-2.0-or-later
/* Calls by hand rather than by generated code: the bench must not depend on what
 * it measures. */
#include "bus.h"

#include "sample.h"

#define OBJECT_PATH "/io/github/retune1"
#define MANAGER "io.github.retune1.Manager"

GDBusConnection *bench_bus_open(GError **error)
{
  g_autofree char *address = g_dbus_address_get_for_bus_sync(G_BUS_TYPE_SYSTEM, NULL, error);

  if (address == NULL)
    return NULL;
  return g_dbus_connection_new_for_address_sync(address,
                                                G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT |
                                                    G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION,
                                                NULL, NULL, error);
}

static GVariant *call(GDBusConnection *bus, const char *interface, const char *method,
                      GVariant *arguments, const char *reply, GError **error)
{
  return g_dbus_connection_call_sync(bus, BENCH_BUS_NAME, OBJECT_PATH, interface, method, arguments,
                                     G_VARIANT_TYPE(reply), G_DBUS_CALL_FLAGS_NO_AUTO_START, -1,
                                     NULL, error);
}

gboolean bench_bus_create(GDBusConnection *bus, const BenchPlace *place, BenchSide side,
                          GError **error)
{
  GVariantBuilder options;

  g_variant_builder_init(&options, G_VARIANT_TYPE_VARDICT);
  for (guint i = 0; i < BENCH_N_TARGETS; i++)
    if (place->targets[i].n > 0)
      g_variant_builder_add(&options, "{sv}", bench_targets[i].option,
                            g_variant_new_string(bench_targets[i].word[side]));
  g_autoptr(GVariant) reply = call(
      bus, MANAGER, "CreateInstance",
      g_variant_new("(sssa{sv})", "cpu", bench_side_names[side], place->claims[side], &options),
      "(oa(ss)a(ss))", error);
  return reply != NULL;
}

gboolean bench_bus_move(GDBusConnection *bus, BenchSide side, const char *devices,
                        const char *expected, double *ret_us, GError **error)
{
  GVariant *arguments = g_variant_new("(ss)", devices, bench_side_names[side]);
  double start = bench_now();
  g_autoptr(GVariant) reply = call(bus, MANAGER, "MoveDevices", arguments, "(a(ss))", error);

  *ret_us = bench_now() - start;
  if (reply == NULL)
    return FALSE;
  g_autoptr(GVariant) moves = g_variant_get_child_value(reply, 0);
  const char *moved = "";
  if (g_variant_n_children(moves) == 1)
    g_variant_get_child(moves, 0, "(&s&s)", &moved, NULL);
  if (g_variant_n_children(moves) <= 1 && g_str_equal(moved, expected))
    return TRUE;
  g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "'%s' moved to %s instead of '%s'", moved,
              bench_side_names[side], expected);
  return FALSE;
}

gboolean bench_bus_get(GDBusConnection *bus, double *ret_us, GError **error)
{
  GVariant *arguments = g_variant_new("(ss)", MANAGER, "FreeDevices");
  double start = bench_now();
  g_autoptr(GVariant) reply =
      call(bus, "org.freedesktop.DBus.Properties", "Get", arguments, "(v)", error);

  *ret_us = bench_now() - start;
  return reply != NULL;
}
