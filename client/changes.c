// SPDX-License-Identifier: GPL-2.0-or-later
/* The commands that change something: one call each, and a line about what
 * moved. */
#include <errno.h>
#include <fcntl.h>
#include <gio/gunixfdlist.h>
#include <string.h>
#include <unistd.h>

#include "client.h"

static const char *const move_fields[] = {"devices", "instance", NULL};

/* Prints an a(ss) of moves, as "CPU 3: from x" or "CPU 3: to x". */
static void print_moves(Client *client, GVariant *moves, const char *direction)
{
  GVariantIter iter;
  const char *devices, *instance;

  if (client->json) {
    output_json(moves, move_fields);
    return;
  }
  g_variant_iter_init(&iter, moves);
  while (g_variant_iter_next(&iter, "(&s&s)", &devices, &instance))
    g_print("CPU %s: %s %s\n", devices, direction, *instance != '\0' ? instance : "free");
}

/* Calls @method, whose reply is one a(ss), and prints it. */
static int call_and_print_moves(Client *client, const char *method, GVariant *parameters,
                                const char *direction)
{
  int status = CLIENT_DONE;
  g_autoptr(GVariant) reply = client_call(client, method, parameters, NULL, &status);

  if (reply != NULL) {
    g_autoptr(GVariant) moves = g_variant_get_child_value(reply, 0);
    print_moves(client, moves, direction);
  }
  return status;
}

/* --- create --- */

static void print_held(GVariant *held)
{
  GVariantIter iter;
  const char *devices, *instance;

  g_variant_iter_init(&iter, held);
  while (g_variant_iter_next(&iter, "(&s&s)", &devices, &instance))
    g_print("CPU %s: stays with %s, which has a stronger priority\n", devices, instance);
}

/* Says what is to be known of the values of @name, a property of its object. */
static void print_notes(GVariant *properties)
{
  g_autoptr(GVariant) problems =
      g_variant_lookup_value(properties, "Problems", G_VARIANT_TYPE("a(ssss)"));
  GVariantIter iter;
  const char *option, *devices, *outcome, *message;

  if (problems == NULL)
    return;
  g_variant_iter_init(&iter, problems);
  while (g_variant_iter_next(&iter, "(&s&s&s&s)", &option, &devices, &outcome, &message))
    g_print("Note: %s on CPU %s%s%s: %s\n", option, devices,
            g_str_equal(outcome, "applied") ? "" : " is ",
            g_str_equal(outcome, "applied") ? "" : outcome, message);
}

/* Adds the notes on an instance to what was printed about a change of it. */
static void tell_notes(Client *client, const char *name, gboolean is_new)
{
  g_autoptr(GVariant) path =
      client->json ? NULL : client_try(client, "GetInstance", g_variant_new("(s)", name));
  const char *object;
  int status;

  if (path == NULL)
    return; /* it is gone again */
  g_variant_get(path, "(&o)", &object);
  g_autoptr(GVariant) properties =
      client_properties(client, object, RETUNE_BUS_NAME ".Instance", &status);
  if (properties == NULL)
    return;
  print_notes(properties);
  g_autoptr(GVariant) devices = g_variant_lookup_value(properties, "Devices", NULL);
  if (is_new && devices != NULL)
    client_note_siblings(client, g_variant_get_string(devices, NULL));
}

static int run_create(Client *client, int argc, char **argv)
{
  static const char *const fields[] = {"instance", "moved", "held", NULL};
  int status = CLIENT_DONE;
  g_autoptr(GVariant) options = client_parse_options(argc - 2, argv + 2);

  if (options == NULL)
    return CLIENT_USAGE;
  g_variant_ref_sink(options);
  g_autofree char *claim = client_expand(client, argv[1], &status);
  if (claim == NULL)
    return status;
  g_autoptr(GVariant) reply =
      client_call(client, "CreateInstance",
                  g_variant_new("(sss@a{sv})", "cpu", argv[0], claim, options), NULL, &status);
  if (reply == NULL)
    return status;
  if (client->json) {
    output_json(reply, fields);
    return status;
  }
  g_autoptr(GVariant) moved = g_variant_get_child_value(reply, 1);
  g_autoptr(GVariant) held = g_variant_get_child_value(reply, 2);
  print_moves(client, moved, "from");
  print_held(held);
  tell_notes(client, argv[0], TRUE);
  return status;
}

const Command command_create = {
    .name = "create",
    .arguments = "NAME DEVICES [OPTION=VALUE...]",
    .summary = "Create an instance with these devices and options",
    .description = "Takes the devices that are free or belong to an instance of the same or a\n"
                   "weaker priority. If anything is refused, nothing is changed, unless\n"
                   "best_effort=true.\n",
    .example = "retunectl create fast 28,30 governor=performance pm_qos_resume_latency_us=2",
    .min_arguments = 2,
    .max_arguments = -1,
    .run = run_create,
};

/* --- move, release, destroy --- */

static int run_move(Client *client, int argc, char **argv)
{
  int status = CLIENT_DONE;
  g_autofree char *devices = client_expand(client, argv[0], &status);

  (void)argc;
  if (devices == NULL)
    return status;
  return call_and_print_moves(client, "MoveDevices", g_variant_new("(ss)", devices, argv[1]),
                              "from");
}

const Command command_move = {
    .name = "move",
    .arguments = "DEVICES NAME",
    .summary = "Give devices to an instance, whoever holds them",
    .example = "retunectl move 26 fast",
    .min_arguments = 2,
    .max_arguments = 2,
    .run = run_move,
};

static int run_release(Client *client, int argc, char **argv)
{
  int status = CLIENT_DONE;
  g_autofree char *devices = client_expand(client, argv[0], &status);

  (void)argc;
  if (devices == NULL)
    return status;
  return call_and_print_moves(client, "ReleaseDevices", g_variant_new("(s)", devices), "to");
}

const Command command_release = {
    .name = "release",
    .arguments = "DEVICES",
    .summary = "Take devices from their instances",
    .description =
        "Each goes to the strongest other instance that claims it; else it gets back the\n"
        "values that it had before.\n",
    .example = "retunectl release 26",
    .min_arguments = 1,
    .max_arguments = 1,
    .run = run_release,
};

static int run_destroy(Client *client, int argc, char **argv)
{
  (void)argc;
  return call_and_print_moves(client, "DestroyInstance", g_variant_new("(s)", argv[0]), "to");
}

const Command command_destroy = {
    .name = "destroy",
    .arguments = "NAME",
    .summary = "Destroy an instance and put back what was there before",
    .example = "retunectl destroy fast",
    .min_arguments = 1,
    .max_arguments = 1,
    .run = run_destroy,
};

/* --- set, reapply --- */

/* Calls @method, whose reply is empty. */
static int call_quietly(Client *client, const char *method, GVariant *parameters)
{
  int status = CLIENT_DONE;
  GVariant *reply = client_call(client, method, parameters, NULL, &status);

  g_clear_pointer(&reply, g_variant_unref);
  return status;
}

static int run_set(Client *client, int argc, char **argv)
{
  GVariant *options = client_parse_options(argc - 1, argv + 1);

  if (options == NULL)
    return CLIENT_USAGE;
  int status = call_quietly(client, "SetOptions", g_variant_new("(s@a{sv})", argv[0], options));
  if (status == CLIENT_DONE)
    tell_notes(client, argv[0], FALSE);
  return status;
}

const Command command_set = {
    .name = "set",
    .arguments = "NAME OPTION=VALUE...",
    .summary = "Change options of an instance; OPTION= unsets one",
    .example = "retunectl set fast scaling_min_freq=80% energy_perf_bias=",
    .min_arguments = 2,
    .max_arguments = -1,
    .run = run_set,
};

static int run_reapply(Client *client, int argc, char **argv)
{
  (void)argc;
  return call_quietly(client, "Reapply", g_variant_new("(sb)", argv[0], FALSE));
}

const Command command_reapply = {
    .name = "reapply",
    .arguments = "NAME",
    .summary = "Write again what others have changed",
    .example = "retunectl reapply fast",
    .min_arguments = 1,
    .max_arguments = 1,
    .run = run_reapply,
};

/* --- load --- */

static void print_loaded(GVariant *reply)
{
  g_autoptr(GVariant) instances = g_variant_get_child_value(reply, 0);
  g_autoptr(GVariant) ignored = g_variant_get_child_value(reply, 1);
  GVariantIter iter;
  const char *text;

  g_variant_iter_init(&iter, instances);
  while (g_variant_iter_next(&iter, "&o", &text))
    g_print("created %s\n", text);
  if (g_variant_n_children(ignored) == 0)
    return;
  g_print("ignored sections of other plugins:");
  g_variant_iter_init(&iter, ignored);
  while (g_variant_iter_next(&iter, "&s", &text))
    g_print(" [%s]", text);
  g_print("\n");
}

static int run_load(Client *client, int argc, char **argv)
{
  static const char *const fields[] = {"instances", "ignored", NULL};
  int status = CLIENT_DONE;
  g_autoptr(GUnixFDList) fds = NULL;
  int fd = open(argv[0], O_RDONLY | O_NONBLOCK | O_CLOEXEC);

  (void)argc;
  if (fd < 0) {
    client_complain("cannot open %s: %s", argv[0], g_strerror(errno));
    return CLIENT_FAILED;
  }
  fds = g_unix_fd_list_new_from_array(&fd, 1);
  g_autoptr(GVariant) reply =
      client_call(client, "LoadProfile", g_variant_new("(h)", 0), fds, &status);
  if (reply == NULL)
    return status;
  if (client->json)
    output_json(reply, fields);
  else
    print_loaded(reply);
  return status;
}

const Command command_load = {
    .name = "load",
    .arguments = "FILE",
    .summary = "Create the CPU instances of a TuneD profile, all or none",
    .description =
        "The file has a section for each instance, with type=cpu, devices= and options.\n"
        "Sections of other plugins are named and ignored; nothing in it is executed.\n",
    .example = "retunectl load /etc/tuned/my-profile/tuned.conf",
    .min_arguments = 1,
    .max_arguments = 1,
    .run = run_load,
};

/* --- preview --- */

/* How the words behind "preview VERB" are meant. */
static const struct {
  const char *verb;
  const char *arguments;
  gint n_fixed;   /* arguments before the options */
  gint n_options; /* at least so many options */
  gint name;      /* which of them is the instance, or -1 */
  gint devices;   /* which of them are the devices, or -1 */
  gboolean options;
} previews[] = {
    {"create", "NAME DEVICES [OPTION=VALUE...]", 2, 0, 0, 1, TRUE},
    {"move", "DEVICES NAME", 2, 0, 1, 0, FALSE},
    {"release", "DEVICES", 1, 0, -1, 0, FALSE},
    {"destroy", "NAME", 1, 0, 0, -1, FALSE},
    {"set", "NAME OPTION=VALUE...", 1, 1, 0, -1, TRUE},
    {"reapply", "NAME", 1, 0, 0, -1, FALSE},
};

static void print_preview(GVariant *changes)
{
  static const char *const headers[] = {"OPTION", "WHERE", "FROM", "TO", "FILE", NULL};
  Table *table = table_new(headers);
  GVariantIter iter;
  const char *option, *unit, *file, *from, *to;

  g_variant_iter_init(&iter, changes);
  while (g_variant_iter_next(&iter, "(&s&s&s&s&s)", &option, &unit, &file, &from, &to)) {
    const char *const cells[] = {option, unit, from, to, file, NULL};
    table_add(table, cells);
  }
  table_print(table, "Nothing would be written.");
}

static int preview(Client *client, guint form, int argc, char **argv)
{
  static const char *const fields[] = {"option", "unit", "file", "from", "to", NULL};
  int status = CLIENT_DONE;
  gint n_fixed = previews[form].n_fixed;
  GVariant *options = client_parse_options(argc - n_fixed, argv + n_fixed);

  if (options == NULL)
    return CLIENT_USAGE;
  g_autoptr(GVariant) reply = client_call(
      client, "Preview",
      g_variant_new("(ssss@a{sv})", previews[form].verb, "cpu",
                    previews[form].name < 0 ? "" : argv[previews[form].name],
                    previews[form].devices < 0 ? "" : argv[previews[form].devices], options),
      NULL, &status);
  if (reply == NULL)
    return status;
  g_autoptr(GVariant) changes = g_variant_get_child_value(reply, 0);
  if (client->json)
    output_json(changes, fields);
  else
    print_preview(changes);
  return status;
}

static int run_preview(Client *client, int argc, char **argv)
{
  for (guint i = 0; i < G_N_ELEMENTS(previews); i++) {
    if (!g_str_equal(previews[i].verb, argv[0]))
      continue;
    if (argc - 1 >= previews[i].n_fixed + previews[i].n_options &&
        (previews[i].options || argc - 1 == previews[i].n_fixed))
      return preview(client, i, argc - 1, argv + 1);
    client_complain("preview %s: expected %s", argv[0], previews[i].arguments);
    return CLIENT_USAGE;
  }
  client_complain("'%s' cannot be previewed; expected create, move, release, destroy, set or "
                  "reapply",
                  argv[0]);
  return CLIENT_USAGE;
}

const Command command_preview = {
    .name = "preview",
    .arguments = "COMMAND ARGUMENTS...",
    .summary = "Show what a changing command would write, without writing",
    .example = "retunectl preview move 26 fast",
    .min_arguments = 2,
    .max_arguments = -1,
    .run = run_preview,
};
