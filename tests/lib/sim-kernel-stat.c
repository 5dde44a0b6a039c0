/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The preloaded library's calls that look at files without opening them.
 */
/* The functions must be defined under their plain names. */
#undef _FILE_OFFSET_BITS
#undef _FORTIFY_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim-access.h"
#include "sim-clamps.h"
#include "sim-next.h"

#define PAGE_BYTES 4096

/* Sysfs gives every file the size of a page, and readers rely on that. Those of
 * sysctl have none. */
static int with_size(int result, int fd, off64_t *size)
{
  int saved = errno;
  SimFile file;

  if (result == 0 && sim_file_of_fd(fd, &file)) {
    if (file.kind == SIM_CPU || file.kind == SIM_SYS)
      *size = PAGE_BYTES;
    if (file.kind == SIM_PROC)
      *size = 0;
  }
  errno = saved;
  return result;
}

EXPORT int fstat(int fd, struct stat *status)
{
  return with_size(NEXT(fstat)(fd, status), fd, &status->st_size);
}

EXPORT int fstat64(int fd, struct stat64 *status)
{
  return with_size(NEXT(fstat64)(fd, status), fd, &status->st_size);
}

/* The path to ask for in place of a given one. */
static const char *moved(int dirfd, const char *path, char *buffer)
{
  const char *root = sim_root();
  int saved = errno;
  bool is_moved = root != NULL && path != NULL && sim_clamps_target(root, dirfd, path, buffer);

  errno = saved;
  return is_moved ? buffer : path;
}

/* Calls the next function; a file of sysctl has no size. */
#define STAT(name, size, dirfd, path, ...)           \
  do {                                               \
    char buffer[SIM_PATH_SIZE];                      \
    const char *target = moved(dirfd, path, buffer); \
    int result = NEXT(name)(__VA_ARGS__);            \
    if (result == 0 && target == buffer)             \
      (size) = 0;                                    \
    return result;                                   \
  } while (0)

EXPORT int stat(const char *path, struct stat *status)
{
  STAT(stat, status->st_size, AT_FDCWD, path, target, status);
}

EXPORT int stat64(const char *path, struct stat64 *status)
{
  STAT(stat64, status->st_size, AT_FDCWD, path, target, status);
}

EXPORT int lstat(const char *path, struct stat *status)
{
  STAT(lstat, status->st_size, AT_FDCWD, path, target, status);
}

EXPORT int lstat64(const char *path, struct stat64 *status)
{
  STAT(lstat64, status->st_size, AT_FDCWD, path, target, status);
}

EXPORT int fstatat(int dirfd, const char *path, struct stat *status, int flags)
{
  STAT(fstatat, status->st_size, dirfd, path, dirfd, target, status, flags);
}

EXPORT int fstatat64(int dirfd, const char *path, struct stat64 *status, int flags)
{
  STAT(fstatat64, status->st_size, dirfd, path, dirfd, target, status, flags);
}

EXPORT int statx(int dirfd, const char *path, int flags, unsigned mask, struct statx *status)
{
  STAT(statx, status->stx_size, dirfd, path, dirfd, target, flags, mask, status);
}

EXPORT int access(const char *path, int mode)
{
  char buffer[SIM_PATH_SIZE];

  return NEXT(access)(moved(AT_FDCWD, path, buffer), mode);
}

EXPORT int eaccess(const char *path, int mode)
{
  char buffer[SIM_PATH_SIZE];

  return NEXT(eaccess)(moved(AT_FDCWD, path, buffer), mode);
}

EXPORT int euidaccess(const char *path, int mode)
{
  char buffer[SIM_PATH_SIZE];

  return NEXT(euidaccess)(moved(AT_FDCWD, path, buffer), mode);
}

EXPORT int faccessat(int dirfd, const char *path, int mode, int flags)
{
  char buffer[SIM_PATH_SIZE];

  return NEXT(faccessat)(dirfd, moved(dirfd, path, buffer), mode, flags);
}
