// SPDX-License-Identifier: GPL-2.0-or-later
/* The options: where this machine has them, what is possible there, and why not
 * elsewhere. */
#include "client.h"

/* "0-3: offline; 7: no such file" of an a(sss). */
static char *join_lacking(GVariant *lacking)
{
  GString *text = g_string_new(NULL);
  GVariantIter iter;
  const char *devices, *message;

  g_variant_iter_init(&iter, lacking);
  while (g_variant_iter_next(&iter, "(&s&s&s)", &devices, NULL, &message))
    g_string_append_printf(text, "%s%s: %s", text->len > 0 ? "; " : "", devices, message);
  return g_string_free(text, FALSE);
}

/* One row for each kind of CPU that has the option. */
static void add_option(Table *table, GVariant *option)
{
  const char *name, *scope, *syntax, *devices, *possible;
  g_autoptr(GVariant) supported = NULL, lacking = NULL;
  GVariantIter iter;
  gboolean first = TRUE;

  g_variant_get(option, "(&s&s&s&s@a(ss)@a(sss))", &name, &scope, &syntax, NULL, &supported,
                &lacking);
  g_autofree char *why_not = join_lacking(lacking);
  g_variant_iter_init(&iter, supported);
  while (g_variant_iter_next(&iter, "(&s&s)", &devices, &possible)) {
    const char *values = *possible != '\0' ? possible : syntax;
    const char *const cells[] = {
        first ? name : "", first ? scope : "", devices, values, first ? why_not : "", NULL};
    table_add(table, cells);
    first = FALSE;
  }
  const char *const nowhere[] = {name, scope, "", syntax, why_not, NULL};
  if (first)
    table_add(table, nowhere);
}

static GVariant *name_parts(GVariant *option)
{
  static const char *const yes_fields[] = {"devices", "values", NULL};
  static const char *const no_fields[] = {"devices", "reason", "message", NULL};
  static const char *const names[] = {"name", "scope", "syntax", "summary"};
  g_autoptr(GVariant) supported = g_variant_get_child_value(option, 4);
  g_autoptr(GVariant) lacking = g_variant_get_child_value(option, 5);
  GVariantDict dict;

  g_variant_dict_init(&dict, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
    g_autoptr(GVariant) child = g_variant_get_child_value(option, i);
    g_variant_dict_insert_value(&dict, names[i], child);
  }
  g_variant_dict_insert_value(&dict, "supported", output_named(supported, yes_fields));
  g_variant_dict_insert_value(&dict, "unsupported", output_named(lacking, no_fields));
  return g_variant_dict_end(&dict);
}

static void print_options_json(GVariant *list)
{
  GVariantBuilder array;

  g_variant_builder_init(&array, G_VARIANT_TYPE("aa{sv}"));
  for (gsize i = 0; i < g_variant_n_children(list); i++) {
    g_autoptr(GVariant) option = g_variant_get_child_value(list, i);
    g_variant_builder_add_value(&array, name_parts(option));
  }
  output_json(g_variant_builder_end(&array), NULL);
}

static int run_options(Client *client, int argc, char **argv)
{
  static const char *const headers[] = {"OPTION", "SCOPE", "CPUS", "VALUES", "WHERE NOT", NULL};
  int status = CLIENT_DONE;
  g_autoptr(GVariant) reply =
      client_call(client, "ListOptions", g_variant_new("(s)", "cpu"), NULL, &status);

  (void)argc;
  (void)argv;
  if (reply == NULL)
    return status;
  g_autoptr(GVariant) list = g_variant_get_child_value(reply, 0);
  if (client->json) {
    print_options_json(list);
    return status;
  }
  Table *table = table_new(headers);
  for (gsize i = 0; i < g_variant_n_children(list); i++) {
    g_autoptr(GVariant) option = g_variant_get_child_value(list, i);
    add_option(table, option);
  }
  table_print(table, "There are no options.");
  g_print(
      "\nSeveral values may be given as a|b|c: the first that a CPU supports is taken. Numbers\n"
      "may have < or > before them: only if the value found is larger or smaller.\n");
  return status;
}

const Command command_options = {
    .name = "options",
    .arguments = "",
    .summary = "List the options, their values, and where this machine has them",
    .example = "retunectl options",
    .max_arguments = 0,
    .run = run_options,
};
