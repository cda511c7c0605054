#include "input.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <string>

#include "base/files/file.h"

namespace headroom::fuzz {

uint64_t Numbers::bytes(size_t count) {
  uint64_t value = 0;
  const size_t taken = std::min(count, rest_.size());
  for (size_t i = 0; i < taken; ++i) value = value << 8U | static_cast<unsigned char>(rest_[i]);
  rest_.remove_prefix(taken);
  return value;
}

int64_t Numbers::between(int64_t least, int64_t most) {
  const auto choices = static_cast<uint64_t>(most - least) + 1;
  size_t width = 1;
  while (width < 8 && choices > uint64_t{1} << (8 * width)) ++width;
  return least + static_cast<int64_t>(bytes(width) % choices);
}

double Numbers::fraction() {
  return static_cast<double>(bytes(2)) / 65535.0;
}

double Numbers::number() {
  const uint64_t bits = bytes(8);
  double value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return std::isfinite(value) ? value : 0;
}

void overwrite(const std::filesystem::path& path, std::string_view content) {
  std::ofstream(path, std::ios::binary) << content;
}

MemoryFile::MemoryFile(std::string_view content)
    : descriptor_(::memfd_create("fuzz", MFD_CLOEXEC)) {
  write_all(descriptor_, content, path());
}

MemoryFile::~MemoryFile() {
  ::close(descriptor_);
}

// Opening it again starts at its beginning.
std::filesystem::path MemoryFile::path() const {
  return "/proc/self/fd/" + std::to_string(descriptor_);
}

}  // namespace headroom::fuzz
