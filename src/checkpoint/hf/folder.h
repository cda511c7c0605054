// A Hugging Face model folder from anywhere: its files are opened by plain names, and only where
// they really lie inside it, unless its links are to be followed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/json.h"

namespace headroom {

enum class FolderLinks {
  inside,   // to files of the folder
  outside,  // to any file, as in the Hub's cache, whose snapshots are links to its blobs
};

class HfFolder {
 public:
  // Throws ErrorCode::bad_model when `path` is no directory.
  explicit HfFolder(const std::filesystem::path& path, FolderLinks links = FolderLinks::inside);

  // The folder's own name, for people.
  std::string name() const { return root_.filename().string(); }
  bool has(const std::string& name) const;
  std::vector<std::string> names() const;  // of everything in it, sorted

  // Where a file lies. Throws ErrorCode::bad_model when it is missing, no regular file or a link
  // out of the folder that is not to be followed: a folder from somewhere else must not choose
  // which of our files are read.
  std::filesystem::path file(const std::string& name) const;

  // A folder inside it. Throws like file().
  HfFolder folder(const std::string& name) const;

  std::string text(const std::string& name, uint64_t limit) const;
  Json json(const std::string& name) const;  // without the keys that are null
  Json json_with_nulls(const std::string& name) const;
  Json list(const std::string& name) const;

 private:
  std::filesystem::path root_;  // canonical
  FolderLinks links_;
};

}  // namespace headroom
