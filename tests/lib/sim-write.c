/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How rules look at files and change them. NAME is a file in the folder of the
 * written one.
 */
#include "sim-write.h"

#include <stdio.h>
#include <string.h>

void sim_sibling_path(const SimWrite *write, const char *name, char *ret_path)
{
  const char *slash = strrchr(write->path, '/');
  int length = slash != NULL ? (int)(slash + 1 - write->path) : 0;

  snprintf(ret_path, SIM_PATH_SIZE, "%.*s%s", length, write->path, name);
}

void sim_get(const SimWrite *write, const char *name, char *buffer, size_t size)
{
  char path[SIM_PATH_SIZE];

  sim_sibling_path(write, name, path);
  sim_cpu_get(write->root, path, buffer, size);
}

/* Sets what the file shows. The written file changes through the descriptor of
 * the caller, so watches see one open file, as on a real system. */
void sim_show(const SimWrite *write, const char *name, const char *value)
{
  char path[SIM_PATH_SIZE], text[SIM_TEXT_SIZE + 1];

  sim_sibling_path(write, name, path);
  if (strcmp(path, write->path) == 0) {
    snprintf(text, sizeof text, "%s\n", value);
    sim_write_fd(write->fd, text);
  } else
    sim_cpu_put(write->root, path, value);
}

void sim_show_number(const SimWrite *write, const char *name, long value)
{
  char text[24];

  snprintf(text, sizeof text, "%ld", value);
  sim_show(write, name, text);
}

/* Whether the machine has an option set. */
bool sim_option(const char *root, const char *name)
{
  char text[16];

  return sim_note_get(root, name, text, sizeof text) && strcmp(text, "true") == 0;
}
