/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Writing amd_pstate/status and intel_pstate/status. Another driver makes all
 * policies anew; without one there are none.
 */
#include "sim-mode.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sim-drivers.h"
#include "sim-tunables.h"

/* The whole line counts. */
static const SimMode *mode_of(const SimWrite *write, const char *text)
{
  char family[32], word[32];

  snprintf(family, sizeof family, "%.*s", (int)strcspn(write->path, "/"), write->path);
  snprintf(word, sizeof word, "%.*s", (int)strcspn(text, "\n"), text);
  return sim_drivers_find(family, word);
}

static bool has_driver(const SimMode *mode)
{
  return mode != NULL && mode->driver != NULL;
}

/* intel_pstate/status <- off: there must be a driver, and one that does not leave
 * the CPUs to themselves (HWP). */
static int check_off(const SimWrite *write, const SimMode *old)
{
  char words[256];

  if (!has_driver(old))
    return EINVAL;
  return sim_note_get(write->root, "epp_words", words, sizeof words) ? EBUSY : 0;
}

/* The limits of the whole machine start anew with intel_pstate. */
static void reset_percentages(const SimWrite *write)
{
  char floor[16];

  sim_note_get(write->root, "perf_pct_floor", floor, sizeof floor);
  sim_show(write, "max_perf_pct", "100");
  sim_show(write, "min_perf_pct", floor);
  sim_show(write, "no_turbo", sim_option(write->root, "turbo_locked") ? "1" : "0");
}

static bool is_same_driver(const SimMode *old, const SimMode *mode)
{
  return has_driver(old) && has_driver(mode) && strcmp(old->driver, mode->driver) == 0;
}

int sim_store_driver_mode(const SimWrite *write)
{
  char present[32];
  const SimMode *old, *mode = mode_of(write, write->text);
  int error = 0;

  sim_get(write, "status", present, sizeof present);
  old = mode_of(write, present);
  if (mode == NULL)
    return EINVAL;
  if (strcmp(mode->word, "off") == 0)
    error = check_off(write, old);
  if (error != 0 || mode == old)
    return error;

  /* Passive and guided have one driver, which goes on. */
  if (!is_same_driver(old, mode)) {
    if (has_driver(old))
      sim_drivers_unregister(write->root);
    if (has_driver(mode)) {
      sim_drivers_register(write->root, mode);
      reset_percentages(write);
    }
    sim_tunables_update(write->root);
  }
  sim_show(write, "status", mode->word);
  return 0;
}
