/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The utilisation clamps: which paths mean them, and what a write does
 * (kernel/sysctl.c, sysctl_sched_uclamp_handler).
 */
#include "sim-clamps.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CAPACITY 1024
#define LONGEST 21 /* digits, with what is before them */
#define BLANKS " \t\n\v\f\r"

static const char *const names[] = {"sched_util_clamp_min", "sched_util_clamp_max",
                                    "sched_util_clamp_min_rt_default"};

static bool is_name(const char *name)
{
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strcmp(names[i], name) == 0)
      return true;
  return false;
}

/* Whether a path without symlinks is one of the host's. */
bool sim_clamps_is_host(const char *path)
{
  size_t length = strlen("/" SIM_CLAMPS_DIR "/");

  return strncmp(path, "/" SIM_CLAMPS_DIR "/", length) == 0 && is_name(path + length);
}

/* Whether the folder of a path is the one that has the host's, by any way there. */
static bool is_in_folder(int dirfd, const char *path, size_t length)
{
  char folder[SIM_PATH_SIZE], link[32];
  ssize_t found = -1;
  int fd;

  if (length >= sizeof folder)
    return false;
  snprintf(folder, sizeof folder, "%.*s", (int)length, path);
  fd = (int)syscall(SYS_openat, dirfd, length > 0 ? folder : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0) {
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    found = sim_link_of(link, folder, sizeof folder);
    syscall(SYS_close, fd);
  }
  return found > 0 && strcmp(folder, "/" SIM_CLAMPS_DIR) == 0;
}

/* The file of the testbed that is meant in place of the host's. */
bool sim_clamps_target(const char *root, int dirfd, const char *path, char *ret_target)
{
  const char *name;

  if (strstr(path, names[0]) == NULL && strstr(path, names[1]) == NULL)
    return false;
  name = strrchr(path, '/');
  name = name != NULL ? name + 1 : path;
  if (!is_name(name) ||
      (!sim_clamps_is_host(path) && !is_in_folder(dirfd, path, (size_t)(name - path))))
    return false;
  return sim_path(ret_target, root, SIM_CLAMPS_DIR, name);
}

/* The first number; what comes after it waits for another write (proc_dointvec).
 * *ret_taken is what this one has used up. */
static int parse(const SimWrite *write, uint32_t *ret_value, size_t *ret_taken)
{
  const char *start = write->text + strspn(write->text, BLANKS), *digits = start;
  bool is_negative = *start == '-';
  unsigned long value;
  char *end;

  digits += is_negative;
  if (!isdigit((unsigned char)*digits))
    return EINVAL;
  errno = 0;
  value = strtoul(digits, &end, 0);
  if (errno != 0 || end - start >= LONGEST || (*end != '\0' && strchr(" \t\n", *end) == NULL) ||
      value > (unsigned long)INT_MAX + is_negative)
    return EINVAL;

  *ret_value = is_negative ? (uint32_t)-value : (uint32_t)value;
  end += strspn(end, BLANKS);
  *ret_taken = (size_t)(end - write->text);
  return 0;
}

static uint32_t value_of(const SimWrite *write, const char *name)
{
  char path[SIM_PATH_SIZE], text[16];

  snprintf(path, sizeof path, "../../../../" SIM_CLAMPS_DIR "/%s", name);
  sim_cpu_get(write->root, path, text, sizeof text);
  return (uint32_t)strtoul(text, NULL, 10);
}

/* All three are checked at each write. Not at the file's start nothing happens. */
int sim_store_clamp(const SimWrite *write)
{
  const char *name = strrchr(write->path, '/') + 1;
  uint32_t values[3], value = 0;
  char text[16];
  int error;

  if (write->offset != 0)
    return 0;
  error = parse(write, &value, write->ret_taken);
  if (error != 0)
    return error;

  for (size_t i = 0; i < 3; i++)
    values[i] = strcmp(names[i], name) == 0 ? value : value_of(write, names[i]);
  if (values[0] > values[1] || values[1] > CAPACITY || values[2] > CAPACITY)
    return EINVAL;
  snprintf(text, sizeof text, "%u\n", value);
  sim_write_fd(write->fd, text);
  return 0;
}
