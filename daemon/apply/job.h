// SPDX-License-Identifier: GPL-2.0-or-later
/* One transaction: from two models to writes and what became of them. The main
 * thread fills the inputs and commits the results; in between the job belongs
 * to the worker. */
#pragma once

#include "cpuset.h"
#include "ledger.h"
#include "machine.h"
#include "model.h"
#include "plan.h"

G_BEGIN_DECLS

/* A new entry for the ledger; NULL removes the old one. */
typedef struct {
  const RetuneKnob *place;
  guint id;
  RetuneEntry *entry;
} RetuneUpdate;

/* A remark for the ledger. */
typedef struct {
  const RetuneKnob *place;
  guint id;
  guint cpu; /* for messages: a CPU it concerns */
  RetuneRemark *remark;
  gboolean invalid;   /* the value was not fit for that CPU */
  gboolean elsewhere; /* the call is not about that CPU */
} RetuneNote;

/* One line of a preview or of what was found changed by others. */
typedef struct {
  char *instance; /* whose wish, or "" */
  char *option;
  char *unit; /* cpu7, policy3, system */
  char *file;
  char *from;
  char *to;
} RetuneLine;

/* What became of one change. */
typedef struct {
  gboolean done;      /* the value is in place */
  gboolean offline;   /* it is not: the CPU has just gone offline */
  int error;          /* errno of the refusal, or 0 */
  const char *before; /* what was there, if the plan could not know it */
  const char *wrote;  /* what was written, or found equal */
  const char *found;  /* what was read back */
} RetuneResult;

typedef struct _RetuneJob RetuneJob;
struct _RetuneJob {
  /* Inputs. */
  const RetuneKnobTable *table;
  RetuneMachine *machine;
  const RetuneLedger *ledger;
  RetuneModel *before;
  RetuneModel *after;
  RetuneCpuset *affected; /* CPUs whose values are planned; system options always are */
  GPtrArray *subjects;    /* names of instances whose wishes must come true */
  gboolean lenient;       /* nobody's must: shutdown, hotplug */
  gboolean recheck;       /* read what is there instead of trusting the ledger */
  gboolean force;         /* write equal values too */
  gboolean thorough;      /* all is looked at: try again also what is the system's */
  gboolean report;        /* others have written: see on_drift of instances */
  GHashTable *given_up;   /* names of instances that do not reassert any more; or NULL */
  gboolean preview;       /* plan, but write nothing */
  /* Called in the worker before the first write to a place of which no baseline
   * is known: they are to outlive us. On an error nothing is written. */
  gboolean (*record)(RetuneJob *job, gpointer data, GError **error);
  gpointer record_data;
  gboolean keeps;   /* the model's persistent instances are to be kept */
  gboolean unsaved; /* earlier baselines are not recorded either */

  /* Results. */
  RetuneCpuset *online;
  GArray *updates;          /* RetuneUpdate */
  GArray *notes;            /* RetuneNote */
  GPtrArray *preview_lines; /* RetuneLine, if preview */
  GPtrArray *drifts;        /* RetuneLine: option and unit, what was wanted, what was found */
  GPtrArray *unrestored;    /* texts: baselines that the kernel would not take back */
  guint n_writes;
  gboolean recorded;   /* record was called */
  RetuneCpuset *woken; /* CPUs that were switched on: their values are yet to be set */
  gboolean switched;   /* some were switched on or off */
  gboolean misplaced;  /* a guess where tunables are was wrong; another try is worth it */
  GError *error;
  char *culprit_instance; /* whose option is at fault, or NULL */
  const RetuneKnob *culprit_option;
  guint n_pauses;         /* made to wait for CPUs */
  RetuneCpuset *suspects; /* CPUs that may have failed because they came or went just then */

  /* Work space. */
  GStringChunk *strings;
  GPtrArray *wants;       /* RetuneWant, of want_blocks */
  GPtrArray *want_blocks; /* arrays of WANTS_PER_BLOCK of them: there are thousands */
  guint n_in_block;       /* how many of the last block are used */
  RetuneCpuset *held;     /* CPUs that instances hold offline */
  GPtrArray *untried;     /* GPtrArray of texts that wants have left to try */
  GPtrArray *agreed;      /* RetuneWant that lost to equal ones, each followed by the winner */
  GArray *goals;          /* RetuneGoal */
  GArray *changes;        /* RetuneChange */
};

/* Shares the models; borrows the rest until it is freed. */
RetuneJob *retune_job_new(const RetuneKnobTable *table, RetuneMachine *machine,
                          const RetuneLedger *ledger, RetuneModel *before, RetuneModel *after);
void retune_job_free(RetuneJob *job);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RetuneJob, retune_job_free)

/* Calls @visit, if not NULL, for each place that gets its baseline in this job;
 * returns how many there are. */
typedef void (*RetuneBaselineVisit)(const RetuneKnob *place, guint id, const char *text,
                                    gpointer data);
guint retune_job_foreach_new_baseline(const RetuneJob *job, RetuneBaselineVisit visit,
                                      gpointer data);

/* Does it all, in the worker. */
void retune_job_run(RetuneJob *job);

/* --- the steps, for the files of this folder --- */

/* Resolves the wishes of all instances for the affected CPUs into job->wants. */
void retune_job_collect(RetuneJob *job);
/* Arbitrates, reads what must be known, and fills job->goals. FALSE: job->error. */
gboolean retune_job_aim(RetuneJob *job) G_GNUC_WARN_UNUSED_RESULT;
/* Writes job->changes and fills job->updates. FALSE: undone, job->error. */
gboolean retune_job_write(RetuneJob *job) G_GNUC_WARN_UNUSED_RESULT;

/* "policy3: the kernel refused governor ..." The caller frees it. */
char *retune_job_describe_refusal(const RetuneChange *change, int error);
/* Does @error mean that the hardware does not have the value? */
gboolean retune_job_is_locked(const RetuneChange *change, int error);
/* Fills job->updates and job->notes from what became of the changes. */
void retune_job_update_ledger(RetuneJob *job, const RetuneResult *results);

/* Is the failure of the job, which has written nothing, one that CPUs coming and
 * going explain? Waits until those are through with it; then it is worth another
 * try. @n_tries is how many there were. */
gboolean retune_job_raced(RetuneJob *job, guint n_tries);
/* The same for one write that failed with @error. If the unit is offline now,
 * *@ret_offline is set, and another try is not worth it. */
gboolean retune_job_write_raced(RetuneJob *job, const RetuneChange *change, int error,
                                guint n_tries, gboolean *ret_offline);

/* @want cannot be together with another wish. That is an error of the call, if the
 * call is about its instance; else the wish is left out. */
void retune_job_contradict(RetuneJob *job, RetuneWant *want, const char *message);
/* The one of @winners for place @id, or NULL. */
RetuneWant *retune_job_find_winner(const GPtrArray *winners, const RetuneKnob *place, guint id);
/* Do @want, if it is a limit, and the other limit of its pair leave room between
 * them? If not, one of them contradicts. */
void retune_job_check_pair(RetuneJob *job, const GPtrArray *winners, RetuneWant *want);
/* @goal puts back a limit that the kernel would refuse beside the other one of its pair,
 * which somebody wishes for: puts it as near as can be, and keeps the baseline. */
void retune_job_bend_release(RetuneJob *job, const GPtrArray *winners, RetuneGoal *goal);
/* Is there a goal for place @id among the first @n_goals, which are sorted? */
gboolean retune_job_has_goal(const RetuneJob *job, guint n_goals, const RetuneKnob *place,
                             guint id);
/* Does @leader pin its follower at policy @id? Only drivers with no governors but
 * their own do. */
gboolean retune_job_pins(RetuneJob *job, const RetuneKnob *leader, guint id);
/* Nobody wishes for place @id any more: may its governor come back later, so that
 * its baseline must be kept? The goals have the governors already. */
gboolean retune_job_must_hold(RetuneJob *job, const RetuneKnob *place, guint id);
/* Adds goals for the tunables of governors that other ones replace: the kernel
 * forgets them, and they belong to the baseline. */
void retune_job_add_holds(RetuneJob *job);
/* Was @change, which the kernel refused with @error, aimed at the wrong place? Then
 * it is known now, and another try is worth it. */
gboolean retune_job_is_misplaced(RetuneJob *job, const RetuneChange *change, int error);
/* Would a CPU be left online? FALSE: job->error. */
gboolean retune_job_check_switches(RetuneJob *job) G_GNUC_WARN_UNUSED_RESULT;
/* Remembers in job->drifts that @goal's value is not as we left it, if so; @holder is
 * whose it is. */
void retune_job_note_drift(RetuneJob *job, const RetuneGoal *goal, const char *holder);
/* Has somebody else changed @goal's value, and is that to be told, not fought? */
gboolean retune_job_leaves(RetuneJob *job, const RetuneGoal *goal);
/* Remembers that @change has been made, if it is of a CPU's switch. */
void retune_job_note_switch(RetuneJob *job, const RetuneChange *change);

/* Adds to @extra (RetuneWant) the wishes that follow from @winners: for what the
 * kernel changes along with them. Wishes that contradict each other are bent or
 * make job->error. */
void retune_job_add_consequences(RetuneJob *job, const GPtrArray *winners, GPtrArray *extra);
/* Does place @id read @value, and not @wanted, only because the kernel holds it down: to
 * the upper limit of its pair, or to what the hardware can do now? */
gboolean retune_job_is_bent(RetuneJob *job, const RetuneKnob *place, guint id, const char *wanted,
                            const char *value);

/* A new want, all zero, in job->wants. */
RetuneWant *retune_job_new_want(RetuneJob *job);

void retune_job_note(RetuneJob *job, const RetuneKnob *place, guint id, guint cpu,
                     RetuneRemark *remark, gboolean invalid);
/* Notes @outcome of @want, and of those that wish the same and lost to it. */
void retune_job_note_want(RetuneJob *job, const RetuneWant *want, RetuneOutcome outcome,
                          int errno_value, const char *detail);
/* What should be known of @text, which is in force for @want; NULL: nothing. */
char *retune_job_advise(const RetuneJob *job, const RetuneWant *want, const char *text,
                        const char *baseline);
/* Is the call about the instance @name? Nothing is, if the job is lenient. */
gboolean retune_job_is_subject(const RetuneJob *job, const char *name);
/* Must what @instance wishes come true, or the call fail? */
gboolean retune_job_is_strict(const RetuneJob *job, const RetuneInstance *instance);
/* A line about place @id. */
RetuneLine *retune_line_new(const char *instance, const RetuneKnob *option, const RetuneKnob *place,
                            guint id, const char *from, const char *to);
void retune_line_free(RetuneLine *line);
/* The unit of place @id has an online CPU, which is stored in @ret_cpu. */
gboolean retune_job_unit_online(const RetuneJob *job, const RetuneKnob *place, guint id,
                                guint *ret_cpu);

G_END_DECLS
