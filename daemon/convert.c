// SPDX-License-Identifier: GPL-2.0-or-later
/* Conversions for the bus. */
#include "convert.h"

#include "error.h"

void retune_convert_register_errors(void)
{
#define NAME(word) RETUNE_BUS_NAME ".Error." word
  static const GDBusErrorEntry entries[] = {
      {RETUNE_ERROR_FAILED, NAME("Failed")},
      {RETUNE_ERROR_UNKNOWN_PLUGIN, NAME("UnknownPlugin")},
      {RETUNE_ERROR_UNKNOWN_INSTANCE, NAME("UnknownInstance")},
      {RETUNE_ERROR_INSTANCE_EXISTS, NAME("InstanceExists")},
      {RETUNE_ERROR_UNKNOWN_DEVICE, NAME("UnknownDevice")},
      {RETUNE_ERROR_UNKNOWN_OPTION, NAME("UnknownOption")},
      {RETUNE_ERROR_INVALID_VALUE, NAME("InvalidValue")},
      {RETUNE_ERROR_NOT_SUPPORTED, NAME("NotSupported")},
      {RETUNE_ERROR_CONFLICT, NAME("Conflict")},
      {RETUNE_ERROR_WRITE_FAILED, NAME("WriteFailed")},
      {RETUNE_ERROR_LIMITS_EXCEEDED, NAME("LimitsExceeded")},
  };
#undef NAME
  G_STATIC_ASSERT(G_N_ELEMENTS(entries) == RETUNE_N_ERRORS);
  for (guint i = 0; i < G_N_ELEMENTS(entries); i++)
    g_dbus_error_register_error(RETUNE_ERROR, entries[i].error_code, entries[i].dbus_error_name);
}

/* The text of a value, or NULL if it is of no type that options have. */
static char *value_text(GVariant *value)
{
  static const char integers[] = "nqiuxt";

  if (g_variant_is_of_type(value, G_VARIANT_TYPE_STRING))
    return g_variant_dup_string(value, NULL);
  if (g_variant_is_of_type(value, G_VARIANT_TYPE_BOOLEAN))
    return g_strdup(g_variant_get_boolean(value) ? "true" : "false");
  if (g_variant_is_of_type(value, G_VARIANT_TYPE_BYTE))
    return g_strdup_printf("%u", g_variant_get_byte(value));
  if (strchr(integers, g_variant_classify(value)) != NULL)
    return g_variant_print(value, FALSE);
  return NULL;
}

GPtrArray *retune_convert_options(GVariant *options, GError **error)
{
  g_autoptr(GPtrArray) list = retune_options_new();
  GVariantIter iter;
  const char *name;
  GVariant *child;

  g_variant_iter_init(&iter, options);
  while (g_variant_iter_next(&iter, "{&sv}", &name, &child)) {
    g_autoptr(GVariant) value = child;
    g_autofree char *text = value_text(value);
    if (text == NULL) {
      retune_set_error(
          error, RETUNE_ERROR_INVALID_VALUE,
          "option '%.64s' has a value of type '%.16s'; expected a string, an integer or a "
          "boolean",
          name, g_variant_get_type_string(value));
      return NULL;
    }
    g_ptr_array_add(list, retune_option_new(name, text, NULL));
  }
  return g_steal_pointer(&list);
}

char *retune_convert_path(const char *name)
{
  g_autofree char *escaped = g_dbus_escape_object_path(name);
  return g_strconcat(RETUNE_OBJECT_PATH "/instance/", escaped, NULL);
}

static GVariant *moves(const GPtrArray *list, gboolean to)
{
  GVariantBuilder builder;

  g_variant_builder_init(&builder, G_VARIANT_TYPE("a(ss)"));
  for (guint i = 0; i < list->len; i++) {
    const RetuneMove *move = list->pdata[i];
    g_autofree char *devices = retune_cpuset_to_string(move->devices);
    g_variant_builder_add(&builder, "(ss)", devices, to ? move->to : move->from);
  }
  return g_variant_builder_end(&builder);
}

GVariant *retune_convert_moves_from(const GPtrArray *list)
{
  return moves(list, FALSE);
}

GVariant *retune_convert_moves_to(const GPtrArray *list)
{
  return moves(list, TRUE);
}

GVariant *retune_convert_lines(const GPtrArray *lines)
{
  GVariantBuilder builder;

  g_variant_builder_init(&builder, G_VARIANT_TYPE("a(sssss)"));
  for (guint i = 0; i < lines->len; i++) {
    const RetuneLine *line = lines->pdata[i];
    g_variant_builder_add(&builder, "(sssss)", line->option, line->unit, line->file, line->from,
                          line->to);
  }
  return g_variant_builder_end(&builder);
}

GVariant *retune_convert_findings(const GPtrArray *findings)
{
  GVariantBuilder builder;

  g_variant_builder_init(&builder, G_VARIANT_TYPE("a(ssssss)"));
  for (guint i = 0; i < findings->len; i++) {
    const RetuneFinding *finding = findings->pdata[i];
    g_autofree char *devices = retune_cpuset_to_string(finding->cpus);
    g_variant_builder_add(&builder, "(ssssss)", devices, finding->option->name, finding->wanted,
                          finding->actual, retune_outcome_name(finding->outcome), finding->detail);
  }
  return g_variant_builder_end(&builder);
}

GVariant *retune_convert_values(const GPtrArray *findings)
{
  GVariantBuilder builder;

  g_variant_builder_init(&builder, G_VARIANT_TYPE("a(sss)"));
  for (guint i = 0; i < findings->len; i++) {
    const RetuneFinding *finding = findings->pdata[i];
    g_autofree char *devices = retune_cpuset_to_string(finding->cpus);
    g_variant_builder_add(&builder, "(sss)", finding->option->name, finding->actual, devices);
  }
  return g_variant_builder_end(&builder);
}

GVariant *retune_convert_support(const GPtrArray *list)
{
  GVariantBuilder builder;

  g_variant_builder_init(&builder, G_VARIANT_TYPE("a(ssssa(ss)a(sss))"));
  for (guint i = 0; i < list->len; i++) {
    const RetuneSupport *support = list->pdata[i];
    GVariantBuilder yes, no;
    g_variant_builder_init(&yes, G_VARIANT_TYPE("a(ss)"));
    g_variant_builder_init(&no, G_VARIANT_TYPE("a(sss)"));
    for (guint k = 0; k < support->groups->len; k++) {
      const RetuneSupportGroup *group = support->groups->pdata[k];
      g_autofree char *devices = retune_cpuset_to_string(group->cpus);
      if (group->reason == NULL)
        g_variant_builder_add(&yes, "(ss)", devices, group->text);
      else
        g_variant_builder_add(&no, "(sss)", devices, group->reason, group->text);
    }
    g_variant_builder_add(&builder, "(ssssa(ss)a(sss))", support->option->name,
                          retune_scope_name(support->option->scope), support->option->syntax,
                          support->option->summary, &yes, &no);
  }
  return g_variant_builder_end(&builder);
}

GVariant *retune_convert_problems(const GPtrArray *findings)
{
  GVariantBuilder builder;

  g_variant_builder_init(&builder, G_VARIANT_TYPE("a(ssss)"));
  for (guint i = 0; i < findings->len; i++) {
    const RetuneFinding *finding = findings->pdata[i];
    g_autofree char *devices = retune_cpuset_to_string(finding->cpus);
    g_variant_builder_add(&builder, "(ssss)", finding->option->name, devices,
                          retune_outcome_name(finding->outcome), finding->detail);
  }
  return g_variant_builder_end(&builder);
}

GVariant *retune_convert_settings(const RetuneInstance *instance)
{
  GVariantBuilder builder;

  g_variant_builder_init(&builder, G_VARIANT_TYPE("a{ss}"));
  for (guint i = 0; i < instance->settings->len; i++) {
    const RetuneSetting *setting = instance->settings->pdata[i];
    g_variant_builder_add(&builder, "{ss}", setting->knob->name, setting->text);
  }
  return g_variant_builder_end(&builder);
}

const char *retune_convert_state(const GPtrArray *problems)
{
  const char *state = "active";

  for (guint i = 0; i < problems->len; i++) {
    RetuneOutcome outcome = ((const RetuneFinding *)problems->pdata[i])->outcome;
    if (outcome == RETUNE_OUTCOME_PENDING)
      state = "pending";
    else if (outcome != RETUNE_OUTCOME_SHADOWED && outcome != RETUNE_OUTCOME_APPLIED)
      return "degraded";
  }
  return state;
}
