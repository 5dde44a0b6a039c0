// SPDX-License-Identifier: GPL-2.0-or-later
/* Moves, the floor under them, and small calls. Ours and the floor take turns in
 * one loop, so that a noisy neighbour hits both. */
#include "moves.h"

#include "sample.h"

#define SMALL_ROUNDS 301
#define DISTURBED_MOVES 20
/* So many files of each kind are looked at after a move. */
#define LOOKS 8

typedef struct {
  const BenchPlace *place;
  GDBusConnection *bus;
  GArray *moves[BENCH_N_SIDES];
  GArray *floors[BENCH_N_SIDES];
  GArray *epp;
} Loop;

static gboolean move(const BenchPlace *place, GDBusConnection *bus, BenchSide side, GArray *samples,
                     GError **error)
{
  double us;

  if (!bench_bus_move(bus, side, place->moved, place->moved, &us, error) ||
      !bench_place_check(place, side, LOOKS, error))
    return FALSE;
  if (samples != NULL)
    bench_samples_add(samples, us);
  return TRUE;
}

static gboolean move_there_and_back(Loop *loop, GError **error)
{
  return move(loop->place, loop->bus, BENCH_A, loop->moves[BENCH_A], error) &&
         move(loop->place, loop->bus, BENCH_B, loop->moves[BENCH_B], error);
}

/* Leaves the files as they were, which retuned relies on. */
static gboolean floor_there_and_back(Loop *loop, GError **error)
{
  double us[BENCH_N_SIDES], epp;

  if (!bench_floor_write(loop->place, BENCH_A, &us[BENCH_A], error) ||
      !bench_floor_write(loop->place, BENCH_B, &us[BENCH_B], error) ||
      !bench_floor_read_epp(loop->place, &epp, error))
    return FALSE;
  bench_samples_add(loop->floors[BENCH_A], us[BENCH_A]);
  bench_samples_add(loop->floors[BENCH_B], us[BENCH_B]);
  bench_samples_add(loop->epp, epp);
  return TRUE;
}

static gboolean run_rounds(Loop *loop, guint rounds, GError **error)
{
  for (guint i = 0; i < rounds; i++) {
    gboolean floor_first = i % 2 == 0;
    if ((floor_first && !floor_there_and_back(loop, error)) || !move_there_and_back(loop, error) ||
        (!floor_first && !floor_there_and_back(loop, error)))
      return FALSE;
  }
  return bench_place_check(loop->place, BENCH_B, G_MAXUINT, error);
}

gboolean bench_moves_measure(const BenchPlace *place, GDBusConnection *bus, guint rounds,
                             BenchResult *result, GError **error)
{
  g_autoptr(GArray) to_a = bench_samples_new();
  g_autoptr(GArray) to_b = bench_samples_new();
  g_autoptr(GArray) floor_to_a = bench_samples_new();
  g_autoptr(GArray) floor_to_b = bench_samples_new();
  g_autoptr(GArray) epp = bench_samples_new();
  Loop loop = {place, bus, {to_a, to_b}, {floor_to_a, floor_to_b}, epp};

  if (!run_rounds(&loop, rounds, error))
    return FALSE;
  for (guint side = 0; side < BENCH_N_SIDES; side++) {
    result->move[side] = bench_samples_quantile(loop.moves[side], 0.5);
    result->floor[side] = bench_samples_quantile(loop.floors[side], 0.5);
  }
  result->epp = bench_samples_quantile(epp, 0.5);
  return TRUE;
}

gboolean bench_moves_measure_small(const BenchPlace *place, GDBusConnection *bus,
                                   BenchResult *result, GError **error)
{
  g_autoptr(GArray) no_ops = bench_samples_new();
  g_autoptr(GArray) gets = bench_samples_new();
  double us;

  for (guint i = 0; i < SMALL_ROUNDS; i++) {
    if (!bench_bus_move(bus, BENCH_B, place->moved, "", &us, error))
      return FALSE;
    bench_samples_add(no_ops, us);
    if (!bench_bus_get(bus, &us, error))
      return FALSE;
    bench_samples_add(gets, us);
  }
  result->no_op = bench_samples_quantile(no_ops, 0.5);
  result->get = bench_samples_quantile(gets, 0.5);
  return TRUE;
}

/* --- the second client --- */

typedef struct {
  GDBusConnection *bus;
  GArray *samples;
  gint moving; /* atomic: a move is under way */
  gint stop;   /* atomic */
  GError *error;
} Reader;

static gpointer read_on(gpointer data)
{
  Reader *reader = data;
  double us;

  while (!g_atomic_int_get(&reader->stop) && reader->error == NULL) {
    gboolean moving = g_atomic_int_get(&reader->moving);
    if (bench_bus_get(reader->bus, &us, &reader->error) && moving)
      bench_samples_add(reader->samples, us);
  }
  return NULL;
}

static gboolean move_before_reader(const BenchPlace *place, GDBusConnection *bus, Reader *reader,
                                   GError **error)
{
  for (guint i = 0; i < DISTURBED_MOVES; i++) {
    g_atomic_int_set(&reader->moving, TRUE);
    gboolean done = move(place, bus, i % 2 == 0 ? BENCH_A : BENCH_B, NULL, error);
    g_atomic_int_set(&reader->moving, FALSE);
    if (!done)
      return FALSE;
  }
  return TRUE;
}

gboolean bench_moves_measure_disturbed(const BenchPlace *place, GDBusConnection *bus,
                                       BenchResult *result, GError **error)
{
  g_autoptr(GDBusConnection) second = bench_bus_open(error);
  g_autoptr(GArray) samples = bench_samples_new();
  Reader reader = {second, samples, FALSE, FALSE, NULL};

  if (second == NULL)
    return FALSE;
  GThread *thread = g_thread_new("reader", read_on, &reader);
  gboolean done = move_before_reader(place, bus, &reader, error);
  g_atomic_int_set(&reader.stop, TRUE);
  g_thread_join(thread);
  if (reader.error != NULL && done) {
    g_propagate_error(error, g_steal_pointer(&reader.error));
    return FALSE;
  }
  g_clear_error(&reader.error);
  result->get_worst = bench_samples_quantile(samples, 1);
  result->get_disturbed = bench_samples_quantile(samples, 0.5);
  result->get_p99 = bench_samples_quantile(samples, 0.99);
  result->n_gets = samples->len;
  return done;
}
