# Libraries, each with the reason it is here. docs/dependencies.md has the Debian package names.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)             # text formatting; g++ 12 has no <format>
find_package(nlohmann_json REQUIRED)   # JSON
find_package(CLI11 REQUIRED)           # command-line options
find_package(ZLIB REQUIRED)            # gzip input
pkg_check_modules(UTF8PROC REQUIRED IMPORTED_TARGET GLOBAL libutf8proc)  # Unicode classes, case

if(HEADROOM_TRAINING)
  find_package(Torch REQUIRED)         # autograd: Debian's 1.13 (CPU) or a CUDA 2.x
  find_package(dnnl QUIET)             # oneDNN's sgemm behind torch on CPUs, see src/train/sgemm.cpp
endif()
if(HEADROOM_TESTS)
  find_package(GTest REQUIRED)
endif()
