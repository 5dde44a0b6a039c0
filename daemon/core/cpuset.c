// SPDX-License-Identifier: GPL-2.0-or-later
/* Sets of CPU numbers: a growing bitmap. The cpulist syntax is the one of
 * Documentation/admin-guide/kernel-parameters.rst ("cpu lists"). */
#include "cpuset.h"

#include <string.h>

#include "error.h"

struct _RetuneCpuset {
  guint64 *words; /* bit c of word c / 64 */
  gsize n_words;
};

RetuneCpuset *retune_cpuset_new(void)
{
  return g_new0(RetuneCpuset, 1);
}

RetuneCpuset *retune_cpuset_copy(const RetuneCpuset *set)
{
  RetuneCpuset *copy = g_new0(RetuneCpuset, 1);
  copy->n_words = set->n_words;
  copy->words = g_memdup2(set->words, set->n_words * sizeof *set->words);
  return copy;
}

void retune_cpuset_free(RetuneCpuset *set)
{
  if (set == NULL)
    return;
  g_free(set->words);
  g_free(set);
}

static guint64 word_at(const RetuneCpuset *set, gsize i)
{
  return i < set->n_words ? set->words[i] : 0;
}

static void grow(RetuneCpuset *set, gsize n_words)
{
  if (n_words <= set->n_words)
    return;
  set->words = g_renew(guint64, set->words, n_words);
  memset(set->words + set->n_words, 0, (n_words - set->n_words) * sizeof *set->words);
  set->n_words = n_words;
}

void retune_cpuset_add(RetuneCpuset *set, guint cpu)
{
  g_return_if_fail(cpu < RETUNE_CPU_LIMIT);
  grow(set, cpu / 64 + 1);
  set->words[cpu / 64] |= G_GUINT64_CONSTANT(1) << (cpu % 64);
}

void retune_cpuset_remove(RetuneCpuset *set, guint cpu)
{
  if (cpu / 64 < set->n_words)
    set->words[cpu / 64] &= ~(G_GUINT64_CONSTANT(1) << (cpu % 64));
}

gboolean retune_cpuset_contains(const RetuneCpuset *set, guint cpu)
{
  return (word_at(set, cpu / 64) >> (cpu % 64)) & 1;
}

gboolean retune_cpuset_is_empty(const RetuneCpuset *set)
{
  return retune_cpuset_next(set, 0) < 0;
}

guint retune_cpuset_count(const RetuneCpuset *set)
{
  guint count = 0;
  for (gsize i = 0; i < set->n_words; i++)
    count += (guint)__builtin_popcountll(set->words[i]);
  return count;
}

gboolean retune_cpuset_equal(const RetuneCpuset *a, const RetuneCpuset *b)
{
  gsize n = MAX(a->n_words, b->n_words);
  for (gsize i = 0; i < n; i++)
    if (word_at(a, i) != word_at(b, i))
      return FALSE;
  return TRUE;
}

void retune_cpuset_union(RetuneCpuset *set, const RetuneCpuset *other)
{
  grow(set, other->n_words);
  for (gsize i = 0; i < other->n_words; i++)
    set->words[i] |= other->words[i];
}

void retune_cpuset_subtract(RetuneCpuset *set, const RetuneCpuset *other)
{
  for (gsize i = 0; i < set->n_words; i++)
    set->words[i] &= ~word_at(other, i);
}

void retune_cpuset_intersect(RetuneCpuset *set, const RetuneCpuset *other)
{
  for (gsize i = 0; i < set->n_words; i++)
    set->words[i] &= word_at(other, i);
}

gint retune_cpuset_next(const RetuneCpuset *set, guint from)
{
  for (gsize i = from / 64; i < set->n_words; i++) {
    guint64 word = set->words[i];
    if (i == from / 64)
      word &= ~G_GUINT64_CONSTANT(0) << (from % 64);
    if (word != 0)
      return (gint)(i * 64) + __builtin_ctzll(word);
  }
  return -1;
}

char *retune_cpuset_to_string(const RetuneCpuset *set)
{
  GString *out = g_string_new(NULL);
  gint first = retune_cpuset_next(set, 0);

  while (first >= 0) {
    gint last = first;
    while (retune_cpuset_contains(set, (guint)last + 1))
      last++;
    g_string_append_printf(out, out->len > 0 ? ",%d" : "%d", first);
    if (last > first)
      g_string_append_printf(out, "-%d", last);
    first = retune_cpuset_next(set, (guint)last + 1);
  }
  return g_string_free(out, FALSE);
}

/* Reads a decimal number at *@p and moves *@p behind it. */
static gboolean read_number(const char **p, const char *item, guint *ret, GError **error)
{
  const char *start = *p;
  guint value = 0;

  for (; g_ascii_isdigit(**p); (*p)++) {
    value = value * 10 + (guint)g_ascii_digit_value(**p);
    if (value >= RETUNE_CPU_LIMIT) {
      retune_set_error(error, RETUNE_ERROR_LIMITS_EXCEEDED, "'%.64s': CPU numbers are below %u",
                       item, RETUNE_CPU_LIMIT);
      return FALSE;
    }
  }
  if (*p == start) {
    retune_set_error(error, RETUNE_ERROR_INVALID_VALUE,
                     "'%.64s' is not a list of CPUs; expected for instance 0-3,8", item);
    return FALSE;
  }
  *ret = value;
  return TRUE;
}

static gboolean expect_end(const char *p, const char *item, GError **error)
{
  if (*p == '\0')
    return TRUE;
  retune_set_error(error, RETUNE_ERROR_INVALID_VALUE,
                   "'%.64s' is not a list of CPUs: unexpected '%.16s'; expected for instance 0-3,8",
                   item, p);
  return FALSE;
}

/* Reads ":USED/GROUP" behind a range. */
static gboolean read_stride(const char **p, const char *item, guint *used, guint *group,
                            GError **error)
{
  if (**p != ':')
    return TRUE;
  (*p)++;
  if (!read_number(p, item, used, error))
    return FALSE;
  if (**p == '/') {
    (*p)++;
    if (!read_number(p, item, group, error))
      return FALSE;
    if (*used > 0 && *used <= *group)
      return TRUE;
  }
  retune_set_error(error, RETUNE_ERROR_INVALID_VALUE,
                   "'%.64s': in FIRST-LAST:USED/GROUP, USED is from 1 to GROUP", item);
  return FALSE;
}

gboolean retune_cpuset_add_range(RetuneCpuset *set, const char *item, GError **error)
{
  const char *p = item;
  guint first, last, used = 1, group = 1;

  if (!read_number(&p, item, &first, error))
    return FALSE;
  last = first;
  if (*p == '-') {
    p++;
    if (!read_number(&p, item, &last, error) || !read_stride(&p, item, &used, &group, error))
      return FALSE;
  }
  if (!expect_end(p, item, error))
    return FALSE;
  if (last < first) {
    retune_set_error(error, RETUNE_ERROR_INVALID_VALUE, "'%.64s': the range ends before it starts",
                     item);
    return FALSE;
  }
  for (guint cpu = first; cpu <= last; cpu++)
    if ((cpu - first) % group < used)
      retune_cpuset_add(set, cpu);
  return TRUE;
}

RetuneCpuset *retune_cpuset_parse(const char *text, GError **error)
{
  g_autoptr(RetuneCpuset) set = retune_cpuset_new();
  g_autofree char *stripped = g_strstrip(g_strdup(text));
  g_auto(GStrv) items = g_strsplit(stripped, ",", -1);

  for (guint i = 0; items[i] != NULL; i++)
    if (!retune_cpuset_add_range(set, g_strstrip(items[i]), error))
      return NULL;
  return g_steal_pointer(&set);
}
