// Bytes of a fuzzer as numbers, and as a file for readers that take a path.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace headroom::fuzz {

// Takes numbers off the front of an input; at its end everything is 0, so that every input has a
// meaning.
class Numbers {
 public:
  explicit Numbers(std::string_view input) : rest_(input) {}

  int64_t between(int64_t least, int64_t most);
  double fraction();  // in [0, 1], both ends possible
  double number();    // any finite double
  bool flag() { return between(0, 1) == 1; }
  bool empty() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }

 private:
  uint64_t bytes(size_t count);

  std::string_view rest_;
};

// Replaces a file without making it durable: nobody needs it afterwards, and a disk takes
// milliseconds for what is done thousands of times a second.
void overwrite(const std::filesystem::path& path, std::string_view content);

// A file in memory, as long as this object.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view content);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::filesystem::path path() const;

 private:
  int descriptor_;
};

}  // namespace headroom::fuzz
