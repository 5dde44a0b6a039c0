// SPDX-License-Identifier: GPL-2.0-or-later
/* A list of goals for the tests of plans, and how to see what comes of it. */
#pragma once

#include "plan.h"

G_BEGIN_DECLS

/* Room for goals, so that pointers to them stay valid. */
#define PLAN_MAX_GOALS 64u

typedef struct {
  RetuneInstance *instance; /* whose wishes they are */
  GArray *goals;            /* RetuneGoal */
  GPtrArray *wants;         /* RetuneWant, owned */
  GPtrArray *entries;       /* RetuneEntry, owned */
} Plan;

typedef struct {
  const char *path;
  void (*test)(Plan *plan, gconstpointer unused);
} PlanTest;

void plan_add_tests(const PlanTest *tests, guint n_tests);

/* The row of that option, or of "gate". */
const RetuneKnob *plan_place(const char *name);
/* Adds a goal that wishes for @text, or for nothing. Goals come by place and id. */
RetuneGoal *plan_wish(Plan *plan, const char *option, guint id, const char *text);
RetuneGoal *plan_release(Plan *plan, const char *option, guint id);
/* Gives the goal an entry in the ledger. */
void plan_entry(Plan *plan, RetuneGoal *goal, const char *baseline, const char *wrote,
                const char *found);
/* The goal's wish, for changing it. */
RetuneWant *plan_want(RetuneGoal *goal);

/* "governor0 powersave>performance, boost1 0>1?": the changes in order; "?" reads
 * before it writes, "~" writes nothing. */
char *plan_describe(const GArray *changes);
/* The same of the plan for the goals; and of what undoes its first @n_done. */
char *plan_make(Plan *plan);
char *plan_undo(Plan *plan, guint n_done);

#define EXPECT_PLAN(plan, text) EXPECT_TEXT(plan_make(plan), (text))

G_END_DECLS
