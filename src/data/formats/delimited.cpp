#include "data/formats/delimited.h"

#include <fmt/format.h>

#include <array>

namespace headroom {
namespace {

// How often each separator stands in a record, if it is as often in every record.
class SeparatorCount {
 public:
  explicit SeparatorCount(char separator) : separator_(separator) {}

  void see(char c) { count_ += c == separator_ ? 1 : 0; }
  void end_record() {
    if (records_++ == 0) first_ = count_;
    same_ = same_ && count_ == first_;
    count_ = 0;
  }
  bool agrees() const { return records_ > 0 && same_ && first_ > 0; }
  char separator() const { return separator_; }

 private:
  char separator_;
  int64_t count_ = 0;
  int64_t first_ = 0;
  int64_t records_ = 0;
  bool same_ = true;
};

// The separator on which the records of `block`, the start of a file, agree. A comma otherwise.
char find_separator(std::string_view block) {
  std::array<SeparatorCount, 3> counts = {SeparatorCount(','), SeparatorCount(';'),
                                          SeparatorCount('\t')};
  bool quoted = false;
  bool empty = true;
  for (const char c : block) {
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '\n') {
      for (SeparatorCount& count : counts) {
        if (!empty) count.end_record();
      }
    }
    empty = c == '\n' || (empty && c == '\r');
    for (SeparatorCount& count : counts) count.see(c);
  }
  for (SeparatorCount& count : counts) {
    if (block.find('\n') == std::string_view::npos) count.end_record();
    if (count.agrees()) return count.separator();
  }
  return ',';
}

}  // namespace

DelimitedReader::DelimitedReader(InputStream& input, DelimitedFormat format, size_t limit)
    : input_(input),
      delimiter_(format == DelimitedFormat::csv ? ',' : '\t'),
      quoting_(format == DelimitedFormat::csv),
      limit_(limit) {}

void DelimitedReader::fail(int64_t line, std::string_view message) const {
  input_.fail(fmt::format("line {}: {}", line, message));
}

void DelimitedReader::fail_after_quote() const {
  fail(line_, "text follows a closing quote; a quote inside a field must be doubled");
}

void DelimitedReader::start() {
  if (input_.peek(3).starts_with("\xEF\xBB\xBF")) input_.consume(3);
  if (quoting_) delimiter_ = find_separator(input_.peek());
}

bool DelimitedReader::next(std::vector<std::string>& fields) {
  if (record_line_ == 0) start();
  do {
    if (!read_record()) return false;
  } while (field_count_ == 1 && fields_[0].empty() && !was_quoted_);  // an empty line
  if (expected_fields_ == 0) expected_fields_ = field_count_;
  if (field_count_ != expected_fields_) {
    fail(record_line_, fmt::format("expected {} columns as in the first record, found {}",
                                   expected_fields_, field_count_));
  }
  fields.resize(field_count_);
  for (size_t i = 0; i < field_count_; ++i) fields[i].assign(fields_[i]);
  return true;
}

bool DelimitedReader::read_record() {
  std::string_view block = input_.peek();
  if (block.empty()) return false;
  record_line_ = line_;
  record_bytes_ = 0;
  field_count_ = 0;
  was_quoted_ = false;
  start_field();
  while (state_ != State::record_done && !block.empty()) {
    size_t used = 0;
    while (used < block.size() && state_ != State::record_done) step(block[used++]);
    record_bytes_ += used;
    if (record_bytes_ > limit_) {
      fail(record_line_,
           fmt::format("the record is longer than {} bytes; is a closing quote missing?", limit_));
    }
    input_.consume(used);
    block = input_.peek();
  }
  if (state_ == State::quoted) {
    fail(quote_line_, "a quoted field is not closed before the end of the file");
  }
  if (state_ != State::record_done) end_record();  // a last line without its newline
  return true;
}

void DelimitedReader::start_field() {
  state_ = State::field_start;
  if (fields_.size() == field_count_) fields_.emplace_back();
  fields_[field_count_++].clear();
}

void DelimitedReader::end_record() {
  std::string& field = fields_[field_count_ - 1];
  if (state_ == State::unquoted && field.ends_with('\r')) field.pop_back();
  state_ = State::record_done;
}

// Ends the field at a delimiter or a newline; true when `c` was one.
bool DelimitedReader::ends_field(char c) {
  if (c == delimiter_) {
    start_field();
    return true;
  }
  if (c != '\n') return false;
  end_record();
  return true;
}

void DelimitedReader::step(char c) {
  std::string& field = fields_[field_count_ - 1];
  if (c == '\0') fail(line_, "a NUL byte; is this a text file, perhaps in UTF-16?");
  switch (state_) {
    case State::quoted:
      if (c == '"') {
        state_ = State::quote_in_quoted;
      } else {
        field.push_back(c);
      }
      break;
    case State::quote_in_quoted:
      if (c == '"') {  // a doubled quote
        field.push_back(c);
        state_ = State::quoted;
      } else if (c == '\r') {
        state_ = State::return_after_quote;
      } else if (!ends_field(c)) {
        fail_after_quote();
      }
      break;
    case State::return_after_quote:
      if (c != '\n') fail_after_quote();
      end_record();
      break;
    case State::field_start:
      if (quoting_ && c == '"') {
        state_ = State::quoted;
        quote_line_ = line_;
        was_quoted_ = true;
        break;
      }
      state_ = State::unquoted;
      [[fallthrough]];
    case State::unquoted:
      if (ends_field(c)) break;
      if (quoting_ && c == '"') {
        fail(line_, "a quote inside an unquoted field; quote the field and double the quote");
      }
      field.push_back(c);
      break;
    case State::record_done:
      break;
  }
  if (c == '\n') ++line_;
}

}  // namespace headroom
