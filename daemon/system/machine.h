// SPDX-License-Identifier: GPL-2.0-or-later
/* The machine's facts, read when first asked for and then kept: policies, their
 * governors and limits, idle states. Also owns the latency request. Only the
 * worker uses it after start. */
#pragma once

#include "cpuset.h"
#include "knob.h"
#include "sysfs.h"
#include "watch.h"

G_BEGIN_DECLS

/* A cpufreq policy. */
typedef struct {
  guint number;                 /* N of policyN */
  RetuneCpuset *cpus;           /* related_cpus: its members, offline ones too */
  const char *const *governors; /* offered, or NULL; equal lists are shared */
  gboolean has_limits;
  gulong min_khz; /* of the hardware */
  gulong max_khz;
  GArray *frequencies; /* gulong, kHz: see retune_machine_frequencies */
} RetunePolicy;

/* The idle states of one CPU, shallow first. */
typedef struct {
  guint n_states;
  char **names;
  gulong *latency_us; /* exit latency */
} RetuneIdleTable;

RetuneMachine *retune_machine_new(GError **error) G_GNUC_WARN_UNUSED_RESULT;
void retune_machine_free(RetuneMachine *machine);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RetuneMachine, retune_machine_free)

RetuneSysfs *retune_machine_sysfs(RetuneMachine *machine);

/* Reads present or online CPUs anew. Errors: FAILED. */
RetuneCpuset *retune_machine_read_present(RetuneMachine *machine,
                                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
RetuneCpuset *retune_machine_read_online(RetuneMachine *machine,
                                         GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The policy of @cpu, or NULL if it has none. Its limits and governors are
 * those of @cpu. Owned by the machine. */
const RetunePolicy *retune_machine_policy(RetuneMachine *machine, guint cpu);
/* Reads the policy's governors and limits if they are not known yet. */
const RetunePolicy *retune_machine_policy_facts(RetuneMachine *machine, guint cpu);
/* The governors that the policy of @cpu offers now, or NULL. Owned by the machine. */
const char *const *retune_machine_governors(RetuneMachine *machine, guint cpu);
/* The frequencies (gulong, kHz, ascending) that the policy of @cpu can be limited
 * to; empty if it takes any. Owned by the machine. */
const GArray *retune_machine_frequencies(RetuneMachine *machine, guint cpu);
/* The idle states of @cpu (n_states 0: none). Owned by the machine. */
const RetuneIdleTable *retune_machine_idle_table(RetuneMachine *machine, guint cpu);
/* Where the kernel keeps @place, which needs a governor, for policy @policy under
 * @governor: there, or at its twin for the whole system. FALSE: that governor has no
 * such thing. A guess, while no governor with tunables has run yet. */
gboolean retune_machine_locate(RetuneMachine *machine, const RetuneKnob *place, guint policy,
                               const char *governor, const RetuneKnob **ret_place, guint *ret_id);
/* Are tunables of policies? Looks whether @governor, which runs at @policy now, has its
 * there: then the guess was wrong. */
gboolean retune_machine_relocate(RetuneMachine *machine, guint policy, const char *governor);
/* Does any policy run @governor? Reads one file after the other until it is found. */
gboolean retune_machine_runs_governor(RetuneMachine *machine, const char *governor);
/* A number that is another one when the cpufreq driver has made its policies
 * anew, for another mode of its; 0 while there are none. */
guint64 retune_machine_driver_generation(RetuneMachine *machine);
/* Forgets what it knows of @cpus, which came or went. */
void retune_machine_forget(RetuneMachine *machine, const RetuneCpuset *cpus);
/* Forgets what may be otherwise with another cpufreq driver, or mode of it. */
void retune_machine_forget_driver(RetuneMachine *machine);
/* Forgets which CPUs have no policy: a driver may come as a module. */
void retune_machine_forget_absent(RetuneMachine *machine);
/* Forgets the hardware's frequency limits, which end with turbo. */
void retune_machine_forget_limits(RetuneMachine *machine);
/* Forgets the governors, which a module may have added to. */
void retune_machine_forget_governors(RetuneMachine *machine);

/* Has the file of @place a write bit, for the policy of @cpu or itself? */
gboolean retune_machine_is_writable(RetuneMachine *machine, const RetuneKnob *place, guint cpu);
/* Remembers whether the kernel refused a value of @place because the hardware or its
 * firmware does not have it. */
void retune_machine_set_locked(RetuneMachine *machine, const RetuneKnob *place, gboolean locked);
gboolean retune_machine_is_locked(RetuneMachine *machine, const RetuneKnob *place);
/* Remembers that the kernel does not take @text at @place, until the driver changes. */
void retune_machine_set_refused(RetuneMachine *machine, const RetuneKnob *place, const char *text);
gboolean retune_machine_is_refused(RetuneMachine *machine, const RetuneKnob *place,
                                   const char *text);
/* What was opened for writing since the last call: RetunePlaceCount, without order; one
 * entry for each time. The caller frees it. */
GArray *retune_machine_take_written(RetuneMachine *machine);
/* Value of place @id. Both return 0 or an errno value; @write reads back into
 * @found. */
int retune_machine_read(RetuneMachine *machine, const RetuneKnob *place, guint id, char *text,
                        gsize size) G_GNUC_WARN_UNUSED_RESULT;
int retune_machine_write(RetuneMachine *machine, const RetuneKnob *place, guint id,
                         const char *text, char *found, gsize size) G_GNUC_WARN_UNUSED_RESULT;

/* The request at /dev/cpu_dma_latency, as place operations: a value in us, or
 * "none" while there is no request. */
int retune_machine_read_latency(RetuneMachine *machine, char *text, gsize size);
int retune_machine_write_latency(RetuneMachine *machine, const char *text, char *found, gsize size);

G_END_DECLS
