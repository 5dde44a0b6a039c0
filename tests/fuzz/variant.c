// SPDX-License-Identifier: GPL-2.0-or-later
/* The options of a call on D-Bus: lines with a type, a blank, and NAME=VALUE. */
#include "convert.h"

#include <string.h>

#include "fuzz.h"
#include "table.h"

static void check_instance(const RetuneInstance *instance)
{
  g_autoptr(GVariant) settings = g_variant_ref_sink(retune_convert_settings(instance));
  g_autofree char *path = retune_convert_path(instance->name);

  fuzz_check_instance(instance, retune_knobs_table());
  FUZZ_CHECK(g_variant_is_of_type(settings, G_VARIANT_TYPE("a{ss}")), "settings of another type");
  FUZZ_CHECK(g_variant_is_normal_form(settings), "settings in another form");
  FUZZ_CHECK(g_variant_is_object_path(path), "'%s' is no path", path);
}

/* @text as a variant of @type, which is the first letter of a D-Bus type. */
static GVariant *make_value(char type, const char *text)
{
  gint64 number = g_ascii_strtoll(text, NULL, 0);
  const char *const list[] = {text, text, NULL};

  switch (type) {
  case 'b':
    return g_variant_new_boolean(number != 0);
  case 'y':
    return g_variant_new_byte((guint8)number);
  case 'n':
    return g_variant_new_int16((gint16)number);
  case 'q':
    return g_variant_new_uint16((guint16)number);
  case 'i':
    return g_variant_new_int32((gint32)number);
  case 'u':
    return g_variant_new_uint32((guint32)number);
  case 'x':
    return g_variant_new_int64(number);
  case 't':
    return g_variant_new_uint64((guint64)number);
  case 'h':
    return g_variant_new_handle((gint32)number);
  case 'd':
    return g_variant_new_double(g_ascii_strtod(text, NULL));
  case 'v':
    return g_variant_new_variant(g_variant_new_string(text));
  case 'a':
    return g_variant_new_strv(list, -1);
  default:
    return g_variant_new_string(text);
  }
}

static GVariant *make_dictionary(const char *text)
{
  g_autoptr(GPtrArray) lines = fuzz_options(text);
  GVariantBuilder builder;

  g_variant_builder_init(&builder, G_VARIANT_TYPE_VARDICT);
  for (guint i = 0; i < lines->len; i++) {
    const RetuneOption *line = lines->pdata[i];
    if (line->name[0] != '\0' && line->name[1] == ' ')
      g_variant_builder_add(&builder, "{sv}", line->name + 2,
                            make_value(line->name[0], line->value));
  }
  return g_variant_ref_sink(g_variant_builder_end(&builder));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  g_autofree char *text = fuzz_text(data, size);
  g_autoptr(GError) error = NULL;
  const RetuneOption *culprit = NULL;
  if (!g_utf8_validate(text, -1, NULL))
    return -1; /* the bus lets no such thing through */
  g_autoptr(GVariant) dictionary = make_dictionary(text);
  g_autoptr(GPtrArray) options = retune_convert_options(dictionary, &error);
  fuzz_check_error(options != NULL, error);
  if (options == NULL)
    return 0;
  FUZZ_CHECK(options->len == g_variant_n_children(dictionary), "%u options", options->len);
  g_autoptr(RetuneInstance) instance = retune_instance_new("a.b", "all", NULL);
  gboolean done = retune_instance_apply(instance, retune_knobs_table(), options, &culprit, &error);
  fuzz_check_error(done, error);
  FUZZ_CHECK(done || culprit != NULL, "nobody is at fault, but: %s", error->message);
  if (done)
    check_instance(instance);
  return 0;
}
