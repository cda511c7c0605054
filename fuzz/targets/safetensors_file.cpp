// A whole safetensors file: opened, and every tensor in it read.
#include "checkpoint/tensors/convert.h"
#include "checkpoint/tensors/safetensors.h"
#include "input.h"
#include "target.h"

namespace headroom::fuzz {
namespace {

const Target safetensors_file("safetensors_file", [](std::string_view input) {
  const MemoryFile memory(input);
  accepts({ErrorCode::bad_model}, [&] {
    const SafetensorsFile file(memory.path());
    for (const std::string& name : file.names()) {
      unsigned sum = 0;  // touches every byte
      for (const std::byte byte : file.bytes(name)) sum += static_cast<unsigned>(byte);
      require(sum <= 255 * input.size(), "bytes are inside the file");
      if (!converts_to_f32(file.at(name).dtype)) continue;
      const std::vector<float> values = file.read_f32(name);
      require(values.size() <= input.size(), "a tensor is no larger than its file");
    }
  });
});

}  // namespace
}  // namespace headroom::fuzz
