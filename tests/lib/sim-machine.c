/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A machine's description. A file that inherits another overlays its keys. What
 * is not known here is an error, so that a misspelt key cannot pass.
 */
#include "sim-machine.h"

#include <string.h>

#define SUFFIX ".machine"
#define MAX_DEPTH 4

typedef struct {
  SimCpus cpus;
  char *group;
} Override;

static const struct {
  const char *group;
  const char *keys; /* with a blank around each */
} known_keys[] = {
    {"machine", " inherit description possible present online cpu0_online isolated threads"
                " numbering packages nodes kernel capacity idle_driver idle_governor"
                " idle_governors idle_states "},
    {"cpufreq", " policies driver governors loadable governor tunables cpuinfo_min cpuinfo_max"
                " base frequencies scaling_min scaling_max transition_latency epp_words epp"
                " epp_default epp_offline boost policy_boost "},
    {"power", " epb resume_latency "},
    {"intel_pstate", " status min_perf_pct max_perf_pct no_turbo num_pstates turbo_pct"
                     " turbo_locked hwp_dynamic_boost "},
    {"amd_pstate", " status prefcore "},
    {"proc", " uclamp "},
    {"cpu ", " threads type capacity idle_states governor cpuinfo_min cpuinfo_max base frequencies"
             " scaling_min scaling_max transition_latency epp epb resume_latency "},
};

static void override_free(gpointer data)
{
  Override *override = data;

  sim_cpus_clear(&override->cpus);
  g_free(override->group);
  g_free(override);
}

void sim_machine_free(SimMachine *machine)
{
  g_clear_pointer(&machine->keys, g_key_file_unref);
  g_clear_pointer(&machine->overrides, g_ptr_array_unref);
  sim_cpus_clear(&machine->possible);
  sim_cpus_clear(&machine->present);
  sim_cpus_clear(&machine->online);
  g_free(machine->core_of);
  g_free(machine);
}

static gboolean check_key(const char *group, const char *key)
{
  g_autofree char *word = g_strdup_printf(" %s ", key);

  for (gsize i = 0; i < G_N_ELEMENTS(known_keys); i++) {
    const char *known = known_keys[i].group;
    gboolean is_same =
        g_str_has_suffix(known, " ") ? g_str_has_prefix(group, known) : g_str_equal(group, known);

    if (is_same)
      return strstr(known_keys[i].keys, word) != NULL;
  }

  return FALSE;
}

/* Copies all keys of one file over another's. */
static gboolean overlay(GKeyFile *target, GKeyFile *source, const char *path, GError **error)
{
  g_auto(GStrv) groups = g_key_file_get_groups(source, NULL);

  for (gsize i = 0; groups[i] != NULL; i++) {
    g_auto(GStrv) keys = g_key_file_get_keys(source, groups[i], NULL, NULL);

    for (gsize j = 0; keys != NULL && keys[j] != NULL; j++) {
      g_autofree char *value = g_key_file_get_value(source, groups[i], keys[j], NULL);

      if (!check_key(groups[i], keys[j])) {
        g_set_error(error, G_KEY_FILE_ERROR, G_KEY_FILE_ERROR_KEY_NOT_FOUND,
                    "%s: unknown key \"%s\" in section [%s]", path, keys[j], groups[i]);
        return FALSE;
      }
      g_key_file_set_value(target, groups[i], keys[j], value);
    }
  }

  return TRUE;
}

static gboolean load_keys(GKeyFile *keys, const char *dir, const char *name, unsigned depth,
                          GError **error)
{
  g_autoptr(GKeyFile) own = g_key_file_new();
  g_autofree char *path = NULL;
  g_autofree char *base = NULL;

  if (strchr(name, '/') != NULL || g_str_has_suffix(name, SUFFIX))
    path = g_strdup(name);
  else
    path = g_strdup_printf("%s/%s" SUFFIX, dir, name);

  if (!g_key_file_load_from_file(own, path, G_KEY_FILE_NONE, error)) {
    g_prefix_error(error, "%s: ", path);
    return FALSE;
  }

  base = g_key_file_get_string(own, "machine", "inherit", NULL);
  if (base != NULL && depth == MAX_DEPTH) {
    g_set_error(error, G_KEY_FILE_ERROR, G_KEY_FILE_ERROR_INVALID_VALUE,
                "%s: machines inherit from each other", path);
    return FALSE;
  }

  if (base != NULL && !load_keys(keys, dir, base, depth + 1, error))
    return FALSE;
  return overlay(keys, own, path, error);
}

static gboolean parse_cpus(SimCpus *cpus, const char *text, const char *what, GError **error)
{
  if (text != NULL && sim_cpus_parse(cpus, text) && sim_cpus_count(cpus) > 0)
    return TRUE;

  g_set_error(error, G_KEY_FILE_ERROR, G_KEY_FILE_ERROR_INVALID_VALUE,
              "%s: \"%s\" is not a list of CPUs", what, text != NULL ? text : "");
  return FALSE;
}

static gboolean load_overrides(SimMachine *machine, GError **error)
{
  g_auto(GStrv) groups = g_key_file_get_groups(machine->keys, NULL);

  for (gsize i = 0; groups[i] != NULL; i++) {
    Override *override;

    if (!g_str_has_prefix(groups[i], "cpu "))
      continue;
    override = g_new0(Override, 1);
    override->group = g_strdup(groups[i]);
    g_ptr_array_add(machine->overrides, override);
    if (!parse_cpus(&override->cpus, groups[i] + strlen("cpu "), groups[i], error))
      return FALSE;
  }

  return TRUE;
}

static unsigned threads_of(const SimMachine *machine, unsigned cpu)
{
  const char *threads = sim_machine_get_for_cpu(machine, cpu, "machine", "threads");

  return threads != NULL ? (unsigned)CLAMP(g_ascii_strtoll(threads, NULL, 10), 1, 8) : 1;
}

/* Threads of a core are next to each other, or as far apart as there are cores.
 * Only neighbours can be more or fewer than elsewhere on the machine. */
static void number_cores(SimMachine *machine)
{
  const char *numbering = sim_machine_get(machine, "machine", "numbering");
  unsigned threads = threads_of(machine, 0), size = (unsigned)machine->possible.size;

  while (size > 0 && !sim_cpus_has(&machine->possible, size - 1))
    size--;
  machine->core_of = g_new0(unsigned, size);
  machine->size = size;

  if (g_strcmp0(numbering, "adjacent") != 0) {
    machine->cores = (sim_cpus_count(&machine->possible) + threads - 1) / threads;
    for (unsigned cpu = 0; cpu < size; cpu++)
      machine->core_of[cpu] = cpu % machine->cores;
    return;
  }

  for (unsigned cpu = 0; cpu < size; machine->cores++) {
    unsigned end = cpu + threads_of(machine, cpu);

    while (cpu < end && cpu < size)
      machine->core_of[cpu++] = machine->cores;
  }
}

/* NAME is a path, or a name below DIR. */
SimMachine *sim_machine_load(const char *dir, const char *name, GError **error)
{
  g_autoptr(SimMachine) machine = g_new0(SimMachine, 1);
  const char *possible, *present, *online;

  machine->keys = g_key_file_new();
  machine->overrides = g_ptr_array_new_with_free_func(override_free);
  if (!load_keys(machine->keys, dir, name, 0, error) || !load_overrides(machine, error))
    return NULL;

  possible = sim_machine_get(machine, "machine", "possible");
  present = sim_machine_get(machine, "machine", "present");
  online = sim_machine_get(machine, "machine", "online");
  if (present == NULL)
    present = possible;
  if (!parse_cpus(&machine->possible, possible, "possible", error) ||
      !parse_cpus(&machine->present, present, "present", error) ||
      !parse_cpus(&machine->online, online != NULL ? online : present, "online", error))
    return NULL;

  number_cores(machine);
  return g_steal_pointer(&machine);
}

gboolean sim_machine_has(const SimMachine *machine, const char *group)
{
  return g_key_file_has_group(machine->keys, group);
}

/* NULL if the key is not there, or is empty: so a machine can do without what it
 * inherits. Interned: stays as long as the process. */
const char *sim_machine_get(const SimMachine *machine, const char *group, const char *key)
{
  g_autofree char *value = g_key_file_get_string(machine->keys, group, key, NULL);

  return value != NULL && *value != '\0' ? g_intern_string(value) : NULL;
}

/* The value of the last section [cpu LIST] with the CPU and the key, else the
 * machine's. */
const char *sim_machine_get_for_cpu(const SimMachine *machine, unsigned cpu, const char *group,
                                    const char *key)
{
  for (guint i = machine->overrides->len; i > 0; i--) {
    const Override *override = machine->overrides->pdata[i - 1];
    const char *value;

    if (!sim_cpus_has(&override->cpus, cpu))
      continue;
    value = sim_machine_get(machine, override->group, key);
    if (value != NULL)
      return value;
  }

  return sim_machine_get(machine, group, key);
}

gint64 sim_machine_get_number(const SimMachine *machine, const char *group, const char *key,
                              gint64 fallback)
{
  const char *value = sim_machine_get(machine, group, key);

  return value != NULL ? g_ascii_strtoll(value, NULL, 10) : fallback;
}

unsigned sim_machine_core_of(const SimMachine *machine, unsigned cpu)
{
  return cpu < machine->size ? machine->core_of[cpu] : 0;
}

/* Which of the groups that a key counts (packages, nodes) a CPU belongs to: cores
 * are spread over them. */
unsigned sim_machine_group_of(const SimMachine *machine, unsigned cpu, gint64 groups)
{
  return (unsigned)(sim_machine_core_of(machine, cpu) * groups / machine->cores);
}

unsigned sim_machine_package_of(const SimMachine *machine, unsigned cpu)
{
  return sim_machine_group_of(machine, cpu,
                              sim_machine_get_number(machine, "machine", "packages", 1));
}

/* The CPUs of a core that are present, whether online or not. */
void sim_machine_threads_of(const SimMachine *machine, unsigned cpu, SimCpus *ret_threads)
{
  unsigned core = sim_machine_core_of(machine, cpu);

  for (unsigned other = 0; other < machine->size; other++)
    if (machine->core_of[other] == core && sim_cpus_has(&machine->present, other))
      sim_cpus_set(ret_threads, other, true);
}
