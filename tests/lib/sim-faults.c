/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Errors, delays and losses that a test orders, and the log of writes. The file
 * is read at each use, so a change takes effect at once; what has been counted
 * is kept in notes, so that several processes count together.
 */
#include "sim-faults.h"

#include <ctype.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sim-store.h"

#define FAULTS_SIZE 16384
#define LAST_ERRNO 133

/* One line of the file: VERB GLOB [ARGUMENT] [skip N] [times N] */
typedef struct {
  char verb[16];
  char glob[256];
  char argument[32];
  unsigned skip;  /* matches that pass first */
  unsigned times; /* matches that fail then, 0 = all */
} FaultLine;

typedef struct {
  char stamp[64]; /* tells one version of the file from another */
  char *text;
} FaultFile;

static bool faults_open(const char *root, FaultFile *ret_file)
{
  const char *given = getenv("RETUNE_SIM_FAULTS");
  char path[SIM_PATH_SIZE];
  struct statx status;

  if (given != NULL)
    snprintf(path, sizeof path, "%s", given);
  else if (!sim_path(path, root, "retune", "faults"))
    return false;

  if (syscall(SYS_statx, AT_FDCWD, path, 0, STATX_BASIC_STATS, &status) != 0 ||
      status.stx_size == 0)
    return false;
  ret_file->text = malloc(FAULTS_SIZE);
  if (ret_file->text == NULL || !sim_read_file(path, ret_file->text, FAULTS_SIZE)) {
    free(ret_file->text);
    return false;
  }

  snprintf(ret_file->stamp, sizeof ret_file->stamp, "%lu.%ld.%u", (unsigned long)status.stx_ino,
           (long)status.stx_mtime.tv_sec, status.stx_mtime.tv_nsec);
  return true;
}

static bool line_parse(const char *text, FaultLine *ret_line)
{
  const char *rest;
  int used = 0;

  memset(ret_line, 0, sizeof *ret_line);
  if (sscanf(text, "%15s %255s %n", ret_line->verb, ret_line->glob, &used) != 2 ||
      ret_line->verb[0] == '#')
    return false;
  if (used > 0)
    sscanf(text + used, "%31s", ret_line->argument);

  rest = strstr(text, " skip ");
  if (rest != NULL)
    ret_line->skip = (unsigned)strtoul(rest + 6, NULL, 10);
  rest = strstr(text, " times ");
  if (rest != NULL)
    ret_line->times = (unsigned)strtoul(rest + 7, NULL, 10);
  return true;
}

/* Counts a match of a line with skip or times; whether it is to fail. */
static bool line_fires(const char *root, const FaultFile *file, unsigned number,
                       const FaultLine *line)
{
  char name[128], text[16];
  unsigned seen;

  if (line->skip == 0 && line->times == 0)
    return true;

  snprintf(name, sizeof name, "fault:%s:%u", file->stamp, number);
  sim_note_get(root, name, text, sizeof text);
  seen = (unsigned)strtoul(text, NULL, 10);
  snprintf(text, sizeof text, "%u", seen + 1);
  sim_note_put(root, name, text);

  return seen >= line->skip && (line->times == 0 || seen - line->skip < line->times);
}

static int errno_of(const char *name)
{
  for (int error = 1; error <= LAST_ERRNO; error++) {
    const char *candidate = strerrorname_np(error);

    if (candidate != NULL && strcmp(candidate, name) == 0)
      return error;
  }

  return 5; /* EIO: a misspelt name must not pass as no fault */
}

/* The first line with one of two verbs that matches the path and fires. */
static bool find_line(const char *root, const char *path, const char *verb, const char *other_verb,
                      FaultLine *ret_line)
{
  FaultFile file;
  unsigned number = 0;
  bool is_found = false;
  char *position = NULL;

  if (!faults_open(root, &file))
    return false;

  for (char *line = strtok_r(file.text, "\n", &position); line != NULL && !is_found;
       line = strtok_r(NULL, "\n", &position)) {
    number++;
    is_found = line_parse(line, ret_line) &&
               (strcmp(ret_line->verb, verb) == 0 || strcmp(ret_line->verb, other_verb) == 0) &&
               fnmatch(ret_line->glob, path, 0) == 0 && line_fires(root, &file, number, ret_line);
  }

  free(file.text);
  return is_found;
}

/* Milliseconds that a write to the path takes. */
unsigned sim_faults_delay(const char *root, const char *path)
{
  FaultLine line;

  if (!find_line(root, path, "delay", "delay", &line))
    return 0;
  return (unsigned)strtoul(line.argument, NULL, 10);
}

char sim_faults_kill(const char *root, const char *path)
{
  FaultLine line;

  return find_line(root, path, "kill", "kill", &line) ? line.argument[0] : 0;
}

SimFault sim_faults_write(const char *root, const char *path, int *ret_error)
{
  FaultLine line;

  if (!find_line(root, path, "write", "ignore", &line))
    return SIM_FAULT_NONE;
  if (strcmp(line.verb, "ignore") == 0)
    return SIM_FAULT_IGNORE;
  *ret_error = errno_of(line.argument);
  return SIM_FAULT_ERROR;
}

SimFault sim_faults_read(const char *root, const char *path, int *ret_error)
{
  FaultLine line;

  if (!find_line(root, path, "read", "read", &line))
    return SIM_FAULT_NONE;
  *ret_error = errno_of(line.argument);
  return SIM_FAULT_ERROR;
}

/* Appends "PATH VALUE RESULT" to retune/writes. The value loses its final newline,
 * an empty one shows as "", other bytes than visible ASCII as \xHH. */
void sim_log_write(const char *root, const char *path, const char *text, size_t length, int error)
{
  char file[SIM_PATH_SIZE], line[SIM_PATH_SIZE + 512];
  const char *result = error == 0 ? "ok" : strerrorname_np(error);
  size_t used = (size_t)snprintf(line, SIM_PATH_SIZE, "%s ", path);

  if (length > 0 && text[length - 1] == '\n')
    length--;
  if (length == 0)
    used += (size_t)sprintf(line + used, "\"\"");
  for (size_t i = 0; i < length && i < 100; i++)
    if (isgraph((unsigned char)text[i]))
      line[used++] = text[i];
    else
      used += (size_t)sprintf(line + used, "\\x%02X", (unsigned)(unsigned char)text[i]);

  used += (size_t)sprintf(line + used, " %s\n", result != NULL ? result : "E?");
  if (sim_path(file, root, "retune", "writes"))
    sim_append_file(file, line, used);
}
