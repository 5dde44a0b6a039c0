// SPDX-License-Identifier: GPL-2.0-or-later
/* Requests own what they hold. */
#include "request.h"

RetuneRequest *retune_request_new(RetuneVerb verb)
{
  RetuneRequest *request = g_new0(RetuneRequest, 1);
  request->verb = verb;
  return request;
}

void retune_request_free(RetuneRequest *request)
{
  if (request == NULL)
    return;
  g_free(request->sender);
  g_free(request->plugin);
  g_free(request->name);
  g_free(request->devices);
  g_clear_pointer(&request->options, g_ptr_array_unref);
  g_clear_pointer(&request->specs, g_ptr_array_unref);
  g_free(request);
}
