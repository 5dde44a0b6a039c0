/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The preloaded library: the C library's calls that open, close and write files,
 * with a simulated kernel behind those of a testbed's CPUs. Everything else
 * passes through to the next library, which is umockdev's.
 */
/* The functions must be defined under their plain names. */
#undef _FILE_OFFSET_BITS
#undef _FORTIFY_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "sim-access.h"
#include "sim-dma.h"
#include "sim-next.h"

#define MODE_OF(flags, mode)                        \
  do {                                              \
    if (((flags) & (O_CREAT | __O_TMPFILE)) != 0) { \
      va_list arguments;                            \
      va_start(arguments, flags);                   \
      (mode) = va_arg(arguments, mode_t);           \
      va_end(arguments);                            \
    }                                               \
  } while (0)

/* Before an open: 0 with path and flags as they are to be, or -1 with errno. */
static int before_open(int dirfd, const char **path, int *flags, SimTarget *ret_target)
{
  int saved = errno, error;

  ret_target->is_dma = false;
  if (!sim_open_target(dirfd, *path, ret_target)) {
    errno = saved;
    return 0;
  }

  error = sim_open_check(ret_target->target, flags);
  if (ret_target->is_moved)
    *path = ret_target->target;
  errno = error != 0 ? error : saved;
  return error != 0 ? -1 : 0;
}

static int after_open(int fd, bool is_dma)
{
  if (fd >= 0 && is_dma)
    sim_dma_opened(fd);
  return fd;
}

EXPORT int open(const char *path, int flags, ...)
{
  mode_t mode = 0;
  SimTarget target;

  MODE_OF(flags, mode);
  if (before_open(AT_FDCWD, &path, &flags, &target) != 0)
    return -1;
  return after_open(NEXT(open)(path, flags, mode), target.is_dma);
}

EXPORT int open64(const char *path, int flags, ...)
{
  mode_t mode = 0;
  SimTarget target;

  MODE_OF(flags, mode);
  if (before_open(AT_FDCWD, &path, &flags, &target) != 0)
    return -1;
  return after_open(NEXT(open64)(path, flags, mode), target.is_dma);
}

EXPORT int openat(int dirfd, const char *path, int flags, ...)
{
  mode_t mode = 0;
  SimTarget target;

  MODE_OF(flags, mode);
  if (before_open(dirfd, &path, &flags, &target) != 0)
    return -1;
  return after_open(NEXT(openat)(dirfd, path, flags, mode), target.is_dma);
}

EXPORT int openat64(int dirfd, const char *path, int flags, ...)
{
  mode_t mode = 0;
  SimTarget target;

  MODE_OF(flags, mode);
  if (before_open(dirfd, &path, &flags, &target) != 0)
    return -1;
  return after_open(NEXT(openat64)(dirfd, path, flags, mode), target.is_dma);
}

/* What fortified programs call when no mode is given. */
EXPORT int __open_2(const char *path, int flags);
EXPORT int __open64_2(const char *path, int flags);
EXPORT int __openat_2(int dirfd, const char *path, int flags);
EXPORT int __openat64_2(int dirfd, const char *path, int flags);

EXPORT int __open_2(const char *path, int flags)
{
  return open(path, flags);
}

EXPORT int __open64_2(const char *path, int flags)
{
  return open64(path, flags);
}

EXPORT int __openat_2(int dirfd, const char *path, int flags)
{
  return openat(dirfd, path, flags);
}

EXPORT int __openat64_2(int dirfd, const char *path, int flags)
{
  return openat64(dirfd, path, flags);
}

static void dma_closed(int fd)
{
  const char *root = sim_root();
  int saved = errno, lock;

  if (root == NULL || !sim_dma_is_holder(fd))
    return;
  lock = sim_lock(root, true);
  sim_dma_closed(root, fd);
  sim_unlock(lock);
  errno = saved;
}

EXPORT int close(int fd)
{
  dma_closed(fd);
  return NEXT(close)(fd);
}

EXPORT int dup(int fd)
{
  int copy = NEXT(dup)(fd);

  sim_dma_duplicated(fd, copy);
  return copy;
}

EXPORT int dup2(int fd, int copy)
{
  if (fd != copy)
    dma_closed(copy);
  copy = NEXT(dup2)(fd, copy);
  sim_dma_duplicated(fd, copy);
  return copy;
}

EXPORT int dup3(int fd, int copy, int flags)
{
  if (fd != copy)
    dma_closed(copy);
  copy = NEXT(dup3)(fd, copy, flags);
  sim_dma_duplicated(fd, copy);
  return copy;
}

__attribute__((destructor)) static void process_ends(void)
{
  const char *root = sim_root();
  int lock;

  if (root == NULL || !sim_dma_is_used())
    return;
  lock = sim_lock(root, true);
  sim_dma_drop_all(root);
  sim_unlock(lock);
}

/* True if the file is simulated; then *ret_result is what the call returns. An
 * OFFSET of -1 is where the file stands. */
static bool simulated_write(int fd, const void *data, size_t count, off64_t offset,
                            ssize_t *ret_result)
{
  off64_t position = offset;
  int saved = errno, error;
  size_t taken;
  SimFile file;

  if (!sim_file_of_fd(fd, &file) || (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY) {
    errno = saved;
    return false;
  }

  if (offset < 0)
    position = lseek64(fd, 0, SEEK_CUR);
  error = sim_write(&file, fd, data, count, position, &taken);
  if (error == 0 && offset < 0 && file.kind != SIM_DMA)
    lseek64(fd, (off64_t)taken, SEEK_CUR);
  errno = error != 0 ? error : saved;
  *ret_result = error != 0 ? -1 : (ssize_t)taken;
  return true;
}

EXPORT ssize_t write(int fd, const void *data, size_t count)
{
  ssize_t result;

  if (simulated_write(fd, data, count, -1, &result))
    return result;
  return NEXT(write)(fd, data, count);
}

EXPORT ssize_t pwrite(int fd, const void *data, size_t count, off_t offset)
{
  ssize_t result;

  if (simulated_write(fd, data, count, offset, &result))
    return result;
  return NEXT(pwrite)(fd, data, count, offset);
}

EXPORT ssize_t pwrite64(int fd, const void *data, size_t count, off64_t offset)
{
  ssize_t result;

  if (simulated_write(fd, data, count, offset, &result))
    return result;
  return NEXT(pwrite64)(fd, data, count, offset);
}
