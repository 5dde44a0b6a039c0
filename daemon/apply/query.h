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

/* CPUs on which the same can be said of an option. */
typedef struct {
  RetuneCpuset *cpus;
  const char *reason; /* NULL: it is supported; else "absent", "read-only" ... */
  char *text;         /* what is possible there, or why it is not; "" if the syntax says it */
} RetuneSupportGroup;

/* What this machine makes of an option. */
typedef struct {
  const RetuneKnob *option;
  GPtrArray *groups; /* RetuneSupportGroup */
} RetuneSupport;

/* Compares all wishes of @instance with what is there: RetuneFinding, by option
 * in the order of the table. */
GPtrArray *retune_query_verify(const RetuneKnobTable *table, RetuneMachine *machine,
                               const RetuneLedger *ledger, RetuneModel *model, const char *instance,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Puts equal findings together; takes @findings. */
GPtrArray *retune_findings_group(GPtrArray *findings);

/* Looks for 0.2 s whether the maximum frequency, and what keeps idle states out, has its
 * effect on the instance's CPUs that are online: RetuneFinding, applied or ineffective.
 * Reading a frequency may wake a CPU. */
GPtrArray *retune_query_effects(RetuneMachine *machine, RetuneModel *model, const char *instance,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Reads the present values of @options (RetuneKnob) at @cpus: RetuneFinding.
 * Idle states that are disabled are listed by name. What a CPU lacks is left
 * out; an offline CPU is left out. */
GPtrArray *retune_query_values(RetuneMachine *machine, const GPtrArray *options,
                               const RetuneCpuset *cpus, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* What will be put back when @instance goes: RetuneFinding, by option. */
GPtrArray *retune_query_baselines(const RetuneKnobTable *table, RetuneMachine *machine,
                                  const RetuneLedger *ledger, RetuneModel *model,
                                  const char *instance, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Every option, supported or not: RetuneSupport, in the order of the table. The
 * reasons why not are "absent" (no such file), "read-only", "locked" (by the hardware
 * or its firmware, as a refused write has shown), "needs-governor" and "offline". */
GPtrArray *retune_query_support(const RetuneKnobTable *table, RetuneMachine *machine,
                                const RetuneCpuset *present,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Reads the value of @option at @cpu; idle states become the list of those that are
 * disabled. Returns an errno value. */
int retune_query_read(RetuneMachine *machine, const RetuneKnob *option, guint cpu, char *text,
                      gsize size) G_GNUC_WARN_UNUSED_RESULT;

/* The CPUs of @devices that a place belongs to; all of them for the system. The
 * caller frees it. */
RetuneCpuset *retune_query_cpus(RetuneMachine *machine, const RetuneKnob *place, guint id,
                                const RetuneCpuset *devices);

G_END_DECLS
