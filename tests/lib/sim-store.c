/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The files of a simulated machine, by raw system calls. Used by the preloaded
 * library and by retune-sim.
 */
#include "sim-store.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int raw_open(const char *path, int flags)
{
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, 0666);
}

static void raw_close(int fd)
{
  syscall(SYS_close, fd);
}

/* False if the path does not fit. */
bool sim_path(char *buffer, const char *root, const char *dir, const char *name)
{
  int length = snprintf(buffer, SIM_PATH_SIZE, "%s/%s/%s", root, dir, name);

  return length > 0 && length < SIM_PATH_SIZE;
}

/* One lock for the machine, across threads and processes. Returns what
 * sim_unlock() takes, -1 if there is none. */
int sim_lock(const char *root, bool is_exclusive)
{
  char path[SIM_PATH_SIZE];
  int lock;

  if (!sim_path(path, root, "retune", "lock"))
    return -1;
  lock = raw_open(path, O_RDONLY);
  if (lock >= 0)
    syscall(SYS_flock, lock, is_exclusive ? LOCK_EX : LOCK_SH);
  return lock;
}

/* Unlocks before it closes: a child forked in between has the file open. */
void sim_unlock(int lock)
{
  if (lock < 0)
    return;
  syscall(SYS_flock, lock, LOCK_UN);
  raw_close(lock);
}

/* Up to size - 1 bytes of a file, without the last newline. */
bool sim_read_file(const char *path, char *buffer, size_t size)
{
  int fd = raw_open(path, O_RDONLY);
  ssize_t length;

  if (fd < 0)
    return false;
  length = syscall(SYS_read, fd, buffer, size - 1);
  raw_close(fd);
  if (length < 0)
    return false;

  if (length > 0 && buffer[length - 1] == '\n')
    length--;
  buffer[length] = '\0';
  return true;
}

/* Whether a descriptor is a plain file's, and the true size of that. */
bool sim_is_regular(int fd, off_t *ret_size)
{
  struct statx status;

  if (syscall(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_TYPE | STATX_SIZE, &status) != 0 ||
      !S_ISREG(status.stx_mode))
    return false;
  *ret_size = (off_t)status.stx_size;
  return true;
}

/* Replaces a file's text. First the text, then the length: the first line is
 * whole at any moment for those who read without the lock. */
bool sim_write_fd(int fd, const char *text)
{
  size_t length = strlen(text);
  off_t size;

  if (syscall(SYS_pwrite64, fd, text, length, 0L) != (long)length || !sim_is_regular(fd, &size))
    return false;
  return size == (off_t)length || syscall(SYS_ftruncate, fd, (long)length) == 0;
}

bool sim_write_file(const char *path, const char *text)
{
  int fd = raw_open(path, O_WRONLY | O_CREAT);
  bool is_done;

  if (fd < 0)
    return false;
  is_done = sim_write_fd(fd, text);
  raw_close(fd);
  return is_done;
}

bool sim_append_file(const char *path, const char *text, size_t length)
{
  int fd = raw_open(path, O_WRONLY | O_CREAT | O_APPEND);
  bool is_done;

  if (fd < 0)
    return false;
  is_done = syscall(SYS_write, fd, text, length) == (long)length;
  raw_close(fd);
  return is_done;
}

/* The value of a file below SIM_CPU_DIR, "" if there is none. */
bool sim_cpu_get(const char *root, const char *name, char *buffer, size_t size)
{
  char path[SIM_PATH_SIZE];

  buffer[0] = '\0';
  return sim_path(path, root, SIM_CPU_DIR, name) && sim_read_file(path, buffer, size);
}

/* Changes the value of a file that is there; an equal one is left alone. */
bool sim_cpu_put(const char *root, const char *name, const char *value)
{
  char path[SIM_PATH_SIZE];
  char text[SIM_TEXT_SIZE + 1];
  char present[SIM_TEXT_SIZE];

  if (!sim_path(path, root, SIM_CPU_DIR, name) || !sim_read_file(path, present, sizeof present))
    return false;
  if (strcmp(present, value) == 0)
    return true;

  snprintf(text, sizeof text, "%s\n", value);
  return sim_write_file(path, text);
}

static bool note_path(char *path, const char *root, const char *name)
{
  size_t dir_length;

  if (!sim_path(path, root, SIM_NOTES_DIR, name))
    return false;

  dir_length = strlen(root) + strlen("/" SIM_NOTES_DIR "/");
  for (char *p = path + dir_length; *p != '\0'; p++)
    if (*p == '/')
      *p = ':';
  return true;
}

/* What the kernel remembers under a name, "" if nothing. */
bool sim_note_get(const char *root, const char *name, char *buffer, size_t size)
{
  char path[SIM_PATH_SIZE];

  buffer[0] = '\0';
  return note_path(path, root, name) && sim_read_file(path, buffer, size);
}

void sim_note_put(const char *root, const char *name, const char *value)
{
  char path[SIM_PATH_SIZE];

  if (note_path(path, root, name))
    sim_write_file(path, value);
}

void sim_note_drop(const char *root, const char *name)
{
  char path[SIM_PATH_SIZE];

  if (note_path(path, root, name))
    syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

/* Where a symlink points, NUL-terminated; its length or -1. */
ssize_t sim_link_of(const char *path, char *buffer, size_t size)
{
  ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, path, buffer, size - 1);

  if (length >= 0)
    buffer[length] = '\0';
  return length;
}
