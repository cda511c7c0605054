// Walks through a tar archive (ustar, GNU long names, pax paths) from front to back. Nothing is
// ever written to disk, so names are reported as they are, however odd.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "data/input/input_stream.h"

namespace headroom {

enum class TarEntryKind { file, directory, other };

struct TarEntry {
  std::string name;
  TarEntryKind kind = TarEntryKind::other;
  uint64_t size = 0;  // bytes of content
};

class TarReader {
 public:
  static constexpr uint64_t max_content_bytes = uint64_t{64} << 20;

  explicit TarReader(InputStream& input);

  // Moves to the next entry, skipping what was left of the last; false at the end of the archive.
  // Throws ErrorCode::bad_data for a bad checksum, a bad size or an archive that ends early.
  bool next(TarEntry& entry);

  // The content of the entry that next() returned; at most once an entry.
  std::string read_content(uint64_t limit = max_content_bytes);

 private:
  static constexpr size_t block_bytes = 512;

  struct Header {
    std::string name;
    char type = 0;
  };
  struct Overrides {  // what a GNU or pax entry says about the one after it
    std::optional<std::string> name;
    std::optional<uint64_t> size;
  };

  bool read_header(Header& header);
  void read_pax(std::string_view records, Overrides& overrides) const;
  void set_size(uint64_t size);
  void skip_rest();
  [[noreturn]] void fail_truncated() const;
  [[noreturn]] void fail(std::string_view message) const;

  InputStream& input_;
  std::string current_;        // for messages: the entry being read
  uint64_t content_left_ = 0;  // unread bytes of the current entry's content
  uint64_t padding_left_ = 0;  // and of the zeros that fill its last block
  bool any_entry_ = false;
};

}  // namespace headroom
