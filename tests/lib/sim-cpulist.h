/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Sets of CPUs as the kernel writes them ("0-3,8"). Plain C, because the
 * preloaded library uses it too.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct {
  bool *member; /* one element for each CPU number below size */
  size_t size;  /* number of elements */
} SimCpus;

bool sim_cpus_parse(SimCpus *cpus, const char *text);
bool sim_cpus_has(const SimCpus *cpus, unsigned cpu);
bool sim_cpus_set(SimCpus *cpus, unsigned cpu, bool is_member);
unsigned sim_cpus_count(const SimCpus *cpus);
char *sim_cpus_list(const SimCpus *cpus);
char *sim_cpus_words(const SimCpus *cpus);
void sim_cpus_clear(SimCpus *cpus);
