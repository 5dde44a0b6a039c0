/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a write to each kind of file does. sim-rules.c has the table, one row
 * for each kind; a new kind is a row and a function.
 */
#pragma once

#include "sim-write.h"

/* 0 or an errno. Called with the machine's lock held, never for empty writes. */
typedef int (*SimStore)(const SimWrite *write);

typedef struct {
  const char *glob; /* fnmatch() pattern below SIM_CPU_DIR; * does not match a slash */
  SimStore store;
} SimRule;

const SimRule *sim_rule_find(const char *path);
int sim_rule_read(const char *root, const char *path);
