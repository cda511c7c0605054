// Which column of a delimited file is what: as the user says, by the names of a header, or by what
// the first records hold.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace headroom {

// What the user says. A column is a header name or a number from 1.
struct ColumnChoice {
  std::optional<bool> header;     // nothing: found out
  std::string label;              // empty: a column of that name, else the one that repeats
  std::vector<std::string> text;  // joined by a space; empty: a column of that name, else the rest
  std::string text_pair;          // empty: a column of that name, else there is none
  std::string negative = {};      // for vectors, a text unlike the first; likewise

  bool operator==(const ColumnChoice&) const = default;
};

struct ColumnLayout {
  bool header = false;
  std::optional<size_t> label;  // nothing where there need not be one
  std::vector<size_t> text;
  std::optional<size_t> text_pair;
  std::optional<size_t> negative = {};
};

using Record = std::vector<std::string>;

// What rows are read for, which says whether there must be a label.
enum class RowUse {
  learn,         // a label is needed
  vectors,       // only where a column is called so
  answer,        // there may be one, which is left out of the text
  answer_pairs,  // the same for a model that reads two texts
};

// `records` are the first of a file, all of one length, at least one. Throws ErrorCode::usage for a
// column that the file does not have.
ColumnLayout find_columns(const std::string& file, std::span<const Record> records,
                          const ColumnChoice& choice, RowUse use);

// "label queue, text message": names of the header `first`, else numbers from 1.
std::string describe_columns(const ColumnLayout& layout, const Record& first);

}  // namespace headroom
