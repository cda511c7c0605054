#include "cli/bulk/shard.h"

#include <fmt/format.h>

#include <charconv>
#include <span>
#include <string_view>

#include "base/error.h"
#include "checkpoint/config.h"
#include "data/formats/json_lines.h"

namespace headroom {

std::string Shard::name() const {
  return fmt::format("{}/{}", index, count);
}

Shard parse_shard(const std::string& text) {
  const auto number = [](const char* begin, const char* end, uint64_t& value) {
    const auto [stop, error] = std::from_chars(begin, end, value);
    return error == std::errc() && stop == end;
  };
  Shard shard;
  const char* const end = text.data() + text.size();
  const size_t slash = text.find('/');
  if (slash == std::string::npos || !number(text.data(), text.data() + slash, shard.index) ||
      !number(text.data() + slash + 1, end, shard.count) || shard.index < 1 ||
      shard.index > shard.count) {
    throw Error(ErrorCode::usage, "read options",
                fmt::format("--shard \"{}\" is not a part of a whole such as 1/16 to 16/16", text));
  }
  return shard;
}

LineRange enter_shard(InputStream& input, const Shard& shard) {
  if (input.peek().empty()) return {0, 0};
  if (input.compressed() || !input.stored_size()) {
    throw Error(ErrorCode::usage, "predict",
                fmt::format("--shard needs a plain file, and {} is {}: every shard would have to "
                            "read it from the beginning",
                            input.name(), input.compressed() ? "compressed" : "a pipe"));
  }
  const LineRange range = shard_range(*input.stored_size(), shard.index, shard.count);
  start_within(input, range.begin);
  return range;
}

ShardInput read_shard_input(const TextInput& input, const Shard& shard, Xxh64* whole) {
  ShardInput read;
  {
    InputStream stream(input.path);
    const LineRange range = enter_shard(stream, shard);
    read.begin = stream.offset();
    LineReader lines(stream);
    for (std::string line; stream.offset() < range.end && lines.next(line);) {
      read.rows += input.kind == InputKind::lines || !is_blank(line) ? 1 : 0;
    }
    read.end = stream.offset();
  }
  Xxh64 digest;
  InputStream bytes(input.path);
  bytes.skip(read.begin);
  while (bytes.offset() < read.end) {
    const std::string_view block = bytes.peek().substr(0, read.end - bytes.offset());
    if (block.empty()) bytes.fail("ends earlier than a moment ago: is it being written?");
    digest.update(std::as_bytes(std::span(block)));
    if (whole != nullptr) whole->update(std::as_bytes(std::span(block)));
    bytes.consume(block.size());
  }
  read.digest = checksum_text(digest.digest());
  return read;
}

}  // namespace headroom
