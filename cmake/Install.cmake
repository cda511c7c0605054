# What `cmake --install` puts under a prefix: one shared library that needs nothing of ours beside it,
# its header, a CMake package (find_package(headroom)), a pkg-config file and the programs.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The public functions are compiled into it; everything behind them comes from the static libraries and
# stays hidden, so that only include/headroom/ is a promise.
set_target_properties(headroom_base headroom_text headroom_budget headroom_families headroom_checkpoint
                      headroom_engine headroom_kernels
                      PROPERTIES POSITION_INDEPENDENT_CODE ON)
# Before 1.0 a minor version may change the interface (semver.org, 4), so each has a soname of its own:
# libheadroom.so.0.2. From 1.0 on it is the major version alone.
set(HEADROOM_SOVERSION ${PROJECT_VERSION_MAJOR})
set(compatibility SameMajorVersion)
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(HEADROOM_SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  set(compatibility SameMinorVersion)
endif()
add_library(headroom_shared SHARED ${PROJECT_SOURCE_DIR}/src/engine/public_api.cpp)
set_target_properties(headroom_shared PROPERTIES OUTPUT_NAME headroom EXPORT_NAME headroom
                                                 VERSION ${PROJECT_VERSION}
                                                 SOVERSION ${HEADROOM_SOVERSION})
target_include_directories(headroom_shared PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                                  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(headroom_shared PUBLIC cxx_std_20)
target_link_libraries(headroom_shared PRIVATE headroom_engine)
target_link_options(headroom_shared PRIVATE -Wl,--exclude-libs,ALL)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/headroom)
install(TARGETS headroom_shared EXPORT headroom LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        COMPONENT library NAMELINK_COMPONENT development)
install(TARGETS headroom RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
if(TARGET headroom-train)
  install(TARGETS headroom-train RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT train)
endif()
if(TARGET headroom_grpc_module)
  # Where the program looks (server/grpc/load.cpp), on Debian's multiarch too: it is nobody else's library.
  install(TARGETS headroom_grpc_module LIBRARY DESTINATION lib/headroom COMPONENT grpc)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/headroom DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        COMPONENT development)
install(EXPORT headroom FILE headroom-config.cmake NAMESPACE headroom:: DESTINATION ${package_dir}
        COMPONENT development)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/headroom-config-version.cmake
                                 COMPATIBILITY ${compatibility})
# Relative, so that `cmake --install --prefix` may choose another place than was configured.
file(RELATIVE_PATH pc_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" pc_to_prefix ${pc_to_prefix})
configure_file(${CMAKE_CURRENT_LIST_DIR}/headroom.pc.in ${PROJECT_BINARY_DIR}/headroom.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/headroom-config-version.cmake DESTINATION ${package_dir}
        COMPONENT development)
install(FILES ${PROJECT_BINARY_DIR}/headroom.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
        COMPONENT development)
