/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The kernel's own parsers of numbers and words (lib/kstrtox.c, lib/string_helpers.c,
 * lib/vsprintf.c), with its strictness. Used by the rules.
 */
#include "sim-parse.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *strip_base(const char *text, unsigned *base)
{
  bool is_hex =
      text[0] == '0' && tolower((unsigned char)text[1]) == 'x' && isxdigit((unsigned char)text[2]);

  if (*base == 0)
    *base = is_hex ? 16 : text[0] == '0' ? 8 : 10;
  if (*base == 16 && text[0] == '0' && tolower((unsigned char)text[1]) == 'x')
    text += 2;
  return text;
}

static unsigned digit_of(char c)
{
  if (isdigit((unsigned char)c))
    return (unsigned)(c - '0');
  if (isxdigit((unsigned char)c))
    return (unsigned)(tolower((unsigned char)c) - 'a' + 10);
  return 255;
}

/* No blanks, no rest but one newline, a plus sign is allowed, a minus is not. */
int sim_kstrtoull(const char *text, unsigned base, uint64_t *ret_value)
{
  uint64_t value = 0;
  const char *start;

  if (*text == '+')
    text++;
  text = strip_base(text, &base);

  for (start = text; digit_of(*text) < base; text++)
    if (__builtin_mul_overflow(value, (uint64_t)base, &value) ||
        __builtin_add_overflow(value, (uint64_t)digit_of(*text), &value))
      return ERANGE;

  if (text == start)
    return EINVAL;
  if (*text == '\n')
    text++;
  if (*text != '\0')
    return EINVAL;

  *ret_value = value;
  return 0;
}

int sim_kstrtou32(const char *text, unsigned base, uint32_t *ret_value)
{
  uint64_t value;
  int error = sim_kstrtoull(text, base, &value);

  if (error != 0)
    return error;
  if (value > UINT32_MAX)
    return ERANGE;

  *ret_value = (uint32_t)value;
  return 0;
}

int sim_kstrtos32(const char *text, unsigned base, int32_t *ret_value)
{
  bool is_negative = *text == '-';
  uint64_t value;
  int error = sim_kstrtoull(text + is_negative, base, &value);

  if (error != 0)
    return error;
  if (is_negative && text[1] == '+')
    return EINVAL;
  if (value > (uint64_t)INT32_MAX + is_negative)
    return ERANGE;

  *ret_value = (int32_t)(is_negative ? -(int64_t)value : (int64_t)value);
  return 0;
}

/* Looks only at the first letter, for "on" and "off" at the second. */
int sim_kstrtobool(const char *text, bool *ret_value)
{
  char c = *text;

  if (c == 'o' || c == 'O') {
    c = text[1];
    if (c != 'n' && c != 'N' && c != 'f' && c != 'F')
      return EINVAL;
    *ret_value = c == 'n' || c == 'N';
    return 0;
  }

  if (c == '\0' || strchr("yYtT1nNfF0", c) == NULL)
    return EINVAL;
  *ret_value = strchr("yYtT1", c) != NULL;
  return 0;
}

/* Equal but for one newline at the end. */
bool sim_sysfs_streq(const char *text, const char *word)
{
  size_t length = strlen(word);

  return strncmp(text, word, length) == 0 &&
         (text[length] == '\0' || (text[length] == '\n' && text[length + 1] == '\0'));
}

/* sscanf "%Ns" with N = size - 1: the first word, blanks before it skipped. */
bool sim_scan_word(const char *text, char *ret_word, size_t size)
{
  size_t length = 0;

  while (isspace((unsigned char)*text))
    text++;
  while (length < size - 1 && text[length] != '\0' && !isspace((unsigned char)text[length])) {
    ret_word[length] = text[length];
    length++;
  }

  ret_word[length] = '\0';
  return length > 0;
}

/* sscanf "%u": blanks before and anything after the digits are accepted, more
 * than 32 bits are cut off. */
bool sim_scan_u32(const char *text, uint32_t *ret_value)
{
  uint64_t value = 0;

  while (isspace((unsigned char)*text))
    text++;
  if (!isdigit((unsigned char)*text))
    return false;
  while (isdigit((unsigned char)*text))
    value = value * 10 + digit_of(*text++);

  *ret_value = (uint32_t)value;
  return true;
}

/* Whether a list with blanks between its words has the word. */
bool sim_has_word(const char *list, const char *word)
{
  size_t length = strlen(word);

  while (*list != '\0') {
    size_t span = strcspn(list, " \n");

    if (span == length && length > 0 && strncmp(list, word, length) == 0)
      return true;
    list += span;
    list += strspn(list, " \n");
  }

  return false;
}
