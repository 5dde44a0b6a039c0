// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables and JSON. */
#include "output.h"

#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

/* --- tables --- */

struct _Table {
  guint n_columns;
  GPtrArray *rows; /* GStrv; the first is the headers */
  glong *widths;
  gboolean has_last; /* a cell of the last column is not empty */
};

Table *table_new(const char *const *headers)
{
  Table *table = g_new0(Table, 1);
  table->n_columns = g_strv_length((char **)headers);
  table->rows = g_ptr_array_new_with_free_func((GDestroyNotify)g_strfreev);
  table->widths = g_new0(glong, table->n_columns);
  table_add(table, headers);
  return table;
}

void table_add(Table *table, const char *const *cells)
{
  char **row = g_new0(char *, table->n_columns + 1);

  for (guint i = 0; i < table->n_columns; i++) {
    row[i] = g_strdup(*cells[i] != '\0' ? cells[i] : "-");
    table->widths[i] = MAX(table->widths[i], g_utf8_strlen(row[i], -1));
  }
  if (table->rows->len > 0 && *cells[table->n_columns - 1] != '\0')
    table->has_last = TRUE;
  g_ptr_array_add(table->rows, row);
}

static void print_row(const Table *table, char **row)
{
  guint n_shown = table->has_last ? table->n_columns : table->n_columns - 1;

  for (guint i = 0; i < n_shown; i++) {
    gboolean last = i + 1 == n_shown;
    glong padding = last ? 0 : table->widths[i] - g_utf8_strlen(row[i], -1) + 2;
    g_print("%s%*s", row[i], (int)padding, "");
  }
  g_print("\n");
}

void table_print(Table *table, const char *empty)
{
  if (table->rows->len == 1)
    g_print("%s\n", empty);
  for (guint i = 0; table->rows->len > 1 && i < table->rows->len; i++)
    print_row(table, table->rows->pdata[i]);
  g_ptr_array_unref(table->rows);
  g_free(table->widths);
  g_free(table);
}

/* --- JSON --- */

static json_object *to_json(GVariant *value, const char *const *fields);

static json_object *dictionary_to_json(GVariant *value, const char *const *fields)
{
  json_object *object = json_object_new_object();

  for (gsize i = 0; i < g_variant_n_children(value); i++) {
    g_autoptr(GVariant) entry = g_variant_get_child_value(value, i);
    g_autoptr(GVariant) key = g_variant_get_child_value(entry, 0);
    g_autoptr(GVariant) child = g_variant_get_child_value(entry, 1);
    json_object_object_add(object, g_variant_get_string(key, NULL), to_json(child, fields));
  }
  return object;
}

static json_object *array_to_json(GVariant *value, const char *const *fields)
{
  json_object *array = json_object_new_array();

  for (gsize i = 0; i < g_variant_n_children(value); i++) {
    g_autoptr(GVariant) child = g_variant_get_child_value(value, i);
    json_object_array_add(array, to_json(child, fields));
  }
  return array;
}

static json_object *tuple_to_json(GVariant *value, const char *const *fields)
{
  if (fields == NULL || g_strv_length((char **)fields) != g_variant_n_children(value))
    return array_to_json(value, fields);
  json_object *object = json_object_new_object();
  for (gsize i = 0; i < g_variant_n_children(value); i++) {
    g_autoptr(GVariant) child = g_variant_get_child_value(value, i);
    json_object_object_add(object, fields[i], to_json(child, NULL));
  }
  return object;
}

static json_object *number_to_json(GVariant *value)
{
  g_autofree char *text = g_variant_print(value, FALSE);
  return json_object_new_int64(g_ascii_strtoll(text, NULL, 10));
}

static json_object *to_json(GVariant *value, const char *const *fields)
{
  if (g_variant_is_of_type(value, G_VARIANT_TYPE_VARIANT)) {
    g_autoptr(GVariant) child = g_variant_get_variant(value);
    return to_json(child, fields);
  }
  if (g_variant_is_of_type(value, G_VARIANT_TYPE_BOOLEAN))
    return json_object_new_boolean(g_variant_get_boolean(value));
  if (g_variant_is_of_type(value, G_VARIANT_TYPE_STRING) ||
      g_variant_is_of_type(value, G_VARIANT_TYPE_OBJECT_PATH))
    return json_object_new_string(g_variant_get_string(value, NULL));
  if (g_variant_is_of_type(value, G_VARIANT_TYPE_DICTIONARY))
    return dictionary_to_json(value, fields);
  if (g_variant_is_of_type(value, G_VARIANT_TYPE_ARRAY))
    return array_to_json(value, fields);
  if (g_variant_is_of_type(value, G_VARIANT_TYPE_TUPLE))
    return tuple_to_json(value, fields);
  return number_to_json(value);
}

static void print_json(GVariant *value, const char *const *fields, int flags)
{
  g_autoptr(GVariant) held = g_variant_ref_sink(value);
  json_object *object = to_json(held, fields);

  g_print("%s\n", json_object_to_json_string_ext(object, flags | JSON_C_TO_STRING_NOSLASHESCAPE));
  json_object_put(object);
}

void output_json(GVariant *value, const char *const *fields)
{
  print_json(value, fields, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED);
}

void output_json_line(GVariant *value, const char *const *fields)
{
  print_json(value, fields, JSON_C_TO_STRING_PLAIN);
}

GVariant *output_named(GVariant *tuples, const char *const *fields)
{
  GVariantBuilder array;

  g_variant_builder_init(&array, G_VARIANT_TYPE("aa{sv}"));
  for (gsize i = 0; i < g_variant_n_children(tuples); i++) {
    g_autoptr(GVariant) tuple = g_variant_get_child_value(tuples, i);
    g_variant_builder_open(&array, G_VARIANT_TYPE_VARDICT);
    for (gsize k = 0; k < g_variant_n_children(tuple); k++) {
      g_autoptr(GVariant) child = g_variant_get_child_value(tuple, k);
      g_variant_builder_add(&array, "{sv}", fields[k], child);
    }
    g_variant_builder_close(&array);
  }
  return g_variant_builder_end(&array);
}

char *output_text(GVariant *value)
{
  if (g_variant_is_of_type(value, G_VARIANT_TYPE_VARIANT)) {
    g_autoptr(GVariant) child = g_variant_get_variant(value);
    return output_text(child);
  }
  if (g_variant_is_of_type(value, G_VARIANT_TYPE_STRING))
    return g_variant_dup_string(value, NULL);
  if (g_variant_is_of_type(value, G_VARIANT_TYPE_BOOLEAN))
    return g_strdup(g_variant_get_boolean(value) ? "yes" : "no");
  return g_variant_print(value, FALSE);
}
