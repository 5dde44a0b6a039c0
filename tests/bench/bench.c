// SPDX-License-Identifier: GPL-2.0-or-later
/* retune-bench: starts retuned on machines that it makes, or on this one, and
 * measures. Runs in the namespaces that the script run makes, and on its bus. */
#include <stdlib.h>

#include "moves.h"
#include "real.h"
#include "report.h"
#include "sample.h"
#include "tree.h"

#define STARTS 15
#define WARM_UP_ROUNDS 3
#define IDLE_SECONDS 10
#define IDLE_SECONDS_REAL 5

typedef struct {
  char *retuned; /* the program */
  char *work;    /* a tmpfs */
  char *cpus;    /* sizes of machines, with commas between them */
  gboolean real; /* no such machines, but this one */
  gint rounds;
} Options;

static gboolean parse_arguments(Options *options, int *argc, char ***argv, GError **error)
{
  const GOptionEntry entries[] = {
      {"retuned", 0, 0, G_OPTION_ARG_FILENAME, &options->retuned, "The daemon", "FILE"},
      {"work", 0, 0, G_OPTION_ARG_FILENAME, &options->work, "A tmpfs for the files", "DIR"},
      {"cpus", 0, 0, G_OPTION_ARG_STRING, &options->cpus, "Sizes of machines", "N[,N...]"},
      {"real", 0, 0, G_OPTION_ARG_NONE, &options->real, "Instead of --cpus: this machine", NULL},
      {"rounds", 0, 0, G_OPTION_ARG_INT, &options->rounds, "Rounds of moves", "N"},
      G_OPTION_ENTRY_NULL,
  };
  g_autoptr(GOptionContext) context = g_option_context_new(NULL);

  g_option_context_set_summary(context, "Started by the script run; see there.");
  g_option_context_add_main_entries(context, entries, NULL);
  if (!g_option_context_parse(context, argc, argv, error))
    return FALSE;
  if (options->retuned == NULL || options->work == NULL || (options->cpus == NULL) != options->real)
    g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_FAILED, "an option is missing or too much");
  else if (options->rounds < 1 || options->rounds > 100000)
    g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "--rounds: from 1 to 100000");
  else
    return TRUE;
  return FALSE;
}

/* --- one machine --- */

/* The last daemon stays. */
static gboolean measure_starts(BenchDaemon *daemon, BenchResult *result, GError **error)
{
  g_autoptr(GArray) starts = bench_samples_new();
  double us;

  for (guint i = 0; i < STARTS; i++) {
    if (i > 0 && !bench_daemon_stop(daemon, error))
      return FALSE;
    if (!bench_daemon_start(daemon, &us, error))
      return FALSE;
    bench_samples_add(starts, us);
  }
  result->start = bench_samples_quantile(starts, 0.5);
  return TRUE;
}

static gboolean create_instances(const BenchPlace *place, GDBusConnection *bus, GError **error)
{
  return bench_bus_create(bus, place, BENCH_A, error) &&
         bench_bus_create(bus, place, BENCH_B, error);
}

static gboolean measure_calls(const BenchPlace *place, GDBusConnection *bus, guint rounds,
                              BenchResult *result, GError **error)
{
  return bench_moves_measure(place, bus, MIN(rounds, WARM_UP_ROUNDS), result, error) &&
         bench_moves_measure(place, bus, rounds, result, error) &&
         bench_moves_measure_small(place, bus, result, error) &&
         bench_moves_measure_disturbed(place, bus, result, error);
}

static void progress(guint n_cpus, const char *what)
{
  g_printerr("bench: %u CPUs: %s\n", n_cpus, what);
}

static guint idle_seconds(const Options *options)
{
  return options->real ? IDLE_SECONDS_REAL : IDLE_SECONDS;
}

static gboolean measure(const Options *options, const BenchPlace *place, BenchDaemon *daemon,
                        BenchResult *result, GError **error)
{
  g_autoptr(GDBusConnection) bus = bench_bus_open(error);

  if (bus == NULL)
    return FALSE;
  progress(place->n_cpus, "starts");
  if (!measure_starts(daemon, result, error) || !create_instances(place, bus, error) ||
      !bench_daemon_memory(daemon, &result->memory, error))
    return FALSE;
  progress(place->n_cpus, "moves");
  if (!measure_calls(place, bus, (guint)options->rounds, result, error))
    return FALSE;
  progress(place->n_cpus, "idle");
  return bench_daemon_switches(daemon, idle_seconds(options), &result->switches, error) &&
         bench_daemon_memory(daemon, &result->memory_after, error) &&
         bench_daemon_stop(daemon, error);
}

/* --- all of them --- */

/* Measures at @place, and adds to @results. NULL is a place that cannot be. */
static gboolean add_result(const Options *options, const BenchPlace *place, BenchDaemon *daemon,
                           GArray *results, GError **error)
{
  BenchResult result = {0};

  if (place == NULL)
    return FALSE;
  result.n_cpus = place->n_cpus;
  result.n_moved = place->n_moved;
  for (guint i = 0; i < BENCH_N_TARGETS; i++)
    result.n_files[i] = place->targets[i].n;
  if (!measure(options, place, daemon, &result, error)) {
    g_prefix_error(error, "with %u CPUs: ", place->n_cpus);
    bench_daemon_print_log(daemon);
    return FALSE;
  }
  g_array_append_val(results, result);
  return TRUE;
}

static gboolean run_real(const Options *options, BenchDaemon *daemon, GArray *results,
                         GError **error)
{
  g_autoptr(BenchPlace) place = bench_real_new(error);

  return add_result(options, place, daemon, results, error);
}

static gboolean run_trees(const Options *options, BenchDaemon *daemon, GArray *results,
                          GError **error)
{
  g_auto(GStrv) sizes = g_strsplit(options->cpus, ",", -1);

  if (sizes[0] == NULL) {
    g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "--cpus: no size is given");
    return FALSE;
  }
  for (guint i = 0; sizes[i] != NULL; i++) {
    guint64 n_cpus;
    if (!g_ascii_string_to_unsigned(sizes[i], 10, 8, 8192, &n_cpus, NULL) || n_cpus % 4 != 0) {
      g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                  "--cpus: '%s' is no multiple of 4 from 8 to 8192", sizes[i]);
      return FALSE;
    }
    progress((guint)n_cpus, "making the files");
    g_autoptr(BenchPlace) place = bench_tree_new(options->work, (guint)n_cpus, error);
    if (!add_result(options, place, daemon, results, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean start(Options *options, int *argc, char ***argv, GError **error)
{
  if (!parse_arguments(options, argc, argv, error))
    return FALSE;
  g_autofree char *log = g_build_filename(options->work, "retuned.log", NULL);
  g_autoptr(BenchDaemon) daemon = bench_daemon_new(options->retuned, log, error);
  if (daemon == NULL)
    return FALSE;
  g_autoptr(GArray) results = g_array_new(FALSE, FALSE, sizeof(BenchResult));
  if (!(options->real ? run_real : run_trees)(options, daemon, results, error))
    return FALSE;
  bench_report_print(results, idle_seconds(options));
  return TRUE;
}

int main(int argc, char **argv)
{
  Options options = {0};
  g_autoptr(GError) error = NULL;
  gboolean done = start(&options, &argc, &argv, &error);

  if (!done)
    g_printerr("bench: cannot measure: %s\n", error->message);
  g_free(options.retuned);
  g_free(options.work);
  g_free(options.cpus);
  return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
