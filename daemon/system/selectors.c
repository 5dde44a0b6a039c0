// SPDX-License-Identifier: GPL-2.0-or-later
/* Selectors, from what the kernel says of nodes, packages, threads and types:
 * Documentation/ABI/stable/sysfs-devices-node, sysfs-devices-system-cpu. */
#include "selectors.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"

#define NODES "/sys/devices/system/node"
#define LIST_SIZE 65536u

typedef struct {
  RetuneMachine *machine;
  RetuneSelectorSets *sets;
} Context;

/* Reads a list of CPUs; NULL if there is no such file. */
static RetuneCpuset *read_list(Context *context, const char *path)
{
  g_autofree char *text = g_malloc(LIST_SIZE);

  if (retune_sysfs_read(retune_machine_sysfs(context->machine), path, text, LIST_SIZE) != 0)
    return NULL;
  return retune_cpuset_parse(text, NULL);
}

/* The number in a file of @cpu, or -1. */
static gint read_number(Context *context, guint cpu, const char *file)
{
  char path[64], text[RETUNE_VALUE_SIZE];

  g_snprintf(path, sizeof path, "cpu%u/%s", cpu, file);
  if (retune_sysfs_read(retune_machine_sysfs(context->machine), path, text, sizeof text) != 0)
    return -1;
  return atoi(text);
}

static RetuneCpuset *find_node(Context *context, const RetuneCpuset *numbers, const char *word)
{
  RetuneCpuset *found = retune_cpuset_new();
  g_autoptr(RetuneCpuset) nodes = read_list(context, NODES "/online");

  (void)word;
  for (gint node = nodes != NULL ? retune_cpuset_next(nodes, 0) : -1; node >= 0;
       node = retune_cpuset_next(nodes, (guint)node + 1)) {
    if (!retune_cpuset_contains(numbers, (guint)node))
      continue;
    g_autofree char *path = g_strdup_printf(NODES "/node%d/cpulist", node);
    g_autoptr(RetuneCpuset) cpus = read_list(context, path);
    if (cpus != NULL)
      retune_cpuset_union(found, cpus);
  }
  return found;
}

/* Reads the packages of all CPUs, once for a call. */
static void read_packages(Context *context)
{
  if (context->sets->packages != NULL)
    return;
  context->sets->packages = g_array_new(FALSE, TRUE, sizeof(gint));
  RETUNE_CPUSET_FOREACH (cpu, context->sets->present) {
    gint package = read_number(context, (guint)cpu, "topology/physical_package_id");
    g_array_set_size(context->sets->packages, (guint)cpu + 1);
    g_array_index(context->sets->packages, gint, cpu) = package;
  }
}

static RetuneCpuset *find_package(Context *context, const RetuneCpuset *numbers, const char *word)
{
  RetuneCpuset *found = retune_cpuset_new();

  (void)word;
  read_packages(context);
  RETUNE_CPUSET_FOREACH (cpu, context->sets->present) {
    gint package = g_array_index(context->sets->packages, gint, cpu);
    if (package >= 0 && package < (gint)RETUNE_CPU_LIMIT &&
        retune_cpuset_contains(numbers, (guint)package))
      retune_cpuset_add(found, (guint)cpu);
  }
  return found;
}

static RetuneCpuset *find_siblings(Context *context, const RetuneCpuset *numbers, const char *word)
{
  RetuneCpuset *found = retune_cpuset_new();

  (void)word;
  RETUNE_CPUSET_FOREACH (cpu, context->sets->present) {
    if (!retune_cpuset_contains(numbers, (guint)cpu))
      continue;
    g_autofree char *path = g_strdup_printf("cpu%d/topology/thread_siblings_list", cpu);
    g_autoptr(RetuneCpuset) cpus = read_list(context, path);
    if (cpus != NULL)
      retune_cpuset_union(found, cpus);
  }
  return found;
}

/* Without lists of types, capacities tell them apart: the largest are the cores. */
static RetuneCpuset *find_by_capacity(Context *context, gboolean largest)
{
  g_autoptr(RetuneCpuset) most = retune_cpuset_new();
  RetuneCpuset *rest = retune_cpuset_new();
  gint best = -1;

  RETUNE_CPUSET_FOREACH (cpu, context->sets->present) {
    gint capacity = read_number(context, (guint)cpu, "cpu_capacity");
    if (capacity > best) {
      retune_cpuset_union(rest, most);
      retune_cpuset_subtract(most, rest);
      best = capacity;
    }
    if (capacity >= 0)
      retune_cpuset_add(capacity == best ? most : rest, (guint)cpu);
  }
  if (largest && !retune_cpuset_is_empty(rest)) { /* with one kind, there are no types */
    retune_cpuset_free(rest);
    return g_steal_pointer(&most);
  }
  if (largest)
    retune_cpuset_subtract(rest, rest);
  return rest;
}

static RetuneCpuset *find_type(Context *context, const RetuneCpuset *numbers, const char *word)
{
  g_autofree char *path = g_strdup_printf("/sys/devices/cpu_%s/cpus", word);
  RetuneCpuset *listed = read_list(context, path);

  (void)numbers;
  return listed != NULL ? listed : find_by_capacity(context, g_str_equal(word, "core"));
}

static RetuneCpuset *find_online(Context *context, const RetuneCpuset *numbers, const char *word)
{
  (void)numbers, (void)word;
  return read_list(context, "online");
}

static RetuneCpuset *find_isolated(Context *context, const RetuneCpuset *numbers, const char *word)
{
  (void)numbers, (void)word;
  return read_list(context, "isolated");
}

static RetuneCpuset *find_free(Context *context, const RetuneCpuset *numbers, const char *word)
{
  (void)numbers, (void)word;
  return retune_cpuset_copy(context->sets->free);
}

/* A word that ends in ':' has an argument: one of @words, or numbers. */
static const struct {
  const char *word;
  const char *words;
  RetuneCpuset *(*find)(Context *context, const RetuneCpuset *numbers, const char *word);
  const char *nothing; /* what is wrong if there is no such CPU */
} selectors[] = {
    {"node:", NULL, find_node, "no CPU is online in that node"},
    {"package:", NULL, find_package, "no CPU is online in that package"},
    {"siblings:", NULL, find_siblings, "no such CPU is online"},
    {"type:", "core atom", find_type, "the kernel tells of no such CPU here"},
    {"online", NULL, find_online, "no CPU is online"},
    {"isolated", NULL, find_isolated, "no CPU is isolated"},
    {"free", NULL, find_free, "every CPU belongs to an instance"},
};

/* The selector that @item is, or -1. */
static gint find_selector(const char *item)
{
  for (guint i = 0; i < G_N_ELEMENTS(selectors); i++) {
    const char *word = selectors[i].word;
    if (g_str_has_suffix(word, ":") ? g_str_has_prefix(item, word) : g_str_equal(item, word))
      return (gint)i;
  }
  return -1;
}

static gboolean is_one_of(const char *words, const char *word)
{
  g_auto(GStrv) list = g_strsplit(words, " ", -1);
  return g_strv_contains((const char *const *)list, word);
}

/* The CPUs that @item stands for, which is selector @i. */
static RetuneCpuset *evaluate(Context *context, guint i, const char *item, GError **error)
{
  const char *argument = item + strlen(selectors[i].word);
  g_autoptr(RetuneCpuset) numbers = retune_cpuset_new();

  if (selectors[i].words != NULL && !is_one_of(selectors[i].words, argument)) {
    retune_set_error(error, RETUNE_ERROR_INVALID_VALUE, "'%.64s': after %s comes one of: %s", item,
                     selectors[i].word, selectors[i].words);
    return NULL;
  }
  g_autoptr(GError) failure = NULL;
  if (selectors[i].words == NULL && g_str_has_suffix(selectors[i].word, ":") &&
      !retune_cpuset_add_range(numbers, argument, &failure)) {
    retune_set_error(error, (RetuneError)failure->code, "'%.64s': %s", item, failure->message);
    return NULL;
  }
  RetuneCpuset *found = selectors[i].find(context, numbers, argument);
  return found != NULL ? found : retune_cpuset_new();
}

/* Appends @item to @out, as a list if it is a selector. */
static gboolean append_item(Context *context, GString *out, const char *item, GError **error)
{
  gboolean exclude = *item == '!' || *item == '^';
  gint selector = find_selector(item + exclude);

  if (selector < 0) {
    g_string_append_printf(out, "%s%s", out->len > 0 ? "," : "", item);
    return TRUE;
  }
  g_autoptr(RetuneCpuset) cpus = evaluate(context, (guint)selector, item + exclude, error);
  if (cpus == NULL)
    return FALSE;
  if (retune_cpuset_is_empty(cpus) && !exclude) {
    retune_set_error(error, RETUNE_ERROR_UNKNOWN_DEVICE, "'%.64s': %s", item,
                     selectors[selector].nothing);
    return FALSE;
  }
  g_autofree char *list = retune_cpuset_to_string(cpus);
  g_auto(GStrv) ranges = g_strsplit(list, ",", -1);
  for (guint i = 0; ranges[i] != NULL; i++)
    g_string_append_printf(out, "%s%s%s", out->len > 0 ? "," : "", exclude ? "!" : "", ranges[i]);
  return TRUE;
}

char *retune_selectors_expand(RetuneMachine *machine, RetuneSelectorSets *sets,
                              const char *expression, GError **error)
{
  Context context = {machine, sets};
  g_auto(GStrv) items = g_strsplit_set(expression, ", \t\n", -1);
  g_autoptr(GString) out = g_string_new(NULL);
  guint before = sets->n_selectors;

  for (guint i = 0; items[i] != NULL; i++) {
    const char *item = items[i];
    if (find_selector(item + (*item == '!' || *item == '^')) >= 0 &&
        ++sets->n_selectors > RETUNE_MAX_SELECTORS) {
      retune_set_error(error, RETUNE_ERROR_LIMITS_EXCEEDED,
                       "the device expressions of a call have at most %u selectors",
                       RETUNE_MAX_SELECTORS);
      return NULL;
    }
    if (*item != '\0' && !append_item(&context, out, item, error))
      return NULL;
  }
  if (sets->n_selectors == before)
    return g_strdup(expression);
  if (out->len == 0)
    g_string_append(out, "all"); /* without what is not there */
  return g_strdup(out->str);
}
