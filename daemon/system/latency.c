// SPDX-License-Identifier: GPL-2.0-or-later
/* The latency request. Always four bytes in binary: the kernel takes any write
 * of four bytes as a number, even "1234". Opening the device registers a
 * request, so nothing is opened to look. */
#include "latency.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fdstore.h"

/* Under which name the service manager keeps the request: with its value, which cannot
 * be read from the device. */
#define STORE_PREFIX "cpu_dma_latency-"

struct _RetuneLatency {
  int fd; /* -1: no request */
  gint32 value;
};

RetuneLatency *retune_latency_new(void)
{
  RetuneLatency *latency = g_new0(RetuneLatency, 1);
  latency->fd = -1;
  return latency;
}

static void forget_stored(const RetuneLatency *latency)
{
  g_autofree char *name = g_strdup_printf(STORE_PREFIX "%d", latency->value);
  retune_fdstore_remove(name);
}

static void give_up(RetuneLatency *latency)
{
  if (latency->fd < 0)
    return;
  forget_stored(latency);
  close(latency->fd);
  latency->fd = -1;
}

void retune_latency_free(RetuneLatency *latency)
{
  if (latency->fd >= 0)
    close(latency->fd);
  g_free(latency);
}

void retune_latency_take(RetuneLatency *latency, int fd, const char *name)
{
  gint64 value;

  if (latency->fd < 0 && g_str_has_prefix(name, STORE_PREFIX) &&
      g_ascii_string_to_signed(name + strlen(STORE_PREFIX), 10, 0, G_MAXINT32, &value, NULL)) {
    latency->fd = fd;
    latency->value = (gint32)value;
    return;
  }
  retune_fdstore_remove(name);
  close(fd);
}

/* The service manager takes a descriptor but once, so the old name goes first. */
static void keep(RetuneLatency *latency, int fd, gint32 value)
{
  g_autofree char *name = g_strdup_printf(STORE_PREFIX "%d", value);

  if (latency->fd >= 0 && latency->value == value)
    return;
  if (latency->fd >= 0)
    forget_stored(latency);
  retune_fdstore_put(fd, name);
  latency->fd = fd;
  latency->value = value;
}

int retune_latency_read(RetuneLatency *latency, char *text, gsize size)
{
  struct stat info;

  if (latency->fd >= 0) {
    g_snprintf(text, size, "%d", latency->value);
    return 0;
  }
  g_strlcpy(text, RETUNE_LATENCY_NONE, size);
  return stat(RETUNE_LATENCY_DEVICE, &info) == 0 ? 0 : errno;
}

int retune_latency_write(RetuneLatency *latency, const char *text, char *found, gsize size)
{
  if (strcmp(text, RETUNE_LATENCY_NONE) == 0) {
    give_up(latency);
    g_strlcpy(found, text, size);
    return 0;
  }
  int fd = latency->fd >= 0 ? latency->fd : open(RETUNE_LATENCY_DEVICE, O_RDWR | O_CLOEXEC);
  if (fd < 0)
    return errno;
  gint32 value = (gint32)strtol(text, NULL, 10);
  errno = 0;
  if (pwrite(fd, &value, sizeof value, 0) != (ssize_t)sizeof value) {
    int result = errno != 0 ? errno : EIO;
    if (latency->fd < 0)
      close(fd);
    return result;
  }
  keep(latency, fd, value);
  gint32 in_force = value;
  if (pread(fd, &in_force, sizeof in_force, 0) != (ssize_t)sizeof in_force || in_force < value)
    in_force = value; /* a stricter bound of others honours ours as well */
  g_snprintf(found, size, "%d", in_force);
  return 0;
}
