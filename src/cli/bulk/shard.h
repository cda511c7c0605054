// One of several equal parts of a file of lines: which lines are in it, and what proves that they
// still are what they were.
#pragma once

#include <cstdint>
#include <string>

#include "checkpoint/tensors/checksum.h"
#include "cli/inputs/inputs.h"
#include "data/input/line_batches.h"

namespace headroom {

// The `index`-th of `count`, from 1.
struct Shard {
  uint64_t index = 1;
  uint64_t count = 1;

  std::string name() const;  // "3/16"
};

// "3/16"; throws ErrorCode::usage for what is no shard.
Shard parse_shard(const std::string& text);

// Goes to the shard's first line; returns its bytes, in which its lines begin. Throws
// ErrorCode::usage for a file that cannot be entered in the middle.
LineRange enter_shard(InputStream& input, const Shard& shard);

struct ShardInput {
  uint64_t begin = 0;  // the first line's first byte
  uint64_t end = 0;    // the first byte behind the last line
  int64_t rows = 0;    // lines; of JSON lines those that are not blank
  std::string digest;  // XXH64 of its bytes

  bool operator==(const ShardInput&) const = default;
};

// Reads the shard's lines; of neighbours `end` and `begin` meet. `whole`, if given, is told the
// bytes too.
ShardInput read_shard_input(const TextInput& input, const Shard& shard, Xxh64* whole = nullptr);

}  // namespace headroom
