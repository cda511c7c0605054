# What every target of ours is compiled with: include root src/, warnings, sanitizers.
add_library(headroom_settings INTERFACE)
target_include_directories(headroom_settings INTERFACE ${PROJECT_SOURCE_DIR}/src)
target_compile_options(headroom_settings INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor)
if(HEADROOM_WERROR)
  target_compile_options(headroom_settings INTERFACE -Werror)
endif()
if(HEADROOM_SANITIZE)
  target_compile_options(headroom_settings INTERFACE -fsanitize=${HEADROOM_SANITIZE}
                                                     -fno-omit-frame-pointer)
  target_link_options(headroom_settings INTERFACE -fsanitize=${HEADROOM_SANITIZE})
endif()
target_compile_definitions(headroom_settings INTERFACE HEADROOM_VERSION="${PROJECT_VERSION}")
