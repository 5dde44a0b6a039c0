/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The drivers of cpufreq that can be switched by a file, and the policies that
 * come and go with them. Shared by the preloaded library and retune-sim. Callers
 * hold the machine's lock.
 */
#pragma once

#include <stdbool.h>

typedef struct {
  const char *family; /* the folder with the file "status" */
  const char *word;   /* what that shows */
  const char *driver; /* scaling_driver, NULL if there are no policies */
  const char *governors;
  const char *governor; /* at the start, NULL if a note says which */
} SimMode;

const SimMode *sim_drivers_find(const char *family, const char *word);
void sim_drivers_unregister(const char *root);
void sim_drivers_register(const char *root, const SimMode *mode);
void sim_drivers_cpu_online(const char *root, unsigned cpu);
