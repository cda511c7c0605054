// Reads a safetensors file through a read-only mapping: opening costs the header, however large the
// file, and tensors come into memory as they are touched. Every rule of the format is checked on
// opening, so what a SafetensorsFile hands out is always inside the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/tensors/safetensors_header.h"
#include "checkpoint/tensors/tensor.h"

namespace headroom {

class SafetensorsMapping;

class SafetensorsFile {
 public:
  // Throws ErrorCode::bad_model when the file is missing, unreadable or breaks a rule.
  explicit SafetensorsFile(std::filesystem::path path);
  ~SafetensorsFile();
  SafetensorsFile(SafetensorsFile&& other) noexcept;
  SafetensorsFile& operator=(SafetensorsFile&& other) noexcept;

  const std::filesystem::path& path() const { return path_; }
  const SafetensorsMetadata& metadata() const { return header_.metadata; }
  const std::vector<TensorInfo>& tensors() const { return header_.tensors; }  // by offset
  std::vector<std::string> names() const;                                     // sorted

  const TensorInfo* find(std::string_view name) const;  // null when there is none

  // Everything below throws ErrorCode::bad_model when there is no tensor called `name`.
  const TensorInfo& at(std::string_view name) const;
  const std::vector<int64_t>& shape(std::string_view name) const;
  void expect_shape(std::string_view name, const std::vector<int64_t>& expected) const;
  void expect_count(size_t tensors) const;  // as many as config.json implies

  // Valid as long as this object, aligned to nothing. A file replaced by rename stays readable; one
  // shortened in place is refused, unless it happens while the bytes are read (SIGBUS).
  std::span<const std::byte> bytes(std::string_view name) const;

  // The same of weights, which are F32, F16 or BF16 and neither NaN nor infinite: anything else
  // throws, with the tensor's name and the first such element.
  std::span<const std::byte> finite_bytes(std::string_view name) const;

  // finite_bytes() as floats.
  std::vector<float> read_f32(std::string_view name) const;

  // From now on the rows of `name` are as many tensors of equal size as there are `parts`.
  void split_rows(const std::string& name, const std::vector<std::string>& parts);

  uint64_t checksum() const;  // XXH64 of the whole file; reads all of it

 private:
  void index_names();
  [[noreturn]] void fail(const std::string& message) const;

  std::filesystem::path path_;
  std::unique_ptr<const SafetensorsMapping> file_;
  uint64_t data_start_ = 0;
  SafetensorsHeader header_;
  std::map<std::string, size_t, std::less<>> index_;  // name to position in header_.tensors
};

}  // namespace headroom
