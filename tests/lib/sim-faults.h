/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Errors, delays and losses that a test orders, and the log of writes.
 * README.md describes both files.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef enum {
  SIM_FAULT_NONE,
  SIM_FAULT_ERROR,  /* fails with the errno */
  SIM_FAULT_IGNORE, /* reports success and changes nothing */
} SimFault;

unsigned sim_faults_delay(const char *root, const char *path);
/* 'b' or 'a': the process is to be killed before or after the write; else 0. */
char sim_faults_kill(const char *root, const char *path);
SimFault sim_faults_write(const char *root, const char *path, int *ret_error);
SimFault sim_faults_read(const char *root, const char *path, int *ret_error);
void sim_log_write(const char *root, const char *path, const char *text, size_t length, int error);
