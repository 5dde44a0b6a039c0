// SPDX-License-Identifier: GPL-2.0-or-later
/* The handlers of methods that only read. */
#include "call.h"
#include "convert.h"
#include "devices.h"
#include "error.h"

static void answer(gpointer data)
{
  RetuneCall *call = data;
  GVariant *result = call->error == NULL ? call->answer(call) : NULL;

  retune_call_finish(call, result, call->error); /* the answer may have set the error */
}

static void cancel(gpointer data)
{
  RetuneCall *call = data;

  retune_set_error(&call->error, RETUNE_ERROR_FAILED, "retuned is stopping");
  answer(call);
}

/* What the worker does for a question; NULL: nothing, the model is enough. */
typedef void Work(const RetuneKnobTable *table, RetuneMachine *machine, const RetuneLedger *ledger,
                  RetuneModel *model, gpointer data);

/* Has @work done, if any, and then answers; or answers at once if the arguments
 * were wrong. Questions that only need the model do not wait either, unless for
 * calls of the same client. */
static gboolean ask(RetuneCall *call, Work *work)
{
  RetuneQuestion question = {work, answer, cancel};

  if (call->error != NULL || (work == NULL && retune_call_is_alone(call)))
    answer(call);
  else if (!retune_manager_ask(call->service->manager, &question, call))
    cancel(call);
  return TRUE;
}

/* A question about the instance @name. */
static gboolean ask_about(RetuneService *service, GDBusMethodInvocation *invocation,
                          const char *name, Work *work, GVariant *(*answer_call)(RetuneCall *call))
{
  RetuneCall *call = retune_call_new(service, invocation);

  if (call == NULL)
    return TRUE;
  call->name = g_strdup(name);
  call->answer = answer_call;
  return ask(call, work);
}

static gboolean is_plugin(const char *plugin, gboolean may_be_empty, GError **error)
{
  if (g_str_equal(plugin, RETUNE_PLUGIN_CPU) || (may_be_empty && *plugin == '\0'))
    return TRUE;
  retune_set_error(error, RETUNE_ERROR_UNKNOWN_PLUGIN,
                   "no plugin '%.64s'; there is: " RETUNE_PLUGIN_CPU, plugin);
  return FALSE;
}

static GVariant *answer_get(RetuneCall *call)
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
  (void)skeleton;
  return ask_about(service, invocation, name, NULL, answer_get);
}

static GVariant *answer_list(RetuneCall *call)
{
  RetuneManager *manager = call->service->manager;
  const GPtrArray *instances = retune_model_instances(retune_manager_model(manager));
  GVariantBuilder builder;

  g_variant_builder_init(&builder, G_VARIANT_TYPE("a(sssiso)"));
  for (guint i = 0; i < instances->len; i++) {
    const RetuneInstance *instance = instances->pdata[i];
    g_autofree char *devices = retune_cpuset_to_string(instance->devices);
    g_autofree char *path = retune_convert_path(instance->name);
    g_autoptr(GDBusObject) object =
        g_dbus_object_manager_get_object(G_DBUS_OBJECT_MANAGER(call->service->objects), path);
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
  RetuneCall *call = retune_call_new(service, invocation);

  (void)skeleton;
  if (call == NULL)
    return TRUE;
  (void)is_plugin(plugin, TRUE, &call->error);
  call->answer = answer_list;
  return ask(call, NULL);
}

static GVariant *answer_devices(RetuneCall *call)
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
  RetuneCall *call = retune_call_new(service, invocation);

  (void)skeleton;
  if (call == NULL)
    return TRUE;
  (void)is_plugin(plugin, FALSE, &call->error);
  call->answer = answer_devices;
  return ask(call, NULL);
}

/* Evaluates call->name, an expression, into call->devices. In the worker. */
static gboolean expand(RetuneCall *call, RetuneMachine *machine, RetuneModel *model)
{
  g_autoptr(RetuneCpuset) present = retune_machine_read_present(machine, &call->error);
  if (present == NULL)
    return FALSE;
  char *claim = retune_manager_expand(machine, model, present, call->name, &call->error);
  if (claim == NULL)
    return FALSE;
  g_free(call->name);
  call->name = claim;
  call->devices = retune_devices_parse(claim, present, RETUNE_DEVICES_STRICT, &call->error);
  return call->devices != NULL;
}

static void ask_values(const RetuneKnobTable *table, RetuneMachine *machine,
                       const RetuneLedger *ledger, RetuneModel *model, gpointer data)
{
  RetuneCall *call = data;

  (void)table;
  (void)ledger;
  if (expand(call, machine, model))
    call->findings = retune_query_values(machine, call->options, call->devices, &call->error);
}

static GVariant *answer_values(RetuneCall *call)
{
  return g_variant_new("(@a(sss))", retune_convert_values(call->findings));
}

/* The rows of @names, or all that have one. */
static GPtrArray *find_options(const RetuneKnobTable *table, const char *const *names,
                               GError **error)
{
  g_autoptr(GPtrArray) options = g_ptr_array_new();

  for (guint i = 0; names[i] != NULL; i++) {
    static const char *const no_others[] = {NULL};
    const RetuneKnob *knob = retune_knob_find(table, names[i]);
    if (knob == NULL) {
      retune_knob_unknown(table, names[i], no_others, error);
      return NULL;
    }
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
  RetuneCall *call = retune_call_new(service, invocation);

  (void)skeleton;
  if (call == NULL)
    return TRUE;
  call->name = g_strdup(devices);
  if (is_plugin(plugin, FALSE, &call->error))
    call->options = find_options(retune_manager_table(service->manager), options, &call->error);
  call->answer = answer_values;
  return ask(call, ask_values);
}

static void ask_expand(const RetuneKnobTable *table, RetuneMachine *machine,
                       const RetuneLedger *ledger, RetuneModel *model, gpointer data)
{
  (void)table;
  (void)ledger;
  (void)expand(data, machine, model);
}

static GVariant *answer_expand(RetuneCall *call)
{
  g_autofree char *devices = retune_cpuset_to_string(call->devices);
  return g_variant_new("(ss)", call->name, devices);
}

static gboolean on_expand(RetuneDBusManager *skeleton, GDBusMethodInvocation *invocation,
                          const char *plugin, const char *expression, RetuneService *service)
{
  RetuneCall *call = retune_call_new(service, invocation);

  (void)skeleton;
  if (call == NULL)
    return TRUE;
  (void)is_plugin(plugin, FALSE, &call->error);
  call->name = g_strdup(expression);
  call->answer = answer_expand;
  return ask(call, ask_expand);
}

static void ask_baselines(const RetuneKnobTable *table, RetuneMachine *machine,
                          const RetuneLedger *ledger, RetuneModel *model, gpointer data)
{
  RetuneCall *call = data;
  call->findings = retune_query_baselines(table, machine, ledger, model, call->name, &call->error);
}

static gboolean on_baselines(RetuneDBusManager *skeleton, GDBusMethodInvocation *invocation,
                             const char *name, RetuneService *service)
{
  (void)skeleton;
  return ask_about(service, invocation, name, ask_baselines, answer_values);
}

static void ask_support(const RetuneKnobTable *table, RetuneMachine *machine,
                        const RetuneLedger *ledger, RetuneModel *model, gpointer data)
{
  RetuneCall *call = data;

  (void)ledger;
  (void)model;
  call->findings = retune_query_support(table, machine, call->devices, &call->error);
}

static GVariant *answer_support(RetuneCall *call)
{
  return g_variant_new("(@a(ssssa(ss)a(sss)))", retune_convert_support(call->findings));
}

static gboolean on_options(RetuneDBusManager *skeleton, GDBusMethodInvocation *invocation,
                           const char *plugin, RetuneService *service)
{
  RetuneCall *call = retune_call_new(service, invocation);

  (void)skeleton;
  if (call == NULL)
    return TRUE;
  (void)is_plugin(plugin, FALSE, &call->error);
  call->devices = retune_cpuset_copy(retune_manager_present(service->manager));
  call->answer = answer_support;
  return ask(call, ask_support);
}

static void ask_verify(const RetuneKnobTable *table, RetuneMachine *machine,
                       const RetuneLedger *ledger, RetuneModel *model, gpointer data)
{
  RetuneCall *call = data;
  call->findings = retune_query_verify(table, machine, ledger, model, call->name, &call->error);
}

static GVariant *answer_findings(RetuneCall *call)
{
  return g_variant_new("(@a(ssssss))", retune_convert_findings(call->findings));
}

static gboolean on_verify(RetuneDBusManager *skeleton, GDBusMethodInvocation *invocation,
                          const char *name, RetuneService *service)
{
  (void)skeleton;
  return ask_about(service, invocation, name, ask_verify, answer_findings);
}

static void ask_effects(const RetuneKnobTable *table, RetuneMachine *machine,
                        const RetuneLedger *ledger, RetuneModel *model, gpointer data)
{
  RetuneCall *call = data;

  (void)table;
  (void)ledger;
  call->findings = retune_query_effects(machine, model, call->name, &call->error);
}

static gboolean on_effects(RetuneDBusManager *skeleton, GDBusMethodInvocation *invocation,
                           const char *name, RetuneService *service)
{
  (void)skeleton;
  return ask_about(service, invocation, name, ask_effects, answer_findings);
}

static gboolean on_instance_verify(RetuneDBusInstance *skeleton, GDBusMethodInvocation *invocation,
                                   RetuneService *service)
{
  return ask_about(service, invocation, retune_dbus_instance_get_name(skeleton), ask_verify,
                   answer_findings);
}

void retune_methods_connect_questions(RetuneService *service)
{
  static const RetuneHandler handlers[] = {
      {"handle-get-instance", G_CALLBACK(on_get)},
      {"handle-list-instances", G_CALLBACK(on_list)},
      {"handle-list-devices", G_CALLBACK(on_devices)},
      {"handle-read-values", G_CALLBACK(on_values)},
      {"handle-read-baselines", G_CALLBACK(on_baselines)},
      {"handle-expand-devices", G_CALLBACK(on_expand)},
      {"handle-list-options", G_CALLBACK(on_options)},
      {"handle-verify", G_CALLBACK(on_verify)},
      {"handle-observe-effects", G_CALLBACK(on_effects)},
  };
  retune_service_connect(service, service->skeleton, handlers, G_N_ELEMENTS(handlers));
}

void retune_methods_connect_instance_questions(RetuneService *service, RetuneDBusInstance *skeleton)
{
  static const RetuneHandler handlers[] = {{"handle-verify", G_CALLBACK(on_instance_verify)}};
  retune_service_connect(service, skeleton, handlers, G_N_ELEMENTS(handlers));
}
