/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Streams of the C library write by calls of its own that no other library can
 * take over. So a stream that writes to a simulated file is made one with our
 * functions below it: standard output at the start, others when they are opened.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sim-access.h"
#include "sim-next.h"

typedef FILE *(*OpenStream)(const char *path, const char *mode);

static int fd_of(void *cookie)
{
  return (int)(intptr_t)cookie;
}

static ssize_t stream_read(void *cookie, char *buffer, size_t size)
{
  return read(fd_of(cookie), buffer, size);
}

/* Writes on after a short write, as streams do. Zero is how one is told of an error. */
static ssize_t stream_write(void *cookie, const char *buffer, size_t size)
{
  size_t done = 0;

  while (done < size) {
    ssize_t written = write(fd_of(cookie), buffer + done, size - done);

    if (written <= 0)
      return 0;
    done += (size_t)written;
  }
  return (ssize_t)done;
}

static int stream_seek(void *cookie, off64_t *position, int whence)
{
  *position = lseek64(fd_of(cookie), *position, whence);
  return *position < 0 ? -1 : 0;
}

static int stream_close(void *cookie)
{
  return close(fd_of(cookie));
}

static FILE *stream_new(int fd, const char *mode)
{
  cookie_io_functions_t functions = {stream_read, stream_write, stream_seek, stream_close};

  return fopencookie((void *)(intptr_t)fd, mode, functions);
}

__attribute__((constructor)) static void replace_standard_output(void)
{
  FILE *stream;
  SimFile file;

  if (!sim_file_of_fd(STDOUT_FILENO, &file))
    return;
  stream = stream_new(STDOUT_FILENO, "w");
  if (stream != NULL)
    stdout = stream;
}

/* By the testbed's path where the given one is the host's. */
static FILE *open_stream(const char *path, const char *mode, OpenStream next)
{
  int fd, access = strchr(mode, '+') != NULL ? O_RDWR : O_WRONLY;
  SimTarget target;

  if (!sim_open_target(AT_FDCWD, path, &target))
    return next(path, mode);
  if (strpbrk(mode, "wa+") == NULL)
    return next(target.is_moved ? target.target : path, mode);

  fd = open(path, access | O_CREAT | O_TRUNC, 0666);
  return fd >= 0 ? stream_new(fd, mode) : NULL;
}

EXPORT FILE *fopen(const char *path, const char *mode)
{
  return open_stream(path, mode, NEXT(fopen));
}

EXPORT FILE *fopen64(const char *path, const char *mode)
{
  return open_stream(path, mode, NEXT(fopen64));
}

/* The rules do not reach such a stream, but it must not be the host's. */
static const char *moved(const char *path, SimTarget *target)
{
  return path != NULL && sim_open_target(AT_FDCWD, path, target) && target->is_moved
             ? target->target
             : path;
}

EXPORT FILE *freopen(const char *path, const char *mode, FILE *stream)
{
  SimTarget target;

  return NEXT(freopen)(moved(path, &target), mode, stream);
}

EXPORT FILE *freopen64(const char *path, const char *mode, FILE *stream)
{
  SimTarget target;

  return NEXT(freopen64)(moved(path, &target), mode, stream);
}
