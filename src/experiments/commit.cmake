# Writes commit.cpp when the commit has changed:  cmake -DSOURCE=DIR -DOUT=commit.cpp -P commit.cmake
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
                OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
  set(COMMIT unknown)
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/commit.cpp.in ${OUT} @ONLY)
