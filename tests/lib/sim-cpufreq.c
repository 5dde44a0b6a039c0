/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The rules of governor, EPP and boost, with what each does to the others
 * (drivers/cpufreq/cpufreq.c, intel_pstate.c, amd-pstate.c).
 */
#include "sim-cpufreq.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sim-limits.h"
#include "sim-parse.h"
#include "sim-tunables.h"

static bool has_driver(const SimWrite *write, const char *driver)
{
  char name[32];

  sim_get(write, "scaling_driver", name, sizeof name);
  return strcmp(name, driver) == 0;
}

static bool has_governor(const SimWrite *write, const char *governor)
{
  char name[32];

  sim_get(write, "scaling_governor", name, sizeof name);
  return strcmp(name, governor) == 0;
}

static void saved_epp_name(const SimWrite *write, char *ret_name)
{
  sim_sibling_path(write, "saved_epp", ret_name);
}

/* Whether governor performance takes the EPP along: not with the generic governors
 * of intel_pstate's passive mode. */
static bool is_epp_coupled(const SimWrite *write)
{
  char epp[32];

  sim_get(write, "energy_performance_preference", epp, sizeof epp);
  return epp[0] != '\0' && !has_driver(write, "intel_cpufreq");
}

/* The kernel keeps the EPP for the way back (intel_pstate only). */
static void enter_performance(const SimWrite *write)
{
  char name[SIM_PATH_SIZE], epp[32];

  if (!is_epp_coupled(write))
    return;

  sim_get(write, "energy_performance_preference", epp, sizeof epp);
  if (has_driver(write, "intel_pstate")) {
    saved_epp_name(write, name);
    sim_note_put(write->root, name, epp);
  } else
    sim_show(write, "energy_performance_available_preferences", "performance ");
  sim_show(write, "energy_performance_preference", "performance");
}

static void leave_performance(const SimWrite *write)
{
  char name[SIM_PATH_SIZE], epp[32], saved[32], words[256], text[260];

  if (!is_epp_coupled(write))
    return;

  sim_get(write, "energy_performance_preference", epp, sizeof epp);
  saved_epp_name(write, name);
  if (!has_driver(write, "intel_pstate")) {
    sim_note_get(write->root, "epp_words", words, sizeof words);
    snprintf(text, sizeof text, "%s ", words);
    sim_show(write, "energy_performance_available_preferences", text);
  } else if (strcmp(epp, "performance") == 0 &&
             sim_note_get(write->root, name, saved, sizeof saved))
    sim_show(write, "energy_performance_preference", saved);
  sim_note_drop(write->root, name);
}

/* Finds a word of a list without regard to case and gives the list's spelling. */
static bool find_governor(const char *list, const char *word, char *ret_name, size_t size)
{
  while (sim_scan_word(list, ret_name, size)) {
    if (strcasecmp(ret_name, word) == 0)
      return true;
    list = strstr(list, ret_name) + strlen(ret_name);
  }

  return false;
}

/* A governor whose module has just been loaded is offered by every policy. */
static void add_governor(const SimWrite *write, const char *governor)
{
  char path[SIM_PATH_SIZE], listed[512], text[600];
  DIR *dir;

  if (!sim_path(path, write->root, SIM_CPU_DIR, "cpufreq"))
    return;
  dir = opendir(path);
  for (struct dirent *entry = dir ? readdir(dir) : NULL; entry != NULL; entry = readdir(dir)) {
    snprintf(path, sizeof path, "cpufreq/%s/scaling_available_governors", entry->d_name);
    if (!sim_cpu_get(write->root, path, listed, sizeof listed) || sim_has_word(listed, governor))
      continue;
    snprintf(text, sizeof text, "%s %s", governor, listed);
    sim_cpu_put(write->root, path, text);
  }
  if (dir != NULL)
    closedir(dir);
}

/* Only the first word counts. */
int sim_store_governor(const SimWrite *write)
{
  char word[17], listed[512], loadable[256], name[17], present[32];

  if (!sim_scan_word(write->text, word, sizeof word))
    return EINVAL;

  sim_get(write, "scaling_governor", present, sizeof present);
  sim_get(write, "scaling_available_governors", listed, sizeof listed);
  sim_note_get(write->root, "loadable", loadable, sizeof loadable);
  if (!find_governor(listed, word, name, sizeof name)) {
    if (!find_governor(loadable, word, name, sizeof name))
      return EINVAL;
    add_governor(write, name);
  }

  sim_show(write, "scaling_governor", name);
  if (strcmp(present, name) == 0)
    return 0;
  if (strcmp(name, "performance") == 0)
    enter_performance(write);
  else if (strcmp(present, "performance") == 0)
    leave_performance(write);
  sim_governor_changed(write, name);
  if (sim_tunables_has(present) || sim_tunables_has(name))
    sim_tunables_update(write->root);
  return 0;
}

/* The number behind a word, or -1. */
static long epp_of_word(const char *word)
{
  static const char *words[] = {"performance", "balance_performance", "balance_power", "power"};
  static const long values[] = {0, 128, 192, 255};

  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (strcmp(word, words[i]) == 0)
      return values[i];
  return -1;
}

/* A value that is one of the four shows as its word. */
static void show_epp(const SimWrite *write, long value)
{
  static const struct {
    long value;
    const char *word;
  } words[] = {
      {0, "performance"},
      {128, "balance_performance"},
      {192, "balance_power"},
      {255, "power"},
  };

  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (words[i].value == value) {
      sim_show(write, "energy_performance_preference", words[i].word);
      return;
    }
  sim_show_number(write, "energy_performance_preference", value);
}

/* Numbers are taken by intel_pstate only, in both of its modes. */
int sim_store_epp(const SimWrite *write)
{
  char word[22], offered[256], usual[32];
  long value;
  uint32_t number;

  if (!sim_scan_word(write->text, word, sizeof word))
    return EINVAL;

  sim_note_get(write->root, "epp_words", offered, sizeof offered);
  if (sim_has_word(offered, word)) {
    sim_note_get(write->root, "epp_default", usual, sizeof usual);
    value = epp_of_word(strcmp(word, "default") == 0 ? usual : word);
  } else {
    bool is_intel = has_driver(write, "intel_pstate") || has_driver(write, "intel_cpufreq");
    int error = is_intel ? sim_kstrtou32(word, 10, &number) : EINVAL;

    if (error != 0)
      return error;
    if (number > 255)
      return EINVAL;
    value = (long)number;
  }

  if (value != 0 && has_governor(write, "performance") && is_epp_coupled(write))
    return EBUSY;
  show_epp(write, value);
  return 0;
}

/* The gate: without the global boost a policy's own refuses everything. */
int sim_store_policy_boost(const SimWrite *write)
{
  bool is_on;
  char global[8];

  if (sim_kstrtobool(write->text, &is_on) != 0)
    return EINVAL;
  if (!sim_cpu_get(write->root, "cpufreq/boost", global, sizeof global) || strcmp(global, "1") != 0)
    return EINVAL;

  sim_show_number(write, "boost", is_on);
  return 0;
}

/* The global boost sets that of all policies. */
int sim_store_boost(const SimWrite *write)
{
  char path[SIM_PATH_SIZE];
  bool is_on;
  DIR *dir;

  if (sim_kstrtobool(write->text, &is_on) != 0)
    return EINVAL;
  sim_show_number(write, "boost", is_on);

  if (!sim_path(path, write->root, SIM_CPU_DIR, "cpufreq"))
    return 0;
  dir = opendir(path);
  for (struct dirent *entry = dir ? readdir(dir) : NULL; entry != NULL; entry = readdir(dir))
    if (strncmp(entry->d_name, "policy", 6) == 0) {
      snprintf(path, sizeof path, "cpufreq/%s/boost", entry->d_name);
      sim_cpu_put(write->root, path, is_on ? "1" : "0");
    }
  if (dir != NULL)
    closedir(dir);
  return 0;
}
