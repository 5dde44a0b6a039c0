// SPDX-License-Identifier: GPL-2.0-or-later
/* What service.c (objects) and methods.c (calls) share. */
#pragma once

#include "retune-dbus.h"
#include "service.h"

struct _RetuneService {
  RetuneManager *manager;
  RetuneDBusManager *skeleton;
  GDBusObjectManagerServer *objects;
  GHashTable *pending;       /* sender -> count of its calls under way */
  const char *const *profile_path;
};

/* Connects the handlers of the manager's methods. */
void retune_methods_connect_manager(RetuneService *service);
/* Connects the handlers of an instance's methods. */
void retune_methods_connect_instance(RetuneService *service, RetuneDBusInstance *skeleton);

/* Sends what has changed of properties before a reply. */
void retune_service_flush(RetuneService *service);
