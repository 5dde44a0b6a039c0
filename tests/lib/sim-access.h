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
} SimKind;

typedef struct {
  const char *root;
  SimKind kind;
  char path[SIM_PATH_SIZE]; /* below SIM_CPU_DIR, or SIM_DMA_PATH */
} SimFile;

const char *sim_root(void);
bool sim_file_of_fd(int fd, SimFile *ret_file);
bool sim_open_target(int dirfd, const char *path, char *ret_target, bool *ret_is_dma);
int sim_open_check(const char *target, int *flags);
int sim_write(const SimFile *file, int fd, const void *data, size_t count);
int sim_read_check(const SimFile *file, char *buffer, size_t size, bool *ret_is_stale);
