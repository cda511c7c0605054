# gRPC for C++ and what its code is generated with: defines Grpc::Grpc, Grpc_PLUGIN and Grpc_PROTOC. Its own CMake
# package ends the configuration where the plug-in of any language is missing.
find_path(Grpc_INCLUDE_DIR grpcpp/grpcpp.h)
find_library(Grpc_LIBRARY grpc++)
find_library(Grpc_CORE_LIBRARY grpc)
find_library(Grpc_GPR_LIBRARY gpr)
find_library(Grpc_SYNCHRONIZATION_LIBRARY absl_synchronization)  # which its headers call
find_program(Grpc_PLUGIN grpc_cpp_plugin)
find_program(Grpc_PROTOC protoc)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Grpc REQUIRED_VARS Grpc_LIBRARY Grpc_CORE_LIBRARY Grpc_GPR_LIBRARY
                                                     Grpc_SYNCHRONIZATION_LIBRARY
                                                     Grpc_INCLUDE_DIR Grpc_PLUGIN Grpc_PROTOC)
if(Grpc_FOUND AND NOT TARGET Grpc::Grpc)
  add_library(Grpc::Grpc UNKNOWN IMPORTED)
  set_target_properties(Grpc::Grpc PROPERTIES
    IMPORTED_LOCATION ${Grpc_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${Grpc_INCLUDE_DIR}
    INTERFACE_LINK_LIBRARIES "${Grpc_CORE_LIBRARY};${Grpc_GPR_LIBRARY};${Grpc_SYNCHRONIZATION_LIBRARY}")
endif()
