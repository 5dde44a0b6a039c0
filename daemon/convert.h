// SPDX-License-Identifier: GPL-2.0-or-later
/* Between D-Bus types and ours. D-Bus types stop here and in the service. */
#pragma once

#include <gio/gio.h>

#include "manager.h"

G_BEGIN_DECLS

#define RETUNE_BUS_NAME "io.github.retune1"
#define RETUNE_OBJECT_PATH "/io/github/retune1"

/* Registers the D-Bus names of RETUNE_ERROR; call once at start. */
void retune_convert_register_errors(void);

/* a{sv} to a list of RetuneOption. Errors: INVALID_VALUE for a value that is no
 * string, integer or boolean. */
GPtrArray *retune_convert_options(GVariant *options, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The object of the instance @name; the caller frees it. */
char *retune_convert_path(const char *name);

/* All return floating references. */
GVariant *retune_convert_moves_from(const GPtrArray *moves);       /* a(ss): cpulist, from */
GVariant *retune_convert_moves_to(const GPtrArray *moves);         /* a(ss): cpulist, to */
GVariant *retune_convert_lines(const GPtrArray *lines);            /* a(sssss) */
GVariant *retune_convert_findings(const GPtrArray *findings);      /* a(ssssss), of Verify */
GVariant *retune_convert_values(const GPtrArray *findings);        /* a(sss), of ReadValues */
GVariant *retune_convert_support(const GPtrArray *support);        /* a(ssssss), of ListOptions */
GVariant *retune_convert_problems(const GPtrArray *findings);      /* a(ssss), of Problems */
GVariant *retune_convert_settings(const RetuneInstance *instance); /* a{ss} */

/* active, pending or degraded. */
const char *retune_convert_state(const GPtrArray *problems);

G_END_DECLS
