/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The kernel's side of reads, writes and opens: which files are simulated, and
 * what happens to them. sim-kernel.c puts this behind the C library's calls.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "sim-store.h"

typedef enum {
  SIM_OTHER, /* not ours */
  SIM_CPU,   /* below SIM_CPU_DIR */
  SIM_DMA,   /* the node SIM_DMA_NODE */
  SIM_SYS,   /* elsewhere below sys/devices; nothing to write there */
  SIM_PROC,  /* the utilisation clamps */
  SIM_GONE,  /* was there when it was opened */
  SIM_HOST,  /* the host's utilisation clamps, by a way that was not foreseen */
} SimKind;

typedef struct {
  const char *root;
  SimKind kind;
  char path[SIM_PATH_SIZE]; /* below SIM_CPU_DIR, or the testbed's directory, or SIM_DMA_PATH */
} SimFile;

/* What an open() is about. */
typedef struct {
  char target[SIM_PATH_SIZE]; /* the file of the testbed */
  bool is_dma;
  bool is_moved; /* to be opened by that path: the given one is the host's */
} SimTarget;

const char *sim_root(void);
bool sim_file_of_fd(int fd, SimFile *ret_file);
bool sim_open_target(int dirfd, const char *path, SimTarget *ret_target);
int sim_open_check(const char *target, int *flags);
int sim_write(const SimFile *file, int fd, const void *data, size_t count, off_t offset,
              size_t *ret_taken);
int sim_read_check(const SimFile *file, char *buffer, size_t size, bool *ret_is_stale);
