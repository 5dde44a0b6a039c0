/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The preloaded library's calls that read files; the others are in sim-kernel.c
 * and sim-kernel-stat.c.
 */
/* The functions must be defined under their plain names. */
#undef _FILE_OFFSET_BITS
#undef _FORTIFY_SOURCE

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "sim-access.h"
#include "sim-next.h"

#define MAX_FD 1024

/* Whether the last read() of a descriptor met the end. */
static _Atomic bool is_at_end[MAX_FD];

typedef ssize_t (*ReadNext)(int fd, void *buffer, size_t count, off64_t offset);

/* A text read as if it were the file's; offset -1 is where the file stands. */
static ssize_t read_text(int fd, const char *text, void *buffer, size_t count, off64_t offset)
{
  off64_t start = offset < 0 ? lseek64(fd, 0, SEEK_CUR) : offset;
  size_t length = strlen(text);

  if (start < 0 || (size_t)start >= length)
    return 0;
  length -= (size_t)start;
  if (count > length)
    count = length;
  memcpy(buffer, text + start, count);
  if (offset < 0)
    lseek64(fd, (off64_t)count, SEEK_CUR);
  return (ssize_t)count;
}

/* Reads once, with the machine's lock held. -1 with errno on failure. */
static ssize_t read_locked(const SimFile *file, int fd, void *buffer, size_t count, off64_t offset,
                           ReadNext next)
{
  char text[64] = "", line[66];
  bool is_stale;
  int saved = errno, error = sim_read_check(file, text, sizeof text, &is_stale);

  errno = error != 0 ? error : saved;
  if (error != 0)
    return -1;
  if (!is_stale)
    return next(fd, buffer, count, offset);
  snprintf(line, sizeof line, "%s\n", text);
  return read_text(fd, line, buffer, count, offset);
}

/* A value is read once when the file is at its start; what comes after a read
 * that met the end is nothing, even if the value is longer by then. */
static bool is_past_end(int fd, off64_t offset)
{
  return offset < 0 && fd < MAX_FD && atomic_load(&is_at_end[fd]) && lseek64(fd, 0, SEEK_CUR) > 0;
}

static ssize_t simulated_read(int fd, void *buffer, size_t count, off64_t offset, ReadNext next)
{
  int saved = errno, lock;
  ssize_t result;
  SimFile file;

  if (!sim_file_of_fd(fd, &file)) {
    errno = saved;
    return next(fd, buffer, count, offset);
  }
  if (is_past_end(fd, offset))
    return 0;

  lock = sim_lock(file.root, true);
  errno = saved;
  result = read_locked(&file, fd, buffer, count, offset, next);
  saved = errno;
  sim_unlock(lock);
  if (offset < 0 && fd < MAX_FD)
    atomic_store(&is_at_end[fd], result >= 0 && (size_t)result < count);
  errno = saved;
  return result;
}

static ssize_t next_read(int fd, void *buffer, size_t count, off64_t offset)
{
  (void)offset;
  return NEXT(read)(fd, buffer, count);
}

static ssize_t next_pread(int fd, void *buffer, size_t count, off64_t offset)
{
  return NEXT(pread64)(fd, buffer, count, offset);
}

EXPORT ssize_t read(int fd, void *buffer, size_t count)
{
  return simulated_read(fd, buffer, count, -1, next_read);
}

EXPORT ssize_t pread(int fd, void *buffer, size_t count, off_t offset)
{
  return simulated_read(fd, buffer, count, offset, next_pread);
}

EXPORT ssize_t pread64(int fd, void *buffer, size_t count, off64_t offset)
{
  return simulated_read(fd, buffer, count, offset, next_pread);
}

/* What fortified programs call; the size of the buffer has been checked there. */
EXPORT ssize_t __read_chk(int fd, void *buffer, size_t count, size_t size);
EXPORT ssize_t __pread_chk(int fd, void *buffer, size_t count, off_t offset, size_t size);
EXPORT ssize_t __pread64_chk(int fd, void *buffer, size_t count, off64_t offset, size_t size);

EXPORT ssize_t __read_chk(int fd, void *buffer, size_t count, size_t size)
{
  return read(fd, buffer, count < size ? count : size);
}

EXPORT ssize_t __pread_chk(int fd, void *buffer, size_t count, off_t offset, size_t size)
{
  return pread(fd, buffer, count < size ? count : size, offset);
}

EXPORT ssize_t __pread64_chk(int fd, void *buffer, size_t count, off64_t offset, size_t size)
{
  return pread64(fd, buffer, count < size ? count : size, offset);
}

/* cat copies by this call and falls back to read() where a file cannot. */
EXPORT ssize_t copy_file_range(int from, off64_t *from_offset, int to, off64_t *to_offset,
                               size_t count, unsigned flags)
{
  SimFile file;

  if (sim_file_of_fd(from, &file) || sim_file_of_fd(to, &file)) {
    errno = EINVAL;
    return -1;
  }
  return NEXT(copy_file_range)(from, from_offset, to, to_offset, count, flags);
}
