// SPDX-License-Identifier: GPL-2.0-or-later
/* The state file: where it is, whether it counts, how it is replaced. */
#include "state.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/file.h>
#include <unistd.h>

#include "error.h"
#include "state-format.h"

#define FILE_NAME "state.json"
#define MAX_SIZE (128u << 20) /* the limits of instances and options allow 30 MiB */
#define BOOT_ID_FILE "/proc/sys/kernel/random/boot_id"

struct _RetuneState {
  const RetuneKnobTable *table;
  char *path;
  char *boot_id;
  int lock; /* descriptor of the directory, locked */
};

/* Two daemons would put back each other's values. Errors: FAILED. */
static int lock_directory(const char *directory, GError **error)
{
  int fd = -1;

  if (g_mkdir_with_parents(directory, 0755) == 0)
    fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) {
    retune_set_error(error, RETUNE_ERROR_FAILED, "cannot open %s: %s", directory,
                     g_strerror(errno));
    return -1;
  }
  if (flock(fd, LOCK_EX | LOCK_NB) == 0)
    return fd;
  if (errno == EWOULDBLOCK)
    retune_set_error(error, RETUNE_ERROR_FAILED, "another retuned is running: it has locked %s",
                     directory);
  else
    retune_set_error(error, RETUNE_ERROR_FAILED, "cannot lock %s: %s", directory,
                     g_strerror(errno));
  close(fd);
  return -1;
}

/* What a save that was killed has left. */
static void remove_leftovers(const char *directory)
{
  g_autoptr(GDir) folder = g_dir_open(directory, 0, NULL);
  const char *name;

  while (folder != NULL && (name = g_dir_read_name(folder)) != NULL) {
    g_autofree char *path = g_build_filename(directory, name, NULL);
    if (g_str_has_prefix(name, FILE_NAME ".") && !g_str_equal(name, FILE_NAME ".bad"))
      (void)g_unlink(path);
  }
}

RetuneState *retune_state_new(const char *directory, const RetuneKnobTable *table, GError **error)
{
  g_autofree char *boot_id = NULL;
  g_autoptr(GError) failure = NULL;

  if (!g_file_get_contents(BOOT_ID_FILE, &boot_id, NULL, &failure)) {
    retune_set_error(error, RETUNE_ERROR_FAILED, "%s", failure->message);
    return NULL;
  }
  int lock = lock_directory(directory, error);
  if (lock < 0)
    return NULL;
  RetuneState *state = g_new0(RetuneState, 1);
  state->lock = lock;
  remove_leftovers(directory);
  state->table = table;
  state->path = g_build_filename(directory, FILE_NAME, NULL);
  state->boot_id = g_strdup(g_strstrip(boot_id));
  return state;
}

void retune_state_free(RetuneState *state)
{
  if (state == NULL)
    return;
  close(state->lock);
  g_free(state->path);
  g_free(state->boot_id);
  g_free(state);
}

/* A file that makes no sense is kept for whoever wants to know why. */
static void set_aside(const RetuneState *state, const GError *why)
{
  g_autofree char *aside = g_strconcat(state->path, ".bad", NULL);

  if (g_rename(state->path, aside) == 0)
    g_warning("%s makes no sense (%s); it is now %s, and nothing of it is restored", state->path,
              why->message, aside);
  else
    g_warning("%s makes no sense (%s); nothing of it is restored", state->path, why->message);
}

/* What is wrong with @text, or with what json-c says of it; NULL: nothing. */
static const char *find_fault(const char *text, gsize length, const json_object *root,
                              enum json_tokener_error result)
{
  if (length > MAX_SIZE)
    return "it is too large";
  if (!g_utf8_validate(text, (gssize)length, NULL)) /* json-c takes some of what this does not */
    return "it is no UTF-8";
  if (result != json_tokener_success)
    return json_tokener_error_desc(result);
  return root == NULL ? "it says nothing" : NULL;
}

json_object *retune_state_parse(const char *text, gsize length, GError **error)
{
  json_tokener *tokener = json_tokener_new();
  json_object *root = NULL;

  json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
  if (length <= MAX_SIZE)
    root = json_tokener_parse_ex(tokener, text, (int)length + 1); /* with the NUL: all of it */
  const char *fault = find_fault(text, length, root, json_tokener_get_error(tokener));
  if (fault != NULL) {
    retune_set_error(error, RETUNE_ERROR_FAILED, "%s", fault);
    g_clear_pointer(&root, json_object_put);
  }
  json_tokener_free(tokener);
  return root;
}

/* NULL without an error: it is of another boot. */
static RetuneModel *read_text(RetuneState *state, const char *text, gsize length,
                              RetuneLedger *ledger, RetuneCpuset **ret_present, guint64 *ret_driver,
                              GError **error)
{
  RetuneModel *model = NULL;
  json_object *root = retune_state_parse(text, length, error);

  if (root == NULL)
    return NULL;
  const char *boot_id = retune_state_boot(root, error);
  if (boot_id != NULL && g_str_equal(boot_id, state->boot_id))
    model = retune_state_read(root, state->table, ledger, ret_present, ret_driver, error);
  json_object_put(root);
  return model;
}

gboolean retune_state_load(RetuneState *state, RetuneLedger *ledger, RetuneModel **ret_model,
                           RetuneCpuset **ret_present, guint64 *ret_driver, GError **error)
{
  g_autofree char *text = NULL;
  gsize length;
  g_autoptr(GError) failure = NULL;

  *ret_model = NULL;
  if (!g_file_get_contents(state->path, &text, &length, &failure)) {
    if (g_error_matches(failure, G_FILE_ERROR, G_FILE_ERROR_NOENT))
      return TRUE;
    retune_set_error(error, RETUNE_ERROR_FAILED, "%s", failure->message);
    return FALSE;
  }
  *ret_model = read_text(state, text, length, ledger, ret_present, ret_driver, &failure);
  if (*ret_model != NULL)
    return TRUE;
  for (guint row = 0; row < state->table->n_rows; row++)
    retune_ledger_forget(ledger, &state->table->rows[row]);
  if (failure != NULL) {
    set_aside(state, failure);
  } else {
    g_info("%s is of another boot; it is removed", state->path);
    (void)g_unlink(state->path);
  }
  return TRUE;
}

gboolean retune_state_save(RetuneState *state, const RetuneDraft *draft, GError **error)
{
  g_autoptr(GError) failure = NULL;

  if (retune_draft_is_empty(draft)) {
    if (g_unlink(state->path) == 0 || errno == ENOENT)
      return TRUE;
    retune_set_error(error, RETUNE_ERROR_FAILED, "cannot remove %s: %s", state->path,
                     g_strerror(errno));
    return FALSE;
  }
  g_autofree char *text = retune_draft_to_text(draft, state->boot_id);
  if (g_file_set_contents_full(state->path, text, -1, G_FILE_SET_CONTENTS_CONSISTENT, 0644,
                               &failure))
    return TRUE;
  retune_set_error(error, RETUNE_ERROR_FAILED, "%s", failure->message);
  return FALSE;
}
