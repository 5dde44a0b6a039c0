// SPDX-License-Identifier: GPL-2.0-or-later
/* What can be said of a row of the knob table without any I/O. */
#include "knob.h"

#include <string.h>

#include "error.h"
#include "names.h"

const RetuneKnob *retune_knob_find(const RetuneKnobTable *table, const char *name)
{
  for (guint i = 0; i < table->n_rows; i++)
    if (g_strcmp0(table->rows[i].name, name) == 0)
      return &table->rows[i];
  return NULL;
}

const RetuneKnob *retune_knob_option(const RetuneKnobTable *table, const RetuneKnob *place)
{
  for (guint row = 0; place->name == NULL && row < table->n_rows; row++)
    if (table->rows[row].twin == place || table->rows[row].gate == place)
      return &table->rows[row];
  return place;
}

void retune_knob_unknown(const RetuneKnobTable *table, const char *name, const char *const *others,
                         GError **error)
{
  g_autoptr(GPtrArray) names = g_ptr_array_new();

  for (guint i = 0; i < table->n_rows; i++)
    if (table->rows[i].name != NULL)
      g_ptr_array_add(names, (gpointer)table->rows[i].name);
  for (guint i = 0; others[i] != NULL; i++)
    g_ptr_array_add(names, (gpointer)others[i]);
  g_autofree char *hint = retune_names_hint(name, (const char *const *)names->pdata, names->len);
  retune_set_error(error, RETUNE_ERROR_UNKNOWN_OPTION, "unknown option '%.64s'%s", name, hint);
}

gboolean retune_knob_same(const RetuneKnob *knob, const char *wanted, const char *actual)
{
  if (strcmp(wanted, actual) == 0)
    return TRUE;
  return knob->type->same != NULL && knob->type->same(wanted, actual);
}

const char *retune_scope_name(RetuneScope scope)
{
  static const char *const names[] = {"cpu", "policy", "system"};
  return names[scope];
}

guint retune_knob_stride(const RetuneKnob *place)
{
  const char *first = strstr(place->file, "%u");

  if (strstr(place->file, "%s") != NULL)
    return g_strv_length((char **)place->governors);
  return first != NULL && strstr(first + 2, "%u") != NULL ? RETUNE_IDLE_STATES : 1;
}

gboolean retune_knob_same_unit(const RetuneKnob *place, guint id, const RetuneKnob *other,
                               guint *ret_id)
{
  guint stride = retune_knob_stride(other);

  *ret_id = id;
  if (place->governors == NULL || other->governors == NULL)
    return TRUE;
  const char *governor = place->governors[id % retune_knob_stride(place)];
  for (guint i = 0; other->governors[i] != NULL; i++) {
    *ret_id = id / retune_knob_stride(place) * stride + i;
    if (g_str_equal(other->governors[i], governor))
      return TRUE;
  }
  return FALSE;
}

guint retune_knob_cpu(const RetuneKnob *place, guint id)
{
  return id / retune_knob_stride(place);
}

/* Appends decimal @value at @p, which has room for it. */
static char *append_number(char *p, guint value)
{
  char digits[12];
  gint n = 0;

  do
    digits[n++] = (char)('0' + value % 10);
  while ((value /= 10) > 0);
  while (n > 0)
    *p++ = digits[--n];
  return p;
}

/* Not printf: this runs once per written file. */
void retune_knob_path(const RetuneKnob *place, guint id, char *path, gsize size)
{
  guint stride = retune_knob_stride(place);
  guint numbers[2] = {id / stride, id % stride};
  guint next = 0;
  char *p = path;
  char *end = path + size - 20; /* a governor's name is shorter */

  for (const char *f = place->file; *f != '\0' && p < end; f++) {
    if (f[0] == '%' && f[1] == 'u' && next < 2) {
      p = append_number(p, numbers[next++]);
      f++;
    } else if (f[0] == '%' && f[1] == 's') {
      p = g_stpcpy(p, place->governors[id % stride]);
      f++;
    } else {
      *p++ = *f;
    }
  }
  *p = '\0';
}

void retune_knob_unit(const RetuneKnob *place, guint id, char *unit, gsize size)
{
  if (place->scope == RETUNE_SCOPE_SYSTEM)
    g_strlcpy(unit, "system", size);
  else
    g_snprintf(unit, size, "%s%u", retune_scope_name(place->scope), retune_knob_cpu(place, id));
}
