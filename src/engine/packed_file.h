// A file of packed weights: what packing left in memory, behind a header that says of which weights
// and for whom. Mapped read-only, so that all processes that run a model share its memory, and
// checked whole when it is opened.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace headroom {

// Raised with every change of what is packed, or of the order in which it is.
inline constexpr uint64_t packed_format = 1;

// What packed weights depend on. All of it must be equal for a file to be used.
struct PackedIdentity {
  uint64_t settings =
      0;  // a hash of the model's config, precision, instruction set and our version
  // Which file they were packed from, and that nobody has written to it since. A hash of its
  // content would take as long as mapping what was packed, and one that is quick can be forged.
  uint64_t device = 0;
  uint64_t inode = 0;
  uint64_t size = 0;
  uint64_t modified = 0;  // nanoseconds
  uint64_t changed = 0;

  bool operator==(const PackedIdentity&) const = default;
};

class PackedFile {
 public:
  // Throws ErrorCode::bad_model when it is no file of packed weights, of another identity, damaged,
  // or could have been written by somebody else than its reader.
  PackedFile(std::filesystem::path path, const PackedIdentity& identity);
  ~PackedFile();
  PackedFile(PackedFile&& other) noexcept;
  PackedFile& operator=(PackedFile&& other) noexcept;
  PackedFile(const PackedFile&) = delete;
  PackedFile& operator=(const PackedFile&) = delete;

  // Valid as long as this object, and begins with a page.
  std::span<const std::byte> content() const;

  [[noreturn]] void fail(const std::string& fact) const;

 private:
  void map();
  void check(const PackedIdentity& identity) const;

  std::filesystem::path path_;
  std::span<const std::byte> bytes_;  // of the whole file
};

// Replaces `path` in one step by a file that holds `content`. Throws ErrorCode::runtime when it
// cannot be written.
void write_packed_file(const std::filesystem::path& path, const PackedIdentity& identity,
                       std::span<const std::span<const std::byte>> content);

}  // namespace headroom
