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

/* Zero is how such a stream is told of an error. */
static ssize_t stream_write(void *cookie, const char *buffer, size_t size)
{
  ssize_t written = write(fd_of(cookie), buffer, size);

  return written < 0 ? 0 : written;
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

static FILE *open_stream(const char *path, const char *mode, OpenStream next)
{
  char target[SIM_PATH_SIZE];
  int fd, access = strchr(mode, '+') != NULL ? O_RDWR : O_WRONLY;
  bool is_dma;

  if (strpbrk(mode, "wa+") == NULL || !sim_open_target(AT_FDCWD, path, target, &is_dma))
    return next(path, mode);

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
