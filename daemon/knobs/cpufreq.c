// SPDX-License-Identifier: GPL-2.0-or-later
/* Values of cpufreq policies: governor, frequency limits, energy-performance
 * preference, boost. Documentation/admin-guide/pm/cpufreq.rst, intel_pstate.rst,
 * amd-pstate.rst. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "error.h"
#include "machine.h"
#include "names.h"
#include "types.h"

/* Is there such a file at @id? */
static gboolean file_exists(RetuneMachine *machine, const RetuneKnob *place, guint id)
{
  char unused[RETUNE_VALUE_SIZE];
  return retune_machine_read(machine, place, id, unused, sizeof unused) != ENOENT;
}

/* --- governor --- */

/* A name the kernel can take: CPUFREQ_NAME_LEN is 16. */
static gboolean check_governor(const RetuneKnob *knob, const char *word, GError **error)
{
  gsize length = strlen(word);

  if (length < 16 && strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789_-") == length)
    return TRUE;
  retune_knob_invalid(knob, word, error);
  return FALSE;
}

static char *describe_governor(const RetuneKnob *knob, RetuneMachine *machine, guint cpu)
{
  const RetunePolicy *policy = retune_machine_policy_facts(machine, cpu);

  (void)knob;
  return policy != NULL && policy->governors != NULL ? g_strjoinv(" ", (char **)policy->governors)
                                                     : NULL;
}

static gboolean resolve_governor(const RetuneKnob *knob, const char *word,
                                 const RetuneResolve *where, GError **error)
{
  const RetunePolicy *policy = retune_machine_policy_facts(where->machine, where->cpu);

  for (guint i = 0; policy != NULL && policy->governors != NULL && policy->governors[i] != NULL;
       i++) {
    if (g_ascii_strcasecmp(policy->governors[i], word) == 0) {
      retune_knob_emit(knob, where, policy->governors[i]);
      return TRUE;
    }
  }
  g_autofree char *offered = describe_governor(knob, where->machine, where->cpu);
  retune_set_error(error, RETUNE_ERROR_NOT_SUPPORTED,
                   "governor '%.16s' is not offered; there is: %s", word,
                   offered != NULL ? offered : "none");
  return FALSE;
}

const RetuneKnobType retune_type_governor = {
    .check = check_governor,
    .resolve = resolve_governor,
    .describe = describe_governor,
};

/* --- scaling_min_freq, scaling_max_freq --- */

static const struct {
  const char *suffix;
  double khz;
} units[] = {{"khz", 1}, {"mhz", 1e3}, {"ghz", 1e6}, {"", 1}};

#define CLAMP_PREFIX "clamp:"

/* A frequency as given: in kHz, or a share of the hardware's range. */
typedef struct {
  double value;
  gboolean percent;
  gboolean clamp;  /* out of range, the nearest is meant */
  gboolean lowest; /* "min" was said */
} Frequency;

/* Reads @word, which has a number and a unit. */
static gboolean parse_quantity(const char *word, Frequency *ret)
{
  char *end = NULL;
  double value = g_ascii_isdigit(*word) ? g_ascii_strtod(word, &end) : -1;

  if (end == NULL || strpbrk(word, "xXpP") != NULL || !isfinite(value))
    return FALSE;
  while (*end == ' ')
    end++;
  ret->percent = strcmp(end, "%") == 0;
  ret->value = value;
  if (ret->percent)
    return value <= 100;
  for (guint i = 0; i < G_N_ELEMENTS(units); i++) {
    ret->value = value * units[i].khz;
    if (g_ascii_strcasecmp(end, units[i].suffix) == 0)
      return ret->value <= G_MAXINT32;
  }
  return FALSE;
}

static gboolean parse_frequency(const RetuneKnob *knob, const char *word, Frequency *ret,
                                GError **error)
{
  const char *rest = word;

  *ret = (Frequency){0};
  if (g_str_has_prefix(word, CLAMP_PREFIX)) {
    ret->clamp = TRUE;
    rest += strlen(CLAMP_PREFIX);
  }
  ret->percent = TRUE;
  ret->value = strcmp(rest, "max") == 0 ? 100 : 0;
  ret->lowest = strcmp(rest, "min") == 0;
  if (ret->lowest || strcmp(rest, "max") == 0 || parse_quantity(rest, ret))
    return TRUE;
  retune_knob_invalid(knob, word, error);
  return FALSE;
}

static gboolean check_frequency(const RetuneKnob *knob, const char *word, GError **error)
{
  Frequency unused;
  return parse_frequency(knob, word, &unused, error);
}

/* With a table of frequencies, the kernel takes the next higher one as minimum
 * and the next lower one as maximum (cpufreq_set_policy). */
static double round_to_table(const GArray *table, double khz, gboolean up)
{
  double rounded = khz;

  for (guint i = 0; table != NULL && i < table->len; i++) {
    double entry = (double)g_array_index(table, gulong, i);
    if (up && entry >= khz)
      return entry;
    if (entry <= khz)
      rounded = entry;
  }
  return up ? khz : rounded;
}

/* A maximum is rounded down, a minimum or a speed up. */
static gboolean is_maximum(const RetuneKnob *knob)
{
  return knob->upper == NULL && knob->leader == NULL;
}

/* The kHz that @frequency is at @policy. FALSE: it is out of range there. */
static gboolean khz_of(const Frequency *frequency, const RetunePolicy *policy, double *ret_khz)
{
  double min = (double)policy->min_khz, max = (double)policy->max_khz;
  double khz = frequency->percent ? min + (max - min) * frequency->value / 100 : frequency->value;

  *ret_khz = CLAMP(khz, min, max);
  return frequency->clamp || *ret_khz == khz;
}

static gboolean resolve_frequency(const RetuneKnob *knob, const char *word,
                                  const RetuneResolve *where, GError **error)
{
  const RetunePolicy *policy = retune_machine_policy_facts(where->machine, where->cpu);
  Frequency frequency;
  double khz;

  if (!parse_frequency(knob, word, &frequency, error))
    return FALSE;
  if (policy == NULL || !policy->has_limits) {
    retune_set_error(error, RETUNE_ERROR_NOT_SUPPORTED,
                     "the hardware's frequency limits are not known");
    return FALSE;
  }
  if (!khz_of(&frequency, policy, &khz)) {
    retune_set_error(error, RETUNE_ERROR_INVALID_VALUE,
                     "'%.32s' is out of range: %lu to %lu kHz; with clamp: before it, the nearest "
                     "is taken",
                     word, policy->min_khz, policy->max_khz);
    return FALSE;
  }
  const GArray *table = retune_machine_frequencies(where->machine, where->cpu);
  khz = round(round_to_table(table, khz, !is_maximum(knob)));
  if (is_maximum(knob) && !frequency.lowest && khz <= (double)policy->min_khz) {
    retune_set_error(error, RETUNE_ERROR_INVALID_VALUE,
                     "'%.32s' would hold it at its lowest frequency, %lu kHz; if that is meant, "
                     "say min",
                     word, policy->min_khz);
    return FALSE;
  }
  retune_knob_emit_number(knob, where, (gint64)khz);
  return TRUE;
}

static char *describe_frequency(const RetuneKnob *knob, RetuneMachine *machine, guint cpu)
{
  const RetunePolicy *policy = retune_machine_policy_facts(machine, cpu);
  const GArray *table = retune_machine_frequencies(machine, cpu);

  (void)knob;
  if (policy == NULL || !policy->has_limits)
    return NULL;
  GString *text = g_string_new(NULL);
  for (guint i = 0; table != NULL && i < table->len; i++)
    g_string_append_printf(text, "%lu ", g_array_index(table, gulong, i));
  if (text->len == 0)
    g_string_append_printf(text, "%lu-%lu ", policy->min_khz, policy->max_khz);
  g_string_append(text, "kHz");
  return g_string_free(text, FALSE);
}

/* A maximum that was found lower than the hardware's may have been a thermal cap,
 * which then outlives its reason. */
static char *advise_frequency(const RetuneKnob *knob, const RetuneResolve *where, const char *text,
                              const char *baseline)
{
  const RetunePolicy *policy = retune_machine_policy_facts(where->machine, where->cpu);

  if (!is_maximum(knob) || policy == NULL || !policy->has_limits)
    return NULL;
  if (retune_number_magnitude(text) <= (gint64)policy->min_khz)
    return g_strdup("this holds it at its lowest frequency");
  if (baseline != NULL && retune_number_magnitude(baseline) < (gint64)policy->max_khz)
    return g_strdup_printf("%s kHz will be put back, which is below the hardware's %lu: it may "
                           "have been a cap by firmware or a thermal service",
                           baseline, policy->max_khz);
  return NULL;
}

const RetuneKnobType retune_type_frequency = {
    .check = check_frequency,
    .resolve = resolve_frequency,
    .magnitude = retune_number_magnitude,
    .describe = describe_frequency,
    .advise = advise_frequency,
};

/* --- energy_performance_preference --- */

#define EPP_DEFAULT (-1)

/* The words and the numbers that intel_pstate reads back as them. */
static const RetuneWord epp_words[] = {
    {"performance", 0}, {"balance_performance", 128}, {"balance_power", 192},
    {"power", 255},     {"default", EPP_DEFAULT},
};

static gboolean is_epp_number(const char *word)
{
  return g_ascii_string_to_unsigned(word, 10, 0, 255, NULL, NULL);
}

static gboolean check_epp(const RetuneKnob *knob, const char *word, GError **error)
{
  if (is_epp_number(word) || retune_word_find(epp_words, G_N_ELEMENTS(epp_words), word) != NULL)
    return TRUE;
  retune_knob_invalid(knob, word, error);
  return FALSE;
}

/* The words that the policy of @cpu offers now, "" if they are not known. Returns 0
 * or an errno value. */
static int read_offered(RetuneMachine *machine, guint cpu, char *offered, gsize size)
{
  const RetunePolicy *policy = retune_machine_policy(machine, cpu);
  char path[96];

  offered[0] = '\0';
  if (policy == NULL)
    return ENODEV;
  g_snprintf(path, sizeof path, "cpufreq/policy%u/energy_performance_available_preferences",
             policy->number);
  int result = retune_sysfs_read(retune_machine_sysfs(machine), path, offered, size);
  g_strstrip(offered);
  return result;
}

/* Under governor performance some drivers offer but one word, so a list of one
 * says nothing of what will be possible. */
static gboolean is_offered(const char *word, const char *offered)
{
  g_auto(GStrv) words = g_strsplit(offered, " ", -1);
  return g_strv_length(words) < 2 || g_strv_contains((const char *const *)words, word);
}

static gboolean resolve_epp(const RetuneKnob *knob, const char *word, const RetuneResolve *where,
                            GError **error)
{
  const RetuneWord *known = retune_word_find(epp_words, G_N_ELEMENTS(epp_words), word);
  char offered[RETUNE_VALUE_SIZE];
  int result = read_offered(where->machine, where->cpu, offered, sizeof offered);

  if (result != 0 && !file_exists(where->machine, knob, where->id)) {
    retune_set_error(error, RETUNE_ERROR_NOT_SUPPORTED, "no such file%s", knob->hint_absent);
    return FALSE;
  }
  if (known != NULL && result == 0 && !is_offered(known->word, offered)) {
    retune_set_error(error, RETUNE_ERROR_NOT_SUPPORTED,
                     "preference '%s' is not offered; there is: %s", known->word, offered);
    return FALSE;
  }
  retune_knob_emit(knob, where, known != NULL ? known->word : word);
  return TRUE;
}

/* The number that a word or a number stands for. */
static gboolean epp_value(const char *text, gint64 *ret_value)
{
  const RetuneWord *word = retune_word_find(epp_words, G_N_ELEMENTS(epp_words), text);

  if (word != NULL)
    *ret_value = word->value;
  return word != NULL || g_ascii_string_to_signed(text, 10, 0, 255, ret_value, NULL);
}

/* Kernels read a number back as the word for it, where there is one; "default"
 * reads back as whatever the firmware's default is. */
static gboolean same_epp(const char *wanted, const char *actual)
{
  gint64 a, b;

  return epp_value(wanted, &a) && epp_value(actual, &b) && (a == b || a == EPP_DEFAULT);
}

static char *describe_epp(const RetuneKnob *knob, RetuneMachine *machine, guint cpu)
{
  char offered[RETUNE_VALUE_SIZE];

  (void)knob;
  read_offered(machine, cpu, offered, sizeof offered);
  return *offered != '\0' ? g_strdup(offered) : NULL;
}

const RetuneKnobType retune_type_epp = {
    .check = check_epp,
    .resolve = resolve_epp,
    .same = same_epp,
    .unsure = is_epp_number, /* not all drivers take numbers */
    .describe = describe_epp,
};

/* --- boost --- */

/* policyN/boost takes 1 only while the global file is 1; older kernels have the
 * global one only. @knob is the policy's, its gate the global one. */
static gboolean resolve_boost(const RetuneKnob *knob, const char *word, const RetuneResolve *where,
                              GError **error)
{
  const RetuneKnob *gate = knob->gate;
  gboolean yes = FALSE;

  if (!retune_names_parse_boolean(word, &yes))
    return retune_type_boolean.check(knob, word, error);
  gboolean has_gate = file_exists(where->machine, gate, 0);
  gboolean has_own = file_exists(where->machine, knob, where->id);
  if (!has_gate && !has_own) {
    retune_set_error(error, RETUNE_ERROR_NOT_SUPPORTED, "no such file%s", knob->hint_absent);
    return FALSE;
  }
  if (has_gate && (yes || !has_own))
    where->emit(where->sink, gate, 0, yes ? "1" : "0");
  if (has_own)
    retune_knob_emit(knob, where, yes ? "1" : "0");
  return TRUE;
}

static gboolean check_boost(const RetuneKnob *knob, const char *word, GError **error)
{
  return retune_type_boolean.check(knob, word, error);
}

const RetuneKnobType retune_type_boost = {
    .check = check_boost,
    .resolve = resolve_boost,
};
