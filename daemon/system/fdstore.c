// SPDX-License-Identifier: GPL-2.0-or-later
/* The service manager's store of descriptors, through libsystemd. */
#include "fdstore.h"

#include <stdlib.h>
#include <systemd/sd-daemon.h>

void retune_fdstore_put(int fd, const char *name)
{
  g_autofree char *message = g_strdup_printf("FDSTORE=1\nFDNAME=%s", name);
  int result = sd_pid_notify_with_fds(0, 0, message, &fd, 1);

  if (result < 0)
    g_warning("the service manager does not keep %s: %s", name, g_strerror(-result));
}

void retune_fdstore_remove(const char *name)
{
  g_autofree char *message = g_strdup_printf("FDSTOREREMOVE=1\nFDNAME=%s", name);
  int result = sd_notify(0, message);

  if (result < 0)
    g_warning("the service manager may still keep %s: %s", name, g_strerror(-result));
}

void retune_fdstore_take_all(RetuneFdstoreTake take, gpointer data)
{
  g_auto(GStrv) names = NULL;
  int n_fds = sd_listen_fds_with_names(1, &names);

  for (int i = 0; i < n_fds; i++)
    take(SD_LISTEN_FDS_START + i, names[i], data);
}
