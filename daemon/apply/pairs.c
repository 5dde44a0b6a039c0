// SPDX-License-Identifier: GPL-2.0-or-later
/* Lower and upper limits: what they do to each other. Some the kernel bends, and
 * remembers what was asked for; others it refuses. */
#include "job.h"

/* Does the file at @path read @value? */
static gboolean reads(RetuneJob *job, const char *path, const char *value)
{
  char text[RETUNE_VALUE_SIZE];

  return retune_sysfs_read(retune_machine_sysfs(job->machine), path, text, sizeof text) == 0 &&
         g_str_equal(text, value);
}

/* Does the file @file of @place's unit read @value? @file may be NULL. */
static gboolean unit_reads(RetuneJob *job, const RetuneKnob *place, const char *file, guint id,
                           const char *value)
{
  const RetuneKnob named = {.file = file, .scope = place->scope};
  char path[128];

  if (file == NULL)
    return FALSE;
  retune_knob_path(&named, id, path, sizeof path);
  return reads(job, path, value);
}

gboolean retune_job_is_bent(RetuneJob *job, const RetuneKnob *place, guint id, const char *wanted,
                            const char *value)
{
  if (place->type->magnitude == NULL || wanted == NULL)
    return FALSE;
  gint64 is = place->type->magnitude(value), should = place->type->magnitude(wanted);
  if (is > should)
    return unit_reads(job, place, place->floor, id, value);
  if (is == should)
    return FALSE;
  if (unit_reads(job, place, place->ceiling, id, value))
    return TRUE;
  return place->upper != NULL && place->pair == RETUNE_PAIR_BENDS &&
         unit_reads(job, place, place->upper->file, id, value);
}

/* The lower limit whose upper one is @place, if the kernel refuses contradictions. */
static const RetuneKnob *refusing_lower(const RetuneJob *job, const RetuneKnob *place)
{
  for (guint row = 0; row < job->table->n_rows; row++) {
    const RetuneKnob *lower = &job->table->rows[row];
    if (lower->upper == place && lower->pair != RETUNE_PAIR_BENDS && lower->place == NULL)
      return lower;
  }
  return NULL;
}

static gboolean leaves_room(const RetuneKnob *lower, const char *low, const char *high)
{
  gint64 from = lower->type->magnitude(low), to = lower->type->magnitude(high);

  return lower->pair == RETUNE_PAIR_REFUSES_EQUAL ? from < to : from <= to;
}

/* Two wishes: that of the weaker instance is at fault, or the lower limit's. */
static void check_both(RetuneJob *job, RetuneWant *lower, RetuneWant *upper)
{
  gboolean same = lower->instance == upper->instance;
  gboolean weaker = !same && retune_instance_compare(upper->instance, lower->instance) > 0;
  char unit[24];

  if (lower->pending || upper->pending || leaves_room(lower->place, lower->text, upper->text) ||
      (!same && lower->place->pair == RETUNE_PAIR_BENDS))
    return;
  retune_knob_unit(lower->place, lower->id, unit, sizeof unit);
  g_autofree char *other =
      same ? g_strdup("")
           : g_strdup_printf("; the other is instance '%s'",
                             weaker ? lower->instance->name : upper->instance->name);
  g_autofree char *message =
      g_strdup_printf("%s %s is %s %s %s on %s%s", lower->option->name, lower->text,
                      lower->place->pair == RETUNE_PAIR_REFUSES_EQUAL ? "not below" : "above",
                      upper->option->name, upper->text, unit, other);
  RetuneWant *fault = weaker ? upper : lower;
  if (!same && !retune_job_is_subject(job, fault->instance->name) &&
      retune_job_is_subject(job, (weaker ? lower : upper)->instance->name))
    fault = weaker ? lower : upper;
  retune_job_contradict(job, fault, message);
}

/* One wish, and a limit that nobody wishes for: the kernel compares with that. If it is
 * ours to put back, that waits. */
static void check_one(RetuneJob *job, RetuneWant *want, const RetuneKnob *lower, guint id)
{
  const RetuneKnob *other = want->place == lower ? lower->upper : lower;
  char text[RETUNE_VALUE_SIZE], path[128];

  if (want->pending || retune_ledger_get(job->ledger, other, id) != NULL ||
      retune_machine_read(job->machine, other, id, text, sizeof text) != 0)
    return;
  if (leaves_room(lower, want->place == lower ? want->text : text,
                  want->place == lower ? text : want->text))
    return;
  retune_knob_path(other, id, path, sizeof path);
  g_autofree char *message = g_strdup_printf(
      "%s %s is %s what %s is, %s, and the kernel does not take that; give both",
      want->option->name, want->text, want->place == lower ? "not below" : "not above",
      other->name != NULL ? other->name : path, text);
  retune_job_contradict(job, want, message);
}

void retune_job_check_pair(RetuneJob *job, const GPtrArray *winners, RetuneWant *want)
{
  const RetuneKnob *place = want->place;
  const RetuneKnob *lower = place->upper != NULL ? place : refusing_lower(job, place);
  guint id;

  if (lower == NULL || want->kind != RETUNE_WANT_VALUE)
    return;
  const RetuneKnob *partner = place == lower ? lower->upper : lower;
  if (!retune_knob_same_unit(place, want->id, partner, &id))
    return;
  RetuneWant *other = retune_job_find_winner(winners, partner, id);
  if (other != NULL && place == lower)
    check_both(job, want, other);
  else if (other == NULL && lower->pair != RETUNE_PAIR_BENDS)
    check_one(job, want, lower, id);
}

void retune_job_bend_release(RetuneJob *job, const GPtrArray *winners, RetuneGoal *goal)
{
  const RetuneKnob *place = goal->place;
  const RetuneKnob *lower = place->upper != NULL ? place : refusing_lower(job, place);
  guint id;

  if (lower == NULL || lower->pair == RETUNE_PAIR_BENDS || goal->entry->baseline == NULL)
    return;
  gboolean is_lower = place == lower;
  const RetuneKnob *partner = is_lower ? lower->upper : lower;
  const RetuneWant *other = retune_knob_same_unit(place, goal->id, partner, &id)
                                ? retune_job_find_winner(winners, partner, id)
                                : NULL;
  if (other == NULL || other->pending || other->kind != RETUNE_WANT_VALUE ||
      leaves_room(lower, is_lower ? goal->entry->baseline : other->text,
                  is_lower ? other->text : goal->entry->baseline))
    return;
  gint64 gap = lower->pair == RETUNE_PAIR_REFUSES_EQUAL ? 1 : 0;
  gint64 limit = lower->type->magnitude(other->text) + (is_lower ? -gap : gap);
  g_autofree char *text = g_strdup_printf("%" G_GINT64_FORMAT, limit);
  goal->bent = g_string_chunk_insert_const(job->strings, text);
  goal->hold = TRUE;
}
