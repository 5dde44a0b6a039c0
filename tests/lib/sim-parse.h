/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The kernel's own parsers of numbers and words, with its strictness. Those
 * that return an int return 0 or an errno.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int sim_kstrtoull(const char *text, unsigned base, uint64_t *ret_value);
int sim_kstrtou32(const char *text, unsigned base, uint32_t *ret_value);
int sim_kstrtos32(const char *text, unsigned base, int32_t *ret_value);
int sim_kstrtobool(const char *text, bool *ret_value);
bool sim_sysfs_streq(const char *text, const char *word);
bool sim_scan_word(const char *text, char *ret_word, size_t size);
bool sim_scan_u32(const char *text, uint32_t *ret_value);
bool sim_has_word(const char *list, const char *word);
