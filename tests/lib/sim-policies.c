/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The cpufreq part of a machine's tree: policies with the files that their
 * driver has, and the global boost. Used by sim-tree.c.
 */
#include "sim-policies.h"

#include <stdlib.h>
#include <string.h>

#define CPU_DIR "sys/devices/system/cpu"
#define NOTES_DIR "retune/notes"

static const char *key_of(const SimMachine *machine, const char *key, const char *fallback)
{
  const char *value = sim_machine_get(machine, "cpufreq", key);

  return value != NULL ? value : fallback;
}

static const char *key_for(const SimMachine *machine, unsigned cpu, const char *key,
                           const char *fallback)
{
  const char *value = sim_machine_get_for_cpu(machine, cpu, "cpufreq", key);

  return value != NULL ? value : fallback;
}

static void add_present(const SimMachine *machine, unsigned first, unsigned count,
                        SimCpus *ret_members)
{
  for (unsigned cpu = first; cpu < first + count && cpu < machine->present.size; cpu++)
    if (sim_cpus_has(&machine->present, cpu))
      sim_cpus_set(ret_members, cpu, true);
}

/* The CPUs that share a policy with one: neighbours, or those of the list that
 * has it. */
static void find_members(const SimMachine *machine, unsigned cpu, SimCpus *ret_members)
{
  const char *policies = key_of(machine, "policies", "single");
  g_auto(GStrv) lists = NULL;

  if (g_str_equal(policies, "single"))
    add_present(machine, cpu, 1, ret_members);
  else if (g_str_equal(policies, "pairs"))
    add_present(machine, cpu & ~1u, 2, ret_members);
  else if (g_str_equal(policies, "all"))
    add_present(machine, 0, machine->size, ret_members);
  else
    lists = g_strsplit(policies, ";", -1);

  for (gsize i = 0; lists != NULL && lists[i] != NULL; i++) {
    SimCpus listed = {0};

    if (sim_cpus_parse(&listed, lists[i]) && sim_cpus_has(&listed, cpu))
      for (unsigned other = 0; other < listed.size; other++)
        if (sim_cpus_has(&listed, other))
          add_present(machine, other, 1, ret_members);
    sim_cpus_clear(&listed);
  }
}

/* Drivers that have a policy of their own in place of a governor list their
 * governors without the final blank. */
gboolean sim_policies_is_setpolicy(const char *driver)
{
  return g_str_equal(driver, "intel_pstate") || g_str_equal(driver, "amd-pstate-epp");
}

static void build_epp(SimWriter *writer, const SimMachine *machine, unsigned cpu,
                      const char *driver, gboolean is_performance)
{
  const char *epp = sim_machine_get_for_cpu(machine, cpu, "cpufreq", "epp");
  const char *words = key_of(machine, "epp_words", "performance");

  if (epp == NULL || g_str_equal(driver, "amd-pstate"))
    return;
  is_performance = is_performance && sim_policies_is_setpolicy(driver);
  if (is_performance && !g_str_equal(driver, "intel_pstate"))
    words = "performance";
  sim_writer_file(writer, 0444, "energy_performance_available_preferences", "%s ", words);
  sim_writer_file(writer, 0644, "energy_performance_preference", "%s",
                  is_performance ? "performance" : epp);
}

/* Files that only some drivers have. */
static void build_driver_files(SimWriter *writer, const SimMachine *machine, unsigned cpu,
                               const char *driver)
{
  const char *base = key_for(machine, cpu, "base", NULL);
  const char *frequencies = key_for(machine, cpu, "frequencies", NULL);
  const char *boost = key_of(machine, "policy_boost", NULL);

  if (base != NULL)
    sim_writer_file(writer, 0444, "base_frequency", "%s", base);
  if (frequencies != NULL)
    sim_writer_file(writer, 0444, "scaling_available_frequencies", "%s ", frequencies);
  if (boost != NULL)
    sim_writer_file(writer, 0644, "boost", "%s", boost);
  if (g_str_has_prefix(driver, "amd-pstate"))
    sim_writer_file(writer, 0444, "amd_pstate_max_freq", "%s",
                    key_for(machine, cpu, "cpuinfo_max", "0"));
}

static gint64 initial_limit(const SimMachine *machine, unsigned cpu, const char *key,
                            const char *hardware_key)
{
  const char *value = key_for(machine, cpu, key, key_for(machine, cpu, hardware_key, "0"));

  return g_ascii_strtoll(value, NULL, 10);
}

static void build_frequencies(SimWriter *writer, const SimMachine *machine, unsigned cpu,
                              const char *governor)
{
  gint64 min = initial_limit(machine, cpu, "scaling_min", "cpuinfo_min");
  gint64 max = initial_limit(machine, cpu, "scaling_max", "cpuinfo_max");
  gboolean is_userspace = g_str_equal(governor, "userspace");

  sim_writer_file(writer, 0444, "cpuinfo_min_freq", "%s",
                  key_for(machine, cpu, "cpuinfo_min", "0"));
  sim_writer_file(writer, 0444, "cpuinfo_max_freq", "%s",
                  key_for(machine, cpu, "cpuinfo_max", "0"));
  sim_writer_file(writer, 0444, "cpuinfo_transition_latency", "%s",
                  key_for(machine, cpu, "transition_latency", "10000"));
  sim_writer_file(writer, 0644, "scaling_min_freq", "%" G_GINT64_FORMAT, min);
  sim_writer_file(writer, 0644, "scaling_max_freq", "%" G_GINT64_FORMAT, max);
  sim_writer_file(writer, 0444, "scaling_cur_freq", "%" G_GINT64_FORMAT,
                  g_str_equal(governor, "performance") ? max : min);
  if (is_userspace)
    sim_writer_file(writer, 0644, "scaling_setspeed", "%" G_GINT64_FORMAT, min);
  else
    sim_writer_file(writer, 0644, "scaling_setspeed", "<unsupported>");
}

/* The requests behind limits that are not the hardware's, and what intel_pstate
 * saved when it entered performance. */
static void build_requests(SimWriter *writer, const SimMachine *machine, unsigned cpu,
                           gboolean is_epp_saved)
{
  const char *min = sim_machine_get_for_cpu(machine, cpu, "cpufreq", "scaling_min");
  const char *max = sim_machine_get_for_cpu(machine, cpu, "cpufreq", "scaling_max");
  const char *epp = sim_machine_get_for_cpu(machine, cpu, "cpufreq", "epp");
  g_autofree char *prefix = g_strdup_printf("cpufreq:policy%u:", cpu);
  g_autofree char *min_name = g_strconcat(prefix, "min", NULL);
  g_autofree char *max_name = g_strconcat(prefix, "max", NULL);
  g_autofree char *epp_name = g_strconcat(prefix, "saved_epp", NULL);

  sim_writer_enter(writer, NOTES_DIR);
  if (min != NULL)
    sim_writer_file(writer, 0666, min_name, "%s", min);
  if (max != NULL)
    sim_writer_file(writer, 0666, max_name, "%s", max);
  if (epp != NULL && is_epp_saved)
    sim_writer_file(writer, 0666, epp_name, "%s", epp);
}

/* A policy is named after its first CPU, and starts with that one's values. */
static void build_policy(SimWriter *writer, const SimMachine *machine, unsigned first,
                         const SimCpus *members)
{
  const char *driver = key_of(machine, "driver", "acpi-cpufreq");
  const char *given = sim_machine_get_for_cpu(machine, first, "cpufreq", "governor");
  const char *governor = given != NULL ? given : "performance";
  gboolean is_performance = g_str_equal(governor, "performance");
  char *words = sim_cpus_words(members);

  sim_writer_enter(writer, CPU_DIR "/cpufreq/policy%u", first);
  sim_writer_file(writer, 0444, "affected_cpus", "%s", words);
  sim_writer_file(writer, 0444, "related_cpus", "%s", words);
  sim_writer_file(writer, 0444, "scaling_driver", "%s", driver);
  sim_writer_file(writer, 0444, "scaling_available_governors", "%s%s",
                  key_of(machine, "governors", "performance"),
                  sim_policies_is_setpolicy(driver) ? "" : " ");
  sim_writer_file(writer, 0644, "scaling_governor", "%s", governor);
  build_frequencies(writer, machine, first, governor);
  build_epp(writer, machine, first, driver, is_performance);
  build_driver_files(writer, machine, first, driver);
  build_requests(writer, machine, first, is_performance && g_str_equal(driver, "intel_pstate"));
  free(words);
}

static void link_members(SimWriter *writer, unsigned first, const SimCpus *members)
{
  g_autofree char *target = g_strdup_printf("../cpufreq/policy%u", first);

  for (unsigned cpu = 0; cpu < members->size; cpu++)
    if (sim_cpus_has(members, cpu)) {
      sim_writer_enter(writer, CPU_DIR "/cpu%u", cpu);
      sim_writer_link(writer, "cpufreq", target);
    }
}

void sim_policies_build(SimWriter *writer, const SimMachine *machine)
{
  if (!sim_machine_has(machine, "cpufreq") ||
      g_str_equal(key_of(machine, "policies", "single"), "none"))
    return;

  for (unsigned cpu = 0; cpu < machine->present.size; cpu++) {
    SimCpus members = {0};
    unsigned first = 0;

    if (sim_cpus_has(&machine->present, cpu))
      find_members(machine, cpu, &members);
    while (first < members.size && !sim_cpus_has(&members, first))
      first++;
    if (first == cpu && first < members.size) {
      build_policy(writer, machine, first, &members);
      link_members(writer, first, &members);
    }
    sim_cpus_clear(&members);
  }

  if (key_of(machine, "boost", NULL) != NULL) {
    sim_writer_enter(writer, CPU_DIR "/cpufreq");
    sim_writer_file(writer, 0644, "boost", "%s", key_of(machine, "boost", "1"));
  }
}
