// SPDX-License-Identifier: GPL-2.0-or-later
/* The commands that show instances and options. */
#include <string.h>

#include "client.h"

/* Calls @method and returns the only value of its reply, or NULL. */
static GVariant *ask(Client *client, const char *method, GVariant *parameters, int *ret_status)
{
  g_autoptr(GVariant) reply = client_call(client, method, parameters, NULL, ret_status);
  return reply != NULL ? g_variant_get_child_value(reply, 0) : NULL;
}

/* --- list --- */

static int run_list(Client *client, int argc, char **argv)
{
  static const char *const fields[] = {"name",  "plugin", "devices", "priority",
                                       "state", "object", NULL};
  static const char *const headers[] = {"NAME", "DEVICES", "PRIORITY", "STATE", NULL};
  int status = CLIENT_DONE;
  g_autoptr(GVariant) list = ask(client, "ListInstances", g_variant_new("(s)", ""), &status);

  (void)argc;
  (void)argv;
  if (list == NULL)
    return status;
  if (client->json) {
    output_json(list, fields);
    return status;
  }
  Table *table = table_new(headers);
  GVariantIter iter;
  const char *name, *plugin, *devices, *state, *path;
  gint priority;
  g_variant_iter_init(&iter, list);
  while (g_variant_iter_next(&iter, "(&s&s&si&s&o)", &name, &plugin, &devices, &priority, &state,
                             &path)) {
    g_autofree char *number = g_strdup_printf("%d", priority);
    const char *const cells[] = {name, devices, number, state, NULL};
    table_add(table, cells);
  }
  table_print(table, "There are no instances.");
  return status;
}

const Command command_list = {
    .name = "list",
    .arguments = "",
    .summary = "List the instances",
    .example = "retunectl list",
    .max_arguments = 0,
    .run = run_list,
};

/* --- show --- */

static void print_properties(GVariant *properties)
{
  static const char *const shown[] = {"Devices",   "Claim",    "Priority", "State", "BestEffort",
                                      "Exclusive", "Lifetime", "OnDrift",  "Origin"};

  for (guint i = 0; i < G_N_ELEMENTS(shown); i++) {
    g_autoptr(GVariant) value = g_variant_lookup_value(properties, shown[i], NULL);
    g_autofree char *text = value != NULL ? output_text(value) : g_strdup("");
    g_print("%-11s %s\n", shown[i], *text != '\0' ? text : "-");
  }
}

static void print_held(GVariant *properties)
{
  g_autoptr(GVariant) held = g_variant_lookup_value(properties, "Held", G_VARIANT_TYPE("a(ss)"));
  GVariantIter iter;
  const char *devices, *owner;

  if (held == NULL)
    return;
  g_variant_iter_init(&iter, held);
  while (g_variant_iter_next(&iter, "(&s&s)", &devices, &owner))
    g_print("%-11s %s by %s\n", "Held", devices, *owner != '\0' ? owner : "nobody");
}

static void print_findings(GVariant *findings)
{
  static const char *const headers[] = {"OPTION",  "DEVICES", "WANTED", "ACTUAL",
                                        "OUTCOME", "NOTE",    NULL};
  Table *table = table_new(headers);
  GVariantIter iter;
  const char *devices, *option, *wanted, *actual, *outcome, *message;

  g_variant_iter_init(&iter, findings);
  while (g_variant_iter_next(&iter, "(&s&s&s&s&s&s)", &devices, &option, &wanted, &actual, &outcome,
                             &message)) {
    const char *const cells[] = {option, devices, wanted, actual, outcome, message, NULL};
    table_add(table, cells);
  }
  table_print(table, "It has no options.");
}

static void print_baselines(GVariant *baselines)
{
  static const char *const headers[] = {"OPTION", "DEVICES", "COMES BACK AS", NULL};
  Table *table = table_new(headers);
  GVariantIter iter;
  const char *option, *value, *devices;

  g_variant_iter_init(&iter, baselines);
  while (g_variant_iter_next(&iter, "(&s&s&s)", &option, &value, &devices)) {
    const char *const cells[] = {option, devices, value, NULL};
    table_add(table, cells);
  }
  table_print(table, "Nothing has to be put back.");
}

/* One object with the properties, the findings as "Values", and "Baselines". */
static void print_show_json(GVariant *properties, GVariant *findings, GVariant *baselines)
{
  static const char *const fields[] = {"devices", "option",  "wanted", "actual",
                                       "outcome", "message", NULL};
  static const char *const baseline_fields[] = {"option", "value", "devices", NULL};
  GVariantDict dict;

  g_variant_dict_init(&dict, properties);
  g_variant_dict_insert_value(&dict, "Values", findings);
  g_variant_dict_insert_value(&dict, "Baselines", output_named(baselines, baseline_fields));
  output_json(g_variant_dict_end(&dict), fields);
}

static int run_show(Client *client, int argc, char **argv)
{
  int status = CLIENT_DONE;
  g_autoptr(GVariant) path = ask(client, "GetInstance", g_variant_new("(s)", argv[0]), &status);

  (void)argc;
  if (path == NULL)
    return status;
  g_autoptr(GVariant) properties = client_properties(client, g_variant_get_string(path, NULL),
                                                     RETUNE_BUS_NAME ".Instance", &status);
  if (properties == NULL)
    return status;
  g_autoptr(GVariant) findings = ask(client, "Verify", g_variant_new("(s)", argv[0]), &status);
  if (findings == NULL)
    return status;
  g_autoptr(GVariant) baselines =
      ask(client, "ReadBaselines", g_variant_new("(s)", argv[0]), &status);
  if (baselines == NULL)
    return status;
  if (client->json) {
    print_show_json(properties, findings, baselines);
    return status;
  }
  print_properties(properties);
  print_held(properties);
  g_print("\n");
  print_findings(findings);
  g_print("\n");
  print_baselines(baselines);
  return status;
}

const Command command_show = {
    .name = "show",
    .arguments = "NAME",
    .summary = "Show an instance, its options and their values",
    .example = "retunectl show fast",
    .min_arguments = 1,
    .max_arguments = 1,
    .run = run_show,
};

/* --- verify --- */

/* 0: all is as wished or decided by another instance; 3: at worst not
 * supported; 1: something is not as it should be. */
static int judge(GVariant *findings)
{
  GVariantIter iter;
  const char *outcome;
  int status = CLIENT_DONE;

  g_variant_iter_init(&iter, findings);
  while (g_variant_iter_next(&iter, "(ssss&ss)", NULL, NULL, NULL, NULL, &outcome, NULL)) {
    if (g_str_equal(outcome, "unsupported"))
      status = status == CLIENT_DONE ? CLIENT_NOT_SUPPORTED : status;
    else if (!g_str_equal(outcome, "applied") && !g_str_equal(outcome, "shadowed") &&
             !g_str_equal(outcome, "pending"))
      status = CLIENT_FAILED;
  }
  return status;
}

/* Prints and judges what @method finds at the instance @name. */
static int run_findings(Client *client, const char *method, const char *name)
{
  static const char *const fields[] = {"devices", "option",  "wanted", "actual",
                                       "outcome", "message", NULL};
  int status = CLIENT_DONE;
  g_autoptr(GVariant) findings = ask(client, method, g_variant_new("(s)", name), &status);

  if (findings == NULL)
    return status;
  if (client->json)
    output_json(findings, fields);
  else
    print_findings(findings);
  return judge(findings);
}

static int run_verify(Client *client, int argc, char **argv)
{
  (void)argc;
  return run_findings(client, "Verify", argv[0]);
}

static int run_observe(Client *client, int argc, char **argv)
{
  (void)argc;
  return run_findings(client, "ObserveEffects", argv[0]);
}

const Command command_observe = {
    .name = "observe",
    .arguments = "NAME",
    .summary = "Look whether an instance's limits have their effect on the hardware",
    .description =
        "For 0.2 s: do CPUs run above scaling_max_freq, and are idle states entered that are\n"
        "kept out? Reading a frequency may wake an idle CPU. Exits with 1 if a limit has no\n"
        "effect.\n",
    .example = "retunectl observe fast",
    .min_arguments = 1,
    .max_arguments = 1,
    .run = run_observe,
};

const Command command_verify = {
    .name = "verify",
    .arguments = "NAME",
    .summary = "Compare an instance's options with what the kernel says",
    .description =
        "Exits with 0 if all is applied (or shadowed by another instance, or pending for\n"
        "an offline CPU), 1 if anything was refused, is ineffective or has drifted, and 3\n"
        "if the worst is that something is not supported.\n",
    .example = "retunectl verify fast",
    .min_arguments = 1,
    .max_arguments = 1,
    .run = run_verify,
};
