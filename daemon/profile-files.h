// SPDX-License-Identifier: GPL-2.0-or-later
/* Profiles as files: the one a caller passes, and those that it includes. */
#pragma once

#include <gio/gunixfdlist.h>

#include "profile.h"

G_BEGIN_DECLS

/* Reads the profile behind descriptor @handle of @fds. Included ones are
 * NAME/tuned.conf or NAME/retune.conf below a directory of @path.
 * Errors: INVALID_VALUE if it is no regular file that can be read, and those of
 * retune_profile_parse(). */
RetuneProfile *retune_profile_files_read(GUnixFDList *fds, gint handle, const char *const *path,
                                         const RetuneKnobTable *table,
                                         GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The same from the file @path. */
RetuneProfile *retune_profile_files_load(const char *path, const char *const *profile_path,
                                         const RetuneKnobTable *table,
                                         GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
