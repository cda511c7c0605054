#include "data/input/line_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace headroom {

LineReader::LineReader(InputStream& input, size_t limit) : input_(input), limit_(limit) {}

bool LineReader::next(std::string& line) {
  line.clear();
  // Asking for three bytes of any other line could wait for the line after a short one.
  if (input_.offset() == 0 && input_.peek().starts_with('\xEF') &&
      input_.peek(3).starts_with("\xEF\xBB\xBF")) {
    input_.consume(3);
  }
  std::string_view block = input_.peek();
  if (block.empty()) return false;
  ++line_number_;
  bool ended = false;
  while (!ended && !block.empty()) {
    const size_t end = std::min(block.find('\n'), block.size());
    ended = end < block.size();
    if (line.size() + end > limit_) {
      input_.fail(fmt::format("line {} is longer than {} bytes; is this a text file?", line_number_,
                              limit_));
    }
    line.append(block.substr(0, end));
    input_.consume(end + (ended ? 1 : 0));
    if (!ended) block = input_.peek();  // a finished line must not wait for the next one
  }
  if (line.ends_with('\r')) line.pop_back();
  return true;
}

}  // namespace headroom
