/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The kernel's side of reads, writes and opens. Which file a descriptor belongs
 * to is asked anew each time: descriptors are inherited, copied and reused in
 * ways that a table would miss, and other kinds are told apart by one statx().
 */
#include "sim-access.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "sim-clamps.h"
#include "sim-dma.h"
#include "sim-faults.h"
#include "sim-hotplug.h"
#include "sim-limits.h"
#include "sim-rules.h"

/* The testbed's directory, NULL without one. */
const char *sim_root(void)
{
  return getenv("UMOCKDEV_DIR");
}

/* The part of PATH below DIR of the testbed, NULL if it is elsewhere. */
static const char *part_below(const char *path, const char *root, const char *dir)
{
  size_t length = strlen(root);

  if (strncmp(path, root, length) != 0 || path[length] != '/')
    return NULL;
  path += length + 1;
  length = strlen(dir);
  return strncmp(path, dir, length) == 0 ? path + length : NULL;
}

/* Which kind a path is of, and *ret_name: what faults and the log call it. */
static SimKind kind_of(const char *path, const char *root, const char **ret_name)
{
  static const struct {
    SimKind kind;
    const char *dir;
  } places[] = {
      {SIM_CPU, SIM_CPU_DIR "/"},
      {SIM_DMA, SIM_DMA_NODE},
      {SIM_SYS, "sys/devices/system/node/"},
      {SIM_SYS, "sys/devices/cpu_core/"},
      {SIM_SYS, "sys/devices/cpu_atom/"},
      {SIM_PROC, SIM_CLAMPS_DIR "/"},
      {SIM_GONE, "retune/offline/"},
      {SIM_GONE, "retune/policies/"},
  };
  const char *part;

  for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
    part = part_below(path, root, places[i].dir);
    if (part == NULL)
      continue;
    *ret_name = places[i].kind == SIM_CPU   ? part
                : places[i].kind == SIM_DMA ? SIM_DMA_PATH
                                            : path + strlen(root) + 1;
    return places[i].kind;
  }
  return SIM_OTHER;
}

/* What shows for a descriptor whose file has been removed. */
static bool is_deleted(const char *path)
{
  size_t length = strlen(path), size = strlen(" (deleted)");

  return length > size && strcmp(path + length - size, " (deleted)") == 0;
}

bool sim_file_of_fd(int fd, SimFile *ret_file)
{
  char link[32], path[SIM_PATH_SIZE];
  const char *name = path;
  off_t size;

  ret_file->root = sim_root();
  if (ret_file->root == NULL || !sim_is_regular(fd, &size))
    return false;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  if (sim_link_of(link, path, sizeof path) < 0)
    return false;

  ret_file->kind = sim_clamps_is_host(path) ? SIM_HOST : kind_of(path, ret_file->root, &name);
  if (ret_file->kind == SIM_CPU && is_deleted(path))
    ret_file->kind = SIM_GONE;
  snprintf(ret_file->path, sizeof ret_file->path, "%s", name);
  return ret_file->kind != SIM_OTHER;
}

static bool absolute_path(int dirfd, const char *path, char *ret_path)
{
  char link[32], dir[SIM_PATH_SIZE];
  int length;

  if (path[0] == '/')
    length = snprintf(ret_path, SIM_PATH_SIZE, "%s", path);
  else {
    if (dirfd == AT_FDCWD)
      snprintf(link, sizeof link, "/proc/self/cwd");
    else
      snprintf(link, sizeof link, "/proc/self/fd/%d", dirfd);
    if (sim_link_of(link, dir, sizeof dir) < 0)
      return false;
    length = snprintf(ret_path, SIM_PATH_SIZE, "%s/%s", dir, path);
  }

  return length > 0 && length < SIM_PATH_SIZE;
}

/* The file of the testbed that an open() is about, if it is a simulated one. */
bool sim_open_target(int dirfd, const char *path, SimTarget *ret_target)
{
  const char *root = sim_root(), *name;
  char wanted[SIM_PATH_SIZE];
  SimKind kind;
  int length;

  if (root == NULL || path == NULL)
    return false;
  ret_target->is_dma = false;
  ret_target->is_moved = sim_clamps_target(root, dirfd, path, ret_target->target);
  if (ret_target->is_moved)
    return true;

  if (!absolute_path(dirfd, path, wanted))
    return false;
  if (strncmp(wanted, "/sys/", 5) == 0 || strcmp(wanted, "/" SIM_DMA_NODE) == 0)
    length = snprintf(ret_target->target, SIM_PATH_SIZE, "%s%s", root, wanted);
  else
    length = snprintf(ret_target->target, SIM_PATH_SIZE, "%s", wanted);
  if (length >= SIM_PATH_SIZE)
    return false;

  kind = kind_of(ret_target->target, root, &name);
  ret_target->is_dma = kind == SIM_DMA;
  return (kind != SIM_OTHER && kind != SIM_GONE) ||
         part_below(ret_target->target, root, "sys/bus/cpu/") != NULL;
}

/* What the process may do by the file's owner and mode. */
static bool is_permitted(const char *target, int access)
{
  int mode = (access != O_WRONLY ? R_OK : 0) | (access != O_RDONLY ? W_OK : 0);

  return syscall(SYS_faccessat2, AT_FDCWD, target, mode, AT_EACCESS) == 0 || errno != EACCES;
}

/* Sysfs creates and truncates nothing, and looks at the mode even for root. */
int sim_open_check(const char *target, int *flags)
{
  struct statx status;
  int access = *flags & O_ACCMODE;

  if (syscall(SYS_statx, AT_FDCWD, target, 0, STATX_TYPE | STATX_MODE, &status) != 0)
    return (*flags & O_CREAT) != 0 ? EACCES : 0;
  if (!S_ISREG(status.stx_mode))
    return 0;
  if (!is_permitted(target, access))
    return EACCES; /* umockdev would give up on a device that it cannot open */
  if (access != O_RDONLY && (status.stx_mode & 0222) == 0)
    return EACCES;
  if (access != O_WRONLY && (status.stx_mode & 0444) == 0)
    return EACCES;

  *flags &= ~(O_CREAT | O_TRUNC | O_EXCL | O_APPEND);
  return 0;
}

static void sleep_ms(unsigned ms)
{
  struct timespec rest = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};

  while (nanosleep(&rest, &rest) != 0 && errno == EINTR)
    ;
}

static int write_text(const SimFile *file, int fd, const void *data, size_t count, off_t offset,
                      size_t *ret_taken)
{
  SimWrite write = {
      .root = file->root, .path = file->path, .fd = fd, .offset = offset, .ret_taken = ret_taken};

  if (!sim_policy_is_active(file->root, file->path))
    return EBUSY;
  if (count == 0)
    return 0;

  write.length = count < sizeof write.text ? count : sizeof write.text - 1;
  memcpy(write.text, data, write.length);
  write.text[write.length] = '\0';
  return sim_rule_find(file->path)->store(&write);
}

static int write_dma(const SimFile *file, int fd, const void *data, size_t count)
{
  int32_t value;
  int error = sim_dma_parse(data, count, &value);

  if (error == 0)
    sim_dma_request(file->root, fd, value);
  return error;
}

static void log_write(const SimFile *file, const void *data, size_t count, int error)
{
  char text[16];
  int32_t value;

  if (file->kind == SIM_DMA && count == sizeof value) {
    memcpy(&value, data, sizeof value);
    snprintf(text, sizeof text, "%d", value);
    sim_log_write(file->root, file->path, text, strlen(text), error);
  } else
    sim_log_write(file->root, file->path, data, count, error);
}

static int write_kind(const SimFile *file, int fd, const void *data, size_t count, off_t offset,
                      size_t *ret_taken)
{
  switch (file->kind) {
  case SIM_CPU:
  case SIM_PROC:
    return write_text(file, fd, data, count, offset, ret_taken);
  case SIM_DMA:
    return write_dma(file, fd, data, count);
  case SIM_GONE:
    return ENODEV;
  default:
    return EACCES;
  }
}

/* A write as the kernel would take it: 0 with the number of bytes, or an errno. */
int sim_write(const SimFile *file, int fd, const void *data, size_t count, off_t offset,
              size_t *ret_taken)
{
  unsigned delay = sim_faults_delay(file->root, file->path);
  int lock, error = 0;
  char kill_at;

  *ret_taken = count;
  if (delay > 0)
    sleep_ms(delay);

  lock = sim_lock(file->root, true);
  kill_at = sim_faults_kill(file->root, file->path);
  if (kill_at == 'b')
    raise(SIGKILL);
  if (sim_faults_write(file->root, file->path, &error) == SIM_FAULT_NONE)
    error = write_kind(file, fd, data, count, offset, ret_taken);
  log_write(file, data, count, error);
  if (kill_at == 'a')
    raise(SIGKILL);
  sim_unlock(lock);
  return error;
}

/* What happens before a read: an errno, or with *ret_is_stale a text to be read
 * in place of the file's. */
int sim_read_check(const SimFile *file, char *buffer, size_t size, bool *ret_is_stale)
{
  int error = 0;

  *ret_is_stale = false;
  if (sim_faults_read(file->root, file->path, &error) != SIM_FAULT_NONE)
    return error;
  if (file->kind == SIM_DMA)
    sim_dma_refresh(file->root);
  if (file->kind == SIM_GONE)
    return ENODEV;
  if (file->kind != SIM_CPU)
    return 0;

  if (!sim_policy_is_active(file->root, file->path))
    return EBUSY;
  error = sim_rule_read(file->root, file->path);
  if (error == 0)
    *ret_is_stale = sim_stale_value(file->root, file->path, buffer, size);
  return error;
}
