// Lines of text, one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "data/input/input_stream.h"

namespace headroom {

// Lines of a stream, without their LF or CRLF; a last line without an end counts. A UTF-8
// byte-order mark at the start of the input is dropped.
class LineReader {
 public:
  static constexpr size_t max_line_bytes = size_t{64} << 20;

  explicit LineReader(InputStream& input, size_t limit = max_line_bytes);

  // False at the end. A line longer than the limit throws ErrorCode::bad_data.
  bool next(std::string& line);
  int64_t line_number() const { return line_number_; }  // of the last line, from 1

 private:
  InputStream& input_;
  size_t limit_;
  int64_t line_number_ = 0;
};

}  // namespace headroom
