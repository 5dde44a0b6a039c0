// SPDX-License-Identifier: GPL-2.0-or-later
/* The error domain of retune. Every code has a D-Bus name (see service);
 * every message says what was given and what would be accepted. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define RETUNE_ERROR (retune_error_quark())

typedef enum {
  RETUNE_ERROR_FAILED,           /* nothing else fits */
  RETUNE_ERROR_UNKNOWN_PLUGIN,   /* no such kind of device */
  RETUNE_ERROR_UNKNOWN_INSTANCE, /* no instance of that name */
  RETUNE_ERROR_INSTANCE_EXISTS,  /* the name is taken */
  RETUNE_ERROR_UNKNOWN_DEVICE,   /* a CPU that does not exist, or none matched */
  RETUNE_ERROR_UNKNOWN_OPTION,   /* no option of that name */
  RETUNE_ERROR_INVALID_VALUE,    /* the option does not take that value */
  RETUNE_ERROR_NOT_SUPPORTED,    /* this machine lacks the option */
  RETUNE_ERROR_CONFLICT,         /* exclusive=true met another owner or wish */
  RETUNE_ERROR_WRITE_FAILED,     /* the kernel refused; all was put back */
  RETUNE_ERROR_LIMITS_EXCEEDED,  /* too many, too long, too large */
  RETUNE_N_ERRORS
} RetuneError;

GQuark retune_error_quark(void);

/* As g_set_error() in our domain. What was cut in the middle of a character (by
 * "%.64s", say) is mended: messages go out on D-Bus, which takes UTF-8 only. */
void retune_set_error(GError **error, RetuneError code, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

G_END_DECLS
