// SPDX-License-Identifier: GPL-2.0-or-later
/* What the unit tests share: expectations that do not end the program, so that
 * one run shows all that is wrong, and short ways to make test data. */
#pragma once

#include "cpuset.h"
#include "error.h"
#include "instance.h"
#include "knob.h"
#include "model.h"

G_BEGIN_DECLS

/* As g_test_init(), but with a fixed seed unless --seed is given, so that a failure
 * can be seen again, and without an end at the first failure. */
void util_init(int argc, char **argv);

/* Fails the test, and goes on. */
void util_fail(const char *file, int line, const char *format, ...) G_GNUC_PRINTF(3, 4);

/* Fails the test with a message unless @condition. */
#define EXPECT(condition, ...)                    \
  G_STMT_START                                    \
  {                                               \
    if (!(condition))                             \
      util_fail(__FILE__, __LINE__, __VA_ARGS__); \
  }                                               \
  G_STMT_END

/* Fails the test unless @actual is @expected; frees @actual. */
#define EXPECT_TEXT(actual, expected) util_expect_text(__FILE__, __LINE__, (actual), (expected))
void util_expect_text(const char *file, int line, char *actual, const char *expected);

/* Fails the test unless @set prints as @cpulist. */
#define EXPECT_SET(set, cpulist) EXPECT_TEXT(retune_cpuset_to_string(set), (cpulist))

/* Fails the test unless *@error is @code of ours, with @part in a message of valid
 * UTF-8; then clears it. */
#define EXPECT_REFUSED(error, code, part) \
  util_expect_refused(__FILE__, __LINE__, (error), (gint)(code), (part))
void util_expect_refused(const char *file, int line, GError **error, gint code, const char *part);

/* 62 bytes of 'a', then 40 letters of two bytes each: a message that cuts it at 64
 * bytes or any other even number behind a prefix of odd length breaks a letter. */
extern const char util_long_utf8[];
/* The same from 63 bytes on, for cuts at 64. */
extern const char util_long_utf8_odd[];

/* The set of a valid cpulist. */
RetuneCpuset *util_set(const char *cpulist);

/* The row of the real table with that option. */
const RetuneKnob *util_knob(const char *option);

/* Options from pairs of name and value, ended by NULL. */
GPtrArray *util_options(const char *name, ...) G_GNUC_NULL_TERMINATED;

/* A valid instance with options from pairs as above. */
RetuneInstance *util_instance(const char *name, const char *claim, ...) G_GNUC_NULL_TERMINATED;

/* "net=28,30 rest=0-27": the owners, oldest first. */
char *util_describe_model(const RetuneModel *model);
/* "0-3:a>b 4:a>": the moves; frees them. */
char *util_describe_moves(GPtrArray *moves);

G_END_DECLS
