// SPDX-License-Identifier: GPL-2.0-or-later
/* Sections, keys, comments. */
#include "profile-syntax.h"

#include <string.h>

#include "error.h"

static void section_free(gpointer data)
{
  RetuneSection *section = data;
  g_free(section->name);
  g_free(section->where);
  g_ptr_array_unref(section->keys);
  g_free(section);
}

GPtrArray *retune_sections_new(void)
{
  return g_ptr_array_new_with_free_func(section_free);
}

RetuneSection *retune_sections_find(const GPtrArray *sections, const char *name)
{
  for (guint i = 0; i < sections->len; i++) {
    RetuneSection *section = sections->pdata[i];
    if (g_str_equal(section->name, name))
      return section;
  }
  return NULL;
}

RetuneSection *retune_sections_add(GPtrArray *sections, const char *name, const char *where)
{
  RetuneSection *section = retune_sections_find(sections, name);

  if (section != NULL)
    return section;
  section = g_new0(RetuneSection, 1);
  section->name = g_strdup(name);
  section->where = g_strdup(where);
  section->keys = retune_options_new();
  g_ptr_array_add(sections, section);
  return section;
}

RetuneOption *retune_section_find(const RetuneSection *section, const char *name)
{
  for (guint i = 0; i < section->keys->len; i++) {
    RetuneOption *key = section->keys->pdata[i];
    if (g_str_equal(key->name, name))
      return key;
  }
  return NULL;
}

void retune_section_set(RetuneSection *section, const char *name, const char *value,
                        const char *where)
{
  RetuneOption *old = retune_section_find(section, name);

  if (old != NULL)
    g_ptr_array_remove(section->keys, old);
  g_ptr_array_add(section->keys, retune_option_new(name, value, where));
}

/* Cuts a comment: '#' or ';' at the start, '#' behind a blank further on. */
static void cut_comment(char *line)
{
  if (*line == '#' || *line == ';')
    *line = '\0';
  for (char *p = line; *p != '\0'; p++) {
    if (*p == '#' && p > line && g_ascii_isspace(p[-1])) {
      *p = '\0';
      break;
    }
  }
}

static void unquote(char *value)
{
  gsize length = strlen(value);

  if (length >= 2 && (*value == '"' || *value == '\'') && value[length - 1] == *value) {
    memmove(value, value + 1, length - 2);
    value[length - 2] = '\0';
  }
}

static gboolean check_limits(const GPtrArray *items, const char *name, const char *where,
                             GError **error)
{
  if (items->len < RETUNE_PROFILE_MAX_ITEMS && strlen(name) <= RETUNE_PROFILE_MAX_NAME)
    return TRUE;
  retune_set_error(error, RETUNE_ERROR_LIMITS_EXCEEDED,
                   "%s: a profile has at most %u sections and keys in each, with names of at most "
                   "%u bytes",
                   where, RETUNE_PROFILE_MAX_ITEMS, RETUNE_PROFILE_MAX_NAME);
  return FALSE;
}

/* The name in "[name]", or NULL. */
static char *header_name(const char *line)
{
  gsize length = strlen(line);

  if (length < 3 || line[length - 1] != ']')
    return NULL;
  char *name = g_strstrip(g_strndup(line + 1, length - 2));
  if (*name == '\0')
    g_clear_pointer(&name, g_free);
  return name;
}

static RetuneSection *read_header(GPtrArray *sections, const char *line, const char *where,
                                  GError **error)
{
  g_autofree char *name = header_name(line);

  if (name == NULL) {
    retune_set_error(error, RETUNE_ERROR_INVALID_VALUE,
                     "%s: '%.64s' is not a section; expected [NAME]", where, line);
    return NULL;
  }
  if (!check_limits(sections, name, where, error))
    return NULL;
  const RetuneSection *twin = retune_sections_find(sections, name);
  if (twin != NULL) {
    retune_set_error(error, RETUNE_ERROR_INVALID_VALUE,
                     "%s: section [%.64s] is there already, at %s", where, name, twin->where);
    return NULL;
  }
  return retune_sections_add(sections, name, where);
}

static gboolean read_key(RetuneSection *section, char *line, const char *where, GError **error)
{
  char *equals = strchr(line, '=');

  if (section == NULL || equals == NULL || equals == line) {
    retune_set_error(error, RETUNE_ERROR_INVALID_VALUE,
                     "%s: '%.64s' is not understood; expected KEY=VALUE in a [SECTION]", where,
                     line);
    return FALSE;
  }
  *equals = '\0';
  char *name = g_strchomp(line);
  char *value = g_strchug(equals + 1);
  if (!check_limits(section->keys, name, where, error))
    return FALSE;
  const RetuneOption *twin = retune_section_find(section, name);
  if (twin != NULL) {
    retune_set_error(error, RETUNE_ERROR_INVALID_VALUE,
                     "%s: '%.64s' is given twice in section [%s], first at %s", where, name,
                     section->name, twin->where);
    return FALSE;
  }
  unquote(value);
  retune_section_set(section, name, value, where);
  return TRUE;
}

GPtrArray *retune_sections_parse(const char *text, const char *path, GError **error)
{
  g_autoptr(GPtrArray) sections = retune_sections_new();
  RetuneSection *section = NULL;
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

  if (!g_utf8_validate(text, -1, NULL)) {
    retune_set_error(error, RETUNE_ERROR_INVALID_VALUE, "%s: not a text in UTF-8", path);
    return NULL;
  }
  for (guint i = 0; lines[i] != NULL; i++) {
    g_autofree char *where = g_strdup_printf("%s:%u", path, i + 1);
    if (strlen(lines[i]) > RETUNE_PROFILE_MAX_LINE) {
      retune_set_error(error, RETUNE_ERROR_LIMITS_EXCEEDED, "%s: longer than %u bytes", where,
                       RETUNE_PROFILE_MAX_LINE);
      return NULL;
    }
    char *line = g_strstrip(lines[i]);
    cut_comment(line);
    g_strchomp(line);
    if (*line == '\0')
      continue;
    if (*line == '[') {
      section = read_header(sections, line, where, error);
      if (section == NULL)
        return NULL;
    } else if (!read_key(section, line, where, error)) {
      return NULL;
    }
  }
  return g_steal_pointer(&sections);
}
