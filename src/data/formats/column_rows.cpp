#include "data/formats/column_rows.h"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace headroom {
namespace {

// Enough to see which column repeats; a file of long texts is not held for it.
constexpr size_t sample_records = 200;
constexpr size_t sample_bytes = size_t{1} << 20;

// An empty field (AG News has rows without a title) adds no space.
void join_fields(const std::vector<std::string>& fields, const std::vector<size_t>& columns,
                 std::string& text) {
  text.clear();
  for (const size_t column : columns) {
    if (!text.empty() && !fields[column].empty()) text.push_back(' ');
    text += fields[column];
  }
}

std::vector<Record> read_sample(DelimitedReader& reader, std::vector<int64_t>& lines) {
  std::vector<Record> sample;
  Record record;
  size_t bytes = 0;
  while (sample.size() < sample_records && bytes < sample_bytes && reader.next(record)) {
    for (const std::string& field : record) bytes += field.size();
    sample.push_back(record);
    lines.push_back(reader.line());
  }
  return sample;
}

}  // namespace

std::string read_column_rows(const std::filesystem::path& path, DelimitedFormat format,
                             const ColumnChoice& columns, const RowSink& sink, RowUse use) {
  InputStream input(path);
  DelimitedReader reader(input, format);
  std::vector<int64_t> lines;
  const std::vector<Record> sample = read_sample(reader, lines);
  if (sample.empty()) return {};  // whoever asked for rows says that there are none
  const ColumnLayout layout = find_columns(input.name(), sample, columns, use);
  if (layout.text.empty()) {
    fail_row({input.name(), lines[0]},
             fmt::format("found {} column, expected a label and a text; is it really {}?",
                         sample[0].size(), format == DelimitedFormat::csv ? "CSV" : "TSV"));
  }
  RawRow row;
  const auto hand_on = [&](const Record& fields, int64_t line) {
    join_fields(fields, layout.text, row.text);
    row.has_label = layout.label.has_value();
    row.label = layout.label ? fields[*layout.label] : "";
    row.has_pair = layout.text_pair.has_value();
    if (row.has_pair) row.text_pair = fields[*layout.text_pair];
    row.has_negative = layout.negative.has_value();
    if (row.has_negative) row.negative = fields[*layout.negative];
    sink(row, {input.name(), line});
  };
  for (size_t i = layout.header ? 1 : 0; i < sample.size(); ++i) hand_on(sample[i], lines[i]);
  for (Record fields; reader.next(fields);) hand_on(fields, reader.line());
  return describe_columns(layout, sample[0]);
}

}  // namespace headroom
