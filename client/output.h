// SPDX-License-Identifier: GPL-2.0-or-later
/* Output for people (tables) and for programs (JSON). json-c ends here. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* A table is printed when it is complete, so that columns fit. */
typedef struct _Table Table;

Table *table_new(const char *const *headers);
/* Adds a row of as many cells as there are headers; "" is shown as "-".
 * A last column with nothing in it is left out. */
void table_add(Table *table, const char *const *cells);
/* Prints the table, or @empty if it has no row; frees it. */
void table_print(Table *table, const char *empty);

/* Prints @value (floating or not) as JSON: dictionaries with string keys are
 * objects, tuples are objects with the keys of @fields (at the innermost tuple),
 * or arrays if @fields is NULL. */
void output_json(GVariant *value, const char *const *fields);
/* The same on one line, for streams. */
void output_json_line(GVariant *value, const char *const *fields);

/* An array of tuples as an array of dictionaries (aa{sv}, floating) with the
 * keys of @fields. */
GVariant *output_named(GVariant *tuples, const char *const *fields);

/* The text of a value as a person would write it; the caller frees it. */
char *output_text(GVariant *value);

G_END_DECLS
