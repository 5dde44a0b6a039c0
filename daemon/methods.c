// SPDX-License-Identifier: GPL-2.0-or-later
/* The handlers of D-Bus methods. Each turns its arguments into a request or a
 * question for the manager, and answers when that is done. */
#include <gio/gunixfdlist.h>

#include "convert.h"
#include "devices.h"
#include "error.h"
#include "profile-files.h"
#include "service-private.h"

/* --- one call under way --- */

typedef struct _Call Call;
struct _Call {
  RetuneService *service;
  GDBusMethodInvocation *invocation;
  /* For a change: how to make the reply from its result. */
  GVariant *(*result)(Call *call, const RetuneReply *reply);
  /* For a question: its arguments and its answer. */
  char *name;
  GPtrArray *options; /* RetuneKnob */
  RetuneCpuset *devices;
  GPtrArray *findings;
  GVariant *(*answer)(Call *call);
  GPtrArray *ignored; /* of a profile */
  GError *error;
};

static Call *call_new(RetuneService *service, GDBusMethodInvocation *invocation)
{
  Call *call = g_new0(Call, 1);
  const char *sender = g_dbus_method_invocation_get_sender(invocation);
  guint count = GPOINTER_TO_UINT(g_hash_table_lookup(service->pending, sender));

  call->service = service;
  call->invocation = invocation;
  g_hash_table_insert(service->pending, g_strdup(sender), GUINT_TO_POINTER(count + 1));
  return call;
}

/* Answers with @result, a tuple, or with the error; frees the call. */
static void call_finish(Call *call, GVariant *result, const GError *error)
{
  GHashTable *pending = call->service->pending;
  const char *sender = g_dbus_method_invocation_get_sender(call->invocation);
  guint count = GPOINTER_TO_UINT(g_hash_table_lookup(pending, sender));

  if (count > 1)
    g_hash_table_insert(pending, g_strdup(sender), GUINT_TO_POINTER(count - 1));
  else
    g_hash_table_remove(pending, sender);
  if (error != NULL)
    g_dbus_method_invocation_return_gerror(call->invocation, error);
  else
    g_dbus_method_invocation_return_value(call->invocation, result);
  g_free(call->name);
  g_clear_pointer(&call->options, g_ptr_array_unref);
  g_clear_pointer(&call->devices, retune_cpuset_free);
  g_clear_pointer(&call->findings, g_ptr_array_unref);
  g_clear_pointer(&call->ignored, g_ptr_array_unref);
  g_clear_error(&call->error);
  g_free(call);
}

/* Errors of others (of GIO, say) must not reach the bus under foreign names. */
static gboolean refuse(GDBusMethodInvocation *invocation, GError *error)
{
  g_dbus_method_invocation_take_error(invocation, error);
  return TRUE;
}

/* --- changes --- */

static GVariant *result_none(Call *call, const RetuneReply *reply)
{
  (void)call;
  (void)reply;
  return g_variant_new("()");
}

static GVariant *result_from(Call *call, const RetuneReply *reply)
{
  (void)call;
  return g_variant_new("(@a(ss))", retune_convert_moves_from(reply->moves));
}

/* Only what left @call->name, not what it got in turn. */
static GVariant *result_to(Call *call, const RetuneReply *reply)
{
  (void)call;
  return g_variant_new("(@a(ss))", retune_convert_moves_to(reply->moves));
}

static GVariant *result_preview(Call *call, const RetuneReply *reply)
{
  (void)call;
  return g_variant_new("(@a(sssss))", retune_convert_lines(reply->preview_lines));
}

static GVariant *result_create(Call *call, const RetuneReply *reply)
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

static GVariant *result_load(Call *call, const RetuneReply *reply)
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
  Call *call = data;

  (void)manager;
  call_finish(call, reply->error == NULL ? call->result(call, reply) : NULL, reply->error);
}

static gboolean submit(RetuneService *service, GDBusMethodInvocation *invocation,
                       RetuneRequest *request,
                       GVariant *(*result)(Call *call, const RetuneReply *reply))
{
  Call *call = call_new(service, invocation);
  call->result = result;
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
    return refuse(invocation, error);
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
    return refuse(invocation, error);
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
  g_set_error(error, RETUNE_ERROR, RETUNE_ERROR_INVALID_VALUE,
              "'%.64s' is no verb; expected create, move, release, destroy, set or reapply", name);
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
    return refuse(invocation, error);
  RetuneRequest *request =
      make_request(verb, verb == RETUNE_VERB_RELEASE ? NULL : name, devices, options, &error);
  if (request == NULL)
    return refuse(invocation, error);
  request->plugin = verb == RETUNE_VERB_CREATE ? g_strdup(plugin) : NULL;
  request->preview = TRUE;
  return submit(service, invocation, request, result_preview);
}

static gboolean on_load(RetuneDBusManager *skeleton, GDBusMethodInvocation *invocation,
                        GUnixFDList *fds, GVariant *handle, RetuneService *service)
{
  GError *error = NULL;

  (void)skeleton;
  RetuneProfile *profile =
      retune_profile_files_read(fds, g_variant_get_handle(handle), service->profile_path,
                                retune_manager_table(service->manager), &error);
  if (profile == NULL)
    return refuse(invocation, error);
  Call *call = call_new(service, invocation);
  RetuneRequest *request = retune_request_new(RETUNE_VERB_LOAD);
  request->specs = g_ptr_array_ref(profile->specs);
  call->ignored = g_ptr_array_ref(profile->ignored);
  call->result = result_load;
  retune_profile_free(profile);
  retune_manager_submit(service->manager, request, on_changed, call);
  return TRUE;
}

/* --- questions --- */

static void answer(gpointer data)
{
  Call *call = data;

  call_finish(call, call->error == NULL ? call->answer(call) : NULL, call->error);
}

/* Questions that only need the model are answered at once, unless calls of the
 * same client wait before them. */
static gboolean ask(Call *call, void (*work)(const RetuneKnobTable *, RetuneMachine *,
                                             const RetuneLedger *, RetuneModel *, gpointer))
{
  RetuneService *service = call->service;
  const char *sender = g_dbus_method_invocation_get_sender(call->invocation);
  RetuneQuestion question = {work, answer};

  if (work == NULL && GPOINTER_TO_UINT(g_hash_table_lookup(service->pending, sender)) == 1)
    answer(call);
  else
    retune_manager_ask(service->manager, &question, call);
  return TRUE;
}

static gboolean is_plugin(const char *plugin, gboolean may_be_empty, GError **error)
{
  if (g_str_equal(plugin, RETUNE_PLUGIN_CPU) || (may_be_empty && *plugin == '\0'))
    return TRUE;
  g_set_error(error, RETUNE_ERROR, RETUNE_ERROR_UNKNOWN_PLUGIN,
              "no plugin '%.64s'; there is: " RETUNE_PLUGIN_CPU, plugin);
  return FALSE;
}

static GVariant *answer_get(Call *call)
{
  if (retune_model_find(retune_manager_model(call->service->manager), call->name, &call->error) ==
      NULL)
    return NULL;
  g_autofree char *path = retune_convert_path(call->name);
  return g_variant_new("(o)", path);
}

static gboolean on_get(RetuneDBusManager *skeleton, GDBusMethodInvocation *invocation,
                       const char *name, RetuneService *service)
{
  Call *call = call_new(service, invocation);

  (void)skeleton;
  call->name = g_strdup(name);
  call->answer = answer_get;
  return ask(call, NULL);
}

static GVariant *answer_list(Call *call)
{
  RetuneManager *manager = call->service->manager;
  const GPtrArray *instances = retune_model_instances(retune_manager_model(manager));
  GVariantBuilder builder;

  g_variant_builder_init(&builder, G_VARIANT_TYPE("a(sssiso)"));
  for (guint i = 0; i < instances->len; i++) {
    const RetuneInstance *instance = instances->pdata[i];
    g_autofree char *devices = retune_cpuset_to_string(instance->devices);
    g_autofree char *path = retune_convert_path(instance->name);
    g_autoptr(GDBusObject) object = g_dbus_object_manager_get_object(
        G_DBUS_OBJECT_MANAGER(call->service->objects), path);
    g_autoptr(RetuneDBusInstance) skeleton =
        retune_dbus_object_get_instance(RETUNE_DBUS_OBJECT(object));
    g_variant_builder_add(&builder, "(sssiso)", instance->name, RETUNE_PLUGIN_CPU, devices,
                          instance->priority, retune_dbus_instance_get_state(skeleton), path);
  }
  return g_variant_new("(a(sssiso))", &builder);
}

static gboolean on_list(RetuneDBusManager *skeleton, GDBusMethodInvocation *invocation,
                        const char *plugin, RetuneService *service)
{
  GError *error = NULL;

  (void)skeleton;
  if (!is_plugin(plugin, TRUE, &error))
    return refuse(invocation, error);
  Call *call = call_new(service, invocation);
  call->answer = answer_list;
  return ask(call, NULL);
}

static GVariant *answer_devices(Call *call)
{
  RetuneManager *manager = call->service->manager;
  const RetuneCpuset *present = retune_manager_present(manager);
  const RetuneCpuset *online = retune_manager_online(manager);
  GVariantBuilder builder;

  g_variant_builder_init(&builder, G_VARIANT_TYPE("a(ssb)"));
  RETUNE_CPUSET_FOREACH (cpu, present) {
    const RetuneInstance *owner = retune_model_owner(retune_manager_model(manager), (guint)cpu);
    char name[16];
    g_snprintf(name, sizeof name, "cpu%d", cpu);
    g_variant_builder_add(&builder, "(ssb)", name, owner != NULL ? owner->name : "",
                          retune_cpuset_contains(online, (guint)cpu));
  }
  return g_variant_new("(a(ssb))", &builder);
}

static gboolean on_devices(RetuneDBusManager *skeleton, GDBusMethodInvocation *invocation,
                           const char *plugin, RetuneService *service)
{
  GError *error = NULL;

  (void)skeleton;
  if (!is_plugin(plugin, FALSE, &error))
    return refuse(invocation, error);
  Call *call = call_new(service, invocation);
  call->answer = answer_devices;
  return ask(call, NULL);
}

static void ask_values(const RetuneKnobTable *table, RetuneMachine *machine,
                       const RetuneLedger *ledger, RetuneModel *model, gpointer data)
{
  Call *call = data;

  (void)table;
  (void)ledger;
  (void)model;
  call->findings = retune_query_values(machine, call->options, call->devices, &call->error);
}

static GVariant *answer_values(Call *call)
{
  return g_variant_new("(@a(sss))", retune_convert_values(call->findings));
}

/* The rows of @names, or all that have one. */
static GPtrArray *find_options(const RetuneKnobTable *table, const char *const *names,
                               GError **error)
{
  g_autoptr(GPtrArray) options = g_ptr_array_new();

  for (guint i = 0; names[i] != NULL; i++) {
    const RetuneKnob *knob = retune_knob_find(table, names[i], error);
    if (knob == NULL)
      return NULL;
    g_ptr_array_add(options, (gpointer)knob);
  }
  for (guint i = 0; *names == NULL && i < table->n_rows; i++)
    if (table->rows[i].name != NULL)
      g_ptr_array_add(options, (gpointer)&table->rows[i]);
  return g_steal_pointer(&options);
}

static gboolean on_values(RetuneDBusManager *skeleton, GDBusMethodInvocation *invocation,
                          const char *plugin, const char *devices, const char *const *options,
                          RetuneService *service)
{
  GError *error = NULL;

  (void)skeleton;
  if (!is_plugin(plugin, FALSE, &error))
    return refuse(invocation, error);
  RetuneCpuset *cpus = retune_devices_parse(devices, retune_manager_present(service->manager),
                                            RETUNE_DEVICES_STRICT, &error);
  if (cpus == NULL)
    return refuse(invocation, error);
  GPtrArray *knobs = find_options(retune_manager_table(service->manager), options, &error);
  if (knobs == NULL) {
    retune_cpuset_free(cpus);
    return refuse(invocation, error);
  }
  Call *call = call_new(service, invocation);
  call->devices = cpus;
  call->options = knobs;
  call->answer = answer_values;
  return ask(call, ask_values);
}

static void ask_support(const RetuneKnobTable *table, RetuneMachine *machine,
                        const RetuneLedger *ledger, RetuneModel *model, gpointer data)
{
  Call *call = data;

  (void)ledger;
  (void)model;
  call->findings = retune_query_support(table, machine, call->devices, &call->error);
}

static GVariant *answer_support(Call *call)
{
  return g_variant_new("(@a(ssssss))", retune_convert_support(call->findings));
}

static gboolean on_options(RetuneDBusManager *skeleton, GDBusMethodInvocation *invocation,
                           const char *plugin, RetuneService *service)
{
  GError *error = NULL;

  (void)skeleton;
  if (!is_plugin(plugin, FALSE, &error))
    return refuse(invocation, error);
  Call *call = call_new(service, invocation);
  call->devices = retune_cpuset_copy(retune_manager_present(service->manager));
  call->answer = answer_support;
  return ask(call, ask_support);
}

static void ask_verify(const RetuneKnobTable *table, RetuneMachine *machine,
                       const RetuneLedger *ledger, RetuneModel *model, gpointer data)
{
  Call *call = data;
  call->findings =
      retune_query_verify(table, machine, ledger, model, call->name, &call->error);
}

static GVariant *answer_verify(Call *call)
{
  return g_variant_new("(@a(ssssss))", retune_convert_findings(call->findings));
}

static gboolean verify(RetuneService *service, GDBusMethodInvocation *invocation, const char *name)
{
  Call *call = call_new(service, invocation);
  call->name = g_strdup(name);
  call->answer = answer_verify;
  return ask(call, ask_verify);
}

static gboolean on_verify(RetuneDBusManager *skeleton, GDBusMethodInvocation *invocation,
                          const char *name, RetuneService *service)
{
  (void)skeleton;
  return verify(service, invocation, name);
}

/* --- methods of instances: the same, with the name known --- */

static gboolean on_instance_acquire(RetuneDBusInstance *skeleton,
                                    GDBusMethodInvocation *invocation, const char *devices,
                                    RetuneService *service)
{
  const char *name = retune_dbus_instance_get_name(skeleton);
  return submit(service, invocation, make_request(RETUNE_VERB_MOVE, name, devices, NULL, NULL),
                result_from);
}

static gboolean on_instance_release(RetuneDBusInstance *skeleton,
                                    GDBusMethodInvocation *invocation, const char *devices,
                                    RetuneService *service)
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

static gboolean on_instance_verify(RetuneDBusInstance *skeleton, GDBusMethodInvocation *invocation,
                                   RetuneService *service)
{
  return verify(service, invocation, retune_dbus_instance_get_name(skeleton));
}

static gboolean on_instance_destroy(RetuneDBusInstance *skeleton,
                                    GDBusMethodInvocation *invocation, RetuneService *service)
{
  const char *name = retune_dbus_instance_get_name(skeleton);
  return submit(service, invocation, make_request(RETUNE_VERB_DESTROY, name, NULL, NULL, NULL),
                result_to);
}

/* --- which handler for which method --- */

typedef struct {
  const char *signal;
  GCallback handler;
} Handler;

static void connect_all(RetuneService *service, gpointer skeleton, const Handler *handlers,
                        guint n_handlers)
{
  for (guint i = 0; i < n_handlers; i++)
    g_signal_connect(skeleton, handlers[i].signal, handlers[i].handler, service);
}

void retune_methods_connect_manager(RetuneService *service)
{
  static const Handler handlers[] = {
      {"handle-create-instance", G_CALLBACK(on_create)},
      {"handle-destroy-instance", G_CALLBACK(on_destroy)},
      {"handle-move-devices", G_CALLBACK(on_move)},
      {"handle-release-devices", G_CALLBACK(on_release)},
      {"handle-set-options", G_CALLBACK(on_set)},
      {"handle-preview", G_CALLBACK(on_preview)},
      {"handle-get-instance", G_CALLBACK(on_get)},
      {"handle-list-instances", G_CALLBACK(on_list)},
      {"handle-list-devices", G_CALLBACK(on_devices)},
      {"handle-read-values", G_CALLBACK(on_values)},
      {"handle-list-options", G_CALLBACK(on_options)},
      {"handle-verify", G_CALLBACK(on_verify)},
      {"handle-reapply", G_CALLBACK(on_reapply)},
      {"handle-load-profile", G_CALLBACK(on_load)},
  };
  connect_all(service, service->skeleton, handlers, G_N_ELEMENTS(handlers));
}

void retune_methods_connect_instance(RetuneService *service, RetuneDBusInstance *skeleton)
{
  static const Handler handlers[] = {
      {"handle-acquire", G_CALLBACK(on_instance_acquire)},
      {"handle-release", G_CALLBACK(on_instance_release)},
      {"handle-set-options", G_CALLBACK(on_instance_set)},
      {"handle-verify", G_CALLBACK(on_instance_verify)},
      {"handle-destroy", G_CALLBACK(on_instance_destroy)},
  };
  connect_all(service, skeleton, handlers, G_N_ELEMENTS(handlers));
}
