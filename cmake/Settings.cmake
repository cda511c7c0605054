# What every target of ours is compiled with: include roots src/ and include/, warnings, sanitizers.
add_library(headroom_settings INTERFACE)
target_include_directories(headroom_settings INTERFACE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
target_compile_options(headroom_settings INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor)
if(HEADROOM_WERROR)
  target_compile_options(headroom_settings INTERFACE -Werror)
endif()
if(HEADROOM_SANITIZE)
  # By default undefined behaviour is only told, and a test that shows it passes.
  target_compile_options(headroom_settings INTERFACE -fsanitize=${HEADROOM_SANITIZE}
                                                     -fno-sanitize-recover=undefined
                                                     -fno-omit-frame-pointer)
  target_link_options(headroom_settings INTERFACE -fsanitize=${HEADROOM_SANITIZE})
  if(HEADROOM_SANITIZE MATCHES thread AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # g++ warns of fences, which this sanitizer does not follow. Boost.Asio has some; what it hands
    # from thread to thread also passes through a lock.
    target_compile_options(headroom_settings INTERFACE -Wno-tsan)
  endif()
endif()

# What ships is harder to attack where a mistake is left, and the same bits wherever it is built: a
# path in a message would differ. Programs are position-independent, as Debian's g++ makes them.
# tests/install checks the result.
if(NOT HEADROOM_HARDENING)
  # For scripts/bench-hardening alone.
  target_compile_options(headroom_settings INTERFACE -U_FORTIFY_SOURCE -fno-stack-protector
                                                     -fno-stack-clash-protection)
  target_link_options(headroom_settings INTERFACE LINKER:-z,norelro LINKER:-z,lazy)
elseif(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT HEADROOM_SANITIZE)
  target_compile_options(headroom_settings INTERFACE
                         -fstack-protector-strong -fstack-clash-protection -U_FORTIFY_SOURCE
                         -D_FORTIFY_SOURCE=2 -ffile-prefix-map=${PROJECT_SOURCE_DIR}=.)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    target_compile_options(headroom_settings INTERFACE -fcf-protection=full)
  endif()
  target_link_options(headroom_settings INTERFACE LINKER:-z,relro LINKER:-z,now
                                                  LINKER:-z,noexecstack)
endif()

# Reading headers is most of what a file with libtorch takes (8 s); `make test` reads them once for
# six files. What has the same name in two files of a batch must then be named apart.
function(headroom_share_headers target)
  if(HEADROOM_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)
  endif()
endfunction()
