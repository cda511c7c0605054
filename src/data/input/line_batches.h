// Lines in batches of what has arrived: a file gives full ones, and whoever writes line by line
// gets each of them read at once. Which bytes of the input count, for work that is split or goes
// on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "data/input/input_stream.h"
#include "data/input/line_reader.h"

namespace headroom {

struct InputLine {
  std::string text;
  int64_t number = 0;  // from 1, counted from where reading began
  uint64_t begin = 0;  // first byte, as InputStream::offset() counts; of a row, rows before it
  std::optional<std::string> pair = {};  // of a row: the second text
};

// Lines whose first byte is in [begin, end).
struct LineRange {
  uint64_t begin = 0;
  uint64_t end = std::numeric_limits<uint64_t>::max();
};

// The `index`-th (from 1) of `count` ranges of `size` bytes that are equal but for a byte.
LineRange shard_range(uint64_t size, uint64_t index, uint64_t count);

// Goes forward to `begin`, where a line must begin: ErrorCode::usage otherwise.
void start_at_line(InputStream& input, uint64_t begin);

// Goes forward to the first line that begins at `begin` or later.
void start_within(InputStream& input, uint64_t begin);

struct BatchLimits {
  size_t lines = 256;
  size_t bytes = size_t{1} << 20;  // reached, not kept below: a line may be longer
};

class LineBatches {
 public:
  // Reads from where `input` is, lines that begin before `end`.
  LineBatches(InputStream& input, uint64_t end, BatchLimits limits);

  // Waits for a line, then takes those that are there. False at the end. What is wrong with the
  // input behind lines that could be read is thrown after they were handed over.
  bool next(std::vector<InputLine>& batch);

 private:
  bool read_line(std::vector<InputLine>& batch);

  InputStream& input_;
  LineReader reader_;
  uint64_t end_;
  BatchLimits limits_;
  std::exception_ptr failure_;
};

}  // namespace headroom
