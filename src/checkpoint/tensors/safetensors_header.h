// The table of contents of a safetensors file: the strict parser, apart from any file so that it
// can be fuzzed, and the serializer that writes what the parser accepts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/tensors/tensor.h"

namespace headroom {

using SafetensorsMetadata = std::map<std::string, std::string, std::less<>>;

// What a header may cost before a tensor is read. The format allows 100 MB, in which 8 million keys
// took 1.6 GB and 17 s; a tensor takes 70 to 150 bytes and the largest public files list thousands.
inline constexpr uint64_t max_safetensors_header = 16 << 20;
inline constexpr size_t max_safetensors_tensors = 100'000;
inline constexpr size_t max_safetensors_metadata = 1'000;
// A header larger than this must also be smaller than the data it describes.
inline constexpr uint64_t free_safetensors_header = 1 << 20;

struct SafetensorsHeader {
  std::vector<TensorInfo> tensors;  // by offset: together they cover the data section exactly
  SafetensorsMetadata metadata;
};

// Checks every rule of the format against a data section of `data_size` bytes. A broken rule throws
// ErrorCode::bad_model; `origin` names the file in the message.
SafetensorsHeader parse_safetensors_header(std::string_view text, uint64_t data_size,
                                           std::string_view origin);

// JSON of the header, padded with spaces so that the data section starts at a multiple of 8.
std::string safetensors_header_text(const SafetensorsHeader& header);

}  // namespace headroom
