/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The files of a simulated machine: the values below sys/devices/system/cpu,
 * and the notes below retune/ that hold what a kernel would have in memory.
 * All by raw system calls, so that no preloaded library sees them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define SIM_CPU_DIR "sys/devices/system/cpu"
#define SIM_DMA_NODE "dev/cpu_dma_latency"
#define SIM_NOTES_DIR "retune/notes"
#define SIM_PATH_SIZE 1024
#define SIM_TEXT_SIZE 4097 /* a page and its final NUL */

int sim_lock(const char *root, bool is_exclusive);
void sim_unlock(int lock);

bool sim_read_file(const char *path, char *buffer, size_t size);
bool sim_write_file(const char *path, const char *text);
bool sim_write_fd(int fd, const char *text);
bool sim_is_regular(int fd, off_t *ret_size);
bool sim_append_file(const char *path, const char *text, size_t length);

bool sim_cpu_get(const char *root, const char *name, char *buffer, size_t size);
bool sim_cpu_put(const char *root, const char *name, const char *value);
bool sim_note_get(const char *root, const char *name, char *buffer, size_t size);
void sim_note_put(const char *root, const char *name, const char *value);
void sim_note_drop(const char *root, const char *name);

ssize_t sim_link_of(const char *path, char *buffer, size_t size);
bool sim_path(char *buffer, const char *root, const char *dir, const char *name);
