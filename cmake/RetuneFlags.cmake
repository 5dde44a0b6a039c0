# One interface library carries the flags of every target: retune_flags.
option(RETUNE_WERROR "Treat warnings as errors" OFF)
set(RETUNE_SANITIZE "" CACHE STRING "Sanitizers to build with, for instance address,undefined")
option(RETUNE_COVERAGE "Count which lines the tests run" OFF)

add_library(retune_flags INTERFACE)
target_compile_options(retune_flags INTERFACE
  -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith
  -Wwrite-strings -Wundef -Wformat=2 -Wvla -Wno-missing-field-initializers)
target_compile_definitions(retune_flags INTERFACE
  _GNU_SOURCE G_LOG_DOMAIN="retune" G_LOG_USE_STRUCTURED
  GLIB_VERSION_MIN_REQUIRED=GLIB_VERSION_2_74 GLIB_VERSION_MAX_ALLOWED=GLIB_VERSION_2_74)
if(RETUNE_WERROR)
  target_compile_options(retune_flags INTERFACE -Werror)
endif()

# Programs of ours that run with sanitizers link this as well; the library that
# the tests preload must not.
add_library(retune_sanitize INTERFACE)
if(RETUNE_SANITIZE)
  target_compile_options(retune_sanitize INTERFACE
    -fsanitize=${RETUNE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(retune_sanitize INTERFACE -fsanitize=${RETUNE_SANITIZE})
endif()
if(RETUNE_COVERAGE)
  target_compile_options(retune_sanitize INTERFACE --coverage)
  target_link_options(retune_sanitize INTERFACE --coverage)
endif()
