#include "base/files/locked_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace headroom {

LockedFile::LockedFile(const std::filesystem::path& path, const std::string& operation)
    : descriptor_(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644)) {
  const auto refuse = [&](ErrorCode code, const char* fact) {
    const Error error(code, operation, fmt::format("{}{}", path.string(), fact));
    if (descriptor_ >= 0) ::close(descriptor_);
    throw error;
  };
  struct stat status = {};
  if (descriptor_ < 0 || ::fstat(descriptor_, &status) != 0) {
    const std::string reason = fmt::format(": {}", std::strerror(errno));
    refuse(ErrorCode::runtime, reason.c_str());
  }
  if (!S_ISREG(status.st_mode)) refuse(ErrorCode::usage, " is no ordinary file; --out needs one");
  // Some network file systems have no locks; there nobody can tell.
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    refuse(ErrorCode::usage, " is being written by another run");
  }
}

LockedFile::~LockedFile() {
  ::close(descriptor_);
}

uint64_t LockedFile::size() const {
  struct stat status = {};
  return ::fstat(descriptor_, &status) == 0 ? static_cast<uint64_t>(status.st_size) : 0;
}

}  // namespace headroom
