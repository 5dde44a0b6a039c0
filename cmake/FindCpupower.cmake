# libcpupower ships no pkg-config file. Defines Cpupower::Cpupower.
find_path(CPUPOWER_INCLUDE_DIR cpuidle.h)
find_library(CPUPOWER_LIBRARY cpupower)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Cpupower REQUIRED_VARS CPUPOWER_LIBRARY CPUPOWER_INCLUDE_DIR)
if(Cpupower_FOUND AND NOT TARGET Cpupower::Cpupower)
  add_library(Cpupower::Cpupower UNKNOWN IMPORTED)
  set_target_properties(Cpupower::Cpupower PROPERTIES
    IMPORTED_LOCATION "${CPUPOWER_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${CPUPOWER_INCLUDE_DIR}")
endif()
mark_as_advanced(CPUPOWER_INCLUDE_DIR CPUPOWER_LIBRARY)
