// SPDX-License-Identifier: GPL-2.0-or-later
/* Device expressions: the one syntax in which the API, the client and the
 * files name CPUs. */
#pragma once

#include "cpuset.h"

G_BEGIN_DECLS

/* The longest expression taken, in bytes. */
#define RETUNE_DEVICES_MAX_LENGTH 65536u
/* Each glob is tried on each CPU. */
#define RETUNE_DEVICES_MAX_GLOBS 64u

typedef enum {
  RETUNE_DEVICES_STRICT, /* naming a CPU that does not exist is an error */
  RETUNE_DEVICES_CLAIM,  /* such CPUs are left out: for matching a stored claim */
} RetuneDevicesMode;

/* Evaluates @expression against the CPUs that exist. Items are separated by
 * commas or blanks: a cpulist item (0-3, 8, 0-31:2/8), cpu3, cpu0-cpu3, all,
 * a shell glob on names (cpu1*), the prefix "cpulist:" before any of them, and
 * '!' or '^' before an item to exclude it. Exclusions apply last; with nothing
 * but exclusions they are taken from all. "0" is cpu0.
 * Errors: UNKNOWN_DEVICE if an item names or matches no existing CPU, or the
 * whole is empty; INVALID_VALUE if malformed; LIMITS_EXCEEDED if too long. */
RetuneCpuset *retune_devices_parse(const char *expression, const RetuneCpuset *existing,
                                   RetuneDevicesMode mode,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
