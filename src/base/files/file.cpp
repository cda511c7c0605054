#include "base/files/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <ftw.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>
#include <utility>

namespace headroom {
namespace fs = std::filesystem;
namespace {

class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return value_; }

 private:
  int value_;
};

[[noreturn]] void fail_write(const fs::path& path, int error) {
  throw Error(ErrorCode::runtime, "write file",
              fmt::format("{}: {}", path.string(), std::strerror(error)));
}

// A name beside `target` that nobody can guess.
fs::path sibling(const fs::path& target, std::string_view suffix) {
  uint64_t random = 0;
  if (::getentropy(&random, sizeof(random)) != 0) fail_write(target, errno);
  return target.parent_path() /
         fmt::format(".{}.{}-{:016x}", target.filename().string(), suffix, random);
}

fs::path parent_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

}  // namespace

std::string read_file(const fs::path& path, ErrorCode code, uint64_t limit, Links links) {
  const auto fail = [&](std::string_view why) {
    throw Error(code, "read file", fmt::format("{}: {}", path.string(), why));
  };
  // Without O_NONBLOCK opening a named pipe would wait for a writer.
  const int follow = links == Links::refuse ? O_NOFOLLOW : 0;
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | follow));
  if (file.get() < 0 && errno == ELOOP && links == Links::refuse) fail(refused_link);
  if (file.get() < 0) fail(std::strerror(errno));
  struct stat status = {};
  if (::fstat(file.get(), &status) != 0) fail(std::strerror(errno));
  if (S_ISDIR(status.st_mode)) fail("is a directory, a file was expected");
  if (!S_ISREG(status.st_mode)) fail("is not a regular file");
  if (static_cast<uint64_t>(status.st_size) > limit) {
    fail(fmt::format("is {} bytes, more than the limit of {}", status.st_size, limit));
  }
  std::string content(static_cast<size_t>(status.st_size), '\0');
  size_t done = 0;
  while (done < content.size()) {
    const ssize_t got = ::read(file.get(), content.data() + done, content.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(std::strerror(errno));
    if (got == 0) break;  // shrank while we read: keep what is there
    done += static_cast<size_t>(got);
  }
  content.resize(done);
  return content;
}

std::string folder_name(const std::filesystem::path& folder) {
  const std::filesystem::path whole = std::filesystem::absolute(folder).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

void write_all(int descriptor, std::string_view content, const fs::path& path) {
  while (!content.empty()) {
    const ssize_t put = ::write(descriptor, content.data(), content.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail_write(path, errno);
    content.remove_prefix(static_cast<size_t>(put));
  }
}

void remove_tree(const fs::path& path) {
  constexpr int open_folders = 16;
  ::nftw(
      path.c_str(),
      [](const char* name, const struct stat*, int, struct FTW*) {
        std::remove(name);
        return 0;
      },
      open_folders, FTW_DEPTH | FTW_PHYS);
}

void sync_path(const fs::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) fail_write(path, errno);
  // Some file systems cannot sync directories and say EINVAL: nothing better is possible there.
  if (::fsync(file.get()) != 0 && errno != EINVAL) fail_write(path, errno);
}

TemporaryFile::TemporaryFile(fs::path target)
    : target_(std::move(target)), path_(sibling(target_, "tmp")) {
  constexpr int fresh = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  descriptor_ = ::open(path_.c_str(), fresh, 0644);
  if (descriptor_ < 0) fail_write(target_, errno);
}

TemporaryFile::~TemporaryFile() {
  ::close(descriptor_);
  if (!committed_) ::unlink(path_.c_str());
}

void TemporaryFile::append(std::string_view content) const {
  write_all(descriptor_, content, target_);
}

void TemporaryFile::commit() {
  if (::fsync(descriptor_) != 0) fail_write(target_, errno);
  if (::rename(path_.c_str(), target_.c_str()) != 0) fail_write(target_, errno);
  committed_ = true;
  sync_path(parent_of(target_));
}

void write_file_atomically(const fs::path& path, std::string_view content) {
  TemporaryFile file(path);
  file.append(content);
  file.commit();
}

StagedDirectory::StagedDirectory(fs::path target)
    : target_(target.has_filename() ? std::move(target) : target.parent_path()),
      staging_(sibling(target_, "staging")) {
  std::error_code error;
  fs::create_directories(parent_of(staging_), error);
  // A folder or a link of this name is an error, not used.
  if (!error && ::mkdir(staging_.c_str(), 0777) != 0) error.assign(errno, std::generic_category());
  if (error) {
    throw Error(ErrorCode::runtime, "create directory",
                fmt::format("{}: {}", target_.string(), error.message()));
  }
}

StagedDirectory::~StagedDirectory() {
  if (!committed_) remove_tree(staging_);
}

void StagedDirectory::commit() {
  for (const auto& entry : fs::directory_iterator(staging_)) sync_path(entry.path());
  sync_path(staging_);
  if (!fs::exists(target_)) {
    if (::rename(staging_.c_str(), target_.c_str()) != 0) fail_write(target_, errno);
  } else {
    // RENAME_EXCHANGE (2) swaps old and new in one step, so a complete directory is always there.
    if (::syscall(SYS_renameat2, AT_FDCWD, staging_.c_str(), AT_FDCWD, target_.c_str(), 2U) != 0) {
      const fs::path aside = sibling(target_, "old");
      if (::rename(target_.c_str(), aside.c_str()) != 0) fail_write(target_, errno);
      if (::rename(staging_.c_str(), target_.c_str()) != 0) fail_write(target_, errno);
      staging_ = aside;
    }
    remove_tree(staging_);  // the former content
  }
  committed_ = true;
  sync_path(parent_of(target_));
}

}  // namespace headroom
