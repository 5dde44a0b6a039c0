// SPDX-License-Identifier: GPL-2.0-or-later
/* Device expressions: what their selectors stand for is shown before it acts. */
#include <string.h>

#include "client.h"
#include "cpuset.h"

/* Asks what @expression means. */
static gboolean expand(Client *client, const char *expression, char **ret_claim, char **ret_devices,
                       int *ret_status)
{
  g_autoptr(GVariant) reply = client_call(
      client, "ExpandDevices", g_variant_new("(ss)", "cpu", expression), NULL, ret_status);

  if (reply != NULL)
    g_variant_get(reply, "(ss)", ret_claim, ret_devices);
  return reply != NULL;
}

/* Has @expression a word that is no CPU's name? */
static gboolean may_select(const char *expression)
{
  g_auto(GStrv) items = g_strsplit_set(expression, ", \t\n", -1);

  for (guint i = 0; items[i] != NULL; i++) {
    const char *item = items[i] + strspn(items[i], "!^");
    if (g_ascii_isalpha(*item) && !g_str_has_prefix(item, "cpu") && !g_str_equal(item, "all"))
      return TRUE;
  }
  return FALSE;
}

char *client_expand(Client *client, const char *expression, int *ret_status)
{
  g_autofree char *devices = NULL;
  char *claim = NULL;

  if (!may_select(expression))
    return g_strdup(expression);
  if (!expand(client, expression, &claim, &devices, ret_status))
    return NULL;
  if (!client->json)
    g_print("%s is CPU %s\n", expression, devices);
  return claim;
}

void client_note_siblings(Client *client, const char *devices)
{
  g_autoptr(RetuneCpuset) own = retune_cpuset_parse(devices, NULL);
  g_autoptr(GString) expression = g_string_new(NULL);
  g_autofree char *claim = NULL, *all = NULL;

  if (client->json || own == NULL || retune_cpuset_is_empty(own))
    return;
  g_auto(GStrv) ranges = g_strsplit(devices, ",", -1);
  for (guint i = 0; ranges[i] != NULL; i++)
    g_string_append_printf(expression, "%ssiblings:%s", i > 0 ? "," : "", ranges[i]);
  GVariant *parameters = g_variant_new("(ss)", "cpu", expression->str);
  g_autoptr(GVariant) reply = client_try(client, "ExpandDevices", parameters);
  if (reply == NULL)
    return; /* all of them are offline, or there are too many ranges to ask about */
  g_variant_get(reply, "(ss)", &claim, &all);
  g_autoptr(RetuneCpuset) others = retune_cpuset_parse(all, NULL);
  if (others == NULL)
    return;
  retune_cpuset_subtract(others, own);
  g_autofree char *list = retune_cpuset_to_string(others);
  if (*list != '\0')
    g_print("Note: other threads of the same cores are not among them: CPU %s (siblings:N takes "
            "all)\n",
            list);
}

static int run_expand(Client *client, int argc, char **argv)
{
  static const char *const fields[] = {"claim", "devices", NULL};
  int status = CLIENT_DONE;
  g_autoptr(GVariant) reply =
      client_call(client, "ExpandDevices", g_variant_new("(ss)", "cpu", argv[0]), NULL, &status);
  const char *devices;

  (void)argc;
  if (reply == NULL)
    return status;
  g_variant_get(reply, "(&s&s)", NULL, &devices);
  if (client->json)
    output_json(reply, fields);
  else
    g_print("%s\n", devices);
  return status;
}

const Command command_expand = {
    .name = "expand",
    .arguments = "DEVICES",
    .summary = "Show which CPUs an expression names now",
    .description =
        "DEVICES are items with commas between them: a cpulist (0-3,8 or 0-31:2/8), cpu3, all,\n"
        "a shell glob (cpu1*), or a selector: node:N, package:N, siblings:N (the threads of\n"
        "these CPUs' cores), type:core, type:atom, online, isolated, free (no instance has\n"
        "it). An item after ! is excluded.\n",
    .example = "retunectl expand 'node:0,!siblings:0'",
    .min_arguments = 1,
    .max_arguments = 1,
    .run = run_expand,
};
