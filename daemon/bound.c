// SPDX-License-Identifier: GPL-2.0-or-later
/* One watch for each connection that instances are bound to. */
#include "bound.h"

#include <string.h>

struct _RetuneBound {
  GDBusConnection *bus;
  RetuneManager *manager;
  GHashTable *watches; /* owner -> Watch */
};

typedef struct {
  RetuneBound *bound;
  char *owner;
  guint id;   /* 0: it was of another bus */
  guint idle; /* then that is told soon */
} Watch;

static void watch_free(gpointer data)
{
  Watch *watch = data;

  if (watch->id != 0)
    g_bus_unwatch_name(watch->id);
  g_clear_handle_id(&watch->idle, g_source_remove);
  g_free(watch->owner);
  g_free(watch);
}

RetuneBound *retune_bound_new(GDBusConnection *bus, RetuneManager *manager)
{
  RetuneBound *bound = g_new0(RetuneBound, 1);

  bound->bus = bus;
  bound->manager = manager;
  bound->watches = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, watch_free);
  return bound;
}

void retune_bound_free(RetuneBound *bound)
{
  if (bound == NULL)
    return;
  g_hash_table_unref(bound->watches);
  g_free(bound);
}

/* Names of connections are given out anew by another bus, so its id belongs to it. */
char *retune_bound_owner(GDBusConnection *bus, const char *sender)
{
  return g_strdup_printf("%s@%s", sender, g_dbus_connection_get_guid(bus));
}

static void on_destroyed(RetuneManager *manager, const RetuneReply *reply, gpointer data)
{
  (void)manager, (void)data;
  if (reply->error != NULL)
    g_info("an instance whose creator is gone: %s", reply->error->message);
}

static void destroy_all_of(RetuneBound *bound, const char *owner)
{
  const GPtrArray *instances = retune_model_instances(retune_manager_model(bound->manager));

  for (guint i = 0; i < instances->len; i++) {
    const RetuneInstance *instance = instances->pdata[i];
    if (g_strcmp0(instance->owner, owner) != 0)
      continue;
    g_message("the creator of instance '%s' is gone; it is destroyed", instance->name);
    RetuneRequest *request = retune_request_new(RETUNE_VERB_DESTROY);
    request->name = g_strdup(instance->name);
    request->lenient = TRUE;
    retune_manager_submit(bound->manager, request, on_destroyed, NULL);
  }
}

static void on_vanished(GDBusConnection *bus, const char *name, gpointer data)
{
  Watch *watch = data;

  (void)name;
  if (bus != NULL) /* else the bus itself is gone */
    destroy_all_of(watch->bound, watch->owner);
}

static gboolean on_foreign(gpointer data)
{
  Watch *watch = data;

  watch->idle = 0;
  destroy_all_of(watch->bound, watch->owner);
  return G_SOURCE_REMOVE;
}

static void add_watch(RetuneBound *bound, const char *owner)
{
  Watch *watch = g_new0(Watch, 1);
  const char *at = strchr(owner, '@');
  g_autofree char *name = at != NULL ? g_strndup(owner, (gsize)(at - owner)) : g_strdup("");

  watch->bound = bound;
  watch->owner = g_strdup(owner);
  g_hash_table_insert(bound->watches, watch->owner, watch);
  g_autofree char *same = retune_bound_owner(bound->bus, name);
  if (g_dbus_is_unique_name(name) && g_str_equal(same, owner))
    watch->id = g_bus_watch_name_on_connection(bound->bus, name, G_BUS_NAME_WATCHER_FLAGS_NONE,
                                               NULL, on_vanished, watch, NULL);
  else
    watch->idle = g_idle_add(on_foreign, watch);
}

void retune_bound_sync(RetuneBound *bound, RetuneModel *model)
{
  const GPtrArray *instances = retune_model_instances(model);
  g_autoptr(GHashTable) owners = g_hash_table_new(g_str_hash, g_str_equal);
  GHashTableIter iter;
  gpointer owner;

  for (guint i = 0; i < instances->len; i++) {
    const RetuneInstance *instance = instances->pdata[i];
    if (instance->owner == NULL)
      continue;
    g_hash_table_add(owners, instance->owner);
    if (!g_hash_table_contains(bound->watches, instance->owner))
      add_watch(bound, instance->owner);
  }
  g_hash_table_iter_init(&iter, bound->watches);
  while (g_hash_table_iter_next(&iter, &owner, NULL))
    if (!g_hash_table_contains(owners, owner))
      g_hash_table_iter_remove(&iter);
}
