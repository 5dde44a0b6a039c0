// SPDX-License-Identifier: GPL-2.0-or-later
/* The machine at a glance: CPUs that have the same owner and values in one row. */
#include <string.h>

#include "client.h"
#include "cpuset.h"

/* Shorter headings for long names, in the order of columns; what is not here keeps
 * its name and comes last. */
static const char *const headings[][2] = {
    {"governor", "GOVERNOR"},          {"energy_performance_preference", "EPP"},
    {"scaling_min_freq", "MIN kHz"},   {"scaling_max_freq", "MAX kHz"},
    {"energy_perf_bias", "EPB"},       {"pm_qos_resume_latency_us", "LATENCY us"},
    {"cpuidle_max_state", "IDLE OFF"}, {"boost", "BOOST"},
};

/* The position of @option among the headings, or their number. */
static guint heading_index(const char *option)
{
  guint i = 0;

  while (i < G_N_ELEMENTS(headings) && !g_str_equal(headings[i][0], option))
    i++;
  return i;
}

static const char *heading_of(const char *option)
{
  guint i = heading_index(option);
  return i < G_N_ELEMENTS(headings) ? headings[i][1] : option;
}

static gint compare_columns(gconstpointer a, gconstpointer b)
{
  return (gint)heading_index(*(const char *const *)a) -
         (gint)heading_index(*(const char *const *)b);
}

/* What is known of the machine, option by option. */
typedef struct {
  GPtrArray *options;  /* names of columns */
  GHashTable *columns; /* name -> (CPU -> value) */
  GString *system;     /* "option=value" of those of the whole machine */
} View;

static GHashTable *column_of(View *view, const char *option)
{
  GHashTable *column = g_hash_table_lookup(view->columns, option);

  if (column == NULL) {
    column = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    g_hash_table_insert(view->columns, g_strdup(option), column);
  }
  return column;
}

/* Sorts (option, value, devices) into columns. */
static void take_values(View *view, GVariant *values)
{
  GVariantIter iter;
  const char *option, *value, *devices;

  g_variant_iter_init(&iter, values);
  while (g_variant_iter_next(&iter, "(&s&s&s)", &option, &value, &devices)) {
    g_autoptr(RetuneCpuset) cpus = retune_cpuset_parse(devices, NULL);
    if (cpus == NULL)
      continue;
    RETUNE_CPUSET_FOREACH (cpu, cpus)
      g_hash_table_insert(column_of(view, option), GINT_TO_POINTER(cpu), g_strdup(value));
  }
}

/* Is @option no column: shown by another one, or too much? */
static gboolean is_left_out(const char *option)
{
  static const char *const left_out[] = {"online", "cpuidle_disable", "sampling_down_factor", NULL};

  return g_strv_contains(left_out, option) || g_str_has_prefix(option, "governor.");
}

/* Options of the system go into one line, those that any CPU has into columns. */
static void choose_columns(View *view, GVariant *options, GVariant *values)
{
  GVariantIter iter;
  const char *name, *scope, *option, *value;

  g_variant_iter_init(&iter, options);
  while (
      g_variant_iter_next(&iter, "(&s&sss@a(ss)@a(sss))", &name, &scope, NULL, NULL, NULL, NULL)) {
    gboolean known = g_hash_table_contains(view->columns, name);
    if (known && !g_str_equal(scope, "system") && !is_left_out(name))
      g_ptr_array_add(view->options, g_strdup(name));
    GVariantIter inner;
    g_variant_iter_init(&inner, values);
    while (g_str_equal(scope, "system") &&
           g_variant_iter_next(&inner, "(&s&ss)", &option, &value, NULL))
      if (g_str_equal(option, name))
        g_string_append_printf(view->system, " %s=%s", option, value);
  }
  g_ptr_array_sort(view->options, compare_columns);
}

static char **make_row(View *view, gint cpu, const char *owner, gboolean online)
{
  GPtrArray *row = g_ptr_array_new();

  g_ptr_array_add(row, g_strdup(""));
  g_ptr_array_add(row, g_strdup(*owner != '\0' ? owner : "(free)"));
  g_ptr_array_add(row, g_strdup(online ? "yes" : "no"));
  for (guint i = 0; i < view->options->len; i++) {
    const char *value =
        g_hash_table_lookup(column_of(view, view->options->pdata[i]), GINT_TO_POINTER(cpu));
    g_ptr_array_add(row, g_strdup(value != NULL ? value : ""));
  }
  g_ptr_array_add(row, NULL);
  return (char **)g_ptr_array_free(row, FALSE);
}

static Table *make_table(const View *view)
{
  g_autoptr(GPtrArray) headers = g_ptr_array_new();

  g_ptr_array_add(headers, (gpointer) "CPUS");
  g_ptr_array_add(headers, (gpointer) "INSTANCE");
  g_ptr_array_add(headers, (gpointer) "ONLINE");
  for (guint i = 0; i < view->options->len; i++)
    g_ptr_array_add(headers, (gpointer)heading_of(view->options->pdata[i]));
  g_ptr_array_add(headers, NULL);
  return table_new((const char *const *)headers->pdata);
}

/* CPUs with equal rows. */
typedef struct {
  char **row;
  RetuneCpuset *cpus;
} Group;

static void group_free(gpointer data)
{
  Group *group = data;
  g_strfreev(group->row);
  retune_cpuset_free(group->cpus);
  g_free(group);
}

static void add_to_groups(GPtrArray *groups, char **row, gint cpu)
{
  for (guint i = 0; i < groups->len; i++) {
    Group *group = groups->pdata[i];
    if (g_strv_equal((const char *const *)group->row, (const char *const *)row)) {
      retune_cpuset_add(group->cpus, (guint)cpu);
      g_strfreev(row);
      return;
    }
  }
  Group *group = g_new0(Group, 1);
  group->row = row;
  group->cpus = retune_cpuset_new();
  retune_cpuset_add(group->cpus, (guint)cpu);
  g_ptr_array_add(groups, group);
}

static void print_view(View *view, GVariant *devices)
{
  g_autoptr(GPtrArray) groups = g_ptr_array_new_with_free_func(group_free);
  GVariantIter iter;
  const char *name, *owner;
  gboolean online;

  g_variant_iter_init(&iter, devices);
  while (g_variant_iter_next(&iter, "(&s&sb)", &name, &owner, &online)) {
    gint cpu = (gint)g_ascii_strtoll(name + strlen("cpu"), NULL, 10);
    add_to_groups(groups, make_row(view, cpu, owner, online), cpu);
  }
  Table *table = make_table(view);
  for (guint i = 0; i < groups->len; i++) {
    Group *group = groups->pdata[i];
    g_free(group->row[0]);
    group->row[0] = retune_cpuset_to_string(group->cpus);
    table_add(table, (const char *const *)group->row);
  }
  table_print(table, "There are no CPUs.");
  if (view->system->len > 0)
    g_print("System:%s\n", view->system->str);
}

static void print_view_json(GVariant *devices, GVariant *values)
{
  static const char *const device_fields[] = {"device", "instance", "online", NULL};
  static const char *const value_fields[] = {"option", "value", "devices", NULL};
  GVariantDict dict;

  g_variant_dict_init(&dict, NULL);
  g_variant_dict_insert_value(&dict, "devices", output_named(devices, device_fields));
  g_variant_dict_insert_value(&dict, "values", output_named(values, value_fields));
  output_json(g_variant_dict_end(&dict), NULL);
}

static int run_cpus(Client *client, int argc, char **argv)
{
  int status = CLIENT_DONE;
  g_autoptr(GVariant) devices =
      client_call(client, "ListDevices", g_variant_new("(s)", "cpu"), NULL, &status);
  g_autoptr(GVariant) options =
      devices != NULL
          ? client_call(client, "ListOptions", g_variant_new("(s)", "cpu"), NULL, &status)
          : NULL;
  g_autoptr(GVariant) values =
      options != NULL ? client_call(client, "ReadValues",
                                    g_variant_new("(ssas)", "cpu", "all", NULL), NULL, &status)
                      : NULL;

  (void)argc;
  (void)argv;
  if (values == NULL)
    return status;
  g_autoptr(GVariant) device_list = g_variant_get_child_value(devices, 0);
  g_autoptr(GVariant) option_list = g_variant_get_child_value(options, 0);
  g_autoptr(GVariant) value_list = g_variant_get_child_value(values, 0);
  if (client->json) {
    print_view_json(device_list, value_list);
    return status;
  }
  View view = {
      g_ptr_array_new_with_free_func(g_free),
      g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_hash_table_unref),
      g_string_new(NULL)};
  take_values(&view, value_list);
  choose_columns(&view, option_list, value_list);
  print_view(&view, device_list);
  g_ptr_array_unref(view.options);
  g_hash_table_unref(view.columns);
  g_string_free(view.system, TRUE);
  return status;
}

const Command command_cpus = {
    .name = "cpus",
    .arguments = "",
    .summary = "Show which CPU belongs to which instance, with present values",
    .description = "CPUs with the same owner and values share a row. IDLE OFF are the idle states\n"
                   "that are disabled.\n",
    .example = "retunectl cpus",
    .max_arguments = 0,
    .run = run_cpus,
};
