#include "checkpoint/tensors/safetensors_mapping.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "base/files/file.h"

namespace headroom {
namespace {

struct stat status_of(int descriptor) {
  struct stat status = {};
  // On an open descriptor fstat fails only on a broken file system; size 0 then fails every check.
  if (::fstat(descriptor, &status) != 0) return {};
  return status;
}

}  // namespace

SafetensorsMapping::SafetensorsMapping(const std::filesystem::path& path) : path_(path) {
  // Without O_NONBLOCK opening a named pipe would wait for a writer.
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  if (descriptor_ < 0) fail(errno == ELOOP ? std::string(refused_link) : std::strerror(errno));
  const struct stat status = status_of(descriptor_);
  if (S_ISREG(status.st_mode)) {
    size_ = static_cast<uint64_t>(status.st_size);
    if (size_ > 0) bytes_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor_, 0);
  }
  const int error = errno;
  if (!S_ISREG(status.st_mode) || bytes_ == MAP_FAILED) {
    ::close(descriptor_);
    fail(S_ISREG(status.st_mode) ? std::strerror(error) : "is not a regular file");
  }
}

SafetensorsMapping::~SafetensorsMapping() {
  if (bytes_ != nullptr) ::munmap(bytes_, size_);
  ::close(descriptor_);
}

void SafetensorsMapping::fail(const std::string& message) const {
  throw Error(ErrorCode::bad_model, "read safetensors",
              fmt::format("{}: {}", path_.string(), message));
}

std::string SafetensorsMapping::read(uint64_t offset, uint64_t count) const {
  std::string content(count, '\0');
  size_t done = 0;
  while (done < content.size()) {
    const ssize_t got = ::pread(descriptor_, content.data() + done, content.size() - done,
                                static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(std::strerror(errno));
    if (got == 0) fail("became shorter while it was read: is another program writing it?");
    done += static_cast<size_t>(got);
  }
  return content;
}

std::span<const std::byte> SafetensorsMapping::view(uint64_t offset, uint64_t count) const {
  if (count == 0) return {};
  const auto now = static_cast<uint64_t>(status_of(descriptor_).st_size);
  if (now < size_) {
    fail(fmt::format("was {} bytes when opened and is {} now: is another program writing it?",
                     size_, now));
  }
  return {static_cast<const std::byte*>(bytes_) + offset, count};
}

}  // namespace headroom
