#include "data/formats/column_layout.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <set>
#include <string_view>
#include <system_error>

#include "base/error.h"

namespace headroom {
namespace {

// What headers call these columns, in the order of preference.
constexpr std::array<std::string_view, 6> label_names = {"label",    "labels", "class",
                                                         "category", "target", "intent"};
constexpr std::array<std::string_view, 6> text_names = {"text",      "sentence", "content",
                                                        "sentence1", "premise",  "document"};
constexpr std::array<std::string_view, 4> pair_names = {"text_pair", "sentence2", "hypothesis",
                                                        "pair"};
constexpr std::array<std::string_view, 1> negative_names = {"negative"};

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

template <size_t N>
std::optional<size_t> find_name(const Record& header,
                                const std::array<std::string_view, N>& names) {
  for (const std::string_view name : names) {
    const auto found = std::find_if(header.begin(), header.end(), [&](const std::string& cell) {
      return lower_case(cell) == name;
    });
    if (found != header.end()) return static_cast<size_t>(found - header.begin());
  }
  return std::nullopt;
}

std::optional<size_t> parse_column_number(const std::string& column, size_t count) {
  size_t number = 0;
  const char* end = column.data() + column.size();
  const auto [stop, problem] = std::from_chars(column.data(), end, number);
  const bool valid = problem == std::errc() && stop == end && number >= 1 && number <= count;
  return valid ? std::optional(number - 1) : std::nullopt;
}

int64_t count_words(std::string_view text) {
  int64_t words = 0;
  bool inside = false;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    words += !space && !inside ? 1 : 0;
    inside = !space;
  }
  return words;
}

// "queue", "Ticket text", "sub_category": up to three words that start with a letter.
bool could_name_a_column(const std::string& cell) {
  const auto is_part = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == ' ' || c >= 0x80;
  };
  return !cell.empty() && std::isdigit(static_cast<unsigned char>(cell[0])) == 0 &&
         count_words(cell) <= 3 && std::all_of(cell.begin(), cell.end(), is_part);
}

double mean_words(std::span<const Record> records, size_t column) {
  int64_t words = 0;
  for (const Record& record : records) words += count_words(record[column]);
  return static_cast<double>(words) / static_cast<double>(records.size());
}

size_t count_distinct(std::span<const Record> records, size_t column) {
  std::set<std::string_view> values;
  for (const Record& record : records) values.insert(record[column]);
  return values.size();
}

// The first column whose values repeat: at most one distinct value in two rows. Texts do not.
std::optional<size_t> find_repeating_column(std::span<const Record> rows) {
  for (size_t column = 0; !rows.empty() && column < rows[0].size(); ++column) {
    if (2 * count_distinct(rows, column) <= rows.size()) return column;
  }
  return std::nullopt;
}

bool repeats_below(std::span<const Record> rows, size_t column, const std::string& value) {
  return std::any_of(rows.begin(), rows.end(),
                     [&](const Record& row) { return row[column] == value; });
}

// A header without a name we know: all its cells could be names, the one above the column that
// repeats never comes again, and the other columns hold texts, which are longer than a name.
bool looks_like_header(std::span<const Record> records, bool labelled) {
  const Record& first = records[0];
  const std::span<const Record> rest = records.subspan(1);
  if (first.size() < 2 || !std::all_of(first.begin(), first.end(), could_name_a_column)) {
    return false;
  }
  const std::optional<size_t> label = find_repeating_column(rest);
  if (label ? repeats_below(rest, *label, first[*label]) : labelled || rest.empty()) return false;
  double longest = 0;
  for (size_t column = 0; column < first.size(); ++column) {
    if (column != label) longest = std::max(longest, mean_words(rest, column));
  }
  return longest >= 4;
}

bool has_header(std::span<const Record> records, const ColumnChoice& choice, bool labelled) {
  const Record& first = records[0];
  const auto is_name_here = [&](const std::string& column) {
    return !column.empty() && !parse_column_number(column, first.size()) &&
           std::find(first.begin(), first.end(), column) != first.end();
  };
  return is_name_here(choice.label) || is_name_here(choice.text_pair) ||
         is_name_here(choice.negative) ||
         std::any_of(choice.text.begin(), choice.text.end(), is_name_here) ||
         (find_name(first, text_names) && (!labelled || find_name(first, label_names))) ||
         looks_like_header(records, labelled);
}

class ColumnFinder {
 public:
  ColumnFinder(const std::string& file, std::span<const Record> records, bool header)
      : file_(file), first_(records[0]), rows_(records.subspan(header ? 1 : 0)), header_(header) {}

  // A header name wins over a number, so that a column may be called "2".
  size_t find(const std::string& column) const {
    if (header_) {
      const auto found = std::find(first_.begin(), first_.end(), column);
      if (found != first_.end()) return static_cast<size_t>(found - first_.begin());
    }
    if (const auto number = parse_column_number(column, first_.size())) return *number;
    const std::string known =
        header_ ? fmt::format("its header has: {}", fmt::join(first_, ", "))
                : fmt::format("without header=1 columns are numbers from 1 to {}", first_.size());
    throw Error(ErrorCode::usage, "choose columns",
                fmt::format("{} has no column \"{}\"; {}", file_, column, known));
  }

  template <size_t N>
  std::optional<size_t> find_by_name(const std::array<std::string_view, N>& names) const {
    return header_ ? find_name(first_, names) : std::nullopt;
  }

  // Without a header the label comes first; with one it is called so, or it repeats.
  std::optional<size_t> likely_label() const {
    if (const auto named = find_by_name(label_names)) return named;
    return header_ ? find_repeating_column(rows_) : 0;
  }

 private:
  const std::string& file_;
  const Record& first_;
  std::span<const Record> rows_;
  bool header_;
};

std::vector<size_t> default_texts(const ColumnFinder& finder, const ColumnLayout& layout,
                                  size_t columns) {
  const auto named = finder.find_by_name(text_names);
  if (named && named != layout.label && named != layout.text_pair && named != layout.negative)
    return {*named};
  std::vector<size_t> rest;
  for (size_t i = 0; i < columns; ++i) {
    if (i != layout.label && i != layout.text_pair && i != layout.negative) rest.push_back(i);
  }
  return rest;
}

void require_apart(const std::string& file, const ColumnLayout& layout) {
  const auto is_text = [&](size_t column) {
    return std::find(layout.text.begin(), layout.text.end(), column) != layout.text.end();
  };
  if ((layout.label && (is_text(*layout.label) || layout.text_pair == layout.label)) ||
      (layout.text_pair && is_text(*layout.text_pair)) ||
      (layout.negative && (is_text(*layout.negative) || layout.negative == layout.label ||
                           layout.negative == layout.text_pair))) {
    throw Error(ErrorCode::usage, "choose columns",
                fmt::format("{}: one column cannot be label, text and text_pair at once", file));
  }
}

}  // namespace

ColumnLayout find_columns(const std::string& file, std::span<const Record> records,
                          const ColumnChoice& choice, RowUse use) {
  const bool labelled = use == RowUse::learn;
  const size_t columns = records[0].size();
  ColumnLayout layout;
  layout.header = choice.header.value_or(has_header(records, choice, labelled));
  const ColumnFinder finder(file, records, layout.header);
  const bool two_texts = use == RowUse::answer_pairs && !layout.header && columns == 2;
  if (!choice.label.empty()) {
    layout.label = finder.find(choice.label);
  } else if (labelled) {
    layout.label = finder.likely_label().value_or(0);
  } else if (use == RowUse::vectors) {
    layout.label = finder.find_by_name(label_names);
  } else if (choice.text.empty() && columns > 1 && !two_texts) {
    layout.label = finder.likely_label();
  }
  layout.text_pair = choice.text_pair.empty() ? finder.find_by_name(pair_names)
                                              : std::optional(finder.find(choice.text_pair));
  if (two_texts && choice.text.empty() && !layout.text_pair) layout.text_pair = 1;
  if (!choice.negative.empty()) {
    layout.negative = finder.find(choice.negative);
  } else if (use == RowUse::vectors) {
    layout.negative = finder.find_by_name(negative_names);
  }
  for (const std::string& column : choice.text) layout.text.push_back(finder.find(column));
  if (choice.text.empty()) layout.text = default_texts(finder, layout, columns);
  require_apart(file, layout);
  return layout;
}

std::string describe_columns(const ColumnLayout& layout, const Record& first) {
  const auto name = [&](size_t column) {
    return layout.header ? first[column] : fmt::format("{}", column + 1);
  };
  std::vector<std::string> texts;
  for (const size_t column : layout.text) texts.push_back(name(column));
  std::string text = layout.label ? fmt::format("label {}, ", name(*layout.label)) : "";
  text += fmt::format("text {}", fmt::join(texts, " + "));
  if (layout.text_pair) text += fmt::format(", text_pair {}", name(*layout.text_pair));
  if (layout.negative) text += fmt::format(", negative {}", name(*layout.negative));
  return text;
}

}  // namespace headroom
