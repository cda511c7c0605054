// Bytes of a file, plain or gzip (told apart by the first bytes, whatever the name says), read in
// blocks so that a large file never has to fit in memory. "-" is standard input.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace headroom {

class InputStream {
 public:
  // Throws ErrorCode::bad_data when the file is missing, unreadable or a directory.
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

  std::string name_;
  int descriptor_ = -1;
  bool owns_descriptor_ = false;
  bool at_end_ = false;
  std::unique_ptr<char[]> block_;
  size_t begin_ = 0;  // unread bytes are block_[begin_, end_)
  size_t end_ = 0;
  std::unique_ptr<Inflater> inflater_;  // only for gzip input, as is the next
  std::unique_ptr<char[]> compressed_start_;
};

}  // namespace headroom
