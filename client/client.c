// SPDX-License-Identifier: GPL-2.0-or-later
/* Calls, errors and exit codes. */
#include "client.h"

#include <gio/gunixfdlist.h>
#include <string.h>

void client_complain(const char *format, ...)
{
  va_list arguments;

  va_start(arguments, format);
  g_autofree char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  g_printerr("retunectl: %s\n", text);
}

static const struct {
  const char *name; /* of a D-Bus error */
  int status;
  const char *advice; /* what to do about it, or NULL */
} errors[] = {
    {RETUNE_BUS_NAME ".Error.NotSupported", CLIENT_NOT_SUPPORTED, NULL},
    {"org.freedesktop.DBus.Error.ServiceUnknown", CLIENT_UNREACHABLE,
     "is retuned installed and running?"},
    {"org.freedesktop.DBus.Error.NameHasNoOwner", CLIENT_UNREACHABLE,
     "is retuned installed and running?"},
    {"org.freedesktop.DBus.Error.NoReply", CLIENT_UNREACHABLE, NULL},
    {"org.freedesktop.DBus.Error.Timeout", CLIENT_UNREACHABLE, NULL},
    {"org.freedesktop.DBus.Error.TimedOut", CLIENT_UNREACHABLE, NULL},
    {"org.freedesktop.DBus.Error.Disconnected", CLIENT_UNREACHABLE, NULL},
    {"org.freedesktop.DBus.Error.Spawn.", CLIENT_UNREACHABLE, "see journalctl -u retuned"},
    {"org.freedesktop.DBus.Error.AccessDenied", CLIENT_FAILED,
     "only root may change anything; try sudo"},
};

static gint find_error(const GError *error)
{
  g_autofree char *name = g_dbus_error_get_remote_error(error);

  for (guint i = 0; name != NULL && i < G_N_ELEMENTS(errors); i++)
    if (g_str_has_prefix(name, errors[i].name))
      return (gint)i;
  return -1;
}

int client_status_of(const GError *error)
{
  gint i = find_error(error);

  if (i >= 0)
    return errors[i].status;
  if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_TIMED_OUT) ||
      g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CLOSED))
    return CLIENT_UNREACHABLE;
  return CLIENT_FAILED;
}

/* Prints what went wrong and returns the exit code for it. */
static int report(GError *error)
{
  int status = client_status_of(error);
  gint i = find_error(error);

  if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_TIMED_OUT)) {
    client_complain("retuned did not answer in time; the call may still take effect");
    return status;
  }
  g_dbus_error_strip_remote_error(error);
  if (i >= 0 && errors[i].advice != NULL)
    client_complain("%s (%s)", error->message, errors[i].advice);
  else
    client_complain("%s", error->message);
  return status;
}

static GVariant *call(Client *client, const char *path, const char *interface, const char *method,
                      GVariant *parameters, GUnixFDList *fds, int *ret_status)
{
  GError *error = NULL;
  GVariant *reply = g_dbus_connection_call_with_unix_fd_list_sync(
      client->bus, RETUNE_BUS_NAME, path, interface, method, parameters, NULL,
      G_DBUS_CALL_FLAGS_ALLOW_INTERACTIVE_AUTHORIZATION, client->timeout_ms, fds, NULL, NULL,
      &error);

  if (reply != NULL)
    return reply;
  *ret_status = report(error);
  g_error_free(error);
  return NULL;
}

GVariant *client_call(Client *client, const char *method, GVariant *parameters, GUnixFDList *fds,
                      int *ret_status)
{
  return call(client, RETUNE_OBJECT_PATH, RETUNE_BUS_NAME ".Manager", method, parameters, fds,
              ret_status);
}

GVariant *client_try(Client *client, const char *method, GVariant *parameters)
{
  return g_dbus_connection_call_sync(client->bus, RETUNE_BUS_NAME, RETUNE_OBJECT_PATH,
                                     RETUNE_BUS_NAME ".Manager", method, parameters, NULL,
                                     G_DBUS_CALL_FLAGS_NONE, client->timeout_ms, NULL, NULL);
}

GVariant *client_properties(Client *client, const char *path, const char *interface,
                            int *ret_status)
{
  g_autoptr(GVariant) reply = call(client, path, "org.freedesktop.DBus.Properties", "GetAll",
                                   g_variant_new("(s)", interface), NULL, ret_status);
  return reply != NULL ? g_variant_get_child_value(reply, 0) : NULL;
}

GVariant *client_parse_options(int argc, char **argv)
{
  GVariantBuilder builder;

  g_variant_builder_init(&builder, G_VARIANT_TYPE_VARDICT);
  for (int i = 0; i < argc; i++) {
    const char *equals = strchr(argv[i], '=');
    if (equals == NULL || equals == argv[i]) {
      client_complain("'%s': expected OPTION=VALUE", argv[i]);
      g_variant_builder_clear(&builder);
      return NULL;
    }
    g_autofree char *name = g_strndup(argv[i], (gsize)(equals - argv[i]));
    g_variant_builder_add(&builder, "{sv}", name, g_variant_new_string(equals + 1));
  }
  return g_variant_builder_end(&builder);
}
