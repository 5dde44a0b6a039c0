// SPDX-License-Identifier: GPL-2.0-or-later
/* What the targets share. A target is one file with LLVMFuzzerTestOneInput(), which
 * libFuzzer calls with one input after the other. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "instance.h"

G_BEGIN_DECLS

/* What libFuzzer calls; the first is in fuzz.c. */
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the program with a message, which is a finding, unless @condition. */
#define FUZZ_CHECK(condition, ...)                \
  G_STMT_START                                    \
  {                                               \
    if (!(condition))                             \
      fuzz_fail(__FILE__, __LINE__, __VA_ARGS__); \
  }                                               \
  G_STMT_END
void fuzz_fail(const char *file, int line, const char *format, ...)
    G_GNUC_PRINTF(3, 4) G_GNUC_NORETURN;

/* An error of ours is set if and only if a function has failed, and goes out on D-Bus. */
void fuzz_check_error(gboolean succeeded, const GError *error);

/* The input as a text; it ends at the first NUL. */
char *fuzz_text(const uint8_t *data, size_t size);

/* Cuts the first line off @text; returns the rest, "" if there is none. */
char *fuzz_cut_line(char *text);

/* The options in lines "NAME=VALUE" (RetuneOption); the caller frees them. */
GPtrArray *fuzz_options(const char *text);

/* @instance has settings in order, each once, and all that it has is read from its
 * texts again. */
void fuzz_check_instance(const RetuneInstance *instance, const RetuneKnobTable *table);

/* Both wish for the same. */
void fuzz_check_same_wishes(const RetuneInstance *a, const RetuneInstance *b);

/* Both are the same option with the same alternatives. */
void fuzz_check_same_setting(const RetuneSetting *a, const RetuneSetting *b);

G_END_DECLS
