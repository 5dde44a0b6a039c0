// SPDX-License-Identifier: GPL-2.0-or-later
/* The loops of the floor. Nothing but the system calls is between the looks at
 * the clock. */
#include "floor.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "sample.h"

/* The kernel ends what is read with a newline, plain files do not. */
static gboolean reads_as(int fd, const char *text, size_t length)
{
  char found[64];
  ssize_t size = pread(fd, found, sizeof found, 0);

  if (size > 0 && found[size - 1] == '\n')
    size--;
  return size == (ssize_t)length && memcmp(found, text, length) == 0;
}

/* Returns the first path that did not work, or NULL. */
static const BenchPath *write_all(int directory, const BenchFiles *files, const char *text)
{
  size_t length = strlen(text);

  for (guint i = 0; i < files->n; i++) {
    int fd = openat(directory, files->paths[i].text, O_RDWR | O_TRUNC | O_CLOEXEC);
    if (fd < 0)
      return &files->paths[i];
    gboolean done = write(fd, text, length) == (ssize_t)length && reads_as(fd, text, length);
    close(fd);
    if (!done)
      return &files->paths[i];
  }
  return NULL;
}

static const BenchPath *read_all(int directory, const BenchFiles *files)
{
  char found[64];

  for (guint i = 0; i < files->n; i++) {
    int fd = openat(directory, files->paths[i].text, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
      return &files->paths[i];
    gboolean done = pread(fd, found, sizeof found, 0) > 0;
    close(fd);
    if (!done)
      return &files->paths[i];
  }
  return NULL;
}

static gboolean report(const BenchPath *failed, GError **error)
{
  if (failed == NULL)
    return TRUE;
  g_set_error(error, G_IO_ERROR, G_IO_ERROR_FAILED, "the floor cannot write or read %s: %s",
              failed->text, g_strerror(errno));
  return FALSE;
}

gboolean bench_floor_write(const BenchPlace *place, BenchSide side, double *ret_us, GError **error)
{
  const BenchPath *failed = NULL;
  double start = bench_now();

  for (guint i = 0; i < BENCH_N_TARGETS && failed == NULL; i++)
    failed = write_all(place->directory, &place->targets[i], bench_targets[i].text[side]);
  *ret_us = bench_now() - start;
  return report(failed, error);
}

gboolean bench_floor_read_epp(const BenchPlace *place, double *ret_us, GError **error)
{
  double start = bench_now();
  const BenchPath *failed = read_all(place->directory, &place->epp);

  *ret_us = bench_now() - start;
  return report(failed, error);
}
