// SPDX-License-Identifier: GPL-2.0-or-later
/* What a profile means: includes, variables, and which sections are instances
 * of the cpu plugin. */
#include "profile.h"

#include <string.h>

#include "devices.h"
#include "error.h"
#include "instance.h"
#include "names.h"
#include "profile-syntax.h"

#define MAX_DEPTH 16u
#define MAX_INCLUDES 100u
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
  guint n_includes;
} Reader;

static gboolean read_text(Reader *reader, const char *text, const char *path, guint depth,
                          GError **error);

static gboolean read_include(Reader *reader, const char *name, const RetuneOption *key, guint depth,
                             GError **error)
{
  gboolean optional = *name == '-';
  g_autofree char *path = NULL;
  g_autoptr(GError) local = NULL;

  if (depth >= MAX_DEPTH || ++reader->n_includes > MAX_INCLUDES) {
    retune_set_error(error, RETUNE_ERROR_LIMITS_EXCEEDED,
                     "%s: profiles include each other more than %u deep, or more than %u in all",
                     key->where, MAX_DEPTH, MAX_INCLUDES);
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

/* Reads the boolean @name of @section into @value, which stays if it is absent. */
static gboolean read_flag(const RetuneSection *section, const char *name, gboolean *value,
                          GError **error)
{
  const RetuneOption *key = retune_section_find(section, name);

  if (key == NULL || retune_names_parse_boolean(key->value, value))
    return TRUE;
  retune_set_error(error, RETUNE_ERROR_INVALID_VALUE, "%s: %s '%.64s': expected 1 or 0", key->where,
                   name, key->value);
  return FALSE;
}

/* A section of a profile adds to the one of that name in what it includes. */
static gboolean merge(Reader *reader, const GPtrArray *sections, GError **error)
{
  for (guint i = 0; i < sections->len; i++) {
    const RetuneSection *from = sections->pdata[i];
    RetuneSection *to = retune_sections_add(reader->sections, from->name, from->where);
    gboolean replace = FALSE;
    if (!read_flag(from, "replace", &replace, error))
      return FALSE;
    g_free(to->where);
    to->where = g_strdup(from->where);
    if (replace)
      g_ptr_array_set_size(to->keys, 0);
    for (guint k = 0; k < from->keys->len; k++) {
      const RetuneOption *key = from->keys->pdata[k];
      retune_section_set(to, key->name, key->value, key->where);
    }
  }
  return TRUE;
}

static gboolean read_text(Reader *reader, const char *text, const char *path, guint depth,
                          GError **error)
{
  g_autoptr(GPtrArray) sections = retune_sections_parse(text, path, error);

  if (sections == NULL || !read_includes(reader, sections, depth, error))
    return FALSE;
  return merge(reader, sections, error);
}

/* --- variables --- */

/* Variables that name each other can grow without end; this many are expanded in
 * one value, and no more. */
#define MAX_EXPANSIONS 1000u
/* And so many bytes come of it in one file. */
#define MAX_EXPANDED (4 * (gsize)RETUNE_PROFILE_MAX_SIZE)

typedef struct {
  const RetuneSection *variables; /* or NULL */
  const char *where;
  guint n_expansions;
  gsize *n_expanded; /* bytes, of the whole file */
} Expansion;

static char *expand(Expansion *expansion, const char *value, guint depth, GError **error);

/* What stands for "${@name}". */
static char *expand_one(Expansion *expansion, const char *name, guint depth, GError **error)
{
  if (g_str_has_prefix(name, FUNCTION_CPULIST))
    return expand(expansion, name + strlen(FUNCTION_CPULIST), depth + 1, error);
  if (g_str_has_prefix(name, "f:")) {
    retune_set_error(error, RETUNE_ERROR_INVALID_VALUE,
                     "%s: function '${%.64s}' is not known; there is ${f:cpulist2devs:LIST}",
                     expansion->where, name);
    return NULL;
  }
  const RetuneOption *variable =
      expansion->variables != NULL ? retune_section_find(expansion->variables, name) : NULL;
  if (variable == NULL) {
    retune_set_error(error, RETUNE_ERROR_INVALID_VALUE,
                     "%s: no variable '%.64s' in section [variables]", expansion->where, name);
    return NULL;
  }
  return expand(expansion, variable->value, depth + 1, error);
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
static char *expand(Expansion *expansion, const char *value, guint depth, GError **error)
{
  g_autoptr(GString) out = g_string_new(NULL);

  for (const char *p = value; *p != '\0'; p++) {
    if (p[0] != '$' || p[1] != '{') {
      g_string_append_c(out, *p);
      continue;
    }
    const char *end = find_end(p + 2);
    if (end == NULL || depth >= MAX_DEPTH || ++expansion->n_expansions > MAX_EXPANSIONS ||
        out->len > RETUNE_DEVICES_MAX_LENGTH) {
      retune_set_error(error, RETUNE_ERROR_INVALID_VALUE, "%s: '%.64s': %s", expansion->where,
                       value,
                       end == NULL ? "'${' without '}'" : "variables expand too deep or too long");
      return NULL;
    }
    g_autofree char *name = g_strndup(p + 2, (gsize)(end - p - 2));
    g_autofree char *text = expand_one(expansion, name, depth, error);
    if (text == NULL)
      return NULL;
    *expansion->n_expanded += strlen(text);
    if (*expansion->n_expanded > MAX_EXPANDED) {
      retune_set_error(error, RETUNE_ERROR_LIMITS_EXCEEDED,
                       "%s: the variables of the file come to more than %" G_GSIZE_FORMAT " bytes",
                       expansion->where, MAX_EXPANDED);
      return NULL;
    }
    g_string_append(out, text);
    p = end;
  }
  return g_string_free(g_steal_pointer(&out), FALSE);
}

/* --- sections to instances --- */

static const char *const meta_keys[] = {"type", "enabled", "replace", "devices", NULL};

/* An option of the table in @section, or NULL. */
static const RetuneOption *find_cpu_option(const RetuneSection *section,
                                           const RetuneKnobTable *table)
{
  for (guint i = 0; i < section->keys->len; i++) {
    const RetuneOption *key = section->keys->pdata[i];
    if (retune_knob_find(table, key->name) != NULL)
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
  retune_set_error(error, RETUNE_ERROR_INVALID_VALUE,
                   "%s: section [%s] has the CPU option '%s' but is not of the cpu plugin; "
                   "add type=cpu to it",
                   section->where, section->name, option->name);
  return IS_ERROR;
}

static gboolean fill_spec(RetuneSpec *spec, const RetuneSection *section,
                          const RetuneSection *variables, gsize *n_expanded, GError **error)
{
  for (guint i = 0; i < section->keys->len; i++) {
    const RetuneOption *key = section->keys->pdata[i];
    Expansion expansion = {variables, key->where, 0, n_expanded};
    g_autofree char *value = expand(&expansion, key->value, 0, error);
    if (value == NULL)
      return FALSE;
    if (g_str_equal(key->name, "devices"))
      spec->claim = g_steal_pointer(&value);
    else if (!g_strv_contains(meta_keys, key->name))
      g_ptr_array_add(spec->options, retune_option_new(key->name, value, key->where));
  }
  return TRUE;
}

static gboolean add_section(RetuneProfile *profile, const RetuneSection *section,
                            const RetuneSection *variables, const RetuneKnobTable *table,
                            GError **error)
{
  gboolean enabled = TRUE;

  if (g_str_equal(section->name, "main") || g_str_equal(section->name, "variables"))
    return TRUE;
  if (!read_flag(section, "enabled", &enabled, error))
    return FALSE;
  if (!enabled)
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
  return fill_spec(spec, section, variables, &profile->n_expanded, error);
}

RetuneProfile *retune_profile_parse(const char *text, const char *path,
                                    const RetuneKnobTable *table, RetuneProfileLoader load,
                                    gpointer data, GError **error)
{
  g_autoptr(GPtrArray) sections = retune_sections_new();
  Reader reader = {load, data, sections, 0};

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
    retune_set_error(error, RETUNE_ERROR_INVALID_VALUE,
                     "%s: no section of the cpu plugin; expected [NAME] with type=cpu", path);
    return NULL;
  }
  return g_steal_pointer(&profile);
}

char *retune_specs_unclaimed(const GPtrArray *specs, const RetuneCpuset *existing)
{
  g_autoptr(RetuneCpuset) rest = retune_cpuset_copy(existing);

  for (guint i = 0; i < specs->len; i++) {
    const RetuneSpec *spec = specs->pdata[i];
    g_autoptr(RetuneCpuset) claimed =
        spec->claim != NULL
            ? retune_devices_parse(spec->claim, existing, RETUNE_DEVICES_CLAIM, NULL)
            : NULL;
    if (claimed != NULL)
      retune_cpuset_subtract(rest, claimed);
  }
  return retune_cpuset_to_string(rest);
}
