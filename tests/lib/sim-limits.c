/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Frequencies of a policy. The kernel remembers what was asked for and shows
 * what is in effect; so requests are notes and the files show the outcome.
 */
#include "sim-limits.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sim-cpufreq.h"
#include "sim-parse.h"

#define UNSUPPORTED "<unsupported>"

typedef struct {
  long low;        /* cpuinfo_min_freq */
  long high;       /* cpuinfo_max_freq */
  char table[512]; /* the frequencies there are, "" if any will do */
} Hardware;

static long number_in(const SimWrite *write, const char *name)
{
  char text[32];

  sim_get(write, name, text, sizeof text);
  return strtol(text, NULL, 10);
}

static void hardware_read(const SimWrite *write, Hardware *ret_hardware)
{
  ret_hardware->low = number_in(write, "cpuinfo_min_freq");
  ret_hardware->high = number_in(write, "cpuinfo_max_freq");
  sim_get(write, "scaling_available_frequencies", ret_hardware->table, sizeof ret_hardware->table);
}

static long clamped(long value, long low, long high)
{
  return value < low ? low : value > high ? high : value;
}

/* The lowest frequency of the table at or above a value, or the highest at or
 * below; the value itself if there is no such one or no table. */
static long rounded(const Hardware *hardware, long value, bool is_up)
{
  const char *text = hardware->table;
  char word[16];
  long best = 0;

  while (sim_scan_word(text, word, sizeof word)) {
    long frequency = strtol(word, NULL, 10);
    bool is_fit = is_up ? frequency >= value : frequency <= value;

    if (is_fit && (best == 0 || (is_up ? frequency < best : frequency > best)))
      best = frequency;
    text = strstr(text, word) + strlen(word);
  }

  return best != 0 ? best : value;
}

static long request_of(const SimWrite *write, const char *name, long fallback)
{
  char path[SIM_PATH_SIZE], text[32];

  sim_sibling_path(write, name, path);
  return sim_note_get(write->root, path, text, sizeof text) ? strtol(text, NULL, 10) : fallback;
}

static void request_keep(const SimWrite *write, const char *name, long value)
{
  char path[SIM_PATH_SIZE], text[32];

  sim_sibling_path(write, name, path);
  snprintf(text, sizeof text, "%ld", value);
  sim_note_put(write->root, path, text);
}

static int64_t now_ms(void)
{
  struct timespec now;

  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* The kernel updates a policy in a work item, so a reader can be too early. This
 * keeps the value that it sees until then. */
static void remember_stale(const SimWrite *write, const char *name, long next)
{
  const char *given = getenv("RETUNE_SIM_STALE_MS");
  char path[SIM_PATH_SIZE], note[SIM_PATH_SIZE + 8], text[64], shown[32];
  long wait = given != NULL ? strtol(given, NULL, 10) : 0;

  if (wait <= 0)
    return;
  sim_sibling_path(write, name, path);
  snprintf(note, sizeof note, "stale:%s", path);
  if (!sim_stale_value(write->root, path, shown, sizeof shown))
    sim_cpu_get(write->root, path, shown, sizeof shown);
  if (strtol(shown, NULL, 10) == next)
    return;

  snprintf(text, sizeof text, "%lld %s", (long long)(now_ms() + wait), shown);
  sim_note_put(write->root, note, text);
}

/* What a limit still shows, if it is not up to date. */
bool sim_stale_value(const char *root, const char *path, char *buffer, size_t size)
{
  char note[SIM_PATH_SIZE + 8], text[64];
  char *end;

  snprintf(note, sizeof note, "stale:%s", path);
  if (!sim_note_get(root, note, text, sizeof text))
    return false;
  if (strtoll(text, &end, 10) <= now_ms()) {
    sim_note_drop(root, note);
    return false;
  }

  snprintf(buffer, size, "%s", *end == ' ' ? end + 1 : end);
  return true;
}

static void update_speed(const SimWrite *write, const char *governor, const Hardware *hardware,
                         long min, long max)
{
  long speed = number_in(write, "scaling_cur_freq");

  if (strcmp(governor, "userspace") == 0) {
    speed = rounded(hardware, clamped(request_of(write, "setspeed", speed), min, max), true);
    sim_show_number(write, "scaling_setspeed", speed);
  } else
    sim_show(write, "scaling_setspeed", UNSUPPORTED);

  if (strcmp(governor, "performance") == 0)
    speed = max;
  sim_show_number(write, "scaling_cur_freq", clamped(speed, min, max));
}

/* Shows what follows from the requests (cpufreq_set_policy). */
static void update_limits(const SimWrite *write)
{
  Hardware hardware;
  char governor[32];
  long min, max;

  hardware_read(write, &hardware);
  min = clamped(request_of(write, "min", 0), hardware.low, hardware.high);
  max = clamped(request_of(write, "max", INT32_MAX), hardware.low, hardware.high);
  if (min > max)
    min = max;
  if (rounded(&hardware, min, true) > max)
    max = rounded(&hardware, max, true);
  min = rounded(&hardware, min, true);
  max = rounded(&hardware, max, false);

  remember_stale(write, "scaling_min_freq", min);
  remember_stale(write, "scaling_max_freq", max);
  sim_show_number(write, "scaling_min_freq", min);
  sim_show_number(write, "scaling_max_freq", max);
  sim_get(write, "scaling_governor", governor, sizeof governor);
  update_speed(write, governor, &hardware, min, max);
}

/* Kernels up to 6.1 read a number and do not look at what comes after it. */
static int parse_limit(const SimWrite *write, uint64_t *ret_value)
{
  char version[16];
  int major = 0, minor = 0;
  uint32_t scanned;

  if (!sim_note_get(write->root, "kernel", version, sizeof version) ||
      sscanf(version, "%d.%d", &major, &minor) != 2 || major > 6 || (major == 6 && minor > 1))
    return sim_kstrtoull(write->text, 0, ret_value);

  if (!sim_scan_u32(write->text, &scanned))
    return EINVAL;
  *ret_value = scanned;
  return 0;
}

/* The kernel parses 64 bits and keeps 32; then -1 is the default. */
static int store_limit(const SimWrite *write, const char *name, long usual)
{
  uint64_t parsed;
  int32_t value;
  int error = parse_limit(write, &parsed);

  if (error != 0)
    return error;
  value = (int32_t)(uint32_t)parsed;
  if (value < -1)
    return EINVAL;

  request_keep(write, name, value == -1 ? usual : value);
  update_limits(write);
  return 0;
}

int sim_store_min_freq(const SimWrite *write)
{
  return store_limit(write, "min", 0);
}

int sim_store_max_freq(const SimWrite *write)
{
  return store_limit(write, "max", INT32_MAX);
}

int sim_store_setspeed(const SimWrite *write)
{
  char governor[32];
  uint32_t speed;

  sim_get(write, "scaling_governor", governor, sizeof governor);
  if (strcmp(governor, "userspace") != 0 || sim_kstrtou32(write->text, 0, &speed) != 0)
    return EINVAL;

  request_keep(write, "setspeed", (long)speed);
  update_limits(write);
  return 0;
}

/* A new governor starts from the present speed. */
void sim_governor_changed(const SimWrite *write, const char *governor)
{
  Hardware hardware;
  char path[SIM_PATH_SIZE];

  sim_sibling_path(write, "setspeed", path);
  if (strcmp(governor, "userspace") != 0)
    sim_note_drop(write->root, path);
  hardware_read(write, &hardware);
  update_speed(write, governor, &hardware, number_in(write, "scaling_min_freq"),
               number_in(write, "scaling_max_freq"));
}
