# Libraries of the kernels and their tests alone, from headers and sources that suit every CPU: for
# compilers of another architecture, whose packages need not be installed.
set(headers ${PROJECT_BINARY_DIR}/headers)
file(MAKE_DIRECTORY ${headers})
foreach(library fmt nlohmann) # of /usr/include nothing else: the rest is this machine's
  file(CREATE_LINK /usr/include/${library} ${headers}/${library} SYMBOLIC)
endforeach()
add_library(header_libraries INTERFACE)
target_include_directories(header_libraries SYSTEM INTERFACE ${headers})
target_compile_definitions(header_libraries INTERFACE FMT_HEADER_ONLY)
add_library(fmt::fmt ALIAS header_libraries)
add_library(nlohmann_json::nlohmann_json ALIAS header_libraries)
if(HEADROOM_TESTS)
  add_subdirectory(/usr/src/googletest/googletest ${PROJECT_BINARY_DIR}/googletest EXCLUDE_FROM_ALL SYSTEM)
endif()
