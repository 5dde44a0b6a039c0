/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A machine's description, read from a .machine file (README.md lists the keys).
 */
#pragma once

#include <glib.h>

#include "sim-cpulist.h"

typedef struct {
  GKeyFile *keys;
  GPtrArray *overrides; /* of the sections [cpu LIST] */
  SimCpus possible;
  SimCpus present;
  SimCpus online;
  unsigned *core_of; /* of each CPU number below size */
  unsigned size;
  unsigned cores;
} SimMachine;

SimMachine *sim_machine_load(const char *dir, const char *name,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
void sim_machine_free(SimMachine *machine);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SimMachine, sim_machine_free)

const char *sim_machine_get(const SimMachine *machine, const char *group, const char *key);
const char *sim_machine_get_for_cpu(const SimMachine *machine, unsigned cpu, const char *group,
                                    const char *key);
gint64 sim_machine_get_number(const SimMachine *machine, const char *group, const char *key,
                              gint64 fallback);
gboolean sim_machine_has(const SimMachine *machine, const char *group);
void sim_machine_threads_of(const SimMachine *machine, unsigned cpu, SimCpus *ret_threads);
unsigned sim_machine_core_of(const SimMachine *machine, unsigned cpu);
unsigned sim_machine_group_of(const SimMachine *machine, unsigned cpu, gint64 groups);
unsigned sim_machine_package_of(const SimMachine *machine, unsigned cpu);
