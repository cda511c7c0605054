// A folder for files that nobody needs afterwards: made empty, removed with its owner.
#pragma once

#include <filesystem>

namespace headroom {

class ScratchFolder {
 public:
  ScratchFolder();  // throws ErrorCode::runtime when it cannot be made
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace headroom
