# Debian packages: `cpack` in a build folder (make deb). packaging/README.md tells what is in each.
find_program(GZIP gzip REQUIRED)
set(CPACK_PACKAGE_CONTACT "maintainers@headroom.example" CACHE STRING "Maintainer's address in packages")
set(share ${CMAKE_INSTALL_DATAROOTDIR})
set(made ${PROJECT_BINARY_DIR}/packaging)

function(compressed from to)
  get_filename_component(folder ${to} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  execute_process(COMMAND ${GZIP} -9nc ${from} OUTPUT_FILE ${to} COMMAND_ERROR_IS_FATAL ANY)
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${from})
endfunction()

# Man pages of verbs that headroom-train runs go with it.
set(train_pages headroom-train headroom-pretrain headroom-reproduce)
file(GLOB pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/man/*.1)
foreach(page ${pages})
  get_filename_component(name ${page} NAME_WE)
  compressed(${page} ${made}/man/${name}.1.gz)
  set(component program)
  if(name IN_LIST train_pages)
    set(component train)
  endif()
  if(component STREQUAL program OR TARGET headroom-train)
    install(FILES ${made}/man/${name}.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT ${component})
  endif()
endforeach()

set(completions ${PROJECT_SOURCE_DIR}/completions)
install(FILES ${completions}/headroom.bash DESTINATION ${share}/bash-completion/completions
        RENAME headroom COMPONENT program)
install(FILES ${completions}/_headroom DESTINATION ${share}/zsh/vendor-completions COMPONENT program)
install(FILES ${completions}/headroom.fish DESTINATION ${share}/fish/vendor_completions.d
        COMPONENT program)

# The unit in deploy/ is for a program in /usr/local/bin.
file(READ ${PROJECT_SOURCE_DIR}/deploy/headroom.service unit)
string(REPLACE "/usr/local/bin/" "/usr/bin/" unit "${unit}")
string(REGEX REPLACE "^# systemd unit: [^\n]*\n" "# systemctl enable --now headroom\n" unit "${unit}")
file(WRITE ${made}/headroom.service "${unit}")
install(FILES ${made}/headroom.service DESTINATION lib/systemd/system COMPONENT program)

configure_file(${PROJECT_SOURCE_DIR}/packaging/changelog.in ${made}/changelog @ONLY)
compressed(${made}/changelog ${made}/changelog.gz)
set(components program library development)
set(library libheadroom${HEADROOM_SOVERSION})
set(names headroom ${library} libheadroom-dev)
if(TARGET headroom-train)
  list(APPEND components train)
  list(APPEND names headroom-train)
endif()
if(TARGET headroom_grpc_module)
  list(APPEND components grpc)
  list(APPEND names headroom-grpc)
endif()
foreach(component name IN ZIP_LISTS components names)
  install(FILES ${PROJECT_SOURCE_DIR}/packaging/copyright ${made}/changelog.gz
          DESTINATION ${share}/doc/${name} COMPONENT ${component})
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
endforeach()

# CPack calls ldconfig from scripts, which cannot be helped; Debian wants a trigger.
file(WRITE ${made}/triggers "activate-noawait ldconfig\n")
file(WRITE ${made}/shlibs "libheadroom ${HEADROOM_SOVERSION} ${library} (>= ${PROJECT_VERSION})\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${made}/triggers ${made}/shlibs)

set(same_version "(= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "headroom-train, headroom-grpc")
set(CPACK_DEBIAN_TRAIN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_TRAIN_PACKAGE_DEPENDS "headroom ${same_version}")
set(CPACK_DEBIAN_GRPC_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_GRPC_PACKAGE_DEPENDS "headroom ${same_version}")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${library} ${same_version}")
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION
    "text classifier with a compute budget for every request\n Runs and serves transformer classifiers that were trained once for all budgets.")
set(CPACK_COMPONENT_TRAIN_DESCRIPTION
    "training half of headroom\n Trains, fine-tunes and pretrains the models that headroom runs, with libtorch.")
set(CPACK_COMPONENT_GRPC_DESCRIPTION
    "gRPC port for the server of headroom\n What headroom serve --grpc-port loads to speak KServe's protocol over gRPC.")
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION
    "text classifier with a compute budget for every request - library\n The engine of headroom as a shared library for C++ programs.")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
    "text classifier with a compute budget for every request - headers\n Header, CMake package and pkg-config file of libheadroom.")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME headroom)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL ${components})
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "The headroom maintainers <${CPACK_PACKAGE_CONTACT}>")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
