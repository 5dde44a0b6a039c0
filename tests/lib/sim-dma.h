/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * /dev/cpu_dma_latency: one request for each open file, the smallest wins,
 * and closing the file drops its request.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIM_DMA_PATH "cpu_dma_latency" /* its name in faults and in the log */

void sim_dma_opened(int fd);
void sim_dma_duplicated(int fd, int copy);
void sim_dma_closed(const char *root, int fd);
bool sim_dma_is_holder(int fd);
bool sim_dma_is_used(void);
int sim_dma_parse(const void *data, size_t size, int32_t *ret_value);
void sim_dma_request(const char *root, int fd, int32_t value);
void sim_dma_refresh(const char *root);
void sim_dma_drop_all(const char *root);
