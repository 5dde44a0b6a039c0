/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Builds a machine's tree in a umockdev testbed: devices by umockdev, for its
 * events, everything else as plain files.
 */
#include "sim-tree.h"

#include <glib/gstdio.h>
#include <string.h>

#include "sim-hotplug.h"
#include "sim-places.h"
#include "sim-policies.h"
#include "sim-tunables.h"
#include "sim-writer.h"

#define CPU_DIR "sys/devices/system/cpu"
#define KERNEL_MAX 8191

static gboolean add_devices(UMockdevTestbed *testbed, const SimMachine *machine, GError **error)
{
  g_autoptr(GString) devices = g_string_new(NULL);

  for (unsigned cpu = 0; cpu < machine->present.size; cpu++)
    if (sim_cpus_has(&machine->present, cpu))
      g_string_append_printf(devices,
                             "P: /devices/system/cpu/cpu%u\n"
                             "E: SUBSYSTEM=cpu\n"
                             "E: DRIVER=processor\n"
                             "E: MODALIAS=cpu:type:x86,ven0000fam0006mod0055:feature:\n\n",
                             cpu);

  /* 2000000000 as four bytes in the order of the machine */
  g_string_append_printf(devices,
                         "P: /devices/virtual/misc/cpu_dma_latency\n"
                         "N: cpu_dma_latency=%s\n"
                         "E: SUBSYSTEM=misc\n"
                         "E: DEVNAME=/dev/cpu_dma_latency\n"
                         "A: dev=10:123\n",
                         G_BYTE_ORDER == G_LITTLE_ENDIAN ? "00943577" : "77359400");
  return umockdev_testbed_add_from_string(testbed, devices->str, error);
}

/* Every thread of a core has the same line; one for each core. */
static char *list_cores(const SimMachine *machine)
{
  GString *cores = g_string_new(NULL);

  for (unsigned cpu = 0; cpu < machine->present.size; cpu++) {
    SimCpus threads = {0};
    unsigned first = 0;

    if (!sim_cpus_has(&machine->present, cpu))
      continue;
    sim_machine_threads_of(machine, cpu, &threads);
    while (!sim_cpus_has(&threads, first))
      first++;
    if (first == cpu) {
      char *list = sim_cpus_list(&threads);

      g_string_append_printf(cores, "%s\n", list);
      free(list);
    }
    sim_cpus_clear(&threads);
  }

  return g_string_free(cores, FALSE);
}

static void put_note(SimWriter *writer, const SimMachine *machine, const char *group,
                     const char *key)
{
  const char *value = sim_machine_get(machine, group, key);

  if (value != NULL)
    sim_writer_file(writer, 0666, key, "%s", value);
}

/* What intel_pstate takes from CPU 0 for the whole machine. */
static gint64 first_number(const SimMachine *machine, const char *key, gint64 fallback)
{
  const char *value = sim_machine_get_for_cpu(machine, 0, "cpufreq", key);

  return value != NULL ? g_ascii_strtoll(value, NULL, 10) : fallback;
}

/* The governor that intel_pstate has when it starts. */
static void put_active_governor(SimWriter *writer, const SimMachine *machine)
{
  const char *driver = sim_machine_get(machine, "cpufreq", "driver");
  const char *governor = sim_machine_get(machine, "cpufreq", "governor");
  gboolean is_active = g_strcmp0(driver, "intel_pstate") == 0 && governor != NULL;

  sim_writer_file(writer, 0666, "governor_active", "%s", is_active ? governor : "powersave");
}

/* What the preloaded library has to know beyond the files. */
static void build_notes(SimWriter *writer, const SimMachine *machine)
{
  g_autofree char *cores = list_cores(machine);
  gint64 low = first_number(machine, "cpuinfo_min", 0);
  gint64 high = first_number(machine, "cpuinfo_max", 1);

  sim_writer_enter(writer, "retune/dma");
  sim_writer_enter(writer, "retune/offline");
  sim_writer_enter(writer, "retune");
  sim_writer_file(writer, 0644, "lock", " ");
  sim_writer_enter(writer, "retune/notes");
  sim_writer_file(writer, 0666, "cores", "%s", cores);
  sim_writer_file(writer, 0666, "perf_pct_floor", "%" G_GINT64_FORMAT, low * 100 / MAX(high, 1));
  put_note(writer, machine, "cpufreq", "loadable");
  put_note(writer, machine, "cpufreq", "tunables");
  put_note(writer, machine, "machine", "kernel");
  put_active_governor(writer, machine);
  put_note(writer, machine, "intel_pstate", "turbo_locked");
  if (sim_machine_get(machine, "cpufreq", "epp") != NULL) {
    const char *usual = sim_machine_get(machine, "cpufreq", "epp_default");

    sim_writer_file(writer, 0666, "epp_default", "%s",
                    usual != NULL ? usual : "balance_performance");
    put_note(writer, machine, "cpufreq", "epp_words");
    put_note(writer, machine, "cpufreq", "epp_offline");
  }
}

static void build_list(SimWriter *writer, const char *name, const SimCpus *cpus)
{
  char *list = sim_cpus_list(cpus);

  sim_writer_file(writer, 0444, name, "%s", list);
  free(list);
}

static const char *value_or(const char *value, const char *fallback)
{
  return value != NULL ? value : fallback;
}

static void build_system(SimWriter *writer, const SimMachine *machine)
{
  const char *governor = value_or(sim_machine_get(machine, "machine", "idle_governor"), "menu");
  SimCpus offline = {0}, isolated = {0};

  for (unsigned cpu = 0; cpu < machine->possible.size; cpu++)
    if (sim_cpus_has(&machine->possible, cpu) && !sim_cpus_has(&machine->present, cpu))
      sim_cpus_set(&offline, cpu, true);
  sim_cpus_parse(&isolated, value_or(sim_machine_get(machine, "machine", "isolated"), ""));

  sim_writer_enter(writer, CPU_DIR);
  build_list(writer, "possible", &machine->possible);
  build_list(writer, "present", &machine->present);
  build_list(writer, "online", &machine->present);
  build_list(writer, "offline", &offline);
  build_list(writer, "isolated", &isolated);
  sim_cpus_clear(&offline);
  sim_cpus_clear(&isolated);
  sim_writer_file(writer, 0444, "kernel_max", "%d", KERNEL_MAX);
  sim_writer_file(writer, 0444, "modalias", "cpu:type:x86,ven0000fam0006mod0055:feature:");

  sim_writer_enter(writer, CPU_DIR "/cpuidle");
  sim_writer_file(writer, 0444, "current_driver", "%s",
                  value_or(sim_machine_get(machine, "machine", "idle_driver"), "none"));
  sim_writer_file(writer, 0644, "current_governor", "%s", governor);
  sim_writer_file(writer, 0444, "current_governor_ro", "%s", governor);
  sim_writer_file(writer, 0444, "available_governors", "%s ",
                  value_or(sim_machine_get(machine, "machine", "idle_governors"), governor));
}

static void build_topology(SimWriter *writer, const SimMachine *machine, unsigned cpu)
{
  SimCpus threads = {0};
  unsigned package = sim_machine_package_of(machine, cpu);

  sim_machine_threads_of(machine, cpu, &threads);
  sim_writer_enter(writer, CPU_DIR "/cpu%u/topology", cpu);
  build_list(writer, "thread_siblings_list", &threads);
  build_list(writer, "core_cpus_list", &threads);
  sim_writer_file(writer, 0444, "core_id", "%u", sim_machine_core_of(machine, cpu));
  sim_writer_file(writer, 0444, "physical_package_id", "%u", package);
  sim_writer_file(writer, 0444, "die_id", "0");
  sim_cpus_clear(&threads);
}

static void build_idle_state(SimWriter *writer, unsigned cpu, guint number, const char *state)
{
  g_auto(GStrv) fields = g_strsplit(state, ":", 3);

  sim_writer_enter(writer, CPU_DIR "/cpu%u/cpuidle/state%u", cpu, number);
  sim_writer_file(writer, 0444, "name", "%s", fields[0]);
  if (g_str_equal(fields[0], "POLL"))
    sim_writer_file(writer, 0444, "desc", "CPUIDLE CORE POLL IDLE");
  else if (number > 0 && fields[0][0] == 'C')
    sim_writer_file(writer, 0444, "desc", "MWAIT 0x%02x", (number - 1) * 0x10);
  else
    sim_writer_file(writer, 0444, "desc", "%s", fields[0]);
  sim_writer_file(writer, 0444, "latency", "%s", g_strv_length(fields) > 1 ? fields[1] : "0");
  sim_writer_file(writer, 0444, "residency", "%s", g_strv_length(fields) > 2 ? fields[2] : "0");
  sim_writer_file(writer, 0644, "disable", "0");
  sim_writer_file(writer, 0444, "default_status", "enabled");
  sim_writer_file(writer, 0444, "usage", "%u", 1000 * (number + 1));
  sim_writer_file(writer, 0444, "time", "%u", 100000 * (number + 1));
}

static void build_idle_states(SimWriter *writer, const SimMachine *machine, unsigned cpu)
{
  const char *given = sim_machine_get_for_cpu(machine, cpu, "machine", "idle_states");
  g_auto(GStrv) states = given != NULL ? g_strsplit(given, ";", -1) : NULL;

  for (guint i = 0; states != NULL && states[i] != NULL; i++)
    build_idle_state(writer, cpu, i, states[i]);
}

/* x86 keeps CPU 0 online. */
static gboolean can_go(const SimMachine *machine, unsigned cpu)
{
  return cpu != 0 || g_strcmp0(sim_machine_get(machine, "machine", "cpu0_online"), "true") == 0;
}

static void build_cpu(SimWriter *writer, const SimMachine *machine, unsigned cpu)
{
  const char *epb = sim_machine_get_for_cpu(machine, cpu, "power", "epb");
  const char *latency = sim_machine_get_for_cpu(machine, cpu, "power", "resume_latency");
  const char *capacity = sim_machine_get_for_cpu(machine, cpu, "machine", "capacity");

  sim_writer_enter(writer, CPU_DIR "/cpu%u", cpu);
  if (can_go(machine, cpu))
    sim_writer_file(writer, 0644, "online", "1");
  if (capacity != NULL)
    sim_writer_file(writer, 0444, "cpu_capacity", "%s", capacity);

  build_topology(writer, machine, cpu);
  sim_writer_enter(writer, CPU_DIR "/cpu%u/power", cpu);
  sim_writer_file(writer, 0644, "pm_qos_resume_latency_us", "%s", value_or(latency, "0"));
  if (epb != NULL)
    sim_writer_file(writer, 0644, "energy_perf_bias", "%s", epb);
  build_idle_states(writer, machine, cpu);
}

static void build_all_cpus(SimWriter *writer, const SimMachine *machine)
{
  for (unsigned cpu = 0; cpu < machine->present.size; cpu++)
    if (sim_cpus_has(&machine->present, cpu))
      build_cpu(writer, machine, cpu);
}

/* The folder of a driver that has one: its keys are its files. */
static void build_driver(SimWriter *writer, const SimMachine *machine, const char *driver)
{
  g_auto(GStrv) keys = g_key_file_get_keys(machine->keys, driver, NULL, NULL);

  if (keys == NULL)
    return;
  sim_writer_enter(writer, CPU_DIR "/%s", driver);
  for (gsize i = 0; keys[i] != NULL; i++) {
    gboolean is_fixed = strstr("num_pstates turbo_pct prefcore", keys[i]) != NULL;
    const char *value = sim_machine_get(machine, driver, keys[i]);

    if (value != NULL && !g_str_equal(keys[i], "turbo_locked"))
      sim_writer_file(writer, is_fixed ? 0444 : 0644, keys[i], "%s", value);
  }
  if (g_strcmp0(sim_machine_get(machine, driver, "turbo_locked"), "true") == 0)
    sim_writer_file(writer, 0644, "no_turbo", "1");
}

/* Whether the initial governors may have tunables. */
static gboolean is_generic(const SimMachine *machine)
{
  const char *driver = sim_machine_get(machine, "cpufreq", "driver");

  return driver != NULL && !sim_policies_is_setpolicy(driver);
}

/* CPUs that are to be offline were online at first, like all that the kernel
 * takes down later. */
static gboolean set_offline(const char *root, const SimMachine *machine, GError **error)
{
  for (unsigned cpu = 0; cpu < machine->present.size; cpu++) {
    bool is_changed;

    if (!sim_cpus_has(&machine->present, cpu) || sim_cpus_has(&machine->online, cpu))
      continue;
    if (sim_hotplug(root, cpu, false, &is_changed) != 0) {
      g_set_error(error, G_KEY_FILE_ERROR, G_KEY_FILE_ERROR_INVALID_VALUE,
                  "cpu%u cannot be offline", cpu);
      return FALSE;
    }
  }

  return TRUE;
}

gboolean sim_tree_build(UMockdevTestbed *testbed, const SimMachine *machine, GError **error)
{
  g_autofree char *root = umockdev_testbed_get_root_dir(testbed);
  g_autofree char *node = g_build_filename(root, "dev", "cpu_dma_latency", NULL);
  SimWriter writer;

  if (!add_devices(testbed, machine, error))
    return FALSE;
  g_chmod(root, 0755);
  g_chmod(node, 0600);

  sim_writer_init(&writer, root);
  build_notes(&writer, machine);
  build_system(&writer, machine);
  build_all_cpus(&writer, machine);
  sim_policies_build(&writer, machine);
  build_driver(&writer, machine, "intel_pstate");
  build_driver(&writer, machine, "amd_pstate");
  sim_places_build(&writer, machine);
  if (!sim_writer_finish(&writer, error))
    return FALSE;

  if (is_generic(machine))
    sim_tunables_update(root);
  return set_offline(root, machine, error);
}
