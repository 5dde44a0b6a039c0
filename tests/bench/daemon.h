// SPDX-License-Identifier: GPL-2.0-or-later
/* retuned as a process: start, stop, and what the kernel tells of it. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct _BenchDaemon BenchDaemon;

/* In kB. */
typedef struct {
  guint rss;
  guint pss;          /* what is shared counts in part */
  guint private_size; /* what is not shared */
} BenchMemory;

/* For the program @path, whose messages go to the file @log. Starts nothing. */
BenchDaemon *bench_daemon_new(const char *path, const char *log,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Kills it if it runs. */
void bench_daemon_free(BenchDaemon *daemon);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(BenchDaemon, bench_daemon_free)

/* Stores in @ret_us the time from fork to the signal that it owns its name. */
gboolean bench_daemon_start(BenchDaemon *daemon, double *ret_us,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* With SIGTERM; waits until it is gone and the bus knows. */
gboolean bench_daemon_stop(BenchDaemon *daemon, GError **error) G_GNUC_WARN_UNUSED_RESULT;

gboolean bench_daemon_memory(const BenchDaemon *daemon, BenchMemory *ret_memory,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Stores how often its threads were switched to in @seconds of doing nothing. */
gboolean bench_daemon_switches(const BenchDaemon *daemon, guint seconds, guint *ret_switches,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Prints the end of its log to stderr. */
void bench_daemon_print_log(const BenchDaemon *daemon);

G_END_DECLS
