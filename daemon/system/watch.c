// SPDX-License-Identifier: GPL-2.0-or-later
/* One inotify instance. Each write by a process shows as IN_MODIFY and, when it closes
 * the file, IN_CLOSE_WRITE; the first keeps two of the second from being merged. */
#include "watch.h"

#include <errno.h>
#include <glib-unix.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sysfs.h"

#define MASK (IN_MODIFY | IN_CLOSE_WRITE | IN_ONLYDIR)

struct _RetuneWatch {
  int inotify;
  guint source;        /* 0 while paused */
  GHashTable *by_path; /* path -> Directory */
  GHashTable *by_wd;   /* watch descriptor -> Directory */
  RetuneWatchFunc func;
  gpointer data;
};

/* A place in a directory, and what was seen of it since the last look. */
typedef struct {
  const RetuneKnob *place;
  guint id;
  char *name;        /* of its file */
  guint n_closed;    /* how often it was closed after writing */
  gboolean modified; /* and written since, by one that has it open still */
} Target;

typedef struct {
  char *path;
  ino_t inode;
  int wd;
  GArray *targets; /* Target */
} Directory;

static void clear_target(gpointer data)
{
  g_free(((Target *)data)->name);
}

static void directory_free(gpointer data)
{
  Directory *directory = data;

  g_array_unref(directory->targets);
  g_free(directory->path);
  g_free(directory);
}

/* --- which directories --- */

static Directory *add_directory(RetuneWatch *watch, const char *path)
{
  int wd = inotify_add_watch(watch->inotify, path, MASK);
  struct stat status;

  if (wd < 0 || stat(path, &status) != 0) {
    if (errno != ENOENT)
      g_info("what others write in %s will not be seen: %s", path, g_strerror(errno));
    return NULL;
  }
  Directory *directory = g_new0(Directory, 1);
  directory->path = g_strdup(path);
  directory->inode = status.st_ino;
  directory->wd = wd;
  directory->targets = g_array_new(FALSE, FALSE, sizeof(Target));
  g_array_set_clear_func(directory->targets, clear_target);
  g_hash_table_insert(watch->by_path, directory->path, directory);
  g_hash_table_insert(watch->by_wd, GINT_TO_POINTER(wd), directory);
  return directory;
}

static void remove_directory(RetuneWatch *watch, Directory *directory)
{
  (void)inotify_rm_watch(watch->inotify, directory->wd); /* it may be gone already */
  g_hash_table_remove(watch->by_wd, GINT_TO_POINTER(directory->wd));
  g_hash_table_remove(watch->by_path, directory->path);
}

static gint find_target(const Directory *directory, const RetuneKnob *place, guint id)
{
  for (guint i = 0; i < directory->targets->len; i++) {
    const Target *target = &g_array_index(directory->targets, Target, i);
    if (target->place == place && target->id == id)
      return (gint)i;
  }
  return -1;
}

/* Splits the path of place @id into @path, its directory, and the name, which is
 * returned. */
static const char *split_path(const RetuneKnob *place, guint id, char *path, gsize size)
{
  gsize length = g_strlcpy(path, *place->file == '/' ? "" : RETUNE_SYSFS_CPU "/", size);

  retune_knob_path(place, id, path + length, size - length);
  char *slash = strrchr(path, '/');
  *slash = '\0';
  return slash + 1;
}

void retune_watch_set(RetuneWatch *watch, const RetuneKnob *place, guint id, gboolean ours)
{
  char path[160];

  if (place->ops != NULL)
    return;
  const char *name = split_path(place, id, path, sizeof path);
  Directory *directory = g_hash_table_lookup(watch->by_path, path);
  gint at = directory != NULL ? find_target(directory, place, id) : -1;
  if ((at >= 0) == ours)
    return;
  if (directory == NULL)
    directory = add_directory(watch, path);
  if (directory == NULL)
    return;
  if (ours) {
    Target target = {.place = place, .id = id, .name = g_strdup(name)};
    g_array_append_val(directory->targets, target);
    return;
  }
  g_array_remove_index_fast(directory->targets, (guint)at);
  if (directory->targets->len == 0)
    remove_directory(watch, directory);
}

void retune_watch_renew(RetuneWatch *watch, const RetuneKnob *place, guint id)
{
  char path[160];
  struct stat status;

  if (place->ops != NULL)
    return;
  (void)split_path(place, id, path, sizeof path);
  Directory *directory = g_hash_table_lookup(watch->by_path, path);
  if (directory != NULL && (stat(path, &status) != 0 || status.st_ino != directory->inode))
    remove_directory(watch, directory); /* its places are set again, one by one */
}

/* --- what was written --- */

static void note_event(RetuneWatch *watch, const struct inotify_event *event)
{
  Directory *directory = g_hash_table_lookup(watch->by_wd, GINT_TO_POINTER(event->wd));

  if ((event->mask & IN_Q_OVERFLOW) != 0)
    watch->func(NULL, 0, watch->data);
  if (directory == NULL)
    return;
  if ((event->mask & IN_IGNORED) != 0) {
    remove_directory(watch, directory);
    return;
  }
  for (guint i = 0; event->len > 0 && i < directory->targets->len; i++) {
    Target *target = &g_array_index(directory->targets, Target, i);
    if (strcmp(target->name, event->name) != 0)
      continue;
    target->n_closed += (event->mask & IN_CLOSE_WRITE) != 0;
    target->modified = (event->mask & IN_CLOSE_WRITE) == 0;
  }
}

static void read_events(RetuneWatch *watch)
{
  _Alignas(struct inotify_event) char events[16384];
  ssize_t length;

  while ((length = read(watch->inotify, events, sizeof events)) > 0)
    for (char *at = events; at < events + length;) {
      const struct inotify_event *event = (const struct inotify_event *)at;
      note_event(watch, event);
      at += sizeof *event + event->len;
    }
}

/* Tells of all that was written by others. */
static void tell(RetuneWatch *watch)
{
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init(&iter, watch->by_path);
  while (g_hash_table_iter_next(&iter, NULL, &value)) {
    GArray *targets = ((Directory *)value)->targets;
    for (guint i = 0; i < targets->len; i++) {
      Target *target = &g_array_index(targets, Target, i);
      if (target->n_closed > 0 || target->modified)
        watch->func(target->place, target->id, watch->data);
      target->n_closed = 0;
      target->modified = FALSE;
    }
  }
}

static gboolean on_events(int inotify, GIOCondition condition, gpointer data)
{
  RetuneWatch *watch = data;

  (void)inotify, (void)condition;
  read_events(watch);
  tell(watch);
  return G_SOURCE_CONTINUE;
}

void retune_watch_pause(RetuneWatch *watch)
{
  g_clear_handle_id(&watch->source, g_source_remove);
}

static void subtract(RetuneWatch *watch, const RetunePlaceCount *own)
{
  char path[160];

  (void)split_path(own->place, own->id, path, sizeof path);
  Directory *directory = g_hash_table_lookup(watch->by_path, path);
  gint at = directory != NULL ? find_target(directory, own->place, own->id) : -1;
  if (at < 0)
    return;
  Target *target = &g_array_index(directory->targets, Target, at);
  target->n_closed -= MIN(target->n_closed, own->count);
}

void retune_watch_resume(RetuneWatch *watch, const GArray *own)
{
  read_events(watch);
  for (guint i = 0; i < own->len; i++)
    subtract(watch, &g_array_index(own, RetunePlaceCount, i));
  tell(watch);
  if (watch->source == 0)
    watch->source = g_unix_fd_add(watch->inotify, G_IO_IN, on_events, watch);
}

RetuneWatch *retune_watch_new(RetuneWatchFunc func, gpointer data)
{
  int inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

  if (inotify < 0) {
    g_warning("what others write will not be seen: %s", g_strerror(errno));
    return NULL;
  }
  RetuneWatch *watch = g_new0(RetuneWatch, 1);
  watch->inotify = inotify;
  watch->by_path = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, directory_free);
  watch->by_wd = g_hash_table_new(NULL, NULL);
  watch->func = func;
  watch->data = data;
  watch->source = g_unix_fd_add(inotify, G_IO_IN, on_events, watch);
  return watch;
}

void retune_watch_free(RetuneWatch *watch)
{
  if (watch == NULL)
    return;
  retune_watch_pause(watch);
  close(watch->inotify);
  g_hash_table_unref(watch->by_wd);
  g_hash_table_unref(watch->by_path);
  g_free(watch);
}
