// SPDX-License-Identifier: GPL-2.0-or-later
/* Who owns which CPU. A model never changes: each verb returns a new one, or
 * an error and nothing, so that withdrawing a wish is dropping a pointer. */
#pragma once

#include "instance.h"

G_BEGIN_DECLS

/* How many instances there can be at once. */
#define RETUNE_MAX_INSTANCES 256u

typedef struct _RetuneModel RetuneModel;

/* CPUs that changed hands. */
typedef struct {
  RetuneCpuset *devices;
  char *from; /* an instance, or "" for free */
  char *to;   /* the same */
} RetuneMove;

void retune_move_free(RetuneMove *move);

RetuneModel *retune_model_new(void);
RetuneModel *retune_model_ref(RetuneModel *model);
void retune_model_unref(RetuneModel *model);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RetuneModel, retune_model_unref)

/* Have both the very same instances, so that nothing has changed between them? */
gboolean retune_model_is_same(const RetuneModel *a, const RetuneModel *b);

/* The instances, oldest first; owned by the model. */
const GPtrArray *retune_model_instances(const RetuneModel *model);
/* Errors: UNKNOWN_INSTANCE, naming those there are. */
const RetuneInstance *retune_model_find(const RetuneModel *model, const char *name,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The owner of @cpu, or NULL if it is free. */
const RetuneInstance *retune_model_owner(const RetuneModel *model, guint cpu);
/* The CPUs of @existing that no instance owns; the caller frees it. */
RetuneCpuset *retune_model_free_devices(const RetuneModel *model, const RetuneCpuset *existing);

/* Adds @instance with the CPUs of its claim that are free or whose owner has
 * the same or a weaker priority; the others stay where they are.
 * Errors: INSTANCE_EXISTS, LIMITS_EXCEEDED, UNKNOWN_DEVICE, CONFLICT if
 * @instance is exclusive and any claimed CPU has an owner, or such an owner is
 * exclusive itself. */
RetuneModel *retune_model_create(RetuneModel *model, const RetuneInstance *instance,
                                 const RetuneCpuset *existing,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Adds @instance with the devices it has, as younger than all others.
 * Errors: INSTANCE_EXISTS, LIMITS_EXCEEDED, CONFLICT if a device has an owner. */
RetuneModel *retune_model_restore(RetuneModel *model, const RetuneInstance *instance,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Gives @devices to @name, whoever holds them. Errors: UNKNOWN_INSTANCE. */
RetuneModel *retune_model_move(RetuneModel *model, const char *name, const RetuneCpuset *devices,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Takes @devices from their owners; each goes to the strongest other instance
 * that claims it, else it is free. @only: release only from that instance
 * (CONFLICT if it does not own all of them), or NULL.
 * Errors: UNKNOWN_INSTANCE, CONFLICT. */
RetuneModel *retune_model_release(RetuneModel *model, const RetuneCpuset *devices, const char *only,
                                  const RetuneCpuset *existing,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Removes @name; its CPUs go as in release. Errors: UNKNOWN_INSTANCE. */
RetuneModel *retune_model_destroy(RetuneModel *model, const char *name,
                                  const RetuneCpuset *existing,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Puts @changed in the place of the instance of its name.
 * Errors: UNKNOWN_INSTANCE. */
RetuneModel *retune_model_replace(RetuneModel *model, RetuneInstance *changed,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Gives free CPUs of @devices to the strongest instance that claims them. */
RetuneModel *retune_model_adopt(RetuneModel *model, const RetuneCpuset *devices,
                                const RetuneCpuset *existing);

/* The CPUs whose owner differs, grouped by (from, to): RetuneMove, owned by the
 * caller, ordered by first CPU. */
GPtrArray *retune_model_moves(const RetuneModel *before, const RetuneModel *after);

/* The CPUs @instance claims but does not own, grouped by their owner: RetuneMove
 * with from = to = owner ("" for a free one). */
GPtrArray *retune_model_held_elsewhere(const RetuneModel *model, const RetuneInstance *instance,
                                       const RetuneCpuset *existing);

G_END_DECLS
