// SPDX-License-Identifier: GPL-2.0-or-later
/* One D-Bus call under way: made by a handler, answered when the manager is
 * done with it. */
#pragma once

#include "service-private.h"

typedef struct _RetuneCall RetuneCall;
struct _RetuneCall {
  RetuneService *service;
  GDBusMethodInvocation *invocation;
  /* For a change: how to make the reply from its result. */
  GVariant *(*result)(RetuneCall *call, const RetuneReply *reply);
  GPtrArray *ignored; /* of a profile: names of sections */
  /* For a question: its arguments and its answer. */
  char *name;
  GPtrArray *options; /* RetuneKnob */
  RetuneCpuset *devices;
  GPtrArray *findings;
  GVariant *(*answer)(RetuneCall *call);
  GError *error;
};

/* How many calls of one client may be under way; further ones are refused with
 * LimitsExceeded, so that no client can keep the others waiting for long. */
#define RETUNE_MAX_CALLS 64u

/* Counts as a call under way of its sender. NULL: it has too many, and has been
 * told so. */
RetuneCall *retune_call_new(RetuneService *service, GDBusMethodInvocation *invocation);
/* Is it the only call of its sender under way? */
gboolean retune_call_is_alone(const RetuneCall *call);
/* Answers with @result, a tuple, or with @error if there is one; frees the call. */
void retune_call_finish(RetuneCall *call, GVariant *result, const GError *error);
/* Answers a call that never got under way; takes @error. Returns TRUE, as
 * handlers do. */
gboolean retune_call_refuse(GDBusMethodInvocation *invocation, GError *error);
