# The core of prometheus-cpp alone: defines PrometheusCore::PrometheusCore. Its own CMake package also
# asks for what its HTTP client and server need, which we do not use.
find_path(PrometheusCore_INCLUDE_DIR prometheus/text_serializer.h)
find_library(PrometheusCore_LIBRARY prometheus-cpp-core)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(PrometheusCore REQUIRED_VARS PrometheusCore_LIBRARY
                                                               PrometheusCore_INCLUDE_DIR)
if(PrometheusCore_FOUND AND NOT TARGET PrometheusCore::PrometheusCore)
  add_library(PrometheusCore::PrometheusCore UNKNOWN IMPORTED)
  set_target_properties(PrometheusCore::PrometheusCore PROPERTIES
    IMPORTED_LOCATION ${PrometheusCore_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${PrometheusCore_INCLUDE_DIR})
endif()
