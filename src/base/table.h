// A small table of strings, shown aligned for a terminal or as Markdown for a document.
#pragma once

#include <string>
#include <vector>

namespace headroom {

struct Table {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;  // each as long as the header
};

// Columns padded to their widest cell (in code points); cells that look like numbers align right.
std::string aligned_text(const Table& table);
std::string markdown(const Table& table);

// Per column: whether all its cells, blank ones aside, look like numbers.
std::vector<bool> numeric_columns(const Table& table);

}  // namespace headroom
