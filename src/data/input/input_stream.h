// Bytes of a file, plain or gzip (told apart by the first bytes, whatever the name says), read in
// blocks so that a large file never has to fit in memory. "-" is standard input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace headroom {

class InputStream {
 public:
  // Throws ErrorCode::usage when there is no such file, bad_data when it is unreadable or a
  // directory.
  explicit InputStream(const std::filesystem::path& path);
  ~InputStream();
  InputStream(const InputStream&) = delete;
  InputStream& operator=(const InputStream&) = delete;

  // Unread bytes: `least` of them (a few at most), fewer only when the input ends before. A gzip
  // stream that is damaged or ends early throws ErrorCode::bad_data.
  std::string_view peek(size_t least = 1);
  void consume(size_t bytes);  // at most peek().size()

  // Reads exactly `size` bytes unless the input ends first; returns how many.
  size_t read(char* target, size_t size);

  // Leaves out the next `bytes`, of a plain file without reading them. False when the input ends
  // before.
  bool skip(uint64_t bytes);

  // Whether a whole line, or the end, can be had without waiting for whoever writes the input.
  bool line_arrived();

  uint64_t offset() const { return offset_; }  // bytes consumed or skipped, uncompressed
  bool compressed() const { return inflater_ != nullptr; }

  // As it lies on disk, compressed or not: the size, where the input is a file, and how much of it
  // the bytes consumed so far are.
  std::optional<uint64_t> stored_size() const { return stored_size_; }
  uint64_t stored_offset() const;

  const std::string& name() const { return name_; }  // the path, or "standard input"

  // Throws ErrorCode::bad_data "read NAME: MESSAGE".
  [[noreturn]] void fail(const std::string& message) const;

 private:
  struct Inflater;

  size_t read_raw(char* target, size_t size);
  void start_inflating();
  bool feed_inflater();
  bool start_next_member();
  void refill();
  void refill_inflated();
  bool may_refill() const;

  std::string name_;
  int descriptor_ = -1;
  bool owns_descriptor_ = false;
  bool at_end_ = false;
  uint64_t offset_ = 0;
  uint64_t raw_bytes_ = 0;  // read from the descriptor, or skipped there
  std::optional<uint64_t> stored_size_;
  std::unique_ptr<char[]> block_;
  size_t begin_ = 0;  // unread bytes are block_[begin_, end_)
  size_t end_ = 0;
  std::unique_ptr<Inflater> inflater_;  // only for gzip input, as is the next
  std::unique_ptr<char[]> compressed_start_;
};

}  // namespace headroom
