#include "data/input/input_stream.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/interrupt.h"

namespace headroom {
namespace {

constexpr size_t block_bytes = size_t{256} << 10;

}  // namespace

// The gzip half: compressed bytes wait in `raw` for zlib to take them.
struct InputStream::Inflater {
  Inflater() {
    constexpr int gzip_only = 15 + 16;  // the largest window, and a gzip header is required
    if (inflateInit2(&stream, gzip_only) != Z_OK) {
      throw Error(ErrorCode::runtime, "read gzip", "zlib could not start: out of memory?");
    }
  }
  ~Inflater() { inflateEnd(&stream); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  z_stream stream = {};
  std::array<char, block_bytes / 4> raw = {};
  bool between_members = false;  // one member is complete, another may follow
};

InputStream::InputStream(const std::filesystem::path& path)
    : name_(path == "-" ? "standard input" : path.string()),
      descriptor_(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)),
      owns_descriptor_(path != "-"),
      block_(std::make_unique<char[]>(block_bytes)) {
  if (descriptor_ < 0) {
    const ErrorCode code = errno == ENOENT ? ErrorCode::usage : ErrorCode::bad_data;
    throw Error(code, "read data", fmt::format("{}: {}", name_, std::strerror(errno)));
  }
  try {
    struct stat status = {};
    if (::fstat(descriptor_, &status) != 0) fail(std::strerror(errno));
    if (S_ISDIR(status.st_mode)) fail("is a directory, a file was expected");
    // The system's own files under /proc have content and no size.
    if (S_ISREG(status.st_mode) && status.st_size > 0) {
      stored_size_ = static_cast<uint64_t>(status.st_size);
    }
    // A pipe may hand over one byte at a time; only gzip's first one is worth waiting for another.
    while (end_ == 0 || (end_ == 1 && block_[0] == '\x1f')) {
      const size_t got = read_raw(block_.get() + end_, block_bytes - end_);
      if (got == 0) break;
      end_ += got;
    }
    if (end_ >= 2 && block_[0] == '\x1f' && block_[1] == '\x8b') start_inflating();
  } catch (...) {
    if (owns_descriptor_) ::close(descriptor_);  // a constructor that throws gets no destructor
    throw;
  }
}

InputStream::~InputStream() {
  if (owns_descriptor_) ::close(descriptor_);
}

void InputStream::start_inflating() {
  inflater_ = std::make_unique<Inflater>();
  compressed_start_ = std::move(block_);  // the block already read is zlib's first input
  inflater_->stream.next_in = reinterpret_cast<Bytef*>(compressed_start_.get());
  inflater_->stream.avail_in = static_cast<uInt>(end_);
  block_ = std::make_unique<char[]>(block_bytes);
  end_ = 0;
}

void InputStream::fail(const std::string& message) const {
  throw Error(ErrorCode::bad_data, "read data", fmt::format("{}: {}", name_, message));
}

size_t InputStream::read_raw(char* target, size_t size) {
  while (true) {
    if (!wait_for_input(descriptor_)) throw Error(ErrorCode::interrupted, "read data", "stopped");
    const ssize_t got = ::read(descriptor_, target, size);
    if (got >= 0) {
      raw_bytes_ += static_cast<uint64_t>(got);
      return static_cast<size_t>(got);
    }
    if (errno != EINTR) fail(std::strerror(errno));
  }
}

// Makes sure that zlib has input; false at the end of the file.
bool InputStream::feed_inflater() {
  z_stream& stream = inflater_->stream;
  if (stream.avail_in > 0) return true;
  const size_t got = read_raw(inflater_->raw.data(), inflater_->raw.size());
  stream.next_in = reinterpret_cast<Bytef*>(inflater_->raw.data());
  stream.avail_in = static_cast<uInt>(got);
  return got > 0;
}

// After a complete member: skips zero padding (tapes and some tools add it) and says whether
// another member follows.
bool InputStream::start_next_member() {
  z_stream& stream = inflater_->stream;
  while (feed_inflater()) {
    if (*stream.next_in != 0) {
      if (inflateReset(&stream) != Z_OK) fail("zlib could not be reset");
      inflater_->between_members = false;
      return true;
    }
    ++stream.next_in;
    --stream.avail_in;
  }
  return false;
}

// Appends at least one byte to the block, unless the input is at its end.
void InputStream::refill_inflated() {
  z_stream& stream = inflater_->stream;
  const size_t before = end_;
  while (end_ == before) {
    if (inflater_->between_members && !start_next_member()) return;
    if (!feed_inflater()) fail("the gzip data ends early; an incomplete download?");
    stream.next_out = reinterpret_cast<Bytef*>(block_.get() + end_);
    stream.avail_out = static_cast<uInt>(block_bytes - end_);
    const int status = inflate(&stream, Z_NO_FLUSH);
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
      fail(fmt::format("the gzip data is damaged ({})",
                       stream.msg != nullptr ? stream.msg : "zlib gives no reason"));
    }
    end_ = block_bytes - stream.avail_out;
    inflater_->between_members = status == Z_STREAM_END;
  }
}

void InputStream::refill() {
  std::memmove(block_.get(), block_.get() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  const size_t before = end_;
  if (inflater_ != nullptr) {
    refill_inflated();
  } else {
    end_ += read_raw(block_.get() + end_, block_bytes - end_);
  }
  at_end_ = end_ == before;
}

std::string_view InputStream::peek(size_t least) {
  while (end_ - begin_ < least && !at_end_) refill();
  return {block_.get() + begin_, end_ - begin_};
}

void InputStream::consume(size_t bytes) {
  const size_t taken = std::min(bytes, end_ - begin_);
  begin_ += taken;
  offset_ += taken;
}

bool InputStream::skip(uint64_t bytes) {
  const uint64_t there = std::min<uint64_t>(bytes, end_ - begin_);
  consume(there);
  bytes -= there;
  if (bytes > 0 && stored_size_ && !compressed()) {
    const off_t position = ::lseek(descriptor_, 0, SEEK_CUR);
    if (position < 0) fail(std::strerror(errno));
    if (*stored_size_ < static_cast<uint64_t>(position) + bytes) return false;
    if (::lseek(descriptor_, static_cast<off_t>(bytes), SEEK_CUR) < 0) fail(std::strerror(errno));
    offset_ += bytes;
    raw_bytes_ += bytes;
    return true;
  }
  while (bytes > 0) {
    const std::string_view some = peek();
    if (some.empty()) return false;
    const uint64_t taken = std::min<uint64_t>(bytes, some.size());
    consume(taken);
    bytes -= taken;
  }
  return true;
}

// Whether refill() would come back at once. Compressed bytes that arrived may be too few for a
// single byte of text, so of a compressed pipe nobody can tell.
bool InputStream::may_refill() const {
  if (stored_size_) return true;
  if (compressed()) return false;
  pollfd waiting = {descriptor_, POLLIN, 0};
  return ::poll(&waiting, 1, 0) > 0;
}

bool InputStream::line_arrived() {
  while (std::memchr(block_.get() + begin_, '\n', end_ - begin_) == nullptr) {
    if (at_end_) return true;
    if (end_ - begin_ == block_bytes || !may_refill()) return false;
    refill();
  }
  return true;
}

uint64_t InputStream::stored_offset() const {
  return raw_bytes_ - (compressed() ? inflater_->stream.avail_in : end_ - begin_);
}

size_t InputStream::read(char* target, size_t size) {
  size_t done = 0;
  while (done < size) {
    const std::string_view some = peek();
    if (some.empty()) break;
    const size_t take = std::min(some.size(), size - done);
    std::memcpy(target + done, some.data(), take);
    consume(take);
    done += take;
  }
  return done;
}

}  // namespace headroom
