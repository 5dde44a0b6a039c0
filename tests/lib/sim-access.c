/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The kernel's side of reads, writes and opens. Which file a descriptor belongs
 * to is asked anew each time: descriptors are inherited, copied and reused in
 * ways that a table would miss, and other kinds are told apart by one statx().
 */
#include "sim-access.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

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

bool sim_file_of_fd(int fd, SimFile *ret_file)
{
  char link[32], path[SIM_PATH_SIZE];
  const char *part;
  off_t size;

  ret_file->root = sim_root();
  if (ret_file->root == NULL || !sim_is_regular(fd, &size))
    return false;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  if (sim_link_of(link, path, sizeof path) < 0)
    return false;

  part = part_below(path, ret_file->root, SIM_CPU_DIR "/");
  ret_file->kind = SIM_CPU;
  if (part == NULL) {
    part = part_below(path, ret_file->root, SIM_DMA_NODE);
    ret_file->kind = SIM_DMA;
  }
  if (part == NULL)
    return false;

  snprintf(ret_file->path, sizeof ret_file->path, "%s",
           ret_file->kind == SIM_CPU ? part : SIM_DMA_PATH);
  return true;
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
bool sim_open_target(int dirfd, const char *path, char *ret_target, bool *ret_is_dma)
{
  const char *root = sim_root();
  char wanted[SIM_PATH_SIZE];
  int length;

  if (root == NULL || path == NULL || !absolute_path(dirfd, path, wanted))
    return false;
  if (strncmp(wanted, "/sys/", 5) == 0 || strcmp(wanted, "/" SIM_DMA_NODE) == 0)
    length = snprintf(ret_target, SIM_PATH_SIZE, "%s%s", root, wanted);
  else
    length = snprintf(ret_target, SIM_PATH_SIZE, "%s", wanted);
  if (length >= SIM_PATH_SIZE)
    return false;

  *ret_is_dma = part_below(ret_target, root, SIM_DMA_NODE) != NULL;
  return *ret_is_dma || part_below(ret_target, root, SIM_CPU_DIR "/") != NULL ||
         part_below(ret_target, root, "sys/bus/cpu/") != NULL;
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

static int write_cpu(const SimFile *file, int fd, const void *data, size_t count)
{
  SimWrite write = {.root = file->root, .path = file->path, .fd = fd};

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

/* A write as the kernel would take it: 0 if all of it was taken, or an errno. */
int sim_write(const SimFile *file, int fd, const void *data, size_t count)
{
  unsigned delay = sim_faults_delay(file->root, file->path);
  int lock, error = 0;

  if (delay > 0)
    sleep_ms(delay);

  lock = sim_lock(file->root, true);
  if (sim_faults_write(file->root, file->path, &error) == SIM_FAULT_NONE)
    error =
        file->kind == SIM_CPU ? write_cpu(file, fd, data, count) : write_dma(file, fd, data, count);
  log_write(file, data, count, error);
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
  else if (!sim_policy_is_active(file->root, file->path))
    return EBUSY;
  else
    *ret_is_stale = sim_stale_value(file->root, file->path, buffer, size);
  return 0;
}
