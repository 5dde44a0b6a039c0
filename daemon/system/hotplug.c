// SPDX-License-Identifier: GPL-2.0-or-later
/* Only that something happened is taken from the event; what is online is read
 * from the kernel then, so that a burst of events is one look. */
#include "hotplug.h"

#include <gudev/gudev.h>

struct _RetuneHotplug {
  GUdevClient *client;
  void (*func)(gpointer data);
  gpointer data;
};

static void on_uevent(GUdevClient *client, const char *action, GUdevDevice *device,
                      RetuneHotplug *hotplug)
{
  (void)client;
  g_debug("uevent: %s %s", action, g_udev_device_get_name(device));
  hotplug->func(hotplug->data);
}

RetuneHotplug *retune_hotplug_new(void (*func)(gpointer data), gpointer data)
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
