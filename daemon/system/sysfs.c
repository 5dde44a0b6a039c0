// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading and writing of sysfs values with the errno kept. One open per value:
 * the path walk costs the most, so it is relative to a kept directory and the
 * read-back uses the descriptor of the write. */
#include "sysfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "error.h"

struct _RetuneSysfs {
  int directory;
  guint n_opens;
};

RetuneSysfs *retune_sysfs_open(GError **error)
{
  int directory = open(RETUNE_SYSFS_CPU, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

  if (directory < 0) {
    retune_set_error(error, RETUNE_ERROR_FAILED, "cannot open %s: %s", RETUNE_SYSFS_CPU,
                     g_strerror(errno));
    return NULL;
  }
  RetuneSysfs *sysfs = g_new0(RetuneSysfs, 1);
  sysfs->directory = directory;
  return sysfs;
}

void retune_sysfs_close(RetuneSysfs *sysfs)
{
  if (sysfs == NULL)
    return;
  close(sysfs->directory);
  g_free(sysfs);
}

/* Reads the value at offset 0 of @fd and cuts the newline. */
static int read_value(int fd, char *text, gsize size)
{
  ssize_t length = pread(fd, text, size - 1, 0);

  if (length < 0) {
    text[0] = '\0';
    return errno;
  }
  while (length > 0 && text[length - 1] == '\n')
    length--;
  text[length] = '\0';
  return 0;
}

int retune_sysfs_read(RetuneSysfs *sysfs, const char *path, char *text, gsize size)
{
  int fd = openat(sysfs->directory, path, O_RDONLY | O_CLOEXEC);

  if (fd < 0)
    return errno;
  int result = read_value(fd, text, size);
  close(fd);
  return result;
}

int retune_sysfs_write(RetuneSysfs *sysfs, const char *path, const char *text, char *found,
                       gsize size)
{
  int result = 0;

  found[0] = '\0';
  if (*text == '\0')
    return EINVAL; /* the kernel would take it and do nothing */
  int fd = openat(sysfs->directory, path, O_RDWR | O_TRUNC | O_CLOEXEC);

  if (fd < 0)
    return errno;
  sysfs->n_opens++;
  ssize_t length = (ssize_t)strlen(text);
  ssize_t written = write(fd, text, (gsize)length);
  if (written < 0)
    result = errno;
  else if (written != length)
    result = EIO;
  else
    (void)read_value(fd, found, size); /* an unreadable value is "", which equals none */
  close(fd);
  return result;
}

guint retune_sysfs_count_opens(RetuneSysfs *sysfs)
{
  return sysfs->n_opens;
}

int retune_sysfs_read_link(RetuneSysfs *sysfs, const char *path, char *target, gsize size)
{
  ssize_t length = readlinkat(sysfs->directory, path, target, size - 1);

  if (length < 0)
    return errno;
  target[length] = '\0';
  return 0;
}

guint64 retune_sysfs_identity(RetuneSysfs *sysfs, const char *path)
{
  struct stat status;

  return fstatat(sysfs->directory, path, &status, 0) == 0 ? status.st_ino : 0;
}

gboolean retune_sysfs_is_writable(RetuneSysfs *sysfs, const char *path)
{
  struct stat status;
  struct statvfs mount;

  return fstatat(sysfs->directory, path, &status, 0) == 0 && (status.st_mode & 0222) != 0 &&
         (fstatvfs(sysfs->directory, &mount) != 0 || (mount.f_flag & ST_RDONLY) == 0);
}

gint retune_sysfs_first_number(RetuneSysfs *sysfs, const char *path, const char *prefix)
{
  int fd = openat(sysfs->directory, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *directory = fd >= 0 ? fdopendir(fd) : NULL;
  gint first = -1;

  if (directory == NULL) {
    if (fd >= 0)
      close(fd);
    return -1;
  }
  for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
    guint64 number;
    if (g_str_has_prefix(entry->d_name, prefix) &&
        g_ascii_string_to_unsigned(entry->d_name + strlen(prefix), 10, 0, G_MAXINT32, &number,
                                   NULL) &&
        (first < 0 || (gint)number < first))
      first = (gint)number;
  }
  closedir(directory);
  return first;
}
