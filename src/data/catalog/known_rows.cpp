#include "data/catalog/known_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <functional>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "data/formats/column_rows.h"
#include "data/formats/json_lines.h"
#include "data/formats/tree_rows.h"
#include "data/input/line_reader.h"
#include "text/unicode/utf8.h"

namespace headroom {
namespace fs = std::filesystem;
namespace {

std::vector<std::string> read_lines(const fs::path& path) {
  InputStream input(path);
  LineReader reader(input);
  std::vector<std::string> lines;
  std::string line;
  while (reader.next(line)) lines.push_back(line);
  return lines;
}

// Class numbers become names; first_class is 1 in the originals, 0 in our DBpedia subset.
void read_class_csv(const FoundPart& found, const RowSink& sink) {
  const std::vector<std::string> names = known_labels(found);
  const int first = found.layout->first_class;
  const auto renamed = [&](RawRow& row, const RowOrigin& origin) {
    int number = 0;
    const char* end = row.label.data() + row.label.size();
    const auto [stop, problem] = std::from_chars(row.label.data(), end, number);
    const int last = first + static_cast<int>(names.size()) - 1;
    if (problem != std::errc() || stop != end || number < first || number > last) {
      fail_row(origin, fmt::format("class \"{}\", expected a number from {} to {} as in {}",
                                   row.label, first, last, found.classes_file.string()));
    }
    row.label = names[static_cast<size_t>(number - first)];
    sink(row, origin);
  };
  for (const fs::path& file : found.files) {
    read_column_rows(file, DelimitedFormat::csv, {false, "1", {}, ""}, renamed);
  }
}

// Line n of each file belongs to row n.
void read_parallel_pairs(const FoundPart& found, const RowSink& sink) {
  InputStream first_input(found.files[0]);
  InputStream second_input(found.files[1]);
  InputStream label_input(found.files[2]);
  LineReader first(first_input);
  LineReader second(second_input);
  LineReader labels(label_input);
  RawRow row;
  row.has_pair = true;
  while (true) {
    const bool has_first = first.next(row.text);
    const bool has_second = second.next(row.text_pair);
    const bool has_label = labels.next(row.label);
    if (!has_first && !has_second && !has_label) return;
    if (!has_first || !has_second || !has_label) {
      const InputStream& shorter =
          !has_first ? first_input : (!has_second ? second_input : label_input);
      shorter.fail("has fewer lines than the files it runs parallel to; an incomplete download?");
    }
    sink(row, {label_input.name(), labels.line_number()});
  }
}

void read_snli_json(const FoundPart& found, const RowSink& sink) {
  InputStream input(found.files[0]);
  JsonLinesReader reader(input, {"sentence1", "sentence2", "gold_label"});
  JsonRow json;
  while (reader.next(json)) {
    const RowOrigin origin = {input.name(), reader.line()};
    if (!json.label || !json.text_pair) fail_row(origin, "no gold_label or no sentence2");
    if (*json.label == "-") continue;  // the annotators did not agree; left out by everyone
    RawRow row = {std::move(json.text), std::move(*json.text_pair), std::move(*json.label), true};
    sink(row, origin);
  }
}

void read_label_files(const FoundPart& found, const RowSink& sink) {
  for (size_t i = 0; i < found.files.size(); ++i) {
    InputStream input(found.files[i]);
    LineReader lines(input);
    RawRow row;
    while (lines.next(row.text)) {
      row.label = found.layout->labels[i];
      sink(row, {input.name(), lines.line_number()});
    }
  }
}

std::vector<std::string> split_tabs(const std::string& line) {
  std::vector<std::string> fields;
  for (size_t at = 0; at <= line.size();) {
    const size_t end = std::min(line.find('\t', at), line.size());
    fields.push_back(line.substr(at, end - at));
    at = end + 1;
  }
  return fields;
}

// Lines of tab-separated fields, at least so many.
void read_tab_lines(
    const fs::path& path, size_t least,
    const std::function<void(std::vector<std::string>& fields, const RowOrigin&)>& take) {
  InputStream input(path);
  LineReader lines(input);
  for (std::string line; lines.next(line);) {
    const RowOrigin origin = {input.name(), lines.line_number()};
    std::vector<std::string> fields = split_tabs(line);
    if (fields.size() < least) {
      fail_row(origin, fmt::format("found {} columns, expected {}", fields.size(), least));
    }
    take(fields, origin);
  }
}

void read_scored_tsv(const FoundPart& found, const RowSink& sink) {
  read_tab_lines(found.files[0], 7, [&](std::vector<std::string>& fields, const RowOrigin& origin) {
    RawRow row = {std::move(fields[5]), std::move(fields[6]), std::move(fields[4]), true};
    sink(row, origin);
  });
}

void read_label_ids(const FoundPart& found, const RowSink& sink) {
  const std::vector<std::string> names = known_labels(found);
  read_tab_lines(found.files[0], 2, [&](std::vector<std::string>& fields, const RowOrigin& origin) {
    RawRow row = {std::move(fields[0]), "", "", false};
    row.has_list = true;
    const char* at = fields[1].data();
    const char* end = at + fields[1].size();
    while (true) {
      size_t number = 0;
      const auto [stop, problem] = std::from_chars(at, end, number);
      if (problem != std::errc() || number >= names.size() || (stop != end && *stop != ',')) {
        fail_row(origin,
                 fmt::format("\"{}\", expected numbers from 0 to {} with commas between them",
                             fields[1], names.size() - 1));
      }
      row.labels.push_back(names[number]);
      if (stop == end) break;
      at = stop + 1;
    }
    sink(row, origin);
  });
}

TreeLayout tree_layout(const FoundPart& found) {
  const std::string part(part_name(found.part->part));
  if (found.layout->format == FileFormat::review_tree) {
    return {part, found.layout->labels, ".txt", false};
  }
  return {"20news-bydate-" + part, {}, "", true};
}

}  // namespace

std::vector<std::string> known_labels(const FoundPart& found) {
  if (found.classes_file.empty()) return found.layout->labels;
  std::vector<std::string> names = read_lines(found.classes_file);
  while (!names.empty() && names.back().empty()) names.pop_back();
  for (const std::string& name : names) {
    require_utf8(name, "load data", found.classes_file.string());
  }
  return names;
}

void read_known_rows(const FoundPart& found, const RowSink& sink) {
  switch (found.layout->format) {
    case FileFormat::class_csv:
      return read_class_csv(found, sink);
    case FileFormat::banking_csv:
      read_column_rows(found.files[0], DelimitedFormat::csv, {true, "category", {"text"}, ""},
                       sink);
      return;
    case FileFormat::sick_tsv:
      read_column_rows(found.files[0], DelimitedFormat::tsv,
                       {true, "entailment_judgment", {"sentence_A"}, "sentence_B"}, sink);
      return;
    case FileFormat::review_tree:
    case FileFormat::newsgroup_tree:
      return read_tree_rows(found.files[0], tree_layout(found), sink);
    case FileFormat::parallel_pairs:
      return read_parallel_pairs(found, sink);
    case FileFormat::snli_json:
      return read_snli_json(found, sink);
    case FileFormat::label_files:
      return read_label_files(found, sink);
    case FileFormat::scored_tsv:
      return read_scored_tsv(found, sink);
    case FileFormat::label_ids_tsv:
      return read_label_ids(found, sink);
    default:
      throw Error(ErrorCode::usage, "load data",
                  fmt::format("{} is for --task {}: it holds no labelled texts", found.entry->name,
                              task_name(found.entry->task)));
  }
}

}  // namespace headroom
