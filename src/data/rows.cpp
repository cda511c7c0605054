#include "data/rows.h"

#include <fmt/format.h>

#include "base/error.h"

namespace headroom {

std::string RowOrigin::describe() const {
  return line == 0 ? std::string(file) : fmt::format("{} line {}", file, line);
}

void fail_row(const RowOrigin& origin, std::string_view message) {
  throw Error(ErrorCode::bad_data, "load data", fmt::format("{}: {}", origin.describe(), message));
}

}  // namespace headroom
