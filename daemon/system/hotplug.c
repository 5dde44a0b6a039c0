// SPDX-License-Identifier: GPL-2.0-or-later
/* Only which CPU it was is taken from the event; what is online is read from the
 * kernel then, so that a burst of events is one look. */
#include "hotplug.h"

#include <gudev/gudev.h>

struct _RetuneHotplug {
  GUdevClient *client;
  RetuneHotplugFunc func;
  gpointer data;
};

static void on_uevent(GUdevClient *client, const char *action, GUdevDevice *device,
                      RetuneHotplug *hotplug)
{
  const char *number = g_udev_device_get_number(device);
  guint64 cpu;

  (void)client;
  g_debug("uevent: %s %s", action, g_udev_device_get_name(device));
  if (number != NULL && g_ascii_string_to_unsigned(number, 10, 0, G_MAXINT32, &cpu, NULL))
    hotplug->func((guint)cpu, hotplug->data);
}

RetuneHotplug *retune_hotplug_new(RetuneHotplugFunc func, gpointer data)
{
  static const char *const subsystems[] = {"cpu", NULL};
  RetuneHotplug *hotplug = g_new0(RetuneHotplug, 1);

  hotplug->client = g_udev_client_new(subsystems);
  hotplug->func = func;
  hotplug->data = data;
  g_signal_connect(hotplug->client, "uevent", G_CALLBACK(on_uevent), hotplug);
  return hotplug;
}

void retune_hotplug_free(RetuneHotplug *hotplug)
{
  if (hotplug == NULL)
    return;
  g_object_unref(hotplug->client);
  g_free(hotplug);
}
