/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Sets of CPUs as the kernel writes them ("0-3,8").
 */
#include "sim-cpulist.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LAST_CPU 8191u

bool sim_cpus_has(const SimCpus *cpus, unsigned cpu)
{
  return cpu < cpus->size && cpus->member[cpu];
}

/* False if the number is too large or memory is out. */
bool sim_cpus_set(SimCpus *cpus, unsigned cpu, bool is_member)
{
  if (cpu > LAST_CPU)
    return false;

  if (cpu >= cpus->size) {
    size_t size = (size_t)cpu + 64;
    bool *member = realloc(cpus->member, size * sizeof(bool));

    if (member == NULL)
      return false;
    memset(member + cpus->size, 0, (size - cpus->size) * sizeof(bool));
    cpus->member = member;
    cpus->size = size;
  }

  cpus->member[cpu] = is_member;
  return true;
}

unsigned sim_cpus_count(const SimCpus *cpus)
{
  unsigned count = 0;

  for (size_t i = 0; i < cpus->size; i++)
    count += cpus->member[i];
  return count;
}

static bool parse_number(const char **text, unsigned *number)
{
  char *end = NULL;
  unsigned long value;

  if (!isdigit((unsigned char)**text))
    return false;
  value = strtoul(*text, &end, 10);
  if (value > LAST_CPU)
    return false;

  *number = (unsigned)value;
  *text = end;
  return true;
}

/* Reads a list with commas or spaces between its parts; an empty one is a set
 * without members. Adds to what is in the set. */
bool sim_cpus_parse(SimCpus *cpus, const char *text)
{
  for (;;) {
    unsigned first, last;

    text += strspn(text, " ,\n");
    if (*text == '\0')
      return true;
    if (!parse_number(&text, &first))
      return false;

    last = first;
    if (*text == '-') {
      text++;
      if (!parse_number(&text, &last) || last < first)
        return false;
    }

    for (unsigned cpu = first; cpu <= last; cpu++)
      if (!sim_cpus_set(cpus, cpu, true))
        return false;
  }
}

static char *format(const SimCpus *cpus, char separator, bool with_ranges)
{
  size_t used = 0;
  char *text = malloc((size_t)sim_cpus_count(cpus) * 12 + 1);

  if (text == NULL)
    abort();
  text[0] = '\0';

  for (unsigned cpu = 0; cpu < cpus->size; cpu++) {
    unsigned last = cpu;

    if (!cpus->member[cpu])
      continue;
    while (with_ranges && sim_cpus_has(cpus, last + 1))
      last++;

    if (used > 0)
      text[used++] = separator;
    used += (size_t)sprintf(text + used, "%u", cpu);
    if (last > cpu)
      used += (size_t)sprintf(text + used, "-%u", last);
    cpu = last;
  }

  return text;
}

/* "0-3,8", to be given to free(). */
char *sim_cpus_list(const SimCpus *cpus)
{
  return format(cpus, ',', true);
}

/* "0 1 2 3 8" as in affected_cpus, to be given to free(). */
char *sim_cpus_words(const SimCpus *cpus)
{
  return format(cpus, ' ', false);
}

void sim_cpus_clear(SimCpus *cpus)
{
  free(cpus->member);
  cpus->member = NULL;
  cpus->size = 0;
}
