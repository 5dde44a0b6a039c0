// SPDX-License-Identifier: GPL-2.0-or-later
/* Do values that read back as they should have their effect? Some drivers take limits
 * and run faster all the same; a state that is kept out must not be entered. Looks for a
 * moment at what the hardware does, and only when asked: reading a frequency may wake
 * an idle CPU (Documentation/admin-guide/pm/cpufreq.rst, cpuidle.rst). */
#include "query.h"

#include <string.h>

/* How long entries into idle states are counted. */
#define WATCH_MS 200
/* Frequencies are measured; so much above a limit is within it. */
#define TOLERANCE_PERCENT 3

typedef struct {
  RetuneMachine *machine;
  const RetuneInstance *instance;
  GPtrArray *findings;
} Look;

/* Reads a file of @cpu; FALSE if it cannot be. */
static gboolean read_file(const Look *look, guint cpu, const char *file, char *text, gsize size)
{
  char path[96];

  g_snprintf(path, sizeof path, "cpu%u/%s", cpu, file);
  return retune_sysfs_read(retune_machine_sysfs(look->machine), path, text, size) == 0;
}

static gint64 read_number(const Look *look, guint cpu, const char *file)
{
  char text[RETUNE_VALUE_SIZE];

  return read_file(look, cpu, file, text, sizeof text) && g_ascii_isdigit(*text)
             ? g_ascii_strtoll(text, NULL, 10)
             : -1;
}

/* Takes @detail. */
static void add(Look *look, const RetuneKnob *option, guint cpu, const char *actual, gboolean works,
                char *detail)
{
  RetuneFinding *finding = g_new0(RetuneFinding, 1);
  const RetuneSetting *setting = retune_instance_setting(look->instance, option);

  finding->cpus = retune_cpuset_new();
  retune_cpuset_add(finding->cpus, cpu);
  finding->option = option;
  finding->wanted = g_strdup(setting->text);
  finding->actual = g_strdup(actual);
  finding->outcome = works ? RETUNE_OUTCOME_APPLIED : RETUNE_OUTCOME_INEFFECTIVE;
  finding->detail = detail;
  g_ptr_array_add(look->findings, finding);
}

/* --- frequencies --- */

static void look_at_maximum(Look *look, const RetuneKnob *option, guint cpu)
{
  gint64 limit = read_number(look, cpu, "cpufreq/scaling_max_freq");
  gint64 now = read_number(look, cpu, "cpufreq/scaling_cur_freq");

  if (limit < 0 || now < 0)
    return;
  gboolean works = now <= limit + limit * TOLERANCE_PERCENT / 100;
  g_autofree char *actual = g_strdup_printf("%" G_GINT64_FORMAT, now);
  add(look, option, cpu, actual, works,
      works ? g_strdup("it runs within the limit")
            : g_strdup_printf("it runs above the limit, which reads %" G_GINT64_FORMAT, limit));
}

/* --- idle states --- */

static gint64 read_usage(const Look *look, guint cpu, guint state)
{
  char file[48];

  g_snprintf(file, sizeof file, "cpuidle/state%u/usage", state);
  return read_number(look, cpu, file);
}

/* Is idle state @state kept out by what @option writes? */
static gboolean is_kept_out(const Look *look, const RetuneKnob *option, guint cpu, guint state)
{
  const RetuneIdleTable *table = retune_machine_idle_table(look->machine, cpu);
  char text[RETUNE_VALUE_SIZE], file[48];

  if (retune_knob_stride(retune_knob_place(option)) == RETUNE_IDLE_STATES) {
    g_snprintf(file, sizeof file, "cpuidle/state%u/disable", state);
    return read_number(look, cpu, file) == 1;
  }
  if (!read_file(look, cpu, "power/pm_qos_resume_latency_us", text, sizeof text))
    return FALSE;
  gint64 bound = option->type->magnitude(text); /* "n/a" is below all */
  return (gint64)table->latency_us[state] > MAX(bound, 0);
}

typedef struct {
  const RetuneKnob *option;
  guint cpu;
  guint state;
  gint64 usage;
} Kept;

static void note_states(const Look *look, GArray *kept, const RetuneKnob *option, guint cpu)
{
  const RetuneIdleTable *table = retune_machine_idle_table(look->machine, cpu);

  for (guint state = 0; state < table->n_states; state++) {
    Kept one = {option, cpu, state, read_usage(look, cpu, state)};
    if (one.usage >= 0 && is_kept_out(look, option, cpu, state))
      g_array_append_val(kept, one);
  }
}

static void compare_states(Look *look, const GArray *kept)
{
  for (guint i = 0; i < kept->len; i++) {
    const Kept *one = &g_array_index(kept, Kept, i);
    gint64 entered = read_usage(look, one->cpu, one->state) - one->usage;
    const RetuneIdleTable *table = retune_machine_idle_table(look->machine, one->cpu);
    const char *name = table->names[one->state] != NULL ? table->names[one->state] : "?";
    add(look, one->option, one->cpu, name, entered <= 0,
        entered <= 0
            ? g_strdup("the state was not entered")
            : g_strdup_printf("the state was entered %" G_GINT64_FORMAT " times", entered));
  }
}

static gboolean is_of_idle_states(const RetuneKnob *option)
{
  return retune_knob_stride(retune_knob_place(option)) == RETUNE_IDLE_STATES ||
         strstr(option->file, "pm_qos_resume_latency_us") != NULL;
}

static void look_at(Look *look, GArray *kept, const RetuneKnob *option, const RetuneCpuset *cpus)
{
  gboolean is_maximum = option->ceiling != NULL && option->follower != NULL;

  RETUNE_CPUSET_FOREACH (cpu, cpus) {
    if (is_maximum)
      look_at_maximum(look, option, (guint)cpu);
    else if (is_of_idle_states(option))
      note_states(look, kept, option, (guint)cpu);
  }
}

GPtrArray *retune_query_effects(RetuneMachine *machine, RetuneModel *model, const char *name,
                                GError **error)
{
  const RetuneInstance *instance = retune_model_find(model, name, error);
  if (instance == NULL)
    return NULL;
  g_autoptr(RetuneCpuset) cpus = retune_machine_read_online(machine, error);
  if (cpus == NULL)
    return NULL;
  g_autoptr(GArray) kept = g_array_new(FALSE, FALSE, sizeof(Kept));
  Look look = {machine, instance, retune_findings_new()};
  retune_cpuset_intersect(cpus, instance->devices);
  for (guint i = 0; i < instance->settings->len; i++)
    look_at(&look, kept, ((RetuneSetting *)instance->settings->pdata[i])->knob, cpus);
  if (kept->len > 0)
    g_usleep(WATCH_MS * 1000);
  compare_states(&look, kept);
  return retune_findings_group(look.findings);
}
