// SPDX-License-Identifier: GPL-2.0-or-later
/* Facts about CPUs, cached per CPU. Nothing is read for a CPU that nobody has
 * asked about. */
#include "machine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cpupower.h"
#include "error.h"
#include "fdstore.h"
#include "latency.h"

struct _RetuneMachine {
  RetuneSysfs *sysfs;
  RetuneLatency *latency;
  GHashTable *policies;    /* number -> RetunePolicy */
  GHashTable *policy_of;   /* CPU -> RetunePolicy, or NULL for none */
  GHashTable *idle_tables; /* CPU -> RetuneIdleTable */
  GHashTable *refused;     /* set of "FILE\nTEXT", see retune_machine_set_refused */
  GHashTable *locked;      /* set of places, see retune_machine_set_locked */
  GPtrArray *governors;    /* GStrv: the distinct lists of governors */
  GArray *written;         /* RetunePlaceCount, see retune_machine_take_written */
  char *list_text;         /* of LIST_SIZE, for reading lists of CPUs */
  gboolean per_policy;     /* the kernel has governors' tunables for each policy */
  gboolean per_system;     /* it has but one of each */
  gint first_policy;       /* whose directory tells the driver's generation; -1: not known */
};

/* A list of CPUs is longer than a value: 1,024 of them take 5 kB. */
#define LIST_SIZE 65536u

static void policy_free(gpointer data)
{
  RetunePolicy *policy = data;
  retune_cpuset_free(policy->cpus);
  g_clear_pointer(&policy->frequencies, g_array_unref);
  g_free(policy);
}

static void idle_table_free(gpointer data)
{
  RetuneIdleTable *table = data;
  for (guint i = 0; i < table->n_states; i++)
    g_free(table->names[i]);
  g_free(table->names);
  g_free(table->latency_us);
  g_free(table);
}

/* What the service manager has kept for us: nothing but latency requests. */
static void take_kept(int fd, const char *name, gpointer latency)
{
  retune_latency_take(latency, fd, name);
}

RetuneMachine *retune_machine_new(GError **error)
{
  RetuneSysfs *sysfs = retune_sysfs_open(error);

  if (sysfs == NULL)
    return NULL;
  RetuneMachine *machine = g_new0(RetuneMachine, 1);
  machine->sysfs = sysfs;
  machine->latency = retune_latency_new();
  retune_fdstore_take_all(take_kept, machine->latency);
  machine->policies = g_hash_table_new_full(NULL, NULL, NULL, policy_free);
  machine->policy_of = g_hash_table_new(NULL, NULL);
  machine->idle_tables = g_hash_table_new_full(NULL, NULL, NULL, idle_table_free);
  machine->written = g_array_new(FALSE, FALSE, sizeof(RetunePlaceCount));
  machine->locked = g_hash_table_new(NULL, NULL);
  machine->refused = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  machine->governors = g_ptr_array_new_with_free_func((GDestroyNotify)g_strfreev);
  machine->list_text = g_malloc(LIST_SIZE);
  machine->first_policy = -1;
  return machine;
}

void retune_machine_free(RetuneMachine *machine)
{
  if (machine == NULL)
    return;
  g_hash_table_unref(machine->policy_of);
  g_hash_table_unref(machine->policies);
  g_hash_table_unref(machine->idle_tables);
  g_array_unref(machine->written);
  g_hash_table_unref(machine->locked);
  g_hash_table_unref(machine->refused);
  g_ptr_array_unref(machine->governors);
  g_free(machine->list_text);
  retune_latency_free(machine->latency);
  retune_sysfs_close(machine->sysfs);
  g_free(machine);
}

RetuneSysfs *retune_machine_sysfs(RetuneMachine *machine)
{
  return machine->sysfs;
}

static RetuneCpuset *read_list(RetuneMachine *machine, const char *path, GError **error)
{
  int result = retune_sysfs_read(machine->sysfs, path, machine->list_text, LIST_SIZE);

  if (result != 0) {
    retune_set_error(error, RETUNE_ERROR_FAILED, "cannot read %s/%s: %s", RETUNE_SYSFS_CPU, path,
                     g_strerror(result));
    return NULL;
  }
  return retune_cpuset_parse(machine->list_text, error);
}

RetuneCpuset *retune_machine_read_present(RetuneMachine *machine, GError **error)
{
  return read_list(machine, "present", error);
}

RetuneCpuset *retune_machine_read_online(RetuneMachine *machine, GError **error)
{
  return read_list(machine, "online", error);
}

/* related_cpus is separated by blanks; EBUSY while all of them are offline. */
static RetuneCpuset *read_members(RetuneMachine *machine, guint cpu, guint number)
{
  char path[64];
  char *text = machine->list_text;

  g_snprintf(path, sizeof path, "cpufreq/policy%u/related_cpus", number);
  if (retune_sysfs_read(machine->sysfs, path, text, LIST_SIZE) != 0)
    g_snprintf(text, LIST_SIZE, "%u", cpu);
  g_strdelimit(text, " ", ',');
  g_autoptr(RetuneCpuset) members = retune_cpuset_parse(text, NULL);
  if (members == NULL)
    members = retune_cpuset_new();
  retune_cpuset_add(members, cpu);
  return g_steal_pointer(&members);
}

/* cpuN/cpufreq is a link to the policy; its number need not be N, nor that of
 * an online CPU. */
static RetunePolicy *find_policy(RetuneMachine *machine, guint cpu)
{
  char path[64], target[256];

  g_snprintf(path, sizeof path, "cpu%u/cpufreq", cpu);
  if (retune_sysfs_read_link(machine->sysfs, path, target, sizeof target) != 0)
    return NULL;
  const char *name = strstr(target, "policy");
  if (name == NULL || !g_ascii_isdigit(name[6]))
    return NULL;
  guint number = (guint)strtoul(name + 6, NULL, 10);
  RetunePolicy *policy = g_hash_table_lookup(machine->policies, GUINT_TO_POINTER(number));
  if (policy != NULL) {
    retune_cpuset_add(policy->cpus, cpu); /* not known while all of them were offline */
    return policy;
  }
  policy = g_new0(RetunePolicy, 1);
  policy->number = number;
  policy->cpus = read_members(machine, cpu, number);
  g_hash_table_insert(machine->policies, GUINT_TO_POINTER(number), policy);
  return policy;
}

const RetunePolicy *retune_machine_policy(RetuneMachine *machine, guint cpu)
{
  gpointer policy;

  if (g_hash_table_lookup_extended(machine->policy_of, GUINT_TO_POINTER(cpu), NULL, &policy))
    return policy;
  policy = find_policy(machine, cpu);
  g_hash_table_insert(machine->policy_of, GUINT_TO_POINTER(cpu), policy);
  return policy;
}

/* Takes @list; returns the one like it that is kept. */
static const char *const *share_governors(RetuneMachine *machine, GStrv list)
{
  for (guint i = 0; list != NULL && i < machine->governors->len; i++) {
    const char *const *known = machine->governors->pdata[i];
    if (!g_strv_equal(known, (const char *const *)list))
      continue;
    g_strfreev(list);
    return known;
  }
  if (list != NULL)
    g_ptr_array_add(machine->governors, list);
  return (const char *const *)list;
}

const char *const *retune_machine_governors(RetuneMachine *machine, guint cpu)
{
  RetunePolicy *policy = (RetunePolicy *)retune_machine_policy(machine, cpu);

  if (policy == NULL)
    return NULL;
  if (policy->governors == NULL)
    policy->governors = share_governors(machine, retune_cpupower_governors(cpu));
  return policy->governors;
}

const RetunePolicy *retune_machine_policy_facts(RetuneMachine *machine, guint cpu)
{
  RetunePolicy *policy = (RetunePolicy *)retune_machine_policy(machine, cpu);

  if (policy == NULL)
    return NULL;
  (void)retune_machine_governors(machine, cpu);
  if (!policy->has_limits)
    policy->has_limits = retune_cpupower_limits(cpu, &policy->min_khz, &policy->max_khz);
  return policy;
}

const GArray *retune_machine_frequencies(RetuneMachine *machine, guint cpu)
{
  RetunePolicy *policy = (RetunePolicy *)retune_machine_policy(machine, cpu);

  if (policy == NULL)
    return NULL;
  if (policy->frequencies == NULL)
    policy->frequencies = retune_cpupower_frequencies(cpu);
  return policy->frequencies;
}

const RetuneIdleTable *retune_machine_idle_table(RetuneMachine *machine, guint cpu)
{
  RetuneIdleTable *table = g_hash_table_lookup(machine->idle_tables, GUINT_TO_POINTER(cpu));

  if (table != NULL && table->n_states > 0)
    return table;
  table = g_new0(RetuneIdleTable, 1);
  table->n_states = MIN(retune_cpupower_idle_states(cpu), RETUNE_IDLE_STATES);
  table->names = g_new0(char *, table->n_states);
  table->latency_us = g_new0(gulong, table->n_states);
  for (guint i = 0; i < table->n_states; i++) {
    table->names[i] = retune_cpupower_idle_name(cpu, i);
    table->latency_us[i] = retune_cpupower_idle_latency(cpu, i);
  }
  g_hash_table_insert(machine->idle_tables, GUINT_TO_POINTER(cpu), table);
  return table;
}

/* --- places that only exist under a governor --- */

/* Is there a directory of that governor: of @policy, or of the system? */
static gboolean has_directory(RetuneMachine *machine, gint policy, const char *governor)
{
  char path[64];

  if (policy >= 0)
    g_snprintf(path, sizeof path, "cpufreq/policy%d/%s/", policy, governor);
  else
    g_snprintf(path, sizeof path, "cpufreq/%s/", governor);
  return retune_sysfs_identity(machine->sysfs, path) != 0;
}

gboolean retune_machine_relocate(RetuneMachine *machine, guint policy, const char *governor)
{
  if (!machine->per_system && has_directory(machine, (gint)policy, governor))
    machine->per_policy = TRUE;
  return machine->per_policy;
}

/* Looks whether any governor shows where tunables are, of the system or of @policy. */
static void look_for_tunables(RetuneMachine *machine, guint policy)
{
  static const char *const governors[] = {"schedutil", "ondemand", "conservative"};

  for (guint i = 0; i < G_N_ELEMENTS(governors) && !machine->per_policy; i++) {
    machine->per_system |= has_directory(machine, -1, governors[i]);
    (void)retune_machine_relocate(machine, policy, governors[i]);
  }
}

gboolean retune_machine_locate(RetuneMachine *machine, const RetuneKnob *place, guint policy,
                               const char *governor, const RetuneKnob **ret_place, guint *ret_id)
{
  guint stride = retune_knob_stride(place);
  guint index = 0;

  while (place->governors[index] != NULL && !g_str_equal(place->governors[index], governor))
    index++;
  if (place->governors[index] == NULL)
    return FALSE;
  if (place->twin != NULL && !machine->per_system && !machine->per_policy)
    look_for_tunables(machine, policy);
  *ret_place = place->twin != NULL && !machine->per_policy ? place->twin : place;
  *ret_id = *ret_place == place ? policy * stride + (stride > 1 ? index : 0) : index;
  return TRUE;
}

gboolean retune_machine_runs_governor(RetuneMachine *machine, const char *governor)
{
  g_autoptr(RetuneCpuset) seen = retune_cpuset_new();
  g_autoptr(RetuneCpuset) online = retune_machine_read_online(machine, NULL);
  char path[64], text[RETUNE_VALUE_SIZE];

  for (gint cpu = online != NULL ? retune_cpuset_next(online, 0) : -1; cpu >= 0;
       cpu = retune_cpuset_next(online, (guint)cpu + 1)) {
    const RetunePolicy *policy = retune_machine_policy(machine, (guint)cpu);
    if (policy == NULL || retune_cpuset_contains(seen, policy->number))
      continue;
    retune_cpuset_add(seen, policy->number);
    g_snprintf(path, sizeof path, "cpufreq/policy%u/scaling_governor", policy->number);
    if (retune_sysfs_read(machine->sysfs, path, text, sizeof text) == 0 &&
        g_str_equal(text, governor))
      return TRUE;
  }
  return FALSE;
}

/* The directory of a policy stays while its CPUs are offline, and is a new one when
 * the driver makes its policies anew. */
guint64 retune_machine_driver_generation(RetuneMachine *machine)
{
  char path[64];

  for (guint attempt = 0; attempt < 2; attempt++) {
    if (machine->first_policy >= 0) {
      g_snprintf(path, sizeof path, "cpufreq/policy%d/", machine->first_policy);
      guint64 identity = retune_sysfs_identity(machine->sysfs, path);
      if (identity != 0)
        return identity;
    }
    machine->first_policy = retune_sysfs_first_number(machine->sysfs, "cpufreq", "policy");
  }
  return 0;
}

static gboolean is_absent(gpointer key, gpointer value, gpointer data)
{
  (void)key, (void)data;
  return value == NULL;
}

void retune_machine_forget_driver(RetuneMachine *machine)
{
  machine->per_policy = machine->per_system = FALSE;
  g_hash_table_remove_all(machine->locked);
  g_hash_table_remove_all(machine->refused);
}

void retune_machine_forget_absent(RetuneMachine *machine)
{
  g_hash_table_foreach_remove(machine->policy_of, is_absent, NULL);
}

static gboolean is_value(gpointer key, gpointer value, gpointer wanted)
{
  (void)key;
  return value == wanted;
}

void retune_machine_forget(RetuneMachine *machine, const RetuneCpuset *cpus)
{
  RETUNE_CPUSET_FOREACH (cpu, cpus) {
    gpointer key = GUINT_TO_POINTER((guint)cpu);
    RetunePolicy *policy = g_hash_table_lookup(machine->policy_of, key);
    g_hash_table_remove(machine->idle_tables, key);
    g_hash_table_remove(machine->policy_of, key);
    if (policy == NULL)
      continue;
    g_hash_table_foreach_remove(machine->policy_of, is_value, policy);
    g_hash_table_remove(machine->policies, GUINT_TO_POINTER(policy->number));
  }
}

void retune_machine_forget_limits(RetuneMachine *machine)
{
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init(&iter, machine->policies);
  while (g_hash_table_iter_next(&iter, NULL, &value))
    ((RetunePolicy *)value)->has_limits = FALSE;
}

void retune_machine_forget_governors(RetuneMachine *machine)
{
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init(&iter, machine->policies);
  while (g_hash_table_iter_next(&iter, NULL, &value))
    ((RetunePolicy *)value)->governors = NULL;
}

gboolean retune_machine_is_writable(RetuneMachine *machine, const RetuneKnob *place, guint cpu)
{
  const RetunePolicy *policy =
      place->scope == RETUNE_SCOPE_POLICY ? retune_machine_policy(machine, cpu) : NULL;
  guint unit = place->scope == RETUNE_SCOPE_CPU ? cpu : policy != NULL ? policy->number : 0;
  char path[128];

  retune_knob_path(place, unit * retune_knob_stride(place), path, sizeof path);
  return place->ops != NULL || place->leader != NULL ||
         retune_sysfs_is_writable(machine->sysfs, path);
}

void retune_machine_set_locked(RetuneMachine *machine, const RetuneKnob *place, gboolean locked)
{
  if (locked)
    g_hash_table_add(machine->locked, (gpointer)place);
  else
    g_hash_table_remove(machine->locked, place);
}

gboolean retune_machine_is_locked(RetuneMachine *machine, const RetuneKnob *place)
{
  return g_hash_table_contains(machine->locked, place);
}

void retune_machine_set_refused(RetuneMachine *machine, const RetuneKnob *place, const char *text)
{
  g_hash_table_add(machine->refused, g_strconcat(place->file, "\n", text, NULL));
}

gboolean retune_machine_is_refused(RetuneMachine *machine, const RetuneKnob *place,
                                   const char *text)
{
  g_autofree char *key = g_strconcat(place->file, "\n", text, NULL);
  return g_hash_table_contains(machine->refused, key);
}

int retune_machine_read(RetuneMachine *machine, const RetuneKnob *place, guint id, char *text,
                        gsize size)
{
  char path[128];

  if (place->ops != NULL)
    return place->ops->read(machine, text, size);
  retune_knob_path(place, id, path, sizeof path);
  int result = retune_sysfs_read(machine->sysfs, path, text, size);
  return result == 0 && g_strcmp0(text, place->blank) == 0 ? ENOENT : result;
}

int retune_machine_write(RetuneMachine *machine, const RetuneKnob *place, guint id,
                         const char *text, char *found, gsize size)
{
  char path[128];

  found[0] = '\0';
  if (place->ops != NULL)
    return place->ops->write(machine, text, found, size);
  retune_knob_path(place, id, path, sizeof path);
  guint before = retune_sysfs_count_opens(machine->sysfs);
  int result = retune_sysfs_write(machine->sysfs, path, text, found, size);
  RetunePlaceCount written = {place, id, retune_sysfs_count_opens(machine->sysfs) - before};
  if (written.count > 0)
    g_array_append_val(machine->written, written);
  return result;
}

GArray *retune_machine_take_written(RetuneMachine *machine)
{
  GArray *written = machine->written;

  machine->written = g_array_new(FALSE, FALSE, sizeof(RetunePlaceCount));
  return written;
}

int retune_machine_read_latency(RetuneMachine *machine, char *text, gsize size)
{
  return retune_latency_read(machine->latency, text, size);
}

int retune_machine_write_latency(RetuneMachine *machine, const char *text, char *found, gsize size)
{
  return retune_latency_write(machine->latency, text, found, size);
}
