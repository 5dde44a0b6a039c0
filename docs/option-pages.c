// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes or checks docs/options: a page for each option and an index. The first part
 * of a page is what the knob table says of the option, the rest is written by hand.
 * Run by the target option-pages-update and the test docs/options. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <glib.h>

#include "knob.h"
#include "table.h"

#define BEGIN "<!-- generated from daemon/knobs/table.c; see docs/CMakeLists.txt -->\n"
#define END "<!-- end -->\n"
#define INDEX "README.md"
#define SYSFS "/sys/devices/system/cpu/"

/* --- Markdown --- */

/* Adds a row to a table of two columns. */
G_GNUC_PRINTF(3, 4)
static void add_row(GString *page, const char *label, const char *format, ...)
{
  va_list arguments;

  va_start(arguments, format);
  g_autofree char *plain = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  g_auto(GStrv) parts = g_strsplit(plain, "|", -1);
  g_autofree char *text = g_strjoinv("\\|", parts);
  g_string_append_printf(page, "| %s | %s |\n", label, text);
}

/* The path of @place, with N for the CPU or policy, S for the idle state. */
static char *file_of(const RetuneKnob *place)
{
  g_autoptr(GString) file = g_string_new(*place->file == '/' ? "" : SYSFS);

  g_string_append(file, place->file);
  g_string_replace(file, "%u", "N", 1);
  g_string_replace(file, "%u", "S", 1);
  g_string_replace(file, "%s", "GOVERNOR", 0);
  return g_strdup_printf("`%s`", file->str);
}

/* A link to the page of @row, or its file if no option names it. */
static char *link_to(const RetuneKnob *row)
{
  return row->name != NULL ? g_strdup_printf("[%s](%s.md)", row->name, row->name) : file_of(row);
}

/* --- what a row says --- */

static void add_values(GString *page, const RetuneKnob *knob)
{
  add_row(page, "Values", "%s", knob->syntax);
  if (knob->maximum > knob->minimum)
    add_row(page, "Range", "whole numbers from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT,
            knob->minimum, knob->maximum);
  add_row(page, "Alternatives", "`a|b|c`: the first one that is possible there");
  if (knob->type->magnitude != NULL)
    add_row(page, "Conditions",
            "`<N`: only where the value before retune is larger; `>N`: only where it is smaller");
}

static void add_scope(GString *page, const RetuneKnob *knob)
{
  static const char *const meanings[] = {
      "each CPU has its own value",
      "one value for all CPUs of a cpufreq policy",
      "one value for the whole machine",
  };

  add_row(page, "Scope", "%s: %s", retune_scope_name(knob->scope), meanings[knob->scope]);
}

static void add_files(GString *page, const RetuneKnob *place)
{
  g_autofree char *file = file_of(place);

  add_row(page, "Kernel file", "%s", file);
  if (place->twin != NULL) {
    g_autofree char *twin = file_of(place->twin);
    add_row(page, "", "or %s, where the kernel has one for the whole system", twin);
  }
  if (place->gate != NULL) {
    g_autofree char *gate = file_of(place->gate);
    add_row(page, "Gate", "%s must be 1 for a 1 here: opened first, closed last", gate);
  }
}

static void add_combination(GString *page, const RetuneKnob *place)
{
  const char *text = "the instance with the strongest priority decides, then the older one; the "
                     "others are shadowed";

  if (place->combine == RETUNE_COMBINE_MINIMUM)
    text = "the smallest value counts; the others are shadowed";
  else if (place->scope == RETUNE_SCOPE_CPU)
    text = "does not happen: a CPU belongs to one instance at most";
  add_row(page, "Several wishes", "%s", text);
}

/* Adds what becomes of @lower above its upper limit; @other is the one of the two that
 * the page is not about. */
static void add_pair(GString *page, const char *label, const RetuneKnob *lower,
                     const RetuneKnob *other)
{
  static const char *const texts[] = {
      [RETUNE_PAIR_BENDS] = "one instance may not contradict itself; if two instances do, the "
                            "kernel bends one of the limits",
      [RETUNE_PAIR_REFUSES] = "the kernel refuses a lower limit above the upper one, so retune "
                              "refuses such a wish before the first write",
      [RETUNE_PAIR_REFUSES_EQUAL] = "the kernel refuses a lower limit that is not below the upper "
                                    "one, so retune refuses such a wish before the first write",
  };
  g_autofree char *link = link_to(other);

  add_row(page, label, "%s; %s", link, texts[lower->pair]);
}

static void add_follower(GString *page, const RetuneKnob *leader)
{
  g_autofree char *link = link_to(leader->follower);

  if (leader->pins != NULL)
    add_row(page, "Changes too", "%s: `%s` may hold it at `%s`; it is put back after this one",
            link, leader->pins, leader->pinned);
  else
    add_row(page, "Changes too", "%s: held down while this is lower; it is put back as well", link);
}

/* Adds what other rows say of @place. */
static void add_reverse(GString *page, const RetuneKnobTable *table, const RetuneKnob *place)
{
  for (guint i = 0; i < table->n_rows; i++) {
    const RetuneKnob *row = &table->rows[i];
    g_autofree char *link = link_to(row);
    if (row->name == NULL || row->place != NULL)
      continue;
    if (row->upper == place)
      add_pair(page, "Upper limit of", row, row);
    if (row->follower == place && row->pins != NULL)
      add_row(page, "Changed by", "%s: while that is `%s`, the kernel may hold this at `%s`", link,
              row->pins, row->pinned);
    else if (row->follower == place)
      add_row(page, "Changed by", "%s: reads no higher than that", link);
  }
}

static void add_governors(GString *page, const RetuneKnob *place)
{
  if (place->leader == NULL)
    return;
  g_autofree char *names = g_strjoinv("` or `", (char **)place->governors);
  g_autofree char *link = link_to(place->leader);
  add_row(page, "Needs", "%s `%s`, which runs or is given in the same call", link, names);
  if (place->blank != NULL)
    add_row(page, "", "reads `%s` under any other", place->blank);
}

static void add_couplings(GString *page, const RetuneKnobTable *table, const RetuneKnob *knob)
{
  const RetuneKnob *place = retune_knob_place(knob);

  if (place->upper != NULL)
    add_pair(page, "Lower limit of", place, place->upper);
  if (place->follower != NULL)
    add_follower(page, place);
  add_reverse(page, table, place);
  if (knob->rival != NULL) {
    g_autofree char *link = link_to(knob->rival);
    add_row(page, "Not with", "%s in one instance: both decide the same files", link);
  }
  if (knob->opposite != NULL) {
    g_autofree char *link = link_to(knob->opposite);
    add_row(page, "Opposite of", "%s: one instance may not have both with the same value", link);
  }
  add_governors(page, place);
  if (knob->useful_under != NULL)
    add_row(page, "Useful under", "governor `%s` only", knob->useful_under);
}

static void add_remarks(GString *page, const RetuneKnob *place)
{
  if (place->sticky)
    add_row(page, "Writing",
            "has a lasting cost: an equal value is never written, not even by "
            "Reapply with force");
  if (place->settles)
    add_row(page, "Reading back",
            "the kernel applies it a moment later; it is read again before "
            "it counts as ineffective");
  if (place->loadable)
    add_row(page, "Modules",
            "a value that is not offered may work: the kernel then loads a module");
  if (place->switches_cpu)
    add_row(page, "CPUs", "switches its CPU on and off, and can be set while that is off");
  if (place->locked != NULL)
    add_row(page, "Locked", "if the kernel answers %s: %s", strerrorname_np(place->locked_errno),
            place->locked);
  if (place->by_driver)
    add_row(page, "Driver",
            "belongs to the cpufreq driver: when that changes its mode, the "
            "baseline is taken anew and the value set again");
}

static char *render(const RetuneKnobTable *table, const RetuneKnob *knob)
{
  const RetuneKnob *place = retune_knob_place(knob);
  GString *page = g_string_new(BEGIN);

  g_string_append_printf(page, "# %s\n\n%c%s.\n\n| | |\n|---|---|\n", knob->name,
                         g_ascii_toupper(*knob->summary), knob->summary + 1);
  add_values(page, knob);
  add_scope(page, knob);
  add_files(page, place);
  add_combination(page, place);
  add_couplings(page, table, knob);
  add_remarks(page, place);
  add_row(page, "If it is absent", "`no such file%s`",
          knob->hint_absent != NULL ? knob->hint_absent : "");
  g_string_append(page, END);
  return g_string_free(page, FALSE);
}

static char *render_index(const RetuneKnobTable *table)
{
  GString *page = g_string_new(BEGIN);

  g_string_append(page, "# Options\n\n"
                        "`retunectl options` shows which of them this machine has, and why not "
                        "the others.\n\n"
                        "| option | scope | what it is |\n|---|---|---|\n");
  for (guint i = 0; i < table->n_rows; i++) {
    const RetuneKnob *knob = &table->rows[i];
    if (knob->name != NULL)
      g_string_append_printf(page, "| [%s](%s.md) | %s | %s |\n", knob->name, knob->name,
                             retune_scope_name(knob->scope), knob->summary);
  }
  g_string_append(page, END);
  return g_string_free(page, FALSE);
}

/* --- files --- */

/* What is done with the pages, and what was found. */
typedef struct {
  const char *folder;
  gboolean check; /* compare only */
  guint n_faults;
} Run;

static void complain(Run *run, const char *page, const char *fault)
{
  fprintf(stderr, "%s/%s: %s\n", run->folder, page, fault);
  run->n_faults++;
}

/* Reads @page; what does not exist is empty, and *@ret_exists FALSE. FALSE: told. */
static gboolean load(Run *run, const char *page, char **ret_text, gboolean *ret_exists)
{
  g_autofree char *path = g_build_filename(run->folder, page, NULL);
  g_autoptr(GError) error = NULL;

  *ret_exists = g_file_get_contents(path, ret_text, NULL, &error);
  if (*ret_exists)
    return TRUE;
  if (g_error_matches(error, G_FILE_ERROR, G_FILE_ERROR_NOENT)) {
    *ret_text = g_strdup("");
    return TRUE;
  }
  complain(run, page, error->message);
  return FALSE;
}

static void save(Run *run, const char *page, const char *text)
{
  g_autofree char *path = g_build_filename(run->folder, page, NULL);
  g_autoptr(GError) error = NULL;

  if (!g_file_set_contents(path, text, -1, &error))
    complain(run, page, error->message);
}

static gboolean is_blank(const char *text)
{
  return text[strspn(text, " \t\r\n")] == '\0';
}

/* Compares or writes @page, which begins with @generated; a hand-written part follows
 * if @by_hand. */
static void do_page(Run *run, const char *page, const char *generated, gboolean by_hand)
{
  g_autofree char *text = NULL;
  gboolean exists;

  if (!load(run, page, &text, &exists))
    return;
  const char *end = g_str_has_prefix(text, BEGIN) ? strstr(text, "\n" END) : NULL;
  const char *rest = end != NULL ? end + strlen("\n" END) : "";
  if (exists && end == NULL) { /* what is by hand cannot be told apart */
    complain(run, page, "it does not begin with a generated part");
    return;
  }
  if (run->check && !exists) {
    complain(run, page, "it is missing; build option-pages-update");
    return;
  }
  if (run->check && by_hand && is_blank(rest))
    complain(run, page, "its hand-written part is empty");
  g_autofree char *whole = g_strconcat(generated, by_hand ? rest : "", NULL);
  if (strcmp(whole, text) == 0)
    return;
  if (run->check)
    complain(run, page, "it is out of date; build option-pages-update");
  else
    save(run, page, whole);
}

/* Tells of pages that are of no option. */
static void find_strangers(Run *run, const RetuneKnobTable *table)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GDir) dir = g_dir_open(run->folder, 0, &error);
  const char *page;

  if (dir == NULL) {
    complain(run, ".", error->message);
    return;
  }
  while ((page = g_dir_read_name(dir)) != NULL) {
    g_autofree char *name = g_strdup(page);
    if (!g_str_has_suffix(page, ".md") || g_str_equal(page, INDEX))
      continue;
    name[strlen(name) - strlen(".md")] = '\0';
    if (retune_knob_find(table, name) == NULL)
      complain(run, page, "there is no such option");
  }
}

int main(int argc, char **argv)
{
  const RetuneKnobTable *table = retune_knobs_table();
  Run run = {.check = argc == 3 && g_str_equal(argv[1], "--check")};

  if (argc != (run.check ? 3 : 2) || *argv[argc - 1] == '-') {
    fprintf(stderr, "Usage: option-pages [--check] DIR\n");
    return 2;
  }
  run.folder = argv[argc - 1];
  if (!run.check && g_mkdir_with_parents(run.folder, 0755) != 0) {
    complain(&run, ".", g_strerror(errno));
    return 1;
  }
  for (guint i = 0; i < table->n_rows; i++) {
    if (table->rows[i].name == NULL)
      continue;
    g_autofree char *generated = render(table, &table->rows[i]);
    g_autofree char *page = g_strconcat(table->rows[i].name, ".md", NULL);
    do_page(&run, page, generated, TRUE);
  }
  g_autofree char *index = render_index(table);
  do_page(&run, INDEX, index, FALSE);
  find_strangers(&run, table);
  return run.n_faults == 0 ? 0 : 1;
}
