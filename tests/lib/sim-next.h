/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What functions need that stand in front of another library's.
 */
#pragma once

#include <dlfcn.h>

#define EXPORT __attribute__((visibility("default")))

/* The next definition of a function; looked up once, harmlessly twice. */
#define NEXT(name)                               \
  ({                                             \
    static __typeof__(&(name)) next;             \
    if (next == NULL)                            \
      *(void **)&next = dlsym(RTLD_NEXT, #name); \
    next;                                        \
  })
