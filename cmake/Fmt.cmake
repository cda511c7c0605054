# headroom_reconcile_fmt(FOLDER...): FOLDERS stand before fmt's own among the include paths. PyTorch's packages bring
# the headers of another fmt, whose functions the fmt that we link does not have: then all of fmt comes
# from headers.
function(headroom_reconcile_fmt)
  get_target_property(own fmt::fmt INTERFACE_INCLUDE_DIRECTORIES)
  foreach(folder ${ARGN})
    if(EXISTS ${folder}/fmt/format.h AND NOT folder IN_LIST own)
      message(STATUS "fmt: the headers of ${folder} win, none is linked")
      set_property(TARGET fmt::fmt APPEND PROPERTY INTERFACE_COMPILE_DEFINITIONS FMT_HEADER_ONLY)
      return()
    endif()
  endforeach()
endfunction()
