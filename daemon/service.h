// SPDX-License-Identifier: GPL-2.0-or-later
/* The D-Bus face: exports the manager and one object per instance, and keeps
 * them in step with the model. */
#pragma once

#include <gio/gio.h>

#include "manager.h"

G_BEGIN_DECLS

typedef struct _RetuneService RetuneService;

/* Exports all objects on @bus. @profile_path: directories where included
 * profiles are looked for. Errors: of GDBus. */
RetuneService *retune_service_new(GDBusConnection *bus, RetuneManager *manager,
                                  const char *const *profile_path,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
void retune_service_free(RetuneService *service);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RetuneService, retune_service_free)

G_END_DECLS
