// SPDX-License-Identifier: GPL-2.0-or-later
/* What a profile means: includes, variables, and which sections are instances
 * of the cpu plugin. */
#include "profile.h"

#include <string.h>

#include "devices.h"
#include "error.h"
#include "instance.h"
#include "profile-syntax.h"

#define MAX_DEPTH 16u
#define FUNCTION_CPULIST "f:cpulist2devs:"

void retune_spec_free(RetuneSpec *spec)
{
  if (spec == NULL)
    return;
  g_free(spec->name);
  g_free(spec->claim);
  g_ptr_array_unref(spec->options);
  g_free(spec->where);
  g_free(spec);
}

void retune_profile_free(RetuneProfile *profile)
{
  if (profile == NULL)
    return;
  g_ptr_array_unref(profile->specs);
  g_ptr_array_unref(profile->ignored);
  g_free(profile);
}

/* --- includes --- */

typedef struct {
  RetuneProfileLoader load;
  gpointer data;
  GPtrArray *sections; /* what has been read so far, merged */
} Reader;

static gboolean read_text(Reader *reader, const char *text, const char *path, guint depth,
                          GError **error);

static gboolean read_include(Reader *reader, const char *name, const RetuneOption *key,
                             guint depth, GError **error)
{
  gboolean optional = *name == '-';
  g_autofree char *path = NULL;
  g_autoptr(GError) local = NULL;

  if (depth >= MAX_DEPTH) {
    g_set_error(error, RETUNE_ERROR, RETUNE_ERROR_LIMITS_EXCEEDED,
                "%s: profiles include each other more than %u deep", key->where, MAX_DEPTH);
    return FALSE;
  }
  g_autofree char *text = reader->load(optional ? name + 1 : name, &path, reader->data, &local);
  if (text == NULL && optional)
    return TRUE;
  if (text == NULL) {
    g_propagate_prefixed_error(error, g_steal_pointer(&local), "%s: ", key->where);
    return FALSE;
  }
  return read_text(reader, text, path, depth + 1, error);
}

static gboolean read_includes(Reader *reader, const GPtrArray *sections, guint depth,
                              GError **error)
{
  const RetuneSection *main_section = retune_sections_find(sections, "main");
  const RetuneOption *key =
      main_section != NULL ? retune_section_find(main_section, "include") : NULL;

  if (key == NULL)
    return TRUE;
  g_auto(GStrv) names = g_strsplit_set(key->value, ", ", -1);
  for (guint i = 0; names[i] != NULL; i++)
    if (*names[i] != '\0' && !read_include(reader, names[i], key, depth, error))
      return FALSE;
  return TRUE;
}

/* A section of a profile adds to the one of that name in what it includes. */
static void merge(Reader *reader, const GPtrArray *sections)
{
  for (guint i = 0; i < sections->len; i++) {
    const RetuneSection *from = sections->pdata[i];
    RetuneSection *to = retune_sections_add(reader->sections, from->name, from->where);
    g_free(to->where);
    to->where = g_strdup(from->where);
    if (g_str_equal(retune_section_value(from, "replace"), "1"))
      g_ptr_array_set_size(to->keys, 0);
    for (guint k = 0; k < from->keys->len; k++) {
      const RetuneOption *key = from->keys->pdata[k];
      retune_section_set(to, key->name, key->value, key->where);
    }
  }
}

static gboolean read_text(Reader *reader, const char *text, const char *path, guint depth,
                          GError **error)
{
  g_autoptr(GPtrArray) sections = retune_sections_parse(text, path, error);

  if (sections == NULL || !read_includes(reader, sections, depth, error))
    return FALSE;
  merge(reader, sections);
  return TRUE;
}

/* --- variables --- */

static char *expand(const RetuneSection *variables, const char *value, const char *where,
                    guint depth, GError **error);

/* What stands for "${@name}". */
static char *expand_one(const RetuneSection *variables, const char *name, const char *where,
                        guint depth, GError **error)
{
  if (g_str_has_prefix(name, FUNCTION_CPULIST))
    return expand(variables, name + strlen(FUNCTION_CPULIST), where, depth + 1, error);
  if (g_str_has_prefix(name, "f:")) {
    g_set_error(error, RETUNE_ERROR, RETUNE_ERROR_INVALID_VALUE,
                "%s: function '${%.64s}' is not known; there is ${f:cpulist2devs:LIST}", where,
                name);
    return NULL;
  }
  const RetuneOption *variable =
      variables != NULL ? retune_section_find(variables, name) : NULL;
  if (variable == NULL) {
    g_set_error(error, RETUNE_ERROR, RETUNE_ERROR_INVALID_VALUE,
                "%s: no variable '%.64s' in section [variables]", where, name);
    return NULL;
  }
  return expand(variables, variable->value, where, depth + 1, error);
}

/* The '}' that closes the "${" before @start, or NULL. */
static const char *find_end(const char *start)
{
  guint open = 1;

  for (const char *p = start; *p != '\0'; p++) {
    if (p[0] == '$' && p[1] == '{')
      open++;
    else if (*p == '}' && --open == 0)
      return p;
  }
  return NULL;
}

/* @value with ${variables} and ${f:cpulist2devs:...} replaced. */
static char *expand(const RetuneSection *variables, const char *value, const char *where,
                    guint depth, GError **error)
{
  g_autoptr(GString) out = g_string_new(NULL);

  for (const char *p = value; *p != '\0'; p++) {
    if (p[0] != '$' || p[1] != '{') {
      g_string_append_c(out, *p);
      continue;
    }
    const char *end = find_end(p + 2);
    if (end == NULL || depth >= MAX_DEPTH || out->len > RETUNE_DEVICES_MAX_LENGTH) {
      g_set_error(error, RETUNE_ERROR, RETUNE_ERROR_INVALID_VALUE, "%s: '%.64s': %s", where, value,
                  end == NULL ? "'${' without '}'" : "variables expand too deep or too long");
      return NULL;
    }
    g_autofree char *name = g_strndup(p + 2, (gsize)(end - p - 2));
    g_autofree char *text = expand_one(variables, name, where, depth, error);
    if (text == NULL)
      return NULL;
    g_string_append(out, text);
    p = end;
  }
  return g_string_free(g_steal_pointer(&out), FALSE);
}

/* --- sections to instances --- */

static const char *const meta_keys[] = {"type", "enabled", "replace", "devices", NULL};

static gboolean is_enabled(const RetuneSection *section)
{
  static const char *const off[] = {"0", "false", "no", "off", "n", NULL};
  g_autofree char *value = g_ascii_strdown(retune_section_value(section, "enabled"), -1);
  return !g_strv_contains(off, value);
}

/* An option of the table in @section, or NULL. */
static const RetuneOption *find_cpu_option(const RetuneSection *section,
                                           const RetuneKnobTable *table)
{
  for (guint i = 0; i < section->keys->len; i++) {
    const RetuneOption *key = section->keys->pdata[i];
    if (retune_knob_find(table, key->name, NULL) != NULL)
      return key;
  }
  return NULL;
}

typedef enum { IS_CPU, IS_OTHER, IS_ERROR } Kind;

static Kind classify(const RetuneSection *section, const RetuneKnobTable *table, GError **error)
{
  const RetuneOption *type = retune_section_find(section, "type");

  if (g_str_equal(type != NULL ? type->value : section->name, RETUNE_PLUGIN_CPU))
    return IS_CPU;
  const RetuneOption *option = type == NULL ? find_cpu_option(section, table) : NULL;
  if (option == NULL)
    return IS_OTHER;
  g_set_error(error, RETUNE_ERROR, RETUNE_ERROR_INVALID_VALUE,
              "%s: section [%s] has the CPU option '%s' but is not of the cpu plugin; "
              "add type=cpu to it",
              section->where, section->name, option->name);
  return IS_ERROR;
}

static gboolean fill_spec(RetuneSpec *spec, const RetuneSection *section,
                          const RetuneSection *variables, GError **error)
{
  for (guint i = 0; i < section->keys->len; i++) {
    const RetuneOption *key = section->keys->pdata[i];
    g_autofree char *value = expand(variables, key->value, key->where, 0, error);
    if (value == NULL)
      return FALSE;
    if (g_str_equal(key->name, "devices"))
      spec->claim = g_steal_pointer(&value);
    else if (!g_strv_contains(meta_keys, key->name))
      g_ptr_array_add(spec->options, retune_option_new(key->name, value, key->where));
  }
  return TRUE;
}

/* A section without devices has what no other section of the file names. */
static void fill_default_claims(RetuneProfile *profile)
{
  GString *claim = g_string_new("all");

  for (guint i = 0; i < profile->specs->len; i++) {
    const RetuneSpec *spec = profile->specs->pdata[i];
    g_auto(GStrv) items = g_strsplit_set(spec->claim != NULL ? spec->claim : "", ", ", -1);
    for (guint k = 0; items[k] != NULL; k++)
      if (*items[k] != '\0' && *items[k] != '!' && *items[k] != '^')
        g_string_append_printf(claim, ",!%s", items[k]);
  }
  for (guint i = 0; i < profile->specs->len; i++) {
    RetuneSpec *spec = profile->specs->pdata[i];
    if (spec->claim == NULL)
      spec->claim = g_strdup(claim->str);
  }
  g_string_free(claim, TRUE);
}

static gboolean add_section(RetuneProfile *profile, const RetuneSection *section,
                            const RetuneSection *variables, const RetuneKnobTable *table,
                            GError **error)
{
  if (g_str_equal(section->name, "main") || g_str_equal(section->name, "variables") ||
      !is_enabled(section))
    return TRUE;
  Kind kind = classify(section, table, error);
  if (kind == IS_OTHER)
    g_ptr_array_add(profile->ignored, g_strdup(section->name));
  if (kind != IS_CPU)
    return kind == IS_OTHER;
  RetuneSpec *spec = g_new0(RetuneSpec, 1);
  g_ptr_array_add(profile->specs, spec);
  spec->name = g_strdup(section->name);
  spec->where = g_strdup(section->where);
  spec->options = retune_options_new();
  return fill_spec(spec, section, variables, error);
}

RetuneProfile *retune_profile_parse(const char *text, const char *path,
                                    const RetuneKnobTable *table, RetuneProfileLoader load,
                                    gpointer data, GError **error)
{
  g_autoptr(GPtrArray) sections = retune_sections_new();
  Reader reader = {load, data, sections};

  if (!read_text(&reader, text, path, 0, error))
    return NULL;
  g_autoptr(RetuneProfile) profile = g_new0(RetuneProfile, 1);
  profile->specs = g_ptr_array_new_with_free_func((GDestroyNotify)retune_spec_free);
  profile->ignored = g_ptr_array_new_with_free_func(g_free);
  const RetuneSection *variables = retune_sections_find(sections, "variables");
  for (guint i = 0; i < sections->len; i++)
    if (!add_section(profile, sections->pdata[i], variables, table, error))
      return NULL;
  if (profile->specs->len == 0) {
    g_set_error(error, RETUNE_ERROR, RETUNE_ERROR_INVALID_VALUE,
                "%s: no section of the cpu plugin; expected [NAME] with type=cpu", path);
    return NULL;
  }
  fill_default_claims(profile);
  return g_steal_pointer(&profile);
}
