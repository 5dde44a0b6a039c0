/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Commands to a running machine. There are two pipes: the caller's, whose lines
 * are answered in a file beside it, and one through which the preloaded library
 * tells that a CPU's online file was written, so that the event can be sent.
 */
#include "sim-control.h"

#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim-cpulist.h"
#include "sim-hotplug.h"
#include "sim-store.h"

typedef struct {
  SimControl *control;
  char *path;      /* of the pipe */
  char *reply;     /* file for answers, NULL for none */
  GString *buffer; /* an unfinished line */
  int fd;
  guint source;
} Pipe;

struct _SimControl {
  UMockdevTestbed *testbed;
  char *root;
  GPtrArray *pipes;
};

static void pipe_free(gpointer data)
{
  Pipe *pipe = data;

  if (pipe->source != 0)
    g_source_remove(pipe->source);
  if (pipe->fd >= 0)
    close(pipe->fd);
  if (pipe->path != NULL)
    g_unlink(pipe->path);
  g_string_free(pipe->buffer, TRUE);
  g_free(pipe->path);
  g_free(pipe->reply);
  g_free(pipe);
}

static void send_event(SimControl *control, unsigned cpu, const char *action)
{
  g_autofree char *device = g_strdup_printf("/sys/devices/system/cpu/cpu%u", cpu);

  umockdev_testbed_uevent(control->testbed, device, action);
}

/* offline N, online N: files and event. Returns what is wrong, or NULL. */
static const char *switch_cpus(SimControl *control, const char *action, const char *list)
{
  SimCpus cpus = {0};
  const char *problem = NULL;

  if (!sim_cpus_parse(&cpus, list) || sim_cpus_count(&cpus) == 0)
    problem = "not a list of CPUs";

  for (unsigned cpu = 0; cpu < cpus.size && problem == NULL; cpu++) {
    bool is_changed;
    int lock, error;

    if (!sim_cpus_has(&cpus, cpu))
      continue;
    lock = sim_lock(control->root, true);
    error = sim_hotplug(control->root, cpu, g_str_equal(action, "online"), &is_changed);
    sim_unlock(lock);
    if (error != 0)
      problem = g_strerror(error);
    else if (is_changed)
      send_event(control, cpu, action);
  }

  sim_cpus_clear(&cpus);
  return problem;
}

/* set PATH VALUE: a change by the kernel itself. */
static const char *set_value(SimControl *control, const char *path, const char *value)
{
  gboolean is_below_root = g_str_has_prefix(path, "proc/") || g_str_has_prefix(path, "sys/");
  g_autofree char *name = g_strconcat(is_below_root ? "../../../../" : "", path, NULL);
  bool is_set;
  int lock = sim_lock(control->root, true);

  is_set = sim_cpu_put(control->root, name, value);
  sim_unlock(lock);
  return is_set ? NULL : "no such file";
}

static const char *run_line(Pipe *pipe, const char *line)
{
  SimControl *control = pipe->control;
  g_auto(GStrv) words = g_strsplit(line, " ", 3);
  guint count = g_strv_length(words);

  if (count == 2 && (g_str_equal(words[0], "offline") || g_str_equal(words[0], "online"))) {
    if (pipe->reply != NULL)
      return switch_cpus(control, words[0], words[1]);
    send_event(control, (unsigned)atoi(words[1]), words[0]); /* the files are done */
    return NULL;
  }

  if (count == 3 && g_str_equal(words[0], "uevent")) {
    send_event(control, (unsigned)atoi(words[2]), words[1]);
    return NULL;
  }

  if (count == 3 && g_str_equal(words[0], "set"))
    return set_value(control, words[1], words[2]);
  return "unknown command";
}

static void answer(Pipe *pipe, const char *line, const char *problem)
{
  g_autofree char *text = NULL;

  if (pipe->reply == NULL)
    return;
  if (problem == NULL)
    text = g_strdup_printf("ok %s\n", line);
  else
    text = g_strdup_printf("error %s: %s\n", line, problem);
  sim_append_file(pipe->reply, text, strlen(text));
}

static gboolean on_readable(gint fd, GIOCondition condition G_GNUC_UNUSED, gpointer data)
{
  Pipe *pipe = data;
  char bytes[4096], *end;
  gssize length = read(fd, bytes, sizeof bytes);

  if (length > 0)
    g_string_append_len(pipe->buffer, bytes, length);

  while ((end = strchr(pipe->buffer->str, '\n')) != NULL) {
    g_autofree char *line = g_strndup(pipe->buffer->str, (gsize)(end - pipe->buffer->str));

    g_string_erase(pipe->buffer, 0, end + 1 - pipe->buffer->str);
    answer(pipe, line, run_line(pipe, line));
  }

  return G_SOURCE_CONTINUE;
}

/* Open for both directions: then there is no end when a writer leaves. */
static gboolean add_pipe(SimControl *control, const char *path, const char *reply, GError **error)
{
  Pipe *pipe = g_new0(Pipe, 1);

  pipe->control = control;
  pipe->fd = -1;
  pipe->buffer = g_string_new(NULL);
  pipe->reply = g_strdup(reply);
  g_ptr_array_add(control->pipes, pipe);

  if (mkfifo(path, 0600) == 0) {
    pipe->path = g_strdup(path);
    pipe->fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
  }
  if (pipe->fd < 0) {
    int saved = errno;

    g_set_error(error, G_FILE_ERROR, (gint)g_file_error_from_errno(saved), "%s: %s", path,
                g_strerror(saved));
    return FALSE;
  }

  pipe->source = g_unix_fd_add(pipe->fd, G_IO_IN, on_readable, pipe);
  return TRUE;
}

/* FIFO is made; NULL for none. Answers go to a file of that name and ".reply". */
SimControl *sim_control_new(UMockdevTestbed *testbed, const char *fifo, GError **error)
{
  g_autoptr(SimControl) control = g_new0(SimControl, 1);
  g_autofree char *events = NULL;

  control->testbed = g_object_ref(testbed);
  control->root = umockdev_testbed_get_root_dir(testbed);
  control->pipes = g_ptr_array_new_with_free_func(pipe_free);
  events = g_build_filename(control->root, "retune", "events", NULL);
  if (!add_pipe(control, events, NULL, error))
    return NULL;

  if (fifo != NULL) {
    g_autofree char *reply = g_strconcat(fifo, ".reply", NULL);

    if (!g_file_set_contents(reply, "", 0, error) || !add_pipe(control, fifo, reply, error))
      return NULL;
  }
  return g_steal_pointer(&control);
}

void sim_control_free(SimControl *control)
{
  g_ptr_array_unref(control->pipes);
  g_object_unref(control->testbed);
  g_free(control->root);
  g_free(control);
}
