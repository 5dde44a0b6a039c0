// SPDX-License-Identifier: GPL-2.0-or-later
/* Selectors in device expressions: words for the CPUs of which something is true.
 * They are replaced by lists before anything else reads the expression. */
#pragma once

#include "machine.h"

G_BEGIN_DECLS

/* How many of them one call may have: each may look at every CPU. */
#define RETUNE_MAX_SELECTORS 64u

/* What selectors cannot find out by themselves, and what is known from one expression of
 * a call to the next. */
typedef struct {
  const RetuneCpuset *present;
  const RetuneCpuset *free; /* that no instance owns */
  guint n_selectors;        /* so far; 0 at first */
  GArray *packages;         /* gint by CPU, -1: not known; NULL at first, the caller frees it */
} RetuneSelectorSets;

/* @expression with the lists that its selectors stand for now: node:N and package:N
 * (N a number or range), siblings:N (the threads of the cores of CPUs N), type:core,
 * type:atom, online, isolated, free. An offline CPU has no topology, and is in none
 * of the first four. The caller frees it.
 * Errors: UNKNOWN_DEVICE if a selector stands for no CPU, INVALID_VALUE,
 * LIMITS_EXCEEDED. */
char *retune_selectors_expand(RetuneMachine *machine, RetuneSelectorSets *sets,
                              const char *expression, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
