/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * /dev/cpu_dma_latency. A request is a file retune/dma/PID.ID; requests of
 * processes that are gone are dropped whenever the sum is made. Callers hold the
 * machine's lock, but for the calls on descriptors alone.
 */
#include "sim-dma.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sim-parse.h"
#include "sim-store.h"

#define NO_CONSTRAINT 2000000000
#define MAX_FD 1024

/* Which open file each descriptor belongs to: copies share a number, 0 is none.
 * The numbers mean something in the process that made them only: a forked child
 * that closes its copies must not drop its parent's request. */
static _Atomic int holder_of[MAX_FD];
static _Atomic int last_holder;
static _Atomic int owner_pid;

static void forget_if_forked(void)
{
  int pid = (int)getpid();

  if (atomic_exchange(&owner_pid, pid) == pid)
    return;
  for (int fd = 0; fd < MAX_FD; fd++)
    atomic_store(&holder_of[fd], 0);
}

void sim_dma_opened(int fd)
{
  forget_if_forked();
  if (fd >= 0 && fd < MAX_FD)
    atomic_store(&holder_of[fd], atomic_fetch_add(&last_holder, 1) + 1);
}

bool sim_dma_is_holder(int fd)
{
  return fd >= 0 && fd < MAX_FD && atomic_load(&holder_of[fd]) != 0;
}

void sim_dma_duplicated(int fd, int copy)
{
  if (sim_dma_is_holder(fd) && copy >= 0 && copy < MAX_FD)
    atomic_store(&holder_of[copy], atomic_load(&holder_of[fd]));
}

static bool request_path(char *path, const char *root, int holder)
{
  char name[32];

  snprintf(name, sizeof name, "%d.%d", (int)getpid(), holder);
  return sim_path(path, root, "retune/dma", name);
}

static void drop_request(const char *root, int holder)
{
  char path[SIM_PATH_SIZE];

  if (request_path(path, root, holder))
    syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

/* The descriptor is about to be closed; its request goes with the last copy. */
void sim_dma_closed(const char *root, int fd)
{
  int holder;

  forget_if_forked();
  holder = atomic_exchange(&holder_of[fd], 0);
  if (holder == 0)
    return;
  for (int other = 0; other < MAX_FD; other++)
    if (atomic_load(&holder_of[other]) == holder)
      return;

  drop_request(root, holder);
  sim_dma_refresh(root);
}

/* Four bytes are a number as it is in memory, whatever they look like; other
 * lengths are hexadecimal text. */
int sim_dma_parse(const void *data, size_t size, int32_t *ret_value)
{
  char text[16];

  if (size == sizeof *ret_value) {
    memcpy(ret_value, data, sizeof *ret_value);
    return 0;
  }

  if (size == 0 || size >= sizeof text)
    return EINVAL;
  memcpy(text, data, size);
  text[size] = '\0';
  return sim_kstrtos32(text, 16, ret_value);
}

/* -1 is the default; other negative values are accepted and ignored. */
void sim_dma_request(const char *root, int fd, int32_t value)
{
  char path[SIM_PATH_SIZE], text[16];

  if (fd < 0 || fd >= MAX_FD || value < -1)
    return;
  forget_if_forked();
  if (!sim_dma_is_holder(fd))
    sim_dma_opened(fd); /* inherited from a parent */

  snprintf(text, sizeof text, "%d", value == -1 ? NO_CONSTRAINT : value);
  if (request_path(path, root, atomic_load(&holder_of[fd])))
    sim_write_file(path, text);
  sim_dma_refresh(root);
}

static bool read_request(const char *root, const char *name, int32_t *ret_value)
{
  char path[SIM_PATH_SIZE], text[16];
  int pid = atoi(name);

  if (pid <= 0 || !sim_path(path, root, "retune/dma", name))
    return false;
  if (kill(pid, 0) != 0 && errno == ESRCH) {
    syscall(SYS_unlinkat, AT_FDCWD, path, 0);
    return false;
  }

  return sim_read_file(path, text, sizeof text) && sim_kstrtos32(text, 10, ret_value) == 0;
}

/* Writes the smallest request into the node. */
void sim_dma_refresh(const char *root)
{
  char path[SIM_PATH_SIZE];
  int32_t smallest = NO_CONSTRAINT, value;
  DIR *dir;
  int fd;

  if (!sim_path(path, root, "retune", "dma"))
    return;
  dir = opendir(path);
  for (struct dirent *entry = dir ? readdir(dir) : NULL; entry != NULL; entry = readdir(dir))
    if (read_request(root, entry->d_name, &value) && value < smallest)
      smallest = value;
  if (dir != NULL)
    closedir(dir);

  if (!sim_path(path, root, "dev", SIM_DMA_PATH))
    return;
  fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
  if (fd < 0)
    return;
  if (syscall(SYS_pread64, fd, &value, sizeof value, 0L) != sizeof value || value != smallest)
    syscall(SYS_pwrite64, fd, &smallest, sizeof smallest, 0L);
  syscall(SYS_close, fd);
}

/* Whether this process has had the node open. */
bool sim_dma_is_used(void)
{
  return atomic_load(&owner_pid) == (int)getpid();
}

/* The process ends: what it holds is dropped. */
void sim_dma_drop_all(const char *root)
{
  bool is_changed = false;

  for (int fd = 0; fd < MAX_FD; fd++)
    if (sim_dma_is_holder(fd)) {
      drop_request(root, atomic_exchange(&holder_of[fd], 0));
      is_changed = true;
    }

  if (is_changed)
    sim_dma_refresh(root);
}
