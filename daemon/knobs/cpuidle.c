// SPDX-License-Identifier: GPL-2.0-or-later
/* Idle states: which are allowed, and bounds on the latency of waking up.
 * Documentation/admin-guide/pm/cpuidle.rst, power/pm_qos_interface.rst. */
#include <string.h>

#include "error.h"
#include "machine.h"
#include "types.h"

#define NO_LATENCY "n/a" /* what the kernel calls "none tolerated" */

/* "0=POLL 1=C1 2=C6", with latencies if @with_latency: "1=C1:2us"; NULL if the CPU
 * has no idle states. */
static char *describe_states(RetuneMachine *machine, guint cpu, gboolean with_latency)
{
  const RetuneIdleTable *table = retune_machine_idle_table(machine, cpu);

  if (table->n_states == 0)
    return NULL;
  GString *names = g_string_new(NULL);
  for (guint i = 0; i < table->n_states; i++) {
    g_string_append_printf(names, "%s%u=%s", i > 0 ? " " : "", i, table->names[i]);
    if (with_latency)
      g_string_append_printf(names, ":%luus", table->latency_us[i]);
  }
  return g_string_free(names, FALSE);
}

/* Sets NOT_SUPPORTED: @state is not one of the CPU's. */
static void unknown_state(RetuneMachine *machine, guint cpu, const char *state, GError **error)
{
  g_autofree char *names = describe_states(machine, cpu, FALSE);

  retune_set_error(error, RETUNE_ERROR_NOT_SUPPORTED, "no idle state '%.32s'; there is: %s", state,
                   names != NULL ? names : "none");
}

static char *describe_names(const RetuneKnob *knob, RetuneMachine *machine, guint cpu)
{
  (void)knob;
  return describe_states(machine, cpu, FALSE);
}

static char *describe_latencies(const RetuneKnob *knob, RetuneMachine *machine, guint cpu)
{
  (void)knob;
  return describe_states(machine, cpu, TRUE);
}

/* The files of latencies are there without any idle driver. */
static char *advise_latency(const RetuneKnob *knob, const RetuneResolve *where, const char *text,
                            const char *baseline)
{
  (void)knob, (void)text, (void)baseline;
  if (retune_machine_idle_table(where->machine, where->cpu)->n_states > 0)
    return NULL;
  return g_strdup("there are no idle states, so no effect is to be expected");
}

/* The state called @name, in any case. */
static gboolean find_name(const RetuneIdleTable *table, const char *name, guint *ret_state)
{
  for (guint i = 0; i < table->n_states; i++) {
    if (table->names[i] != NULL && g_ascii_strcasecmp(table->names[i], name) == 0) {
      *ret_state = i;
      return TRUE;
    }
  }
  return FALSE;
}

/* The state with the number @index. */
static gboolean find_index(const RetuneIdleTable *table, const char *index, guint *ret_state)
{
  guint64 number;

  if (table->n_states == 0 ||
      !g_ascii_string_to_unsigned(index, 10, 0, table->n_states - 1, &number, NULL))
    return FALSE;
  *ret_state = (guint)number;
  return TRUE;
}

static gboolean find_state(const RetuneResolve *where, const char *state, guint *ret_state,
                           GError **error)
{
  const RetuneIdleTable *table = retune_machine_idle_table(where->machine, where->cpu);

  if (find_name(table, state, ret_state) || find_index(table, state, ret_state))
    return TRUE;
  unknown_state(where->machine, where->cpu, state, error);
  return FALSE;
}

#define NAME_CHARS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."

static gboolean is_name(const char *word)
{
  return *word != '\0' && strspn(word, NAME_CHARS) == strlen(word);
}

/* The names in @word, between commas. */
static GStrv split_states(const char *word)
{
  GStrv names = g_strsplit(word, ",", -1);
  for (guint i = 0; names[i] != NULL; i++)
    g_strstrip(names[i]);
  return names;
}

static gboolean check_state(const RetuneKnob *knob, const char *word, GError **error)
{
  if (is_name(word))
    return TRUE;
  retune_knob_invalid(knob, word, error);
  return FALSE;
}

static gboolean check_states(const RetuneKnob *knob, const char *word, GError **error)
{
  g_auto(GStrv) names = split_states(word);

  for (guint i = 0; names[i] != NULL; i++) {
    if (is_name(names[i]))
      continue;
    retune_knob_invalid(knob, word, error);
    return FALSE;
  }
  return TRUE;
}

static void disable(const RetuneKnob *knob, const RetuneResolve *where, guint state)
{
  where->emit(where->sink, retune_knob_place(knob), where->cpu * RETUNE_IDLE_STATES + state, "1");
}

/* --- cpuidle_max_state --- */

static gboolean resolve_deepest(const RetuneKnob *knob, const char *word,
                                const RetuneResolve *where, GError **error)
{
  const RetuneIdleTable *table = retune_machine_idle_table(where->machine, where->cpu);
  guint deepest;

  if (!find_state(where, word, &deepest, error))
    return FALSE;
  for (guint state = deepest + 1; state < table->n_states; state++)
    disable(knob, where, state);
  return TRUE;
}

const RetuneKnobType retune_type_deepest = {
    .check = check_state,
    .resolve = resolve_deepest,
    .describe = describe_names,
};

/* --- cpuidle_disable --- */

static gboolean resolve_disabled(const RetuneKnob *knob, const char *word,
                                 const RetuneResolve *where, GError **error)
{
  g_auto(GStrv) names = split_states(word);
  guint states[RETUNE_IDLE_STATES];
  guint n_states = 0;

  for (guint i = 0; names[i] != NULL; i++) {
    guint state;
    if (!find_state(where, names[i], &state, error))
      return FALSE;
    for (guint k = 0; k < n_states; k++)
      if (states[k] == state)
        state = RETUNE_IDLE_STATES;
    if (state < RETUNE_IDLE_STATES)
      states[n_states++] = state;
  }
  for (guint k = 0; k < n_states; k++)
    disable(knob, where, states[k]);
  return TRUE;
}

const RetuneKnobType retune_type_disabled = {
    .check = check_states,
    .resolve = resolve_disabled,
    .describe = describe_names,
};

/* --- latencies --- */

/* The forms of a latency that name an idle state. */
static const struct {
  const char *prefix;
  gboolean (*find)(const RetuneIdleTable *table, const char *state, guint *ret_state);
  gboolean no_zero; /* a latency of 0 us counts as not supported */
} forms[] = {
    {"cstate.id:", find_index, FALSE},
    {"cstate.id_no_zero:", find_index, TRUE},
    {"cstate.name:", find_name, FALSE},
    {"cstate.name_no_zero:", find_name, TRUE},
};

/* The form of @word, or -1 if it is none or names no state. */
static gint find_form(const char *word)
{
  for (guint i = 0; i < G_N_ELEMENTS(forms); i++) {
    if (!g_str_has_prefix(word, forms[i].prefix))
      continue;
    const char *state = word + strlen(forms[i].prefix);
    gboolean is_number = strspn(state, "0123456789") == strlen(state);
    return *state != '\0' && (is_number || (forms[i].find == find_name && is_name(state))) ? (gint)i
                                                                                           : -1;
  }
  return -1;
}

static gboolean check_bound(const RetuneKnob *knob, const char *word, GError **error)
{
  gint64 unused;
  return find_form(word) >= 0 || retune_number_parse(knob, word, &unused, error);
}

/* The latency of the idle state that @word, of @form, names at @cpu. */
static gboolean state_us(RetuneMachine *machine, guint cpu, gint form, const char *word,
                         gint64 *ret_us, GError **error)
{
  const RetuneIdleTable *table = retune_machine_idle_table(machine, cpu);
  const char *name = word + strlen(forms[form].prefix);
  guint state;

  if (!forms[form].find(table, name, &state)) {
    unknown_state(machine, cpu, name, error);
    return FALSE;
  }
  *ret_us = (gint64)table->latency_us[state];
  if (*ret_us > 0 || !forms[form].no_zero)
    return TRUE;
  retune_set_error(error, RETUNE_ERROR_NOT_SUPPORTED, "idle state %u=%s has a latency of 0 us",
                   state, table->names[state]);
  return FALSE;
}

/* The us that @word, a number or a form, means at where->cpu, or for all of
 * where->cpus: tables may differ, and the smallest bound serves them all. */
static gboolean bound_us(const RetuneKnob *knob, const char *word, const RetuneResolve *where,
                         gint64 *ret_us, GError **error)
{
  gint form = find_form(word);

  if (form < 0)
    return retune_number_parse(knob, word, ret_us, error);
  if (!state_us(where->machine, where->cpu, form, word, ret_us, error))
    return FALSE;
  if (where->cpus == NULL)
    return TRUE;
  RETUNE_CPUSET_FOREACH (cpu, where->cpus) {
    gint64 us;
    if (!state_us(where->machine, (guint)cpu, form, word, &us, error))
      return FALSE;
    *ret_us = MIN(*ret_us, us);
  }
  return TRUE;
}

static gboolean resolve_bound(const RetuneKnob *knob, const char *word, const RetuneResolve *where,
                              GError **error)
{
  gint64 us;

  if (!bound_us(knob, word, where, &us, error))
    return FALSE;
  retune_knob_emit_number(knob, where, us);
  return TRUE;
}

static gint64 bound_magnitude(const char *text)
{
  return g_ascii_isdigit(*text) ? retune_number_magnitude(text) : G_MAXINT32;
}

const RetuneKnobType retune_type_bound = {
    .check = check_bound,
    .resolve = resolve_bound,
    .magnitude = bound_magnitude,
    .describe = describe_latencies,
    .advise = advise_latency,
};

/* At pm_qos_resume_latency_us 0 means "no bound" and n/a "no latency at all", so
 * the latency 0 of a polling state is n/a. */
static gboolean check_latency(const RetuneKnob *knob, const char *word, GError **error)
{
  return strcmp(word, NO_LATENCY) == 0 || check_bound(knob, word, error);
}

static gboolean resolve_latency(const RetuneKnob *knob, const char *word,
                                const RetuneResolve *where, GError **error)
{
  gint64 us;

  if (strcmp(word, NO_LATENCY) != 0 && find_form(word) < 0)
    return resolve_bound(knob, word, where, error);
  if (strcmp(word, NO_LATENCY) != 0) {
    if (!bound_us(knob, word, where, &us, error))
      return FALSE;
    if (us > 0)
      return resolve_bound(knob, word, where, error);
  }
  retune_knob_emit(knob, where, NO_LATENCY);
  return TRUE;
}

static gint64 latency_magnitude(const char *text)
{
  gint64 us = g_ascii_isdigit(*text) ? retune_number_magnitude(text) : -1;
  return us == 0 ? G_MAXINT32 : us;
}

const RetuneKnobType retune_type_latency = {
    .check = check_latency,
    .resolve = resolve_latency,
    .magnitude = latency_magnitude,
    .describe = describe_latencies,
    .advise = advise_latency,
};
