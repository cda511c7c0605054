// An open file that no other program of ours writes at the same time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace headroom {

class LockedFile {
 public:
  // Made when missing, not shortened. `operation` is what errors name: ErrorCode::usage when it is
  // no ordinary file or another program holds it, ErrorCode::runtime when it cannot be opened.
  LockedFile(const std::filesystem::path& path, const std::string& operation);
  ~LockedFile();
  LockedFile(const LockedFile&) = delete;
  LockedFile& operator=(const LockedFile&) = delete;

  int descriptor() const { return descriptor_; }
  uint64_t size() const;

 private:
  int descriptor_;
};

}  // namespace headroom
