// Records of delimited text. CSV follows RFC 4180: fields may be quoted, a doubled quote stands for
// one, newlines inside quotes belong to the field; a backslash is an ordinary character; a file
// whose records agree on semicolons or tabs rather than on commas is separated by those. TSV has no
// quoting at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/input/input_stream.h"

namespace headroom {

enum class DelimitedFormat { csv, tsv };

class DelimitedReader {
 public:
  // Far above any text row; without it one forgotten quote would swallow the rest of the file.
  static constexpr size_t max_record_bytes = size_t{16} << 20;

  DelimitedReader(InputStream& input, DelimitedFormat format, size_t limit = max_record_bytes);

  // Reads the next record that is not an empty line; false at the end. Throws ErrorCode::bad_data
  // naming file and line for malformed quoting, a NUL, a record above the limit, or one with
  // another number of fields than the first.
  bool next(std::vector<std::string>& fields);

  int64_t line() const { return record_line_; }  // where the last record began, from 1

 private:
  enum class State {
    field_start,
    unquoted,
    quoted,
    quote_in_quoted,     // the closing quote, or the first of a doubled one
    return_after_quote,  // CR after a closing quote: only LF may follow
    record_done,
  };

  void start();
  bool read_record();
  void step(char c);
  void start_field();
  void end_record();
  bool ends_field(char c);
  [[noreturn]] void fail_after_quote() const;
  [[noreturn]] void fail(int64_t line, std::string_view message) const;

  InputStream& input_;
  char delimiter_;
  bool quoting_;
  size_t limit_;
  State state_ = State::field_start;
  std::vector<std::string> fields_;  // reused: the first field_count_ are the current record's
  size_t field_count_ = 0;
  bool was_quoted_ = false;     // some field of the current record
  int64_t quote_line_ = 0;      // where the last quoted field began
  size_t expected_fields_ = 0;  // 0 until the first record is read
  size_t record_bytes_ = 0;
  int64_t record_line_ = 0;
  int64_t line_ = 1;  // where the next byte is
};

}  // namespace headroom
