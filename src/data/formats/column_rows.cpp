#include "data/formats/column_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

#include "base/error.h"

namespace headroom {
namespace {

struct ColumnRoles {
  size_t label = 0;
  std::vector<size_t> text;
  std::optional<size_t> text_pair;
};

class ColumnFinder {
 public:
  ColumnFinder(std::string file, const std::vector<std::string>& first, bool header)
      : file_(std::move(file)), first_(first), header_(header) {}

  // A header name wins over a number, so that a column may be called "2".
  size_t find(const std::string& column) const {
    if (header_) {
      const auto found = std::find(first_.begin(), first_.end(), column);
      if (found != first_.end()) return static_cast<size_t>(found - first_.begin());
    }
    size_t number = 0;
    const char* end = column.data() + column.size();
    const auto [stop, problem] = std::from_chars(column.data(), end, number);
    if (problem == std::errc() && stop == end && number >= 1 && number <= first_.size()) {
      return number - 1;
    }
    const std::string known =
        header_ ? fmt::format("its header has: {}", fmt::join(first_, ", "))
                : fmt::format("without header=1 columns are numbers from 1 to {}", first_.size());
    throw Error(ErrorCode::usage, "choose columns",
                fmt::format("{} has no column \"{}\"; {}", file_, column, known));
  }

 private:
  std::string file_;
  const std::vector<std::string>& first_;
  bool header_;
};

ColumnRoles choose_roles(const std::string& file, const std::vector<std::string>& first,
                         const ColumnChoice& columns) {
  const ColumnFinder finder(file, first, columns.header);
  ColumnRoles roles;
  if (!columns.label.empty()) roles.label = finder.find(columns.label);
  if (!columns.text_pair.empty()) roles.text_pair = finder.find(columns.text_pair);
  for (const std::string& column : columns.text) roles.text.push_back(finder.find(column));
  if (columns.text.empty()) {
    for (size_t i = 0; i < first.size(); ++i) {
      if (i != roles.label && i != roles.text_pair) roles.text.push_back(i);
    }
  }
  const auto is_text = [&](size_t column) {
    return std::find(roles.text.begin(), roles.text.end(), column) != roles.text.end();
  };
  if (is_text(roles.label) || roles.text_pair == roles.label ||
      (roles.text_pair && is_text(*roles.text_pair))) {
    throw Error(ErrorCode::usage, "choose columns",
                fmt::format("{}: one column cannot be label, text and text_pair at once", file));
  }
  return roles;
}

// An empty field (AG News has rows without a title) adds no space.
void join_fields(const std::vector<std::string>& fields, const std::vector<size_t>& columns,
                 std::string& text) {
  text.clear();
  for (const size_t column : columns) {
    if (!text.empty() && !fields[column].empty()) text.push_back(' ');
    text += fields[column];
  }
}

}  // namespace

void read_column_rows(const std::filesystem::path& path, DelimitedFormat format,
                      const ColumnChoice& columns, const RowSink& sink) {
  InputStream input(path);
  DelimitedReader reader(input, format);
  std::vector<std::string> fields;
  bool more = reader.next(fields);
  if (!more) return;  // whoever asked for rows says that there are none
  const ColumnRoles roles = choose_roles(input.name(), fields, columns);
  if (roles.text.empty()) {
    fail_row({input.name(), reader.line()},
             fmt::format("found {} column, expected a label and a text; is it really {}?",
                         fields.size(), format == DelimitedFormat::csv ? "CSV" : "TSV"));
  }
  if (columns.header) more = reader.next(fields);
  RawRow row;
  for (; more; more = reader.next(fields)) {
    join_fields(fields, roles.text, row.text);
    row.label = fields[roles.label];
    row.has_pair = roles.text_pair.has_value();
    if (row.has_pair) row.text_pair = fields[*roles.text_pair];
    sink(row, {input.name(), reader.line()});
  }
}

}  // namespace headroom
