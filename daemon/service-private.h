// SPDX-License-Identifier: GPL-2.0-or-later
/* What service.c (objects) and methods-*.c (calls) share. */
#pragma once

#include "bound.h"
#include "neighbours.h"
#include "retune-dbus.h"
#include "service.h"

struct _RetuneService {
  RetuneManager *manager;
  RetuneDBusManager *skeleton;
  GDBusObjectManagerServer *objects;
  GHashTable *pending; /* sender -> count of its calls under way */
  const char *const *profile_path;
  RetuneBound *bound;
  RetuneNeighbours *neighbours;
};

/* A handler for a method, by the name of the skeleton's signal. */
typedef struct {
  const char *signal;
  GCallback handler;
} RetuneHandler;

/* Connects @handlers to the signals of @skeleton. */
void retune_service_connect(RetuneService *service, gpointer skeleton,
                            const RetuneHandler *handlers, guint n_handlers);

/* Connect the handlers of methods that change and of those that read. */
void retune_methods_connect_changes(RetuneService *service);
void retune_methods_connect_questions(RetuneService *service);
void retune_methods_connect_instance_changes(RetuneService *service, RetuneDBusInstance *skeleton);
void retune_methods_connect_instance_questions(RetuneService *service,
                                               RetuneDBusInstance *skeleton);
