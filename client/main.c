// SPDX-License-Identifier: GPL-2.0-or-later
/* retunectl: finds the command, reads the global options, runs it. */
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "client.h"
#include "version.h"

static const Command *const commands[] = {
    &command_create,  &command_move,    &command_release, &command_destroy,
    &command_set,     &command_reapply, &command_load,    &command_preview,
    &command_list,    &command_show,    &command_cpus,    &command_verify,
    &command_observe, &command_options, &command_expand,  &command_monitor,
};

static const char exit_codes[] =
    "Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 not supported by this\n"
    "machine, 4 daemon not reachable or no answer in time.";

static const Command *find_command(const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS(commands); i++)
    if (g_str_equal(commands[i]->name, name))
      return commands[i];
  return NULL;
}

static char *list_commands(void)
{
  GString *text = g_string_new("Commands:\n");

  for (guint i = 0; i < G_N_ELEMENTS(commands); i++)
    g_string_append_printf(text, "  %-9s %s\n", commands[i]->name, commands[i]->summary);
  g_string_append(
      text, "\nDEVICES are written 0-3,8 or cpu3 or all, or with selectors as node:0 or free; !5\n"
            "excludes ('retunectl expand --help'). OPTION=VALUE is an option of 'retunectl\n"
            "options', or priority, best_effort or exclusive.\n\n"
            "'retunectl COMMAND --help' shows an example of each.\n\n");
  g_string_append(text, exit_codes);
  return g_string_free(text, FALSE);
}

static char *describe(const Command *command)
{
  return g_strdup_printf("%s%sExample:\n  %s\n\n%s",
                         command->description != NULL ? command->description : "",
                         command->description != NULL ? "\n" : "", command->example, exit_codes);
}

typedef struct {
  gboolean json;
  gboolean version;
  gdouble timeout;
} Options;

static GOptionContext *make_context(const Command *command, Options *options)
{
  const GOptionEntry entries[] = {
      {"json", 'j', 0, G_OPTION_ARG_NONE, &options->json, "Print JSON instead of tables", NULL},
      {"timeout", 't', 0, G_OPTION_ARG_DOUBLE, &options->timeout,
       "Wait so long for an answer (default: 25)", "SECONDS"},
      {"version", 0, 0, G_OPTION_ARG_NONE, &options->version, "Print the version and exit", NULL},
      G_OPTION_ENTRY_NULL,
  };
  g_autofree char *usage =
      command != NULL ? g_strdup_printf("%s %s", command->name, command->arguments) : NULL;
  GOptionContext *context = g_option_context_new(usage != NULL ? usage : "COMMAND [ARGUMENTS]");
  g_autofree char *text = command != NULL ? describe(command) : list_commands();

  g_option_context_set_summary(
      context, command != NULL ? command->summary : "Tunes the CPUs of this machine at run time.");
  g_option_context_set_description(context, text);
  g_option_context_add_main_entries(context, entries, NULL);
  return context;
}

/* The first argument that is no option decides about --help; "-1" is none. */
static const Command *guess_command(int argc, char **argv)
{
  for (int i = 1; i < argc; i++)
    if (*argv[i] != '-' && find_command(argv[i]) != NULL)
      return find_command(argv[i]);
  return NULL;
}

static int wrong_arguments(const Command *command, int n_arguments)
{
  client_complain("%s: %s; expected: retunectl %s %s", command->name,
                  n_arguments < command->min_arguments ? "too few arguments" : "too many arguments",
                  command->name, command->arguments);
  return CLIENT_USAGE;
}

static int run(const Command *command, const Options *options, int argc, char **argv)
{
  Client client = {.json = options->json, .timeout_ms = (gint)(options->timeout * 1000)};
  g_autoptr(GError) error = NULL;

  if (argc < command->min_arguments ||
      (command->max_arguments >= 0 && argc > command->max_arguments))
    return wrong_arguments(command, argc);
  client.bus = g_bus_get_sync(G_BUS_TYPE_SYSTEM, NULL, &error);
  if (client.bus == NULL) {
    client_complain("cannot reach the system bus: %s", error->message);
    return CLIENT_UNREACHABLE;
  }
  int status = command->run(&client, argc, argv);
  g_object_unref(client.bus);
  return status;
}

static int unknown_command(int argc, char **argv)
{
  if (argc < 2)
    client_complain("no command; 'retunectl --help' lists them");
  else
    client_complain("'%s' is no command; 'retunectl --help' lists them", argv[1]);
  return CLIENT_USAGE;
}

int main(int argc, char **argv)
{
  Options options = {.timeout = 25};
  g_autoptr(GError) error = NULL;
  const Command *command = guess_command(argc, argv);
  g_autoptr(GOptionContext) context = make_context(command, &options);

  setlocale(LC_ALL, "");
  for (int i = 1; i < argc; i++) {
    if (!g_utf8_validate(argv[i], -1, NULL)) {
      client_complain("argument %d is no valid UTF-8", i);
      return CLIENT_USAGE;
    }
  }
  if (!g_option_context_parse(context, &argc, &argv, &error)) {
    client_complain("%s; see retunectl --help", error->message);
    return CLIENT_USAGE;
  }
  if (options.version) {
    g_print("retunectl %s\n", RETUNE_VERSION);
    return CLIENT_DONE;
  }
  if (options.timeout <= 0 || options.timeout > 86400) {
    client_complain("--timeout takes seconds, more than 0 and at most 86400");
    return CLIENT_USAGE;
  }
  command = argc > 1 ? find_command(argv[1]) : NULL;
  if (command == NULL)
    return unknown_command(argc, argv);
  if (argc > 2 && g_str_equal(argv[2], "--")) {
    argv++;
    argc--;
  }
  return run(command, &options, argc - 2, argv + 2);
}
