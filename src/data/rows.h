// One row on its way from a file to a data set, and where it was found. Readers hand rows to a
// sink one by one, so that no format needs to hold its file in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace headroom {

struct RawRow {
  std::string text;
  std::string text_pair;
  std::string label;  // as the file writes it, or the class name where the set has a list
  bool has_pair = false;
  bool has_label = true;                 // only rows for vectors may have none
  std::vector<std::string> labels = {};  // where the file has a list of them in place of a label
  bool has_list = false;
  std::string negative = {};  // for vectors: a text that is unlike `text`
  bool has_negative = false;
};

struct RowOrigin {
  std::string_view file;
  int64_t line = 0;  // 0: the file is the row

  std::string describe() const;  // "train.csv line 7"
};

// Throws ErrorCode::bad_data "load data: PLACE: MESSAGE".
[[noreturn]] void fail_row(const RowOrigin& origin, std::string_view message);

// The sink may move the row's texts out; a reader sets them anew for each row.
using RowSink = std::function<void(RawRow& row, const RowOrigin& origin)>;

}  // namespace headroom
