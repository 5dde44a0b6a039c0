/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Writes many small files below one directory. The first failure is kept and
 * makes all later calls do nothing, so that callers check once.
 */
#pragma once

#include <glib.h>

typedef struct {
  char *root; /* absolute */
  int root_fd;
  char *dir; /* the directory in use, below root */
  int dir_fd;
  GError *error; /* the first failure */
} SimWriter;

void sim_writer_init(SimWriter *writer, const char *root);
gboolean sim_writer_finish(SimWriter *writer, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void sim_writer_enter(SimWriter *writer, const char *format, ...) G_GNUC_PRINTF(2, 3);
void sim_writer_file(SimWriter *writer, guint mode, const char *name, const char *format, ...)
    G_GNUC_PRINTF(4, 5);
void sim_writer_link(SimWriter *writer, const char *name, const char *target);
