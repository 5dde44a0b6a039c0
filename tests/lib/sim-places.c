/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a machine has outside of sys/devices/system/cpu. The lists of CPUs there
 * show those that are online; a note has all members, for when one comes back.
 */
#include "sim-places.h"

#include <stdlib.h>

#define NODE_DIR "sys/devices/system/node"

/* A file with the online CPUs of a set; PLACE is below sys/devices. */
static void build_list(SimWriter *writer, const char *place, const char *name, const SimCpus *cpus,
                       GString *note)
{
  char *list = sim_cpus_list(cpus);

  sim_writer_enter(writer, "sys/devices/%s", place);
  sim_writer_file(writer, 0444, name, "%s", list);
  g_string_append_printf(note, "../../%s/%s %s\n", place, name, list);
  free(list);
}

static void build_nodes(SimWriter *writer, const SimMachine *machine, GString *note)
{
  gint64 packages = sim_machine_get_number(machine, "machine", "packages", 1);
  gint64 nodes = sim_machine_get_number(machine, "machine", "nodes", packages);

  for (unsigned node = 0; node < nodes; node++) {
    g_autofree char *place = g_strdup_printf("system/node/node%u", node);
    SimCpus cpus = {0};

    for (unsigned cpu = 0; cpu < machine->present.size; cpu++)
      if (sim_cpus_has(&machine->present, cpu) && sim_machine_group_of(machine, cpu, nodes) == node)
        sim_cpus_set(&cpus, cpu, true);
    build_list(writer, place, "cpulist", &cpus, note);
    sim_cpus_clear(&cpus);
  }

  sim_writer_enter(writer, NODE_DIR);
  for (const char *const *name = (const char *const[]){"online", "possible", NULL}; *name; name++)
    if (nodes > 1)
      sim_writer_file(writer, 0444, *name, "0-%" G_GINT64_FORMAT, nodes - 1);
    else
      sim_writer_file(writer, 0444, *name, "0");
}

/* The counters of a hybrid machine tell its kinds of CPUs apart. */
static void build_types(SimWriter *writer, const SimMachine *machine, GString *note)
{
  static const char *const types[] = {"core", "atom"};

  for (gsize i = 0; i < G_N_ELEMENTS(types); i++) {
    g_autofree char *place = g_strconcat("cpu_", types[i], NULL);
    SimCpus cpus = {0};

    for (unsigned cpu = 0; cpu < machine->present.size; cpu++)
      if (sim_cpus_has(&machine->present, cpu) &&
          g_strcmp0(sim_machine_get_for_cpu(machine, cpu, "machine", "type"), types[i]) == 0)
        sim_cpus_set(&cpus, cpu, true);
    if (sim_cpus_count(&cpus) > 0)
      build_list(writer, place, "cpus", &cpus, note);
    sim_cpus_clear(&cpus);
  }
}

static void build_clamps(SimWriter *writer, const SimMachine *machine)
{
  if (g_strcmp0(sim_machine_get(machine, "proc", "uclamp"), "false") == 0)
    return;
  sim_writer_enter(writer, "proc/sys/kernel");
  sim_writer_file(writer, 0644, "sched_util_clamp_min", "1024");
  sim_writer_file(writer, 0644, "sched_util_clamp_max", "1024");
  sim_writer_file(writer, 0644, "sched_util_clamp_min_rt_default", "1024");
}

void sim_places_build(SimWriter *writer, const SimMachine *machine)
{
  g_autoptr(GString) note = g_string_new(NULL);

  build_nodes(writer, machine, note);
  build_types(writer, machine, note);
  build_clamps(writer, machine);
  sim_writer_enter(writer, "retune/notes");
  sim_writer_file(writer, 0666, "lists", "%s", note->str);
}
