// The header of a safetensors file: two bytes say how long the data is, the rest is the header.
#include "checkpoint/tensors/safetensors_header.h"

#include "input.h"
#include "target.h"

namespace headroom::fuzz {
namespace {

void check_header(const SafetensorsHeader& header, uint64_t data_size) {
  uint64_t covered = 0;
  for (const TensorInfo& tensor : header.tensors) {
    require(tensor.begin == covered, "tensors touch and do not overlap");
    require(tensor_byte_count(tensor.dtype, tensor.shape) == tensor.end - tensor.begin,
            "a tensor's shape fills its bytes");
    covered = tensor.end;
  }
  require(covered == data_size, "tensors cover the data");
}

const Target safetensors_header("safetensors_header", [](std::string_view input) {
  Numbers numbers(input);
  const auto data_size = static_cast<uint64_t>(numbers.between(0, 0xFFFF));
  SafetensorsHeader header;
  const bool accepted = accepts({ErrorCode::bad_model}, [&] {
    header = parse_safetensors_header(numbers.rest(), data_size, "fuzzed header");
  });
  if (!accepted) return;
  check_header(header, data_size);
  const SafetensorsHeader again =
      parse_safetensors_header(safetensors_header_text(header), data_size, "written header");
  require(again.metadata == header.metadata, "metadata comes back");
  require(again.tensors.size() == header.tensors.size(), "tensors come back");
  for (size_t i = 0; i < again.tensors.size(); ++i) {
    require(again.tensors[i].name == header.tensors[i].name, "names come back");
  }
});

}  // namespace
}  // namespace headroom::fuzz
