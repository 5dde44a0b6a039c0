// SPDX-License-Identifier: GPL-2.0-or-later
/* Tells when another process has written a file that is ours. inotify sees what user
 * space writes below /sys, with one watch for each directory; what the kernel changes by
 * itself sends nothing. Our own writes are told apart by counting them. For the main
 * thread. */
#pragma once

#include "knob.h"

G_BEGIN_DECLS

typedef struct _RetuneWatch RetuneWatch;

/* A place, and how often something was done to it. */
typedef struct {
  const RetuneKnob *place;
  guint id;
  guint count;
} RetunePlaceCount;

/* Calls @func for each place that somebody else has written; @place NULL: some were
 * missed, so any may have been. NULL, with a message in the log, if the kernel gives no
 * inotify. */
typedef void (*RetuneWatchFunc)(const RetuneKnob *place, guint id, gpointer data);
RetuneWatch *retune_watch_new(RetuneWatchFunc func, gpointer data);
void retune_watch_free(RetuneWatch *watch);

/* Is place @id ours to watch? Places that are no plain files never are. */
void retune_watch_set(RetuneWatch *watch, const RetuneKnob *place, guint id, gboolean ours);

/* The directory of place @id may be another one of the same name now: then that is
 * watched in its stead. */
void retune_watch_renew(RetuneWatch *watch, const RetuneKnob *place, guint id);

/* While we write ourselves, nothing is looked at. */
void retune_watch_pause(RetuneWatch *watch);
/* Looks at what has come meanwhile; @own (RetunePlaceCount) is what we have written. */
void retune_watch_resume(RetuneWatch *watch, const GArray *own);

G_END_DECLS
