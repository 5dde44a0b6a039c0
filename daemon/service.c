// SPDX-License-Identifier: GPL-2.0-or-later
/* Objects, properties and signals. */
#include "convert.h"
#include "service-private.h"
#include "version.h"

static GVariant *held_elsewhere(RetuneService *service, const RetuneInstance *instance)
{
  g_autoptr(GPtrArray) held = retune_model_held_elsewhere(
      retune_manager_model(service->manager), instance, retune_manager_present(service->manager));
  return retune_convert_moves_from(held);
}

/* Properties that are equal emit nothing: the skeleton compares. */
static void fill_instance(RetuneService *service, RetuneDBusInstance *skeleton,
                          const RetuneInstance *instance)
{
  g_autofree char *devices = retune_cpuset_to_string(instance->devices);
  g_autoptr(GPtrArray) problems = retune_manager_problems(service->manager, instance);

  retune_dbus_instance_set_name(skeleton, instance->name);
  retune_dbus_instance_set_plugin(skeleton, RETUNE_PLUGIN_CPU);
  retune_dbus_instance_set_priority(skeleton, instance->priority);
  retune_dbus_instance_set_devices(skeleton, devices);
  retune_dbus_instance_set_claim(skeleton, instance->claim);
  retune_dbus_instance_set_held(skeleton, held_elsewhere(service, instance));
  retune_dbus_instance_set_options(skeleton, retune_convert_settings(instance));
  retune_dbus_instance_set_best_effort(skeleton, instance->best_effort);
  retune_dbus_instance_set_exclusive(skeleton, instance->exclusive);
  retune_dbus_instance_set_lifetime(skeleton, retune_lifetime_name(instance->lifetime));
  retune_dbus_instance_set_on_drift(skeleton, retune_drift_name(instance->on_drift));
  retune_dbus_instance_set_origin(skeleton, instance->origin != NULL ? instance->origin : "");
  retune_dbus_instance_set_state(skeleton, retune_convert_state(problems));
  retune_dbus_instance_set_problems(skeleton, retune_convert_problems(problems));
}

static RetuneDBusInstance *get_skeleton(RetuneService *service, const char *path)
{
  g_autoptr(GDBusObject) object =
      g_dbus_object_manager_get_object(G_DBUS_OBJECT_MANAGER(service->objects), path);

  return object != NULL ? retune_dbus_object_get_instance(RETUNE_DBUS_OBJECT(object)) : NULL;
}

static void export_instance(RetuneService *service, const RetuneInstance *instance)
{
  g_autofree char *path = retune_convert_path(instance->name);
  g_autoptr(RetuneDBusInstance) skeleton = get_skeleton(service, path);

  if (skeleton != NULL) {
    fill_instance(service, skeleton, instance);
    return;
  }
  skeleton = retune_dbus_instance_skeleton_new();
  retune_methods_connect_instance_changes(service, skeleton);
  retune_methods_connect_instance_questions(service, skeleton);
  fill_instance(service, skeleton, instance);
  g_autoptr(RetuneDBusObjectSkeleton) object = retune_dbus_object_skeleton_new(path);
  retune_dbus_object_skeleton_set_instance(object, skeleton);
  g_dbus_object_manager_server_export(service->objects, G_DBUS_OBJECT_SKELETON(object));
}

static void unexport_gone(RetuneService *service, RetuneModel *before, RetuneModel *after)
{
  const GPtrArray *instances = retune_model_instances(before);

  for (guint i = 0; i < instances->len; i++) {
    const RetuneInstance *instance = instances->pdata[i];
    if (retune_model_find(after, instance->name, NULL) != NULL)
      continue;
    g_autofree char *path = retune_convert_path(instance->name);
    g_dbus_object_manager_server_unexport(service->objects, path);
  }
}

static void emit_moves(RetuneService *service, RetuneModel *before, RetuneModel *after)
{
  g_autoptr(GPtrArray) moves = retune_model_moves(before, after);

  for (guint i = 0; i < moves->len; i++) {
    const RetuneMove *move = moves->pdata[i];
    g_autofree char *devices = retune_cpuset_to_string(move->devices);
    g_info("CPU %s: '%s' -> '%s'", devices, move->from, move->to);
    retune_dbus_manager_emit_devices_moved(service->skeleton, RETUNE_PLUGIN_CPU, devices,
                                           move->from, move->to);
  }
}

static void fill_manager(RetuneService *service)
{
  const RetuneCpuset *online_set = retune_manager_online(service->manager);
  g_autoptr(RetuneCpuset) free_set = retune_model_free_devices(
      retune_manager_model(service->manager), retune_manager_present(service->manager));
  g_autofree char *online = retune_cpuset_to_string(online_set);
  g_autofree char *free_devices = retune_cpuset_to_string(free_set);

  retune_dbus_manager_set_version(service->skeleton, RETUNE_VERSION);
  retune_dbus_manager_set_online_devices(service->skeleton, online);
  retune_dbus_manager_set_free_devices(service->skeleton, free_devices);
  retune_dbus_manager_set_repaired_values(service->skeleton,
                                          retune_manager_count_repaired(service->manager));
  retune_dbus_manager_set_rivals(service->skeleton, retune_neighbours_rivals(service->neighbours));
}

void retune_service_connect(RetuneService *service, gpointer skeleton,
                            const RetuneHandler *handlers, guint n_handlers)
{
  for (guint i = 0; i < n_handlers; i++)
    g_signal_connect(skeleton, handlers[i].signal, handlers[i].handler, service);
}

/* Sends what has changed of properties, before the reply to the call. */
static void flush(RetuneService *service)
{
  g_dbus_interface_skeleton_flush(G_DBUS_INTERFACE_SKELETON(service->skeleton));
  GList *objects = g_dbus_object_manager_get_objects(G_DBUS_OBJECT_MANAGER(service->objects));
  for (GList *item = objects; item != NULL; item = item->next)
    g_dbus_object_skeleton_flush(item->data);
  g_list_free_full(objects, g_object_unref);
}

static void on_changed(RetuneModel *before, RetuneModel *after, gpointer data)
{
  RetuneService *service = data;
  const GPtrArray *instances = retune_model_instances(after);

  retune_bound_sync(service->bound, after);
  unexport_gone(service, before, after);
  for (guint i = 0; i < instances->len; i++)
    export_instance(service, instances->pdata[i]);
  fill_manager(service);
  emit_moves(service, before, after);
  flush(service);
}

static void on_drifted(const RetuneLine *line, gpointer data)
{
  RetuneService *service = data;
  retune_dbus_manager_emit_drifted(service->skeleton, line->instance, line->unit, line->option,
                                   line->from, line->to);
}

static void on_rivals(gpointer data)
{
  RetuneService *service = data;
  retune_dbus_manager_set_rivals(service->skeleton, retune_neighbours_rivals(service->neighbours));
}

RetuneService *retune_service_new(GDBusConnection *bus, RetuneManager *manager,
                                  const char *const *profile_path, GError **error)
{
  g_autoptr(RetuneService) service = g_new0(RetuneService, 1);
  RetuneObserver observer = {on_changed, on_drifted, service};

  retune_convert_register_errors();
  service->manager = manager;
  service->profile_path = profile_path;
  service->bound = retune_bound_new(bus, manager);
  service->neighbours = retune_neighbours_new(bus, on_rivals, service);
  service->pending = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  service->skeleton = retune_dbus_manager_skeleton_new();
  service->objects = g_dbus_object_manager_server_new(RETUNE_OBJECT_PATH);
  retune_methods_connect_changes(service);
  retune_methods_connect_questions(service);
  fill_manager(service);
  g_dbus_object_manager_server_set_connection(service->objects, bus);
  if (!g_dbus_interface_skeleton_export(G_DBUS_INTERFACE_SKELETON(service->skeleton), bus,
                                        RETUNE_OBJECT_PATH, error))
    return NULL;
  retune_manager_observe(manager, &observer);
  return g_steal_pointer(&service);
}

void retune_service_free(RetuneService *service)
{
  if (service == NULL)
    return;
  g_dbus_interface_skeleton_unexport(G_DBUS_INTERFACE_SKELETON(service->skeleton));
  g_object_unref(service->objects);
  g_object_unref(service->skeleton);
  g_hash_table_unref(service->pending);
  retune_bound_free(service->bound);
  retune_neighbours_free(service->neighbours);
  g_free(service);
}
