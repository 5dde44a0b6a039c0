// SPDX-License-Identifier: GPL-2.0-or-later
/* A caller's descriptor may be anything: only a regular file of bounded size is
 * read, so that nothing can make the daemon wait. */
#include "profile-files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"

/* The name of the file behind @fd, for messages. */
static char *name_of(int fd)
{
  g_autofree char *link = g_strdup_printf("/proc/self/fd/%d", fd);
  g_autofree char *name = g_file_read_link(link, NULL);
  return name != NULL ? g_utf8_make_valid(name, -1) : g_strdup("profile");
}

static char *read_all(int fd, const char *name, GError **error)
{
  struct stat info;
  gsize length = 0;

  if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    retune_set_error(error, RETUNE_ERROR_INVALID_VALUE, "%s is not a regular file", name);
    return NULL;
  }
  if (info.st_size > (off_t)RETUNE_PROFILE_MAX_SIZE) {
    retune_set_error(error, RETUNE_ERROR_LIMITS_EXCEEDED, "%s is larger than %u bytes", name,
                     RETUNE_PROFILE_MAX_SIZE);
    return NULL;
  }
  g_autofree char *text = g_malloc0((gsize)info.st_size + 1);
  while (length < (gsize)info.st_size) {
    ssize_t n = pread(fd, text + length, (gsize)info.st_size - length, (off_t)length);
    if (n < 0) {
      retune_set_error(error, RETUNE_ERROR_INVALID_VALUE, "cannot read %s: %s", name,
                       g_strerror(errno));
      return NULL;
    }
    if (n == 0)
      break;
    length += (gsize)n;
  }
  if (memchr(text, '\0', length) == NULL)
    return g_steal_pointer(&text);
  retune_set_error(error, RETUNE_ERROR_INVALID_VALUE, "%s is not a text", name);
  return NULL;
}

static char *load_from(const char *path, GError **error)
{
  int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

  if (fd < 0) {
    retune_set_error(error, RETUNE_ERROR_INVALID_VALUE, "cannot open %s: %s", path,
                     g_strerror(errno));
    return NULL;
  }
  char *text = read_all(fd, path, error);
  close(fd);
  return text;
}

/* A RetuneProfileLoader; @data is the path. */
static char *load_include(const char *name, char **ret_path, gpointer data, GError **error)
{
  static const char *const files[] = {"tuned.conf", "retune.conf"};
  const char *const *path = data;

  if (*name == '.' || strchr(name, '/') != NULL) {
    retune_set_error(error, RETUNE_ERROR_INVALID_VALUE, "'%.64s' is not the name of a profile",
                     name);
    return NULL;
  }
  for (guint i = 0; path[i] != NULL; i++) {
    for (guint k = 0; k < G_N_ELEMENTS(files); k++) {
      g_autofree char *file = g_build_filename(path[i], name, files[k], NULL);
      if (!g_file_test(file, G_FILE_TEST_EXISTS))
        continue;
      char *text = load_from(file, error);
      if (text != NULL)
        *ret_path = g_steal_pointer(&file);
      return text;
    }
  }
  g_autofree char *where = g_strjoinv(", ", (char **)path);
  retune_set_error(error, RETUNE_ERROR_INVALID_VALUE,
                   "included profile '%.64s' not found; looked for %s/tuned.conf below %s", name,
                   name, where);
  return NULL;
}

RetuneProfile *retune_profile_files_read(GUnixFDList *fds, gint handle, const char *const *path,
                                         const RetuneKnobTable *table, GError **error)
{
  /* The handle is the caller's word. */
  gboolean valid = fds != NULL && handle >= 0 && handle < g_unix_fd_list_get_length(fds);
  int fd = valid ? g_unix_fd_list_get(fds, handle, NULL) : -1;

  if (fd < 0) {
    retune_set_error(error, RETUNE_ERROR_INVALID_VALUE, "the call carries no file descriptor");
    return NULL;
  }
  g_autofree char *name = name_of(fd);
  g_autofree char *text = read_all(fd, name, error);
  close(fd);
  return text != NULL ? retune_profile_parse(text, name, table, load_include, (gpointer)path, error)
                      : NULL;
}

RetuneProfile *retune_profile_files_load(const char *path, const char *const *profile_path,
                                         const RetuneKnobTable *table, GError **error)
{
  g_autofree char *text = load_from(path, error);

  return text != NULL
             ? retune_profile_parse(text, path, table, load_include, (gpointer)profile_path, error)
             : NULL;
}
