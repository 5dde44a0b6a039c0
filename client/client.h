// SPDX-License-Identifier: GPL-2.0-or-later
/* What the sub-commands of retunectl share: the connection, the global options,
 * exit codes. */
#pragma once

#include <gio/gio.h>

#include "output.h"

#define RETUNE_BUS_NAME "io.github.retune1"
#define RETUNE_OBJECT_PATH "/io/github/retune1"

G_BEGIN_DECLS

/* Exit codes; documented in --help and the man page. */
enum {
  CLIENT_DONE = 0,
  CLIENT_FAILED = 1,        /* refused or failed */
  CLIENT_USAGE = 2,         /* the command line is wrong */
  CLIENT_NOT_SUPPORTED = 3, /* this machine lacks it */
  CLIENT_UNREACHABLE = 4,   /* no daemon, or it did not answer in time */
};

typedef struct {
  GDBusConnection *bus;
  gboolean json;
  gint timeout_ms; /* of a call; -1: the library's default */
} Client;

typedef struct {
  const char *name;
  const char *arguments;   /* as shown behind the name in --help */
  const char *summary;     /* one line */
  const char *description; /* what the line does not say; may be NULL */
  const char *example;
  gint min_arguments;
  gint max_arguments; /* -1: any number */
  int (*run)(Client *client, int argc, char **argv);
} Command;

/* The commands, one file each or for a few that belong together. */
extern const Command command_create, command_move, command_destroy, command_release, command_set,
    command_reapply, command_preview, command_load;
extern const Command command_list, command_show, command_cpus, command_options, command_verify,
    command_monitor, command_expand, command_observe;

/* Calls a method of the manager with @parameters (floating); waits. Returns the
 * reply, or NULL after having printed the error, with the exit code for it in
 * @ret_status. @fds may be NULL. */
GVariant *client_call(Client *client, const char *method, GVariant *parameters, GUnixFDList *fds,
                      int *ret_status);
/* All properties of the interface at @path, as an a{sv}; NULL as above. */
GVariant *client_properties(Client *client, const char *path, const char *interface,
                            int *ret_status);

/* The same, but silent about a failure. */
GVariant *client_try(Client *client, const char *method, GVariant *parameters);

/* @expression with lists in the place of its selectors, which are printed before they
 * act. The caller frees it; NULL as above. */
char *client_expand(Client *client, const char *expression, int *ret_status);
/* Says which CPUs share a core with one of @devices, a cpulist, without being among
 * them: what is set for one thread of a core is bent by the other. */
void client_note_siblings(Client *client, const char *devices);

/* Reads NAME=VALUE arguments into an a{sv}. NULL after having printed why. */
GVariant *client_parse_options(int argc, char **argv);

/* Prints to stderr: "retunectl: ...". */
void client_complain(const char *format, ...) G_GNUC_PRINTF(1, 2);

/* The exit code for a D-Bus error. */
int client_status_of(const GError *error);

G_END_DECLS
