// What a ModelInferRequest asks for, read off its bytes without making a message of them: two bytes
// can become an object of 150, so that 2 MB took 300 before anybody asked for the key.
#pragma once

#include <google/protobuf/message_lite.h>
#include <grpcpp/support/byte_buffer.h>

#include <cstdint>
#include <string>

namespace headroom {

struct InferOutline {
  std::string model_name;
  std::string model_version;
};

// Throws HttpErrorCode::bad_request for bytes that are no message, and for one that has more than
// `most_parts` fields and values, those of its tensors and parameters included. Unknown fields
// count too, since protobuf keeps them.
InferOutline outline_of(const grpc::ByteBuffer& bytes, int64_t most_parts);

// Throws HttpErrorCode::bad_request for bytes that are none, as where a name is not UTF-8.
void read_message(const grpc::ByteBuffer& bytes, google::protobuf::MessageLite& message);

void write_message(const google::protobuf::MessageLite& message, grpc::ByteBuffer& bytes);

}  // namespace headroom
