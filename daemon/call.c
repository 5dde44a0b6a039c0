// SPDX-License-Identifier: GPL-2.0-or-later
/* Calls under way, counted per client so that its calls keep their order. */
#include "call.h"

#include "error.h"

/* How many calls the sender of @invocation has under way. */
static guint count_pending(RetuneService *service, GDBusMethodInvocation *invocation)
{
  const char *sender = g_dbus_method_invocation_get_sender(invocation);
  return GPOINTER_TO_UINT(g_hash_table_lookup(service->pending, sender));
}

static void set_pending(RetuneService *service, GDBusMethodInvocation *invocation, guint count)
{
  const char *sender = g_dbus_method_invocation_get_sender(invocation);

  if (count > 0)
    g_hash_table_insert(service->pending, g_strdup(sender), GUINT_TO_POINTER(count));
  else
    g_hash_table_remove(service->pending, sender);
}

RetuneCall *retune_call_new(RetuneService *service, GDBusMethodInvocation *invocation)
{
  guint count = count_pending(service, invocation);

  if (count >= RETUNE_MAX_CALLS) {
    g_dbus_method_invocation_return_error(invocation, RETUNE_ERROR, RETUNE_ERROR_LIMITS_EXCEEDED,
                                          "this client has %u calls under way already", count);
    return NULL;
  }
  RetuneCall *call = g_new0(RetuneCall, 1);

  call->service = service;
  call->invocation = invocation;
  set_pending(service, invocation, count + 1);
  return call;
}

gboolean retune_call_is_alone(const RetuneCall *call)
{
  return count_pending(call->service, call->invocation) == 1;
}

void retune_call_finish(RetuneCall *call, GVariant *result, const GError *error)
{
  set_pending(call->service, call->invocation, count_pending(call->service, call->invocation) - 1);
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

gboolean retune_call_refuse(GDBusMethodInvocation *invocation, GError *error)
{
  g_dbus_method_invocation_take_error(invocation, error);
  return TRUE;
}
