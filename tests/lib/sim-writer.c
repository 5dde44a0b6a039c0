/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Writes many small files below one directory: a large machine has tens of
 * thousands. So each goes by its name in an open folder, and by raw system calls,
 * which spares what umockdev's own do before each.
 */
#include "sim-writer.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static void fail(SimWriter *writer, const char *name)
{
  int saved = errno;

  if (writer->error == NULL)
    g_set_error(&writer->error, G_FILE_ERROR, (gint)g_file_error_from_errno(saved), "%s/%s/%s: %s",
                writer->root, writer->dir != NULL ? writer->dir : "", name, g_strerror(saved));
}

void sim_writer_init(SimWriter *writer, const char *root)
{
  memset(writer, 0, sizeof *writer);
  writer->root = g_strdup(root);
  writer->dir_fd = -1;
  writer->root_fd = open(root, O_DIRECTORY | O_PATH | O_CLOEXEC);
  if (writer->root_fd < 0)
    fail(writer, "");
}

static void close_dir(SimWriter *writer)
{
  g_clear_pointer(&writer->dir, g_free);
  if (writer->dir_fd >= 0)
    close(writer->dir_fd);
  writer->dir_fd = -1;
}

gboolean sim_writer_finish(SimWriter *writer, GError **error)
{
  GError *failure = g_steal_pointer(&writer->error);

  close_dir(writer);
  if (writer->root_fd >= 0)
    close(writer->root_fd);
  g_clear_pointer(&writer->root, g_free);

  if (failure == NULL)
    return TRUE;
  g_propagate_error(error, failure);
  return FALSE;
}

/* Makes a folder below the root, with those above it, the one for later files. */
void sim_writer_enter(SimWriter *writer, const char *format, ...)
{
  va_list arguments;
  char *dir;

  if (writer->error != NULL)
    return;

  va_start(arguments, format);
  dir = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  close_dir(writer);
  writer->dir = dir;

  if (mkdirat(writer->root_fd, dir, 0755) != 0 && errno == ENOENT) {
    g_autofree char *path = g_build_filename(writer->root, dir, NULL);

    g_mkdir_with_parents(path, 0755);
  }
  writer->dir_fd = openat(writer->root_fd, dir, O_DIRECTORY | O_PATH | O_CLOEXEC);
  if (writer->dir_fd < 0)
    fail(writer, "");
}

/* A file with a text and a newline in the folder in use. */
void sim_writer_file(SimWriter *writer, guint mode, const char *name, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list arguments;
  gsize length;
  int fd;

  if (writer->error != NULL)
    return;

  va_start(arguments, format);
  text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  length = strlen(text);
  text[length] = '\n'; /* in place of the NUL: the length is known */

  fd = (int)syscall(SYS_openat, writer->dir_fd, name, O_WRONLY | O_CREAT | O_TRUNC, mode);
  if (fd < 0 || syscall(SYS_write, fd, text, length + 1) != (long)(length + 1))
    fail(writer, name);
  if (fd >= 0)
    syscall(SYS_close, fd);
}

void sim_writer_link(SimWriter *writer, const char *name, const char *target)
{
  if (writer->error == NULL && symlinkat(target, writer->dir_fd, name) != 0)
    fail(writer, name);
}
