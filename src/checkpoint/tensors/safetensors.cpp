#include "checkpoint/tensors/safetensors.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "checkpoint/tensors/checksum.h"
#include "checkpoint/tensors/convert.h"
#include "checkpoint/tensors/safetensors_mapping.h"

namespace headroom {
namespace {

constexpr uint64_t length_bytes = 8;  // the header's length, before the header

uint64_t little_endian(std::string_view bytes) {
  static_assert(std::endian::native == std::endian::little);
  uint64_t value = 0;
  std::memcpy(&value, bytes.data(), sizeof(value));
  return value;
}

// What people really have when the first eight bytes make no sense as a length.
std::string_view likely_cause(std::string_view start) {
  if (start == "version ") return "a Git LFS pointer, not the file it points to?";
  if (start.starts_with("PK\x03\x04") || start.starts_with("\x80\x02")) {
    return "a PyTorch pickle? Convert it with safetensors.torch.save_file";
  }
  if (start.starts_with("<")) return "a web page saved in place of the file?";
  return "not a safetensors file?";
}

}  // namespace

SafetensorsFile::SafetensorsFile(std::filesystem::path path)
    : path_(std::move(path)), file_(std::make_unique<SafetensorsMapping>(path_)) {
  const uint64_t file_size = file_->size();
  if (file_size < length_bytes) {
    fail(fmt::format("is {} bytes, too short for the 8-byte header length: an incomplete download?",
                     file_size));
  }
  const std::string start = file_->read(0, length_bytes);
  const uint64_t header_size = little_endian(start);
  if (header_size > max_safetensors_header) {
    fail(fmt::format("header is {} bytes, more than the limit of {}: {}", header_size,
                     max_safetensors_header, likely_cause(start)));
  }
  if (header_size > file_size - length_bytes) {
    fail(fmt::format("header is {} bytes but the file is only {}: an incomplete download?",
                     header_size, file_size));
  }
  data_start_ = length_bytes + header_size;
  if (header_size > free_safetensors_header && header_size > file_size - data_start_) {
    fail(fmt::format("header is {} bytes for {} bytes of tensors: not a file of weights?",
                     header_size, file_size - data_start_));
  }
  header_ = parse_safetensors_header(file_->read(length_bytes, header_size),
                                     file_size - data_start_, path_.string());
  index_names();
}

SafetensorsFile::~SafetensorsFile() = default;
SafetensorsFile::SafetensorsFile(SafetensorsFile&& other) noexcept = default;
SafetensorsFile& SafetensorsFile::operator=(SafetensorsFile&& other) noexcept = default;

void SafetensorsFile::index_names() {
  index_.clear();
  for (size_t i = 0; i < header_.tensors.size(); ++i) index_.emplace(header_.tensors[i].name, i);
}

void SafetensorsFile::fail(const std::string& message) const {
  throw Error(ErrorCode::bad_model, "read safetensors",
              fmt::format("{}: {}", path_.string(), message));
}

std::vector<std::string> SafetensorsFile::names() const {
  std::vector<std::string> result;
  result.reserve(index_.size());
  for (const auto& [name, position] : index_) result.push_back(name);
  return result;
}

const TensorInfo* SafetensorsFile::find(std::string_view name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? nullptr : &header_.tensors[found->second];
}

const TensorInfo& SafetensorsFile::at(std::string_view name) const {
  const TensorInfo* tensor = find(name);
  if (tensor == nullptr) {
    fail(fmt::format("has no tensor \"{}\": a checkpoint of another model?", name));
  }
  return *tensor;
}

const std::vector<int64_t>& SafetensorsFile::shape(std::string_view name) const {
  return at(name).shape;
}

void SafetensorsFile::expect_shape(std::string_view name,
                                   const std::vector<int64_t>& expected) const {
  const TensorInfo& tensor = at(name);
  if (tensor.shape != expected) {
    fail(fmt::format("tensor \"{}\" has shape {}, expected {}: does config.json belong to it?",
                     name, shape_text(tensor.shape), shape_text(expected)));
  }
}

void SafetensorsFile::expect_count(size_t tensors) const {
  if (header_.tensors.size() == tensors) return;
  fail(fmt::format("holds {} tensors, config.json implies {}: files of two models?",
                   header_.tensors.size(), tensors));
}

std::span<const std::byte> SafetensorsFile::bytes(std::string_view name) const {
  const TensorInfo& tensor = at(name);
  return file_->view(data_start_ + tensor.begin, tensor.end - tensor.begin);
}

std::span<const std::byte> SafetensorsFile::finite_bytes(std::string_view name) const {
  const DType dtype = at(name).dtype;
  if (!converts_to_f32(dtype)) {
    fail(fmt::format("tensor \"{}\" holds {}, expected F32, F16 or BF16", name, dtype_name(dtype)));
  }
  const std::span<const std::byte> stored = bytes(name);
  if (const auto index = find_not_finite(dtype, stored)) {
    fail(
        fmt::format("element {} of tensor \"{}\" is NaN or infinite: a training that diverged, or "
                    "a damaged file?",
                    *index, name));
  }
  return stored;
}

std::vector<float> SafetensorsFile::read_f32(std::string_view name) const {
  const std::span<const std::byte> stored = finite_bytes(name);
  return decode_f32(at(name).dtype, stored);
}

void SafetensorsFile::split_rows(const std::string& name, const std::vector<std::string>& parts) {
  TensorInfo part = at(name);
  const auto count = static_cast<int64_t>(parts.size());
  if (part.shape.empty() || part.shape[0] % count != 0) {
    fail(fmt::format("tensor \"{}\" has shape {}, which are not {} matrices of equal size", name,
                     shape_text(part.shape), count));
  }
  const auto position = static_cast<std::ptrdiff_t>(index_.find(name)->second);
  const uint64_t size = (part.end - part.begin) / parts.size();
  part.shape[0] /= count;
  std::vector<TensorInfo> split;
  for (const std::string& each : parts) {
    part.name = each;
    part.end = part.begin + size;
    split.push_back(part);
    part.begin = part.end;
  }
  std::vector<TensorInfo>& all = header_.tensors;
  all.insert(all.erase(all.begin() + position), split.begin(), split.end());
  index_names();
}

uint64_t SafetensorsFile::checksum() const {
  Xxh64 hash;
  hash.update(file_->view(0, file_->size()));
  return hash.digest();
}

}  // namespace headroom
