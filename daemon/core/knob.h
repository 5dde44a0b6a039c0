// SPDX-License-Identifier: GPL-2.0-or-later
/* The type of a row of the knob table. A row is one kind of kernel file (a
 * "place") and, if it has a name, the option by which users set it. The rows
 * themselves are in knobs/table.c; core only knows their shape. */
#pragma once

#include <glib.h>

#include "cpuset.h"

G_BEGIN_DECLS

/* What one written value covers. */
typedef enum { RETUNE_SCOPE_CPU, RETUNE_SCOPE_POLICY, RETUNE_SCOPE_SYSTEM } RetuneScope;

/* How several wishes for one place combine. */
typedef enum { RETUNE_COMBINE_PRIORITY, RETUNE_COMBINE_MINIMUM } RetuneCombine;

/* Idle states per CPU that the kernel can have (CPUIDLE_STATE_MAX). A place of
 * idle states is numbered cpu * RETUNE_IDLE_STATES + state. */
#define RETUNE_IDLE_STATES 10u

/* The machine's facts; defined in system, passed through core unread. */
typedef struct _RetuneMachine RetuneMachine;

typedef struct _RetuneKnob RetuneKnob;

/* Receives one file's value that an option resolves to. @text is copied. */
typedef void (*RetuneEmit)(gpointer sink, const RetuneKnob *place, guint id, const char *text);

/* Whose value is resolved: @id is the CPU, the policy or 0; @cpu is an online
 * CPU in it, whose tables and limits count. */
typedef struct {
  RetuneMachine *machine;
  guint id;
  guint cpu;
  const RetuneCpuset *cpus; /* for the system: all CPUs it is wished for; else NULL */
  const char *governor;     /* which will run there, for places that need one; else NULL */
  RetuneEmit emit;
  gpointer sink;
} RetuneResolve;

/* How values of one type are read. What is not needed may be NULL. */
typedef struct {
  /* For types whose words are numbers: the number of @word. No I/O.
   * Errors: INVALID_VALUE, saying what would be accepted. */
  gboolean (*parse)(const RetuneKnob *knob, const char *word, gint64 *ret_value, GError **error);
  /* Is @word, one alternative, well-formed on any machine? No I/O.
   * Errors: INVALID_VALUE, saying what would be accepted. */
  gboolean (*check)(const RetuneKnob *knob, const char *word, GError **error);
  /* A word means the same everywhere: resolve it once, not for each unit. */
  gboolean uniform;
  /* Emits what @word means for one CPU, policy or the system, in the text the
   * kernel reads back.
   * Errors: NOT_SUPPORTED if this CPU lacks it, INVALID_VALUE if out of range. */
  gboolean (*resolve)(const RetuneKnob *knob, const char *word, const RetuneResolve *where,
                      GError **error);
  /* The size of a value as the kernel prints it; a bound on latency that binds
   * more is smaller. Options without it take no '<' and '>'. */
  gint64 (*magnitude)(const char *text);
  /* Does what was read mean what was wanted? NULL: equal texts. */
  gboolean (*same)(const char *wanted, const char *actual);
  /* May the kernel refuse @word though it is well-formed and in range? Then the
   * further alternatives are tried. */
  gboolean (*unsure)(const char *word);
  /* What is possible at @cpu, for people: a range or words. NULL: the syntax says
   * it all. */
  char *(*describe)(const RetuneKnob *knob, RetuneMachine *machine, guint cpu);
  /* What should be known of @text, which is in force at @where, and of the
   * @baseline (or NULL) that will come back; NULL: nothing. */
  char *(*advise)(const RetuneKnob *knob, const RetuneResolve *where, const char *text,
                  const char *baseline);
} RetuneKnobType;

/* What the kernel does with a lower limit that is above its upper one. */
typedef enum {
  RETUNE_PAIR_BENDS,         /* takes it, and holds it down as long as it must */
  RETUNE_PAIR_REFUSES,       /* refuses it, or cuts it for good */
  RETUNE_PAIR_REFUSES_EQUAL, /* refuses also what is equal */
} RetunePair;

/* How a place is read and written when it is not a plain file. Both return 0
 * or an errno value. */
typedef struct {
  int (*read)(RetuneMachine *machine, char *text, gsize size);
  /* Writes, then reads back into @found. */
  int (*write)(RetuneMachine *machine, const char *text, char *found, gsize size);
} RetunePlaceOps;

struct _RetuneKnob {
  const char *name;    /* the option; NULL for a place no option names */
  const char *summary; /* one line for people */
  const char *syntax;  /* the values it takes, for people */
  gint64 minimum;      /* range of whole numbers, for types that have one */
  gint64 maximum;
  RetuneScope scope;
  RetuneCombine combine;
  const char *file; /* below /sys/devices/system/cpu, or absolute; "%u" is the CPU or
                       policy, a second "%u" the idle state, "%s" the governor */
  const RetuneKnobType *type;
  const RetunePlaceOps *ops; /* NULL: a plain file */

  /* Its relations to other rows. */
  const RetuneKnob *place;      /* the row whose files it writes; NULL: its own */
  const RetuneKnob *twin;       /* the same value where the kernel has but one of it */
  const RetuneKnob *rival;      /* an option that one instance may not have as well */
  const RetuneKnob *opposite;   /* an option that one instance may only have with the other value */
  const RetuneKnob *upper;      /* this is the lower limit of a pair, that the upper */
  RetunePair pair;              /* what becomes of a contradiction between them */
  const char *ceiling;          /* a file of the same unit: the kernel holds the value down to it */
  const char *floor;            /* and one that it is held up to */
  const RetuneKnob *gate;       /* a place that must be on for this one to be switched on */
  const RetuneKnob *follower;   /* a place the kernel may change when this one is written */
  const char *pins;             /* while this is the value, the kernel holds the follower; NULL:
                                   it bends the follower for as long as it must */
  const char *pinned;           /* and holds it at this value */
  const RetuneKnob *leader;     /* the governor's row, if the place only exists while one of */
  const char *const *governors; /* these runs; NULL-terminated */
  const char *blank;            /* what it reads while it does not exist; NULL: ENOENT */
  const char *useful_under;     /* it has an effect only under this governor; NULL: any */

  guint phase;             /* order of writing, small first */
  guint phase_down;        /* the same when the value gets smaller, if not 0 */
  gboolean loadable;       /* values not offered may work: the kernel loads a module */
  gboolean by_driver;      /* the cpufreq driver keeps it, and forgets it with its mode */
  gboolean settles;        /* the kernel applies it later: read back again */
  gboolean sticky;         /* writing it has a lasting cost: never write an equal value */
  gboolean switches_cpu;   /* it switches its CPU on and off, and is there while that is off */
  gboolean moves_limits;   /* writing it may change the hardware's frequency limits */
  gboolean lost_offline;   /* some drivers forget it when all CPUs of the policy are offline */
  int locked_errno;        /* how the kernel refuses a value that the hardware cannot have */
  const char *locked;      /* and what that means */
  const char *hint_absent; /* what to say when the file does not exist */
};

/* The knob table, as core sees it. One array: the order of rows is the order of
 * their addresses, and a row whose file has a follower comes before it. */
typedef struct {
  const RetuneKnob *rows;
  guint n_rows;
} RetuneKnobTable;

static inline const RetuneKnob *retune_knob_place(const RetuneKnob *knob)
{
  return knob->place != NULL ? knob->place : knob;
}

/* The option called @name, or NULL. */
const RetuneKnob *retune_knob_find(const RetuneKnobTable *table, const char *name);

/* The option that leads to @place: itself, or, if it has no name, the one whose twin or
 * gate it is. */
const RetuneKnob *retune_knob_option(const RetuneKnobTable *table, const RetuneKnob *place);

/* Sets UNKNOWN_OPTION, with the likeliest of the options and of @others. */
void retune_knob_unknown(const RetuneKnobTable *table, const char *name, const char *const *others,
                         GError **error);

/* Does @actual, read from @knob's file, mean @wanted? */
gboolean retune_knob_same(const RetuneKnob *knob, const char *wanted, const char *actual);

/* "cpu", "policy" or "system". */
const char *retune_scope_name(RetuneScope scope);

/* Writes the path of place @id into @path, as knob->file has it. */
void retune_knob_path(const RetuneKnob *place, guint id, char *path, gsize size);

/* "cpu7", "policy3" or "system": the unit that place @id belongs to. */
void retune_knob_unit(const RetuneKnob *place, guint id, char *unit, gsize size);

/* The CPU that place @id of a CPU-scope place belongs to. */
guint retune_knob_cpu(const RetuneKnob *place, guint id);

/* The id of @other for the unit, and the governor, of place @id. FALSE: @other has none
 * for that governor. */
gboolean retune_knob_same_unit(const RetuneKnob *place, guint id, const RetuneKnob *other,
                               guint *ret_id);

/* How many ids a CPU, policy or the system has at @place: 1, RETUNE_IDLE_STATES, or
 * one for each governor. */
guint retune_knob_stride(const RetuneKnob *place);

G_END_DECLS
