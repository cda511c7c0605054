// Files read whole with a limit, and written so that a reader sees the old or the new content,
// never a mixture: temporary sibling, fsync, rename.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.h"

namespace headroom {

// Whether a file that is a symbolic link may be read. In folders from strangers it may not: a link
// would let them choose which of our files are read, and shown in messages.
enum class Links { follow, refuse };

// What to say of a link that is refused, after the file's name.
inline constexpr std::string_view refused_link =
    "is a link, which is not followed in a model folder: put a copy of its target there (cp -L)";

// Reads a whole regular file. A missing, unreadable or larger-than-`limit` one throws `code`.
std::string read_file(const std::filesystem::path& path, ErrorCode code,
                      uint64_t limit = 1ULL << 32, Links links = Links::follow);

// A new file beside `target` that replaces it in one step, or vanishes. Its name cannot be guessed
// and it is never an existing file or link: folders of models may be open to strangers, who would
// plant one that leads elsewhere. Throws ErrorCode::runtime naming `target`.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::filesystem::path target);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  void append(std::string_view content) const;
  void commit();

 private:
  std::filesystem::path target_;
  std::filesystem::path path_;
  int descriptor_ = -1;
  bool committed_ = false;
};

// Replaces `path` in one step. Throws ErrorCode::runtime when the disk is full or not writable; the
// former content is then untouched.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

// Several files (no folders) that appear together. Write into path(), then commit(): the target
// directory is exchanged in one rename. Without commit() the destructor removes everything written.
class StagedDirectory {
 public:
  explicit StagedDirectory(std::filesystem::path target);
  ~StagedDirectory();
  StagedDirectory(const StagedDirectory&) = delete;
  StagedDirectory& operator=(const StagedDirectory&) = delete;

  const std::filesystem::path& path() const { return staging_; }
  void commit();

 private:
  std::filesystem::path target_;
  std::filesystem::path staging_;
  bool committed_ = false;
};

// Removes a file or a folder with all it holds; what is not there, or cannot be removed, stays.
// std::filesystem::remove_all is not used: PyTorch's own builds of libtorch bring parts of
// std::filesystem along, and on a CUDA machine a training died where it was first called.
void remove_tree(const std::filesystem::path& path);

// What a folder is called, however it was spelled: "b" for "a/b/", and for "." inside it.
std::string folder_name(const std::filesystem::path& folder);

// Writes `content` to an open file descriptor completely, or throws ErrorCode::runtime naming
// `path`.
void write_all(int descriptor, std::string_view content, const std::filesystem::path& path);

// Makes a file's or directory's current content durable.
void sync_path(const std::filesystem::path& path);

}  // namespace headroom
