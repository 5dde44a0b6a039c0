// SPDX-License-Identifier: GPL-2.0-or-later
/* The handlers of methods that change something. Each turns its arguments into
 * a request to the manager, and answers when that is done. */
#include "call.h"
#include "convert.h"
#include "error.h"
#include "profile-files.h"

static GVariant *result_none(RetuneCall *call, const RetuneReply *reply)
{
  (void)call;
  (void)reply;
  return g_variant_new("()");
}

static GVariant *result_from(RetuneCall *call, const RetuneReply *reply)
{
  (void)call;
  return g_variant_new("(@a(ss))", retune_convert_moves_from(reply->moves));
}

static GVariant *result_to(RetuneCall *call, const RetuneReply *reply)
{
  (void)call;
  return g_variant_new("(@a(ss))", retune_convert_moves_to(reply->moves));
}

static GVariant *result_preview(RetuneCall *call, const RetuneReply *reply)
{
  (void)call;
  return g_variant_new("(@a(sssss))", retune_convert_lines(reply->preview_lines));
}

static GVariant *result_create(RetuneCall *call, const RetuneReply *reply)
{
  RetuneModel *model = retune_manager_model(call->service->manager);
  const char *name = reply->created->pdata[0];
  const RetuneInstance *instance = retune_model_find(model, name, NULL);
  g_autofree char *path = retune_convert_path(name);
  g_autoptr(GPtrArray) held =
      retune_model_held_elsewhere(model, instance, retune_manager_present(call->service->manager));

  return g_variant_new("(o@a(ss)@a(ss))", path, retune_convert_moves_from(reply->moves),
                       retune_convert_moves_from(held));
}

static GVariant *result_load(RetuneCall *call, const RetuneReply *reply)
{
  GVariantBuilder paths, ignored;

  g_variant_builder_init(&paths, G_VARIANT_TYPE("ao"));
  for (guint i = 0; i < reply->created->len; i++) {
    g_autofree char *path = retune_convert_path(reply->created->pdata[i]);
    g_variant_builder_add(&paths, "o", path);
  }
  g_variant_builder_init(&ignored, G_VARIANT_TYPE("as"));
  for (guint i = 0; i < call->ignored->len; i++)
    g_variant_builder_add(&ignored, "s", (const char *)call->ignored->pdata[i]);
  return g_variant_new("(aoas)", &paths, &ignored);
}

static void on_changed(RetuneManager *manager, const RetuneReply *reply, gpointer data)
{
  RetuneCall *call = data;

  (void)manager;
  retune_call_finish(call, reply->error == NULL ? call->result(call, reply) : NULL, reply->error);
}

static char *sender_of(GDBusMethodInvocation *invocation)
{
  return retune_bound_owner(g_dbus_method_invocation_get_connection(invocation),
                            g_dbus_method_invocation_get_sender(invocation));
}

static gboolean submit(RetuneService *service, GDBusMethodInvocation *invocation,
                       RetuneRequest *request,
                       GVariant *(*result)(RetuneCall *call, const RetuneReply *reply))
{
  RetuneCall *call = retune_call_new(service, invocation);

  if (call == NULL) {
    retune_request_free(request);
    return TRUE;
  }
  call->result = result;
  request->sender = sender_of(invocation);
  retune_manager_submit(service->manager, request, on_changed, call);
  return TRUE;
}

/* A request whose arguments not needed are NULL. Returns NULL and @error if
 * @options cannot be read. */
static RetuneRequest *make_request(RetuneVerb verb, const char *name, const char *devices,
                                   GVariant *options, GError **error)
{
  RetuneRequest *request = retune_request_new(verb);

  request->name = g_strdup(name);
  request->devices = g_strdup(devices);
  request->options = options != NULL ? retune_convert_options(options, error) : NULL;
  if (options == NULL || request->options != NULL)
    return request;
  retune_request_free(request);
  return NULL;
}

static gboolean on_create(RetuneDBusManager *skeleton, GDBusMethodInvocation *invocation,
                          const char *plugin, const char *name, const char *devices,
                          GVariant *options, RetuneService *service)
{
  GError *error = NULL;
  RetuneRequest *request = make_request(RETUNE_VERB_CREATE, name, devices, options, &error);

  (void)skeleton;
  if (request == NULL)
    return retune_call_refuse(invocation, error);
  request->plugin = g_strdup(plugin);
  return submit(service, invocation, request, result_create);
}

static gboolean on_destroy(RetuneDBusManager *skeleton, GDBusMethodInvocation *invocation,
                           const char *name, RetuneService *service)
{
  (void)skeleton;
  return submit(service, invocation, make_request(RETUNE_VERB_DESTROY, name, NULL, NULL, NULL),
                result_to);
}

static gboolean on_move(RetuneDBusManager *skeleton, GDBusMethodInvocation *invocation,
                        const char *devices, const char *name, RetuneService *service)
{
  (void)skeleton;
  return submit(service, invocation, make_request(RETUNE_VERB_MOVE, name, devices, NULL, NULL),
                result_from);
}

static gboolean on_release(RetuneDBusManager *skeleton, GDBusMethodInvocation *invocation,
                           const char *devices, RetuneService *service)
{
  (void)skeleton;
  return submit(service, invocation, make_request(RETUNE_VERB_RELEASE, NULL, devices, NULL, NULL),
                result_to);
}

static gboolean set_options(RetuneService *service, GDBusMethodInvocation *invocation,
                            const char *name, GVariant *options)
{
  GError *error = NULL;
  RetuneRequest *request = make_request(RETUNE_VERB_SET, name, NULL, options, &error);

  if (request == NULL)
    return retune_call_refuse(invocation, error);
  return submit(service, invocation, request, result_none);
}

static gboolean on_set(RetuneDBusManager *skeleton, GDBusMethodInvocation *invocation,
                       const char *name, GVariant *options, RetuneService *service)
{
  (void)skeleton;
  return set_options(service, invocation, name, options);
}

static gboolean on_reapply(RetuneDBusManager *skeleton, GDBusMethodInvocation *invocation,
                           const char *name, gboolean force, RetuneService *service)
{
  RetuneRequest *request = make_request(RETUNE_VERB_REAPPLY, name, NULL, NULL, NULL);

  (void)skeleton;
  request->force = force;
  return submit(service, invocation, request, result_none);
}

static const char *const verb_names[RETUNE_N_VERBS] = {
    [RETUNE_VERB_CREATE] = "create",   [RETUNE_VERB_MOVE] = "move",
    [RETUNE_VERB_RELEASE] = "release", [RETUNE_VERB_DESTROY] = "destroy",
    [RETUNE_VERB_SET] = "set",         [RETUNE_VERB_REAPPLY] = "reapply",
};

static gboolean find_verb(const char *name, RetuneVerb *ret_verb, GError **error)
{
  for (guint i = 0; i < RETUNE_N_VERBS; i++) {
    if (verb_names[i] != NULL && g_str_equal(verb_names[i], name)) {
      *ret_verb = (RetuneVerb)i;
      return TRUE;
    }
  }
  retune_set_error(error, RETUNE_ERROR_INVALID_VALUE,
                   "'%.64s' is no verb; expected create, move, release, destroy, set or reapply",
                   name);
  return FALSE;
}

static gboolean on_preview(RetuneDBusManager *skeleton, GDBusMethodInvocation *invocation,
                           const char *verb_name, const char *plugin, const char *name,
                           const char *devices, GVariant *options, RetuneService *service)
{
  GError *error = NULL;
  RetuneVerb verb;

  (void)skeleton;
  if (!find_verb(verb_name, &verb, &error))
    return retune_call_refuse(invocation, error);
  RetuneRequest *request =
      make_request(verb, verb == RETUNE_VERB_RELEASE ? NULL : name, devices, options, &error);
  if (request == NULL)
    return retune_call_refuse(invocation, error);
  request->plugin = verb == RETUNE_VERB_CREATE ? g_strdup(plugin) : NULL;
  request->preview = TRUE;
  return submit(service, invocation, request, result_preview);
}

static gboolean on_load(RetuneDBusManager *skeleton, GDBusMethodInvocation *invocation,
                        GUnixFDList *fds, GVariant *handle, RetuneService *service)
{
  RetuneCall *call = retune_call_new(service, invocation);

  (void)skeleton;
  if (call == NULL)
    return TRUE;
  RetuneProfile *profile =
      retune_profile_files_read(fds, g_variant_get_handle(handle), service->profile_path,
                                retune_manager_table(service->manager), &call->error);
  if (profile == NULL) {
    retune_call_finish(call, NULL, call->error);
    return TRUE;
  }
  RetuneRequest *request = retune_request_new(RETUNE_VERB_LOAD);
  request->specs = g_ptr_array_ref(profile->specs);
  call->ignored = g_ptr_array_ref(profile->ignored);
  call->result = result_load;
  request->sender = sender_of(invocation);
  retune_profile_free(profile);
  retune_manager_submit(service->manager, request, on_changed, call);
  return TRUE;
}

/* --- methods of instances: the same, with the name known --- */

static gboolean on_instance_acquire(RetuneDBusInstance *skeleton, GDBusMethodInvocation *invocation,
                                    const char *devices, RetuneService *service)
{
  const char *name = retune_dbus_instance_get_name(skeleton);
  return submit(service, invocation, make_request(RETUNE_VERB_MOVE, name, devices, NULL, NULL),
                result_from);
}

static gboolean on_instance_release(RetuneDBusInstance *skeleton, GDBusMethodInvocation *invocation,
                                    const char *devices, RetuneService *service)
{
  const char *name = retune_dbus_instance_get_name(skeleton);
  return submit(service, invocation, make_request(RETUNE_VERB_RELEASE, name, devices, NULL, NULL),
                result_to);
}

static gboolean on_instance_set(RetuneDBusInstance *skeleton, GDBusMethodInvocation *invocation,
                                GVariant *options, RetuneService *service)
{
  return set_options(service, invocation, retune_dbus_instance_get_name(skeleton), options);
}

static gboolean on_instance_destroy(RetuneDBusInstance *skeleton, GDBusMethodInvocation *invocation,
                                    RetuneService *service)
{
  const char *name = retune_dbus_instance_get_name(skeleton);
  return submit(service, invocation, make_request(RETUNE_VERB_DESTROY, name, NULL, NULL, NULL),
                result_to);
}

void retune_methods_connect_changes(RetuneService *service)
{
  static const RetuneHandler handlers[] = {
      {"handle-create-instance", G_CALLBACK(on_create)},
      {"handle-destroy-instance", G_CALLBACK(on_destroy)},
      {"handle-move-devices", G_CALLBACK(on_move)},
      {"handle-release-devices", G_CALLBACK(on_release)},
      {"handle-set-options", G_CALLBACK(on_set)},
      {"handle-preview", G_CALLBACK(on_preview)},
      {"handle-reapply", G_CALLBACK(on_reapply)},
      {"handle-load-profile", G_CALLBACK(on_load)},
  };
  retune_service_connect(service, service->skeleton, handlers, G_N_ELEMENTS(handlers));
}

void retune_methods_connect_instance_changes(RetuneService *service, RetuneDBusInstance *skeleton)
{
  static const RetuneHandler handlers[] = {
      {"handle-acquire", G_CALLBACK(on_instance_acquire)},
      {"handle-release", G_CALLBACK(on_instance_release)},
      {"handle-set-options", G_CALLBACK(on_instance_set)},
      {"handle-destroy", G_CALLBACK(on_instance_destroy)},
  };
  retune_service_connect(service, skeleton, handlers, G_N_ELEMENTS(handlers));
}
