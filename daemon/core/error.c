// SPDX-License-Identifier: GPL-2.0-or-later
/* The quark of the error domain; its D-Bus names are registered in service. */
#include "error.h"

G_DEFINE_QUARK(retune - error - quark, retune_error)

void retune_set_error(GError **error, RetuneError code, const char *format, ...)
{
  va_list arguments;

  va_start(arguments, format);
  g_autofree char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  g_autofree char *message = g_utf8_make_valid(text, -1);
  g_set_error_literal(error, RETUNE_ERROR, (gint)code, message);
}
