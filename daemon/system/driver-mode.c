// SPDX-License-Identifier: GPL-2.0-or-later
/* inotify on the files that have the mode of a driver. */
#include "driver-mode.h"

#include <errno.h>
#include <glib-unix.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "sysfs.h"

struct _RetuneDriverMode {
  int inotify;
  guint source;
  RetuneDriverModeFunc func;
  gpointer data;
};

/* What was written does not matter; a burst is one call. */
static gboolean on_written(int inotify, GIOCondition condition, gpointer data)
{
  RetuneDriverMode *mode = data;
  char events[1024];

  (void)condition;
  while (read(inotify, events, sizeof events) > 0)
    continue;
  mode->func(mode->data);
  return G_SOURCE_CONTINUE;
}

RetuneDriverMode *retune_driver_mode_new(RetuneDriverModeFunc func, gpointer data)
{
  static const char *const files[] = {
      RETUNE_SYSFS_CPU "/intel_pstate/status",
      RETUNE_SYSFS_CPU "/amd_pstate/status",
  };
  int inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

  if (inotify < 0) {
    g_warning("a change of the cpufreq driver's mode will not be seen: %s", g_strerror(errno));
    return NULL;
  }
  for (guint i = 0; i < G_N_ELEMENTS(files); i++)
    if (inotify_add_watch(inotify, files[i], IN_MODIFY) < 0 && errno != ENOENT)
      g_warning("a change of %s will not be seen: %s", files[i], g_strerror(errno));
  RetuneDriverMode *mode = g_new0(RetuneDriverMode, 1);
  mode->inotify = inotify;
  mode->source = g_unix_fd_add(inotify, G_IO_IN, on_written, mode);
  mode->func = func;
  mode->data = data;
  return mode;
}

void retune_driver_mode_free(RetuneDriverMode *mode)
{
  if (mode == NULL)
    return;
  g_source_remove(mode->source);
  close(mode->inotify);
  g_free(mode);
}
