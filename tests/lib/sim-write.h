/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A write that a rule has to judge, and how rules look at files and change them.
 */
#pragma once

#include "sim-store.h"

typedef struct {
  const char *root;         /* the testbed's directory */
  const char *path;         /* the file, below SIM_CPU_DIR, or the testbed (proc/...) */
  int fd;                   /* the file as the caller opened it */
  off_t offset;             /* where in the file; sysfs does not care */
  size_t *ret_taken;        /* how many bytes are taken, all unless a rule says fewer */
  size_t length;            /* bytes written */
  char text[SIM_TEXT_SIZE]; /* these bytes, and a NUL */
} SimWrite;

void sim_sibling_path(const SimWrite *write, const char *name, char *ret_path);
void sim_get(const SimWrite *write, const char *name, char *buffer, size_t size);
void sim_show(const SimWrite *write, const char *name, const char *value);
void sim_show_number(const SimWrite *write, const char *name, long value);
bool sim_option(const char *root, const char *name);
