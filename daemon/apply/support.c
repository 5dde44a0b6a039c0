// SPDX-License-Identifier: GPL-2.0-or-later
/* What this machine makes of each option, CPU by CPU, from what the files show: never
 * from the name of a driver, and never from one CPU for all. */
#include <errno.h>

#include "query.h"

/* What is to be said of an option on one unit. */
typedef struct {
  const char *reason;
  char *text;
} Verdict;

static void group_free(gpointer data)
{
  RetuneSupportGroup *group = data;
  retune_cpuset_free(group->cpus);
  g_free(group->text);
  g_free(group);
}

static void support_free(gpointer data)
{
  RetuneSupport *support = data;
  g_ptr_array_unref(support->groups);
  g_free(support);
}

static void verdict_free(gpointer data)
{
  Verdict *verdict = data;
  g_free(verdict->text);
  g_free(verdict);
}

/* Takes @text. */
static Verdict *verdict_new(const char *reason, char *text)
{
  Verdict *verdict = g_new0(Verdict, 1);
  verdict->reason = reason;
  verdict->text = text != NULL ? text : g_strdup("");
  return verdict;
}

/* The governor that runs at @cpu, or "none". */
static const char *read_governor(RetuneMachine *machine, guint cpu, char *text, gsize size)
{
  char path[64];

  g_snprintf(path, sizeof path, "cpu%u/cpufreq/scaling_governor", cpu);
  if (retune_sysfs_read(retune_machine_sysfs(machine), path, text, size) != 0)
    g_strlcpy(text, "none", size);
  return text;
}

static Verdict *needs_governor(RetuneMachine *machine, const char *needed, guint cpu)
{
  char present[RETUNE_VALUE_SIZE];

  return verdict_new("needs-governor",
                     g_strdup_printf("it needs governor %s, and %s runs", needed,
                                     read_governor(machine, cpu, present, sizeof present)));
}

/* Why a value cannot be read; EBUSY means that its policy is offline. */
static Verdict *judge_unreadable(RetuneMachine *machine, const RetuneKnob *option, guint cpu,
                                 int error)
{
  const RetuneKnob *place = retune_knob_place(option);

  if (place->governors != NULL && error == ENOENT && retune_machine_policy(machine, cpu) != NULL) {
    g_autofree char *needed = g_strjoinv(" or ", (char **)place->governors);
    return needs_governor(machine, needed, cpu);
  }
  if (error == ENOENT || error == ENODEV)
    return verdict_new("absent", g_strdup_printf("no such file%s", option->hint_absent));
  return verdict_new(error == EBUSY ? "offline" : "absent",
                     g_strdup_printf("it cannot be read: %s", g_strerror(error)));
}

/* boost also works where there is but the global file. */
static int read_value(RetuneMachine *machine, const RetuneKnob *option, guint cpu,
                      const RetuneKnob **ret_place)
{
  char text[RETUNE_VALUE_SIZE];

  *ret_place = retune_knob_place(option);
  int result = retune_query_read(machine, option, cpu, text, sizeof text);
  if (result == 0 || option->gate == NULL)
    return result;
  *ret_place = option->gate;
  return retune_machine_read(machine, option->gate, 0, text, sizeof text);
}

static Verdict *judge(RetuneMachine *machine, const RetuneKnob *option, guint cpu)
{
  const RetuneKnob *place;
  char governor[RETUNE_VALUE_SIZE];
  int error = read_value(machine, option, cpu, &place);

  if (error != 0)
    return judge_unreadable(machine, option, cpu, error);
  if (!retune_machine_is_writable(machine, place, cpu))
    return verdict_new("read-only", g_strdup("nobody may write the file"));
  if (retune_machine_is_locked(machine, place))
    return verdict_new("locked", g_strdup(place->locked));
  if (option->useful_under != NULL &&
      !g_str_equal(read_governor(machine, cpu, governor, sizeof governor), option->useful_under))
    return needs_governor(machine, option->useful_under, cpu);
  return verdict_new(
      NULL, option->type->describe != NULL ? option->type->describe(option, machine, cpu) : NULL);
}

/* Adds @cpu to the group with that verdict. */
static void add(RetuneSupport *support, guint cpu, const Verdict *verdict)
{
  RetuneSupportGroup *group = NULL;

  for (guint i = 0; i < support->groups->len && group == NULL; i++) {
    RetuneSupportGroup *candidate = support->groups->pdata[i];
    if (g_strcmp0(candidate->reason, verdict->reason) == 0 &&
        g_str_equal(candidate->text, verdict->text))
      group = candidate;
  }
  if (group == NULL) {
    group = g_new0(RetuneSupportGroup, 1);
    group->cpus = retune_cpuset_new();
    group->reason = verdict->reason;
    group->text = g_strdup(verdict->text);
    g_ptr_array_add(support->groups, group);
  }
  retune_cpuset_add(group->cpus, cpu);
}

/* What a verdict on @option at @cpu is also true of: its policy, the whole system
 * (0), or it alone. */
static guint unit_of(RetuneMachine *machine, const RetuneKnob *option, guint cpu)
{
  const RetunePolicy *policy =
      option->scope == RETUNE_SCOPE_POLICY ? retune_machine_policy(machine, cpu) : NULL;

  if (option->scope == RETUNE_SCOPE_SYSTEM && option->useful_under == NULL)
    return 0;
  return policy != NULL ? policy->number : cpu;
}

static RetuneSupport *find_support(RetuneMachine *machine, const RetuneKnob *option,
                                   const RetuneCpuset *present, const RetuneCpuset *online)
{
  RetuneSupport *support = g_new0(RetuneSupport, 1);
  g_autoptr(GHashTable) known = g_hash_table_new_full(NULL, NULL, NULL, verdict_free);
  Verdict *offline = verdict_new("offline", g_strdup("offline"));

  support->option = option;
  support->groups = g_ptr_array_new_with_free_func(group_free);
  RETUNE_CPUSET_FOREACH (cpu, present) {
    guint unit = unit_of(machine, option, (guint)cpu);
    if (!retune_cpuset_contains(online, (guint)cpu) && option->scope != RETUNE_SCOPE_SYSTEM &&
        !option->switches_cpu) {
      add(support, (guint)cpu, offline);
      continue;
    }
    Verdict *verdict = g_hash_table_lookup(known, GUINT_TO_POINTER(unit + 1));
    if (verdict == NULL) {
      verdict = judge(machine, option, (guint)cpu);
      g_hash_table_insert(known, GUINT_TO_POINTER(unit + 1), verdict);
    }
    add(support, (guint)cpu, verdict);
  }
  verdict_free(offline);
  return support;
}

GPtrArray *retune_query_support(const RetuneKnobTable *table, RetuneMachine *machine,
                                const RetuneCpuset *present, GError **error)
{
  g_autoptr(RetuneCpuset) online = retune_machine_read_online(machine, error);

  if (online == NULL)
    return NULL;
  retune_machine_forget_absent(machine);
  GPtrArray *result = g_ptr_array_new_with_free_func(support_free);
  for (guint i = 0; i < table->n_rows; i++)
    if (table->rows[i].name != NULL)
      g_ptr_array_add(result, find_support(machine, &table->rows[i], present, online));
  return result;
}
