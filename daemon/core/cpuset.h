// SPDX-License-Identifier: GPL-2.0-or-later
/* A set of CPU numbers of any size, printed and read in the kernel's cpulist
 * form ("0-3,8"). Used by every other module. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* CPU numbers are below this; the largest kernels are built for 8192. */
#define RETUNE_CPU_LIMIT 16384u

typedef struct _RetuneCpuset RetuneCpuset;

RetuneCpuset *retune_cpuset_new(void);
RetuneCpuset *retune_cpuset_copy(const RetuneCpuset *set);
void retune_cpuset_free(RetuneCpuset *set);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RetuneCpuset, retune_cpuset_free)

/* Adds @cpu, which must be below RETUNE_CPU_LIMIT. */
void retune_cpuset_add(RetuneCpuset *set, guint cpu);
void retune_cpuset_remove(RetuneCpuset *set, guint cpu);
gboolean retune_cpuset_contains(const RetuneCpuset *set, guint cpu);
gboolean retune_cpuset_is_empty(const RetuneCpuset *set);
guint retune_cpuset_count(const RetuneCpuset *set);
gboolean retune_cpuset_equal(const RetuneCpuset *a, const RetuneCpuset *b);

/* Set operations that change @set. */
void retune_cpuset_union(RetuneCpuset *set, const RetuneCpuset *other);
void retune_cpuset_subtract(RetuneCpuset *set, const RetuneCpuset *other);
void retune_cpuset_intersect(RetuneCpuset *set, const RetuneCpuset *other);

/* The first member that is >= @from, or -1. */
gint retune_cpuset_next(const RetuneCpuset *set, guint from);

/* Runs the statement after it for each member in numeric order. */
#define RETUNE_CPUSET_FOREACH(cpu, set)                   \
  for (gint cpu = retune_cpuset_next((set), 0); cpu >= 0; \
       cpu = retune_cpuset_next((set), (guint)cpu + 1))

/* Canonical cpulist, "" for the empty set; the caller frees it. */
char *retune_cpuset_to_string(const RetuneCpuset *set);

/* Reads a cpulist as the kernel prints and takes it: "0-3,8", "0-31:2/8" (two
 * of every eight), blanks and a final newline allowed, "" is the empty set.
 * Errors: INVALID_VALUE for a malformed list, LIMITS_EXCEEDED for a number
 * beyond RETUNE_CPU_LIMIT. */
RetuneCpuset *retune_cpuset_parse(const char *text, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Reads one item of a cpulist ("4", "0-3", "0-31:2/8") into @set.
 * Errors as retune_cpuset_parse(). */
gboolean retune_cpuset_add_range(RetuneCpuset *set, const char *item,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
