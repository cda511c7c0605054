# What every target of ours is compiled with: include root src/, warnings, sanitizers.
add_library(headroom_settings INTERFACE)
target_include_directories(headroom_settings INTERFACE ${PROJECT_SOURCE_DIR}/src)
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
endif()

# Reading headers is most of what a file with libtorch takes (8 s); `make test` reads them once for
# six files. What has the same name in two files of a batch must then be named apart.
function(headroom_share_headers target)
  if(HEADROOM_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)
  endif()
endfunction()

target_compile_definitions(headroom_settings INTERFACE HEADROOM_VERSION="${PROJECT_VERSION}")
