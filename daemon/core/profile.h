// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading of instances from files in the syntax of TuneD profiles. Nothing in a
 * file is ever executed. */
#pragma once

#include "cpuset.h"
#include "knob.h"

G_BEGIN_DECLS

#define RETUNE_PROFILE_MAX_SIZE 1048576u

/* An instance as a file wants it. */
typedef struct {
  char *name;
  char *claim;        /* its device expression; NULL: what no other one of the file claims */
  GPtrArray *options; /* RetuneOption: options and attributes */
  char *where;        /* "FILE:LINE" of its section */
} RetuneSpec;

void retune_spec_free(RetuneSpec *spec);

typedef struct {
  GPtrArray *specs;   /* RetuneSpec, in the order of the file */
  GPtrArray *ignored; /* names of sections of other plugins */
  gsize n_expanded;   /* bytes that its variables came to */
} RetuneProfile;

/* Finds the text of an included profile; *ret_path is where. Returns NULL with
 * an error that says where it looked. The caller frees both. */
typedef char *(*RetuneProfileLoader)(const char *name, char **ret_path, gpointer data,
                                     GError **error);

/* Reads @text, called @path in messages. Errors name file and line:
 * INVALID_VALUE for bad syntax, a section without type=cpu, an include that is
 * not found; LIMITS_EXCEEDED. Options are not checked here. */
RetuneProfile *retune_profile_parse(const char *text, const char *path,
                                    const RetuneKnobTable *table, RetuneProfileLoader load,
                                    gpointer data, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void retune_profile_free(RetuneProfile *profile);

/* The CPUs of @existing that no spec with a claim claims, as a cpulist: what a
 * spec without one gets. Claims that are wrong count for nothing. The caller
 * frees it. */
char *retune_specs_unclaimed(const GPtrArray *specs, const RetuneCpuset *existing);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RetuneProfile, retune_profile_free)

G_END_DECLS
