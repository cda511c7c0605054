# Libraries, each with the reason it is here. scripts/install-packages has their Debian names.
list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})
include(${CMAKE_CURRENT_LIST_DIR}/Fmt.cmake)
if(HEADROOM_KERNELS_ONLY)
  include(${CMAKE_CURRENT_LIST_DIR}/KernelsOnly.cmake)
  return()
endif()
find_package(fmt REQUIRED)             # text formatting; g++ 12 has no <format>
find_package(nlohmann_json REQUIRED)   # JSON
find_package(CLI11 REQUIRED)           # command-line options
find_package(ZLIB REQUIRED)            # gzip input
find_package(Utf8proc QUIET)           # Unicode classes and case; without it our own tables
find_package(Protobuf QUIET)           # what ONNX files are written with
if(Protobuf_FOUND)
  find_package(ONNX CONFIG QUIET)      # export --format onnx; without it the verb says so
endif()
find_package(Boost 1.74 QUIET)         # sockets and HTTP parsing of `serve`; headers only
find_package(PrometheusCore QUIET)     # what /metrics counts with
find_package(OpenSSL 3 QUIET)          # TLS of `serve`, and the hashes of its keys
if(HEADROOM_GRPC)
  find_package(Grpc QUIET)             # `serve --grpc-port`; a module of its own
endif()

if(HEADROOM_TRAINING)
  find_package(Torch REQUIRED)         # autograd: Debian's 1.13 (CPU) or a CUDA 2.x
  headroom_reconcile_fmt(${TORCH_INCLUDE_DIRS})
  find_package(dnnl QUIET)             # oneDNN's sgemm behind torch on CPUs, see src/train/sgemm.cpp
endif()
if(HEADROOM_PYTHON)
  find_package(Python 3.9 REQUIRED COMPONENTS Interpreter Development.Module)
  find_package(pybind11 REQUIRED)      # C++ for Python, in one file: python/engine_module.cpp
endif()
if(HEADROOM_TESTS)
  find_package(GTest REQUIRED)
endif()
