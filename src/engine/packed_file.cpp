#include "engine/packed_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/files/file.h"
#include "checkpoint/tensors/checksum.h"

namespace headroom {
namespace {

constexpr size_t header_page = 4096;  // so that what follows begins with a page
constexpr std::array<char, 8> magic = {'h', 'r', 'p', 'a', 'c', 'k', 'e', 'd'};

// The first bytes of the file. Compared as a whole, never interpreted, but for the checksum.
struct Header {
  std::array<char, 8> kind = magic;
  uint64_t format = packed_format;
  PackedIdentity identity;
  uint64_t bytes = 0;     // behind the header's page
  uint64_t checksum = 0;  // XXH64 of them
};
static_assert(sizeof(Header) <= header_page && std::is_trivially_copyable_v<Header>);

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

PackedFile::PackedFile(std::filesystem::path path, const PackedIdentity& identity)
    : path_(std::move(path)) {
  map();
  try {
    check(identity);
  } catch (...) {
    ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
    throw;
  }
}

PackedFile::PackedFile(PackedFile&& other) noexcept
    : path_(std::move(other.path_)), bytes_(std::exchange(other.bytes_, {})) {}

PackedFile& PackedFile::operator=(PackedFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

PackedFile::~PackedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

void PackedFile::fail(const std::string& fact) const {
  throw Error(ErrorCode::bad_model, "map packed weights",
              fmt::format("{} {}", path_.string(), fact));
}

void PackedFile::map() {
  // Without O_NONBLOCK opening a named pipe would wait for a writer.
  const int file = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  if (file < 0) fail(fmt::format("cannot be opened: {}", std::strerror(errno)));
  struct stat status = {};
  const bool known = ::fstat(file, &status) == 0;
  const auto size = static_cast<size_t>(status.st_size);
  const bool regular = known && S_ISREG(status.st_mode);
  const bool trusted = (status.st_uid == ::geteuid() || status.st_uid == 0) &&
                       (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
  void* mapped = MAP_FAILED;
  int error = 0;
  if (regular && trusted && size > header_page) {
    mapped = ::mmap(nullptr, size, PROT_READ, MAP_SHARED | MAP_POPULATE, file, 0);
    error = errno;
  }
  ::close(file);
  if (!regular) fail("is not a regular file");
  if (!trusted) fail("can be written by others than you");
  if (size <= header_page) fail(fmt::format("is {} bytes, less than a header", size));
  if (mapped == MAP_FAILED) fail(fmt::format("cannot be mapped: {}", std::strerror(error)));
  bytes_ = {static_cast<const std::byte*>(mapped), size};
}

void PackedFile::check(const PackedIdentity& identity) const {
  Header found;
  std::memcpy(&found, bytes_.data(), sizeof(found));
  if (found.kind != magic) fail("is not a file of packed weights");
  if (found.format != packed_format) {
    fail(fmt::format("has format {}, this version packs {}", found.format, packed_format));
  }
  if (found.identity.settings != identity.settings) {
    fail("was packed by another version or for another config.json");
  }
  if (found.identity != identity) fail("was packed before model.safetensors was last changed");
  if (found.bytes != content().size()) {
    fail(fmt::format("holds {} bytes of weights, its header says {}", content().size(),
                     found.bytes));
  }
  Xxh64 hash;
  hash.update(content());
  if (hash.digest() != found.checksum) fail("is damaged: its checksum is another");
}

std::span<const std::byte> PackedFile::content() const {
  return bytes_.subspan(header_page);
}

void write_packed_file(const std::filesystem::path& path, const PackedIdentity& identity,
                       std::span<const std::span<const std::byte>> content) {
  Header header;
  header.identity = identity;
  Xxh64 hash;
  for (const std::span<const std::byte> piece : content) {
    header.bytes += piece.size();
    hash.update(piece);
  }
  header.checksum = hash.digest();
  std::array<std::byte, header_page> page = {};
  std::memcpy(page.data(), &header, sizeof(header));
  TemporaryFile file(path);
  file.append(as_text(page));
  for (const std::span<const std::byte> piece : content) file.append(as_text(piece));
  file.commit();
}

}  // namespace headroom
