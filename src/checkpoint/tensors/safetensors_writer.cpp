#include "checkpoint/tensors/safetensors_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/files/file.h"
#include "base/json.h"
#include "checkpoint/tensors/checksum.h"

namespace headroom {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void fail(const fs::path& path, std::string_view message) {
  throw Error(ErrorCode::runtime, "write safetensors",
              fmt::format("{}: {}", path.string(), message));
}

// Descending alignment first: every tensor then starts at a multiple of its element size, because
// the data section does and all larger elements come before.
std::vector<const TensorView*> in_file_order(std::span<const TensorView> tensors) {
  std::vector<const TensorView*> order;
  order.reserve(tensors.size());
  for (const TensorView& tensor : tensors) order.push_back(&tensor);
  std::sort(order.begin(), order.end(), [](const TensorView* a, const TensorView* b) {
    return a->dtype != b->dtype ? a->dtype > b->dtype : a->name < b->name;
  });
  return order;
}

SafetensorsHeader header_for(const fs::path& path, const std::vector<const TensorView*>& order,
                             const SafetensorsMetadata& metadata) {
  SafetensorsHeader header;
  header.metadata = metadata;
  uint64_t offset = 0;
  for (const TensorView* tensor : order) {
    if (tensor->name == "__metadata__") fail(path, "a tensor cannot be called __metadata__");
    const uint64_t end = offset + tensor->bytes.size();
    header.tensors.push_back({tensor->name, tensor->dtype, tensor->shape, offset, end});
    offset = end;
  }
  return header;
}

// The header's JSON, accepted by our own reader: one set of rules, and no file that we could write
// but not read back.
std::string checked_header_text(const fs::path& path, const SafetensorsHeader& header) {
  try {
    std::string text = safetensors_header_text(header);
    const uint64_t data_size = header.tensors.empty() ? 0 : header.tensors.back().end;
    if (text.size() > max_safetensors_header) {
      fail(path, fmt::format("header would be {} bytes, more than the limit of {}", text.size(),
                             max_safetensors_header));
    }
    parse_safetensors_header(text, data_size, "new file");
    return text;
  } catch (const nlohmann::json::exception& problem) {
    fail(path, fmt::format("a name or metadata value is not UTF-8 ({})", problem.what()));
  } catch (const Error& problem) {
    if (problem.code() == ErrorCode::runtime) throw;
    fail(path, problem.message());
  }
}

}  // namespace

uint64_t write_safetensors(const fs::path& path, std::span<const TensorView> tensors,
                           const SafetensorsMetadata& metadata) {
  const auto order = in_file_order(tensors);
  const std::string header = checked_header_text(path, header_for(path, order, metadata));
  const auto length = std::bit_cast<std::array<char, 8>>(static_cast<uint64_t>(header.size()));

  TemporaryFile file(path);
  Xxh64 hash;
  const auto append = [&](std::string_view part) {
    file.append(part);
    hash.update(std::as_bytes(std::span(part)));
  };
  append({length.data(), length.size()});
  append(header);
  for (const TensorView* tensor : order) {
    append({reinterpret_cast<const char*>(tensor->bytes.data()), tensor->bytes.size()});
  }
  file.commit();
  return hash.digest();
}

}  // namespace headroom
