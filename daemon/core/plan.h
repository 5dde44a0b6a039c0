// SPDX-License-Identifier: GPL-2.0-or-later
/* From wishes to an ordered list of writes, without any I/O: the arbiter picks
 * one wish per place, the plan compares it with what is there. */
#pragma once

#include "instance.h"
#include "ledger.h"

G_BEGIN_DECLS

typedef enum {
  RETUNE_WANT_VALUE,    /* this text */
  RETUNE_WANT_BASELINE, /* what was there before us */
  RETUNE_WANT_HOLD,     /* whatever the kernel does; keep the baseline for later */
} RetuneWantKind;

/* One instance's wish for one place, resolved. */
typedef struct {
  const RetuneKnob *place;
  guint id;
  guint unit;               /* the CPU or policy it is wished for, or 0 */
  const RetuneKnob *option; /* the option by which it is wished */
  const RetuneInstance *instance;
  RetuneWantKind kind;
  gboolean pending;         /* its CPU or policy is offline; text is NULL */
  const char *text;         /* as the kernel would read it back */
  const GPtrArray *untried; /* further texts to try if the kernel refuses, or NULL */
} RetuneWant;

/* What shall be at one place. */
typedef struct {
  const RetuneKnob *place;
  guint id;
  const RetuneWant *want;   /* NULL: nobody's wish, put the baseline back */
  const RetuneEntry *entry; /* NULL: never written by us */
  const char *seen;         /* what was read for this plan, or NULL */
  gboolean force;           /* write even what is equal */
  gboolean insist;          /* try again even what was refused */
  gboolean offline;         /* cannot be written now */
  gboolean left;            /* is left as somebody else has made it */
  gboolean unpinned;        /* no governor holds it at a value there */
  const char *bent;         /* without a wish: as near to the baseline as can be now; or NULL */
  gboolean hold;            /* without a wish: the baseline is to be kept for later */
} RetuneGoal;

/* One write. */
typedef struct {
  const RetuneKnob *place;
  guint id;
  const RetuneWant *want; /* NULL: a baseline is put back */
  const char *baseline;
  const char *from;
  const char *to;
  gboolean check_first; /* the kernel may have set it already: read, write if it differs */
  gboolean passive;     /* nothing to write now; but back to @from when all is undone */
  guint phase;
  guint goal; /* the position of its goal */
} RetuneChange;

/* Sorts @wants by place, id and strength. Returns the winner of each place
 * (RetuneWant, owned by @wants), and calls @shadowed for each loser. */
typedef void (*RetuneShadowed)(const RetuneWant *loser, const RetuneWant *winner, gpointer data);
GPtrArray *retune_plan_arbitrate(GPtrArray *wants, RetuneShadowed shadowed, gpointer data);

/* The text @want means, given the @baseline of its place. It belongs to @want or
 * is @baseline. */
const char *retune_plan_text(const RetuneWant *want, const char *baseline);

/* The writes that lead to @goals (RetuneGoal, sorted by place and id), in the
 * order in which to do them. An array of RetuneChange; its texts belong to the
 * goals. */
GArray *retune_plan_make(const GArray *goals);

/* The writes that undo the first @n_done of @changes, in order. */
GArray *retune_plan_invert(const GArray *changes, guint n_done);

G_END_DECLS
