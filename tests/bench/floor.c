// SPDX-License-Identifier: GPL-2.0-or-later
/* The loops of the floor. Nothing but the system calls is between the looks at
 * the clock. */
#include "floor.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "sample.h"

struct _BenchFloor {
  int directory;
  guint n; /* of paths in each of these lists */
  BenchPath *targets[BENCH_N_TARGETS];
  BenchPath *epp;
};

static BenchPath *make_paths(const BenchTree *tree, const BenchFile *file)
{
  BenchPath *paths = g_new(BenchPath, tree->n_moved);

  for (guint i = 0; i < tree->n_moved; i++)
    paths[i] = bench_file_path(file, tree->first + i);
  return paths;
}

BenchFloor *bench_floor_new(const BenchTree *tree)
{
  BenchFloor *floor = g_new0(BenchFloor, 1);

  floor->directory = tree->directory;
  floor->n = tree->n_moved;
  for (guint i = 0; i < BENCH_N_TARGETS; i++)
    floor->targets[i] = make_paths(tree, &bench_targets[i].file);
  floor->epp = make_paths(tree, &bench_epp_file);
  return floor;
}

void bench_floor_free(BenchFloor *floor)
{
  if (floor == NULL)
    return;
  for (guint i = 0; i < BENCH_N_TARGETS; i++)
    g_free(floor->targets[i]);
  g_free(floor->epp);
  g_free(floor);
}

/* Returns the first path that did not work, or NULL. */
static const BenchPath *write_all(const BenchFloor *floor, const BenchPath *paths, const char *text)
{
  size_t length = strlen(text);
  char found[64];

  for (guint i = 0; i < floor->n; i++) {
    int fd = openat(floor->directory, paths[i].text, O_RDWR | O_TRUNC | O_CLOEXEC);
    if (fd < 0)
      return &paths[i];
    gboolean done = write(fd, text, length) == (ssize_t)length &&
                    pread(fd, found, sizeof found, 0) == (ssize_t)length &&
                    memcmp(found, text, length) == 0;
    close(fd);
    if (!done)
      return &paths[i];
  }
  return NULL;
}

static const BenchPath *read_all(const BenchFloor *floor, const BenchPath *paths)
{
  char found[64];

  for (guint i = 0; i < floor->n; i++) {
    int fd = openat(floor->directory, paths[i].text, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
      return &paths[i];
    gboolean done = pread(fd, found, sizeof found, 0) > 0;
    close(fd);
    if (!done)
      return &paths[i];
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

gboolean bench_floor_write(const BenchFloor *floor, BenchSide side, double *ret_us, GError **error)
{
  const BenchPath *failed = NULL;
  double start = bench_now();

  for (guint i = 0; i < BENCH_N_TARGETS && failed == NULL; i++)
    failed = write_all(floor, floor->targets[i], bench_targets[i].text[side]);
  *ret_us = bench_now() - start;
  return report(failed, error);
}

gboolean bench_floor_read_epp(const BenchFloor *floor, double *ret_us, GError **error)
{
  double start = bench_now();
  const BenchPath *failed = read_all(floor, floor->epp);

  *ret_us = bench_now() - start;
  return report(failed, error);
}
