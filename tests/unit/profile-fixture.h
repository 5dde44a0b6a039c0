// SPDX-License-Identifier: GPL-2.0-or-later
/* Profiles in memory for the tests of their reader. */
#pragma once

#include "profile.h"

G_BEGIN_DECLS

/* A profile that can be included; a list of them ends with a NULL name. */
typedef struct {
  const char *name;
  const char *text;
} ProfileFile;

/* How often an included profile was asked for, and when that is too often. */
typedef struct {
  const ProfileFile *files;
  guint n_loads;
  guint max_loads;
} ProfileFiles;

/* A RetuneProfileLoader over ProfileFiles; paths are "inc/NAME". */
char *profile_load(const char *name, char **ret_path, gpointer data, GError **error);

/* Reads @text as "p" with the real table; @files may be NULL. */
RetuneProfile *profile_parse(const char *text, const ProfileFile *files, GError **error);

/* "net{28,30}[governor=x boost=1] rest{}[]": the instances. */
char *profile_describe(const RetuneProfile *profile);

/* Fails the test unless @text reads as @expected. */
#define EXPECT_PROFILE(text, files, expected) \
  profile_expect(__FILE__, __LINE__, (text), (files), (expected))
void profile_expect(const char *file, int line, const char *text, const ProfileFile *files,
                    const char *expected);

/* Fails the test unless @text is refused with @part in the message. */
#define EXPECT_PROFILE_REFUSED(text, files, code, part) \
  profile_expect_refused(__FILE__, __LINE__, (text), (files), (gint)(code), (part))
void profile_expect_refused(const char *file, int line, const char *text, const ProfileFile *files,
                            gint code, const char *part);

G_END_DECLS
