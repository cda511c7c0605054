#include "data/input/line_batches.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/error.h"

namespace headroom {
namespace {

// Goes to the byte before `begin`, which tells whether a line begins there.
void skip_to_before(InputStream& input, uint64_t begin) {
  if (input.skip(begin - 1 - input.offset())) return;
  throw Error(ErrorCode::usage, "read data",
              fmt::format("{} ends before byte {}: another file, or one that was cut?",
                          input.name(), begin));
}

}  // namespace

LineRange shard_range(uint64_t size, uint64_t index, uint64_t count) {
  const auto begin = [&](uint64_t shard) {
    return size / count * shard + std::min(shard, size % count);
  };
  return {begin(index - 1), begin(index)};
}

void start_at_line(InputStream& input, uint64_t begin) {
  if (begin == input.offset()) return;
  skip_to_before(input, begin);
  const std::string_view before = input.peek();
  if (!before.starts_with('\n')) {
    throw Error(ErrorCode::usage, "read data",
                fmt::format("no line of {} begins at byte {}: the byte before is no line end",
                            input.name(), begin));
  }
  input.consume(1);
}

void start_within(InputStream& input, uint64_t begin) {
  if (begin == input.offset()) return;
  skip_to_before(input, begin);
  for (std::string_view block = input.peek(); !block.empty(); block = input.peek()) {
    const size_t end = block.find('\n');
    input.consume(std::min(end, block.size() - 1) + 1);
    if (end != std::string_view::npos) return;
  }
}

LineBatches::LineBatches(InputStream& input, uint64_t end, BatchLimits limits)
    : input_(input), reader_(input), end_(end), limits_(limits) {}

bool LineBatches::read_line(std::vector<InputLine>& batch) {
  InputLine line;
  line.begin = input_.offset();
  if (line.begin >= end_ || !reader_.next(line.text)) return false;
  line.number = reader_.line_number();
  batch.push_back(std::move(line));
  return true;
}

bool LineBatches::next(std::vector<InputLine>& batch) {
  batch.clear();
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  if (!read_line(batch)) return false;
  size_t bytes = batch.back().text.size();
  try {
    while (batch.size() < limits_.lines && bytes < limits_.bytes && input_.line_arrived() &&
           read_line(batch)) {
      bytes += batch.back().text.size();
    }
  } catch (...) {
    failure_ = std::current_exception();
  }
  return true;
}

}  // namespace headroom
