// SPDX-License-Identifier: GPL-2.0-or-later
/* A change that a caller asks for, as data. Made by service, read by wish. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum {
  RETUNE_VERB_CREATE,
  RETUNE_VERB_MOVE,
  RETUNE_VERB_RELEASE,
  RETUNE_VERB_DESTROY,
  RETUNE_VERB_SET,
  RETUNE_VERB_REAPPLY,
  RETUNE_VERB_LOAD, /* create all of @specs */
  RETUNE_N_VERBS
} RetuneVerb;

/* What a caller wants changed. */
typedef struct {
  RetuneVerb verb;
  char *plugin;
  char *sender; /* who calls, as a bound instance's owner; NULL: nobody */
  char *name;   /* the instance; for release NULL or the only one to release from */
  char *devices;
  GPtrArray *options; /* RetuneOption */
  GPtrArray *specs;   /* RetuneSpec, for load */
  gboolean force;
  gboolean preview; /* write nothing */
  gboolean lenient; /* nothing must work: nobody waits for the answer */
} RetuneRequest;

RetuneRequest *retune_request_new(RetuneVerb verb);
void retune_request_free(RetuneRequest *request);

G_END_DECLS
