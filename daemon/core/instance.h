// SPDX-License-Identifier: GPL-2.0-or-later
/* An instance: a named set of CPUs with options. Immutable once it is in a
 * model, and shared between models by reference. */
#pragma once

#include "cpuset.h"
#include "setting.h"

G_BEGIN_DECLS

#define RETUNE_PLUGIN_CPU "cpu"

/* When an instance ends, if nobody destroys it before. */
typedef enum {
  RETUNE_LIFETIME_RUNTIME,    /* with the boot */
  RETUNE_LIFETIME_PERSISTENT, /* never: it is there again after the next boot */
  RETUNE_LIFETIME_BOUND,      /* with the connection of its creator */
  RETUNE_N_LIFETIMES
} RetuneLifetime;

const char *retune_lifetime_name(RetuneLifetime lifetime);

/* What is done when somebody else writes a value of an instance. */
typedef enum {
  RETUNE_DRIFT_REPORT,   /* it is told */
  RETUNE_DRIFT_REASSERT, /* it is told and written again, but not for ever */
  RETUNE_DRIFT_YIELD,    /* it is told, and left to the other one for good */
  RETUNE_N_DRIFTS
} RetuneDrift;

const char *retune_drift_name(RetuneDrift drift);

typedef struct {
  gatomicrefcount refs;
  char *name;
  char *claim;           /* the device expression it was created with */
  char *owner;           /* of a bound one: whose connection it is bound to; else NULL */
  char *origin;          /* the file that wants it at each start, or NULL */
  RetuneCpuset *devices; /* the CPUs it owns */
  GPtrArray *settings;   /* RetuneSetting, in the order of the knob table */
  guint64 age;           /* smaller is older */
  RetuneLifetime lifetime;
  RetuneDrift on_drift;
  gint priority;        /* smaller is stronger; default 0 */
  gboolean best_effort; /* keep what worked when something is refused */
  gboolean exclusive;   /* an overlap or a shared place is an error */
} RetuneInstance;

/* A new instance without devices. Errors: as retune_names_check_instance(). */
RetuneInstance *retune_instance_new(const char *name, const char *claim,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* A copy of its own, for changing before it goes into another model. */
RetuneInstance *retune_instance_copy(const RetuneInstance *instance);
RetuneInstance *retune_instance_ref(RetuneInstance *instance);
void retune_instance_unref(RetuneInstance *instance);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RetuneInstance, retune_instance_unref)

/* Changes options and attributes (priority, best_effort, exclusive, lifetime);
 * the value "" unsets. Validates all of @options (RetuneOption).
 * Errors: UNKNOWN_OPTION, INVALID_VALUE, CONFLICT, LIMITS_EXCEEDED; with the
 * option at fault in @ret_culprit, if not NULL. */
gboolean retune_instance_apply(RetuneInstance *instance, const RetuneKnobTable *table,
                               const GPtrArray *options, const RetuneOption **ret_culprit,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* What the instance wishes of @knob, or NULL. */
const RetuneSetting *retune_instance_setting(const RetuneInstance *instance,
                                             const RetuneKnob *knob);

/* Is @name an attribute of instances rather than an option of the table? */
gboolean retune_instance_has_attribute(const char *name);

/* <0 if @a's wishes come before @b's: by priority, then age. */
gint retune_instance_compare(const RetuneInstance *a, const RetuneInstance *b);

G_END_DECLS
