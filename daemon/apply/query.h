// SPDX-License-Identifier: GPL-2.0-or-later
/* Questions that need the machine: what an instance's values really are, what
 * CPUs have, what this machine supports. They run in the worker, write nothing
 * and change nothing but the cache of facts. */
#pragma once

#include "ledger.h"
#include "machine.h"
#include "model.h"

G_BEGIN_DECLS

/* CPUs of which the same is true. */
typedef struct {
  RetuneCpuset *cpus;
  const RetuneKnob *option;
  char *wanted;          /* for verify; else "" */
  char *actual;          /* what reads back; "" if it cannot be read */
  RetuneOutcome outcome; /* for verify */
  char *detail;          /* for people, or "" */
} RetuneFinding;

/* An empty list of RetuneFinding that owns them. */
GPtrArray *retune_findings_new(void);

/* What this machine makes of an option. */
typedef struct {
  const RetuneKnob *option;
  RetuneCpuset *supported;
  char *why_not; /* "" if all CPUs support it */
} RetuneSupport;

/* Compares all wishes of @instance with what is there: RetuneFinding, by option
 * in the order of the table. */
GPtrArray *retune_query_verify(const RetuneKnobTable *table, RetuneMachine *machine,
                               const RetuneLedger *ledger, RetuneModel *model, const char *instance,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Reads the present values of @options (RetuneKnob) at @cpus: RetuneFinding.
 * Idle states that are disabled are listed by name. What a CPU lacks is left
 * out; an offline CPU is left out. */
GPtrArray *retune_query_values(RetuneMachine *machine, const GPtrArray *options,
                               const RetuneCpuset *cpus, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Every option, supported or not: RetuneSupport, in the order of the table. */
GPtrArray *retune_query_support(const RetuneKnobTable *table, RetuneMachine *machine,
                                const RetuneCpuset *present,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The CPUs of @devices that a place belongs to; all of them for the system. The
 * caller frees it. */
RetuneCpuset *retune_query_cpus(RetuneMachine *machine, const RetuneKnob *place, guint id,
                                const RetuneCpuset *devices);

G_END_DECLS
