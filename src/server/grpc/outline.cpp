#include "server/grpc/outline.h"

#include <fmt/format.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/coded_stream.h>
#include <grpcpp/support/proto_buffer_reader.h>

#include "server/grpc/open_inference.pb.h"
#include "server/http/error.h"

namespace headroom {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::io::CodedInputStream;
using inference::ModelInferRequest;

// https://protobuf.dev/programming-guides/encoding: what the last three bits of a tag say.
enum WireType : uint32_t { varint = 0, fixed64 = 1, with_length = 2, fixed32 = 5 };
constexpr int bits_of_wire_type = 3;

constexpr size_t longest_name = 1024;

[[noreturn]] void no_message() {
  throw HttpError(HttpErrorCode::bad_request, "the bytes are no ModelInferRequest");
}

class OutlineReader {
 public:
  OutlineReader(CodedInputStream& input, int64_t most_parts)
      : input_(input), most_parts_(most_parts) {}

  InferOutline read() {
    read_fields(*ModelInferRequest::descriptor());
    return std::move(outline_);
  }

 private:
  // To the end of the message: of the input, or of the field that holds it.
  void read_fields(const Descriptor& message) {
    while (const uint32_t tag = input_.ReadTag()) {
      count(1);
      const auto number = static_cast<int>(tag >> bits_of_wire_type);
      uint64_t ignored = 0;
      bool read = false;
      switch (tag & ((1U << bits_of_wire_type) - 1)) {
        case varint:
          read = input_.ReadVarint64(&ignored);
          break;
        case fixed64:
          read = input_.Skip(sizeof(uint64_t));
          break;
        case fixed32:
          read = input_.Skip(sizeof(uint32_t));
          break;
        case with_length:
          read_content(message, message.FindFieldByNumber(number));
          continue;
        default:  // groups, which this protocol does not have
          break;
      }
      if (!read) no_message();
    }
    if (!input_.ConsumedEntireMessage()) no_message();
  }

  void read_content(const Descriptor& message, const FieldDescriptor* field) {
    uint32_t length = 0;
    if (!input_.ReadVarint32(&length) || length > most_bytes) no_message();
    const auto size = static_cast<int>(length);
    if (field != nullptr && field->type() == FieldDescriptor::TYPE_MESSAGE) {
      const auto outer = input_.PushLimit(size);
      read_fields(*field->message_type());
      if (input_.BytesUntilLimit() != 0) no_message();
      input_.PopLimit(outer);
      return;
    }
    if (field != nullptr && field->is_packable()) count(size);  // no number has less than a byte
    const bool here = &message == ModelInferRequest::descriptor() && field != nullptr;
    if (here && field->number() == ModelInferRequest::kModelNameFieldNumber) {
      read_name(outline_.model_name, "model_name", size);
    } else if (here && field->number() == ModelInferRequest::kModelVersionFieldNumber) {
      read_name(outline_.model_version, "model_version", size);
    } else if (!input_.Skip(size)) {
      no_message();
    }
  }

  // It becomes part of a path, which HTTP's header bounds.
  void read_name(std::string& name, const char* field, int size) {
    if (static_cast<size_t>(size) > longest_name) {
      throw HttpError(HttpErrorCode::bad_request,
                      fmt::format("{} is longer than {} bytes", field, longest_name));
    }
    if (!input_.ReadString(&name, size)) no_message();
  }

  void count(int64_t parts) {
    parts_ += parts;
    if (parts_ > most_parts_) {
      throw HttpError(HttpErrorCode::bad_request,
                      fmt::format("the message has more than {} fields and values, which no "
                                  "request for as many texts as this server takes needs",
                                  most_parts_));
    }
  }

  static constexpr uint32_t most_bytes = 0x7fffffff;

  CodedInputStream& input_;
  int64_t most_parts_;
  int64_t parts_ = 0;
  InferOutline outline_;
};

}  // namespace

InferOutline outline_of(const grpc::ByteBuffer& bytes, int64_t most_parts) {
  if (!bytes.Valid()) no_message();
  grpc::ByteBuffer shared = bytes;  // readers do not take a constant one; the bytes are not copied
  grpc::ProtoBufferReader reader(&shared);
  CodedInputStream input(&reader);
  return OutlineReader(input, most_parts).read();
}

void read_message(const grpc::ByteBuffer& bytes, google::protobuf::MessageLite& message) {
  grpc::ByteBuffer shared = bytes;
  grpc::ProtoBufferReader reader(&shared);
  if (!message.ParseFromZeroCopyStream(&reader)) no_message();
}

void write_message(const google::protobuf::MessageLite& message, grpc::ByteBuffer& bytes) {
  grpc::Slice slice(message.ByteSizeLong());
  auto* const begin = const_cast<uint8_t*>(slice.begin());  // nobody else has it yet
  message.SerializeWithCachedSizesToArray(begin);
  bytes = grpc::ByteBuffer(&slice, 1);
}

}  // namespace headroom
