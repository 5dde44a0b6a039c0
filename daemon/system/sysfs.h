// SPDX-License-Identifier: GPL-2.0-or-later
/* The only code that opens kernel files for writing. Paths are relative to
 * /sys/devices/system/cpu, whose descriptor is kept, or absolute. All functions
 * return 0 or an errno value; may be called from one thread at a time. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define RETUNE_SYSFS_CPU "/sys/devices/system/cpu"

/* Room for one value with its final NUL; a longer one is cut. */
#define RETUNE_VALUE_SIZE 256u

typedef struct _RetuneSysfs RetuneSysfs;

/* Opens the directory. Errors: FAILED with the errno's text. */
RetuneSysfs *retune_sysfs_open(GError **error) G_GNUC_WARN_UNUSED_RESULT;
void retune_sysfs_close(RetuneSysfs *sysfs);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RetuneSysfs, retune_sysfs_close)

/* Reads a value, without its final newline. */
int retune_sysfs_read(RetuneSysfs *sysfs, const char *path, char *text,
                      gsize size) G_GNUC_WARN_UNUSED_RESULT;

/* Writes @text with one write(2), then reads back into @found through the same
 * descriptor. If only the read fails, 0 is returned and @found is "". */
int retune_sysfs_write(RetuneSysfs *sysfs, const char *path, const char *text, char *found,
                       gsize size) G_GNUC_WARN_UNUSED_RESULT;

/* How often a file was opened for writing, whatever came of it. */
guint retune_sysfs_count_opens(RetuneSysfs *sysfs);

/* Reads where the symbolic link @path points. */
int retune_sysfs_read_link(RetuneSysfs *sysfs, const char *path, char *target,
                           gsize size) G_GNUC_WARN_UNUSED_RESULT;

/* The number of the file or directory @path, which the kernel does not give to
 * another one before long; 0 if there is none. */
guint64 retune_sysfs_identity(RetuneSysfs *sysfs, const char *path);

/* May anybody write the file @path, by its mode and that of its file system? */
gboolean retune_sysfs_is_writable(RetuneSysfs *sysfs, const char *path);

/* The smallest N for which directory @path has an entry "@prefix N", or -1. */
gint retune_sysfs_first_number(RetuneSysfs *sysfs, const char *path, const char *prefix);

G_END_DECLS
