// A regular file mapped read-only, with its size checked whenever bytes are handed out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace headroom {

class SafetensorsMapping {
 public:
  // Throws ErrorCode::bad_model when `path` is missing, unreadable, a link or no regular file.
  explicit SafetensorsMapping(const std::filesystem::path& path);
  ~SafetensorsMapping();
  SafetensorsMapping(const SafetensorsMapping&) = delete;
  SafetensorsMapping& operator=(const SafetensorsMapping&) = delete;

  uint64_t size() const { return size_; }  // when it was opened

  // A private copy, which a writer cannot change while it is being parsed.
  std::string read(uint64_t offset, uint64_t count) const;

  // The mapped bytes themselves, valid as long as this object. Refused when the file has been
  // shortened since it was opened: touching pages past its end would be a SIGBUS.
  std::span<const std::byte> view(uint64_t offset, uint64_t count) const;

 private:
  [[noreturn]] void fail(const std::string& message) const;

  std::filesystem::path path_;
  int descriptor_ = -1;
  uint64_t size_ = 0;
  void* bytes_ = nullptr;  // null for an empty file, which cannot be mapped
};

}  // namespace headroom
