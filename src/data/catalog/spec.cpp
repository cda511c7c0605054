#include "data/catalog/spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/nearest.h"
#include "data/catalog/catalog.h"

namespace headroom {
namespace {

[[noreturn]] void fail(std::string_view spec, std::string_view message) {
  throw Error(ErrorCode::usage, "parse data spec", fmt::format("\"{}\": {}", spec, message));
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const size_t end = std::min(text.find(separator), text.size());
    parts.emplace_back(text.substr(0, end));
    if (end == text.size()) return parts;
    text.remove_prefix(end + 1);
  }
}

// The format before the first colon, if the text starts with one. "imdb" is both a format and a
// name: imdb:test and imdb:validation are the known set's parts.
std::optional<SourceKind> path_kind(std::string_view text) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view rest = text.substr(colon + 1);
  const std::string_view value = rest.substr(0, rest.find_first_of("?+"));
  if (value == "train" || value == "test" || value == "validation") return std::nullopt;
  const std::optional<SourceKind> kind = source_table.find(text.substr(0, colon));
  const bool takes_path = kind != SourceKind::synthetic && kind != SourceKind::named;
  return takes_path ? kind : std::nullopt;
}

// What a bare file's name says: rows.csv, rows.jsonl.gz.
std::optional<SourceKind> kind_of_suffix(std::string_view path) {
  if (path.ends_with(".gz")) path.remove_suffix(3);
  for (const SourceKind kind : {SourceKind::csv, SourceKind::tsv, SourceKind::jsonl}) {
    if (path.ends_with(fmt::format(".{}", source_table.name(kind)))) return kind;
  }
  return std::nullopt;
}

std::string_view leading_word(std::string_view text) {
  return text.substr(0, text.find_first_of(":?+"));
}

struct SyntheticName {
  std::string_view name;
  SyntheticTask task;
};

// The second asks for four ways of attending where the first has one.
constexpr SyntheticName synthetic_names[] = {
    {"synthetic", {}},
    {"synthetic-hard", {.tokens = 64, .decoy_markers = 4, .markers = 4}},
};

const SyntheticName* find_synthetic(std::string_view name) {
  const auto found = std::find_if(std::begin(synthetic_names), std::end(synthetic_names),
                                  [&](const SyntheticName& known) { return known.name == name; });
  return found == std::end(synthetic_names) ? nullptr : found;
}

bool starts_source(std::string_view text) {
  const std::string_view word = leading_word(text);
  return path_kind(text) || find_synthetic(word) != nullptr || find_entry(word) != nullptr;
}

std::optional<SourceKind> suffix_before_options(std::string_view text) {
  return kind_of_suffix(text.substr(0, text.find_first_of("?+")));
}

// Whether the "+" between `before` and `after` joins two sources: always behind a name, behind a
// path only where a new source visibly starts, a.csv+b.csv among them.
bool joins_sources(std::string_view before, std::string_view after) {
  const bool file = suffix_before_options(before).has_value();
  if (!path_kind(before) && !file) return true;
  return starts_source(after) || (file && suffix_before_options(after));
}

// Cuts at each "+" that joins.
std::vector<std::string_view> split_sources(std::string_view text) {
  std::vector<std::string_view> sources;
  size_t search = 0;
  while (true) {
    const size_t plus = text.find('+', search);
    if (plus == std::string_view::npos) break;
    if (!joins_sources(text.substr(0, plus), text.substr(plus + 1))) {
      search = plus + 1;
      continue;
    }
    sources.push_back(text.substr(0, plus));
    text.remove_prefix(plus + 1);
    search = 0;
  }
  sources.push_back(text);
  return sources;
}

struct Option {
  std::string key;
  std::string value;
};

std::vector<Option> parse_options(std::string_view text, std::string_view spelled) {
  std::vector<Option> options;
  for (const std::string& item : split(text, '&')) {
    const size_t equals = item.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == item.size()) {
      fail(spelled, fmt::format("the option \"{}\" is not of the form key=value", item));
    }
    Option option = {item.substr(0, equals), item.substr(equals + 1)};
    for (const Option& earlier : options) {
      if (earlier.key == option.key) fail(spelled, fmt::format("{} is given twice", option.key));
    }
    options.push_back(std::move(option));
  }
  return options;
}

[[noreturn]] void fail_option(const DataSource& source, const Option& option,
                              std::string_view allowed) {
  fail(source.spelled, fmt::format("unknown option \"{}\"; {} takes {}", option.key,
                                   source_table.name(source.kind), allowed));
}

void apply_column_option(DataSource& source, const Option& option) {
  if (option.key == "header") {
    if (option.value != "0" && option.value != "1") fail(source.spelled, "header must be 0 or 1");
    source.columns.header = option.value == "1";
  } else if (option.key == "label") {
    source.columns.label = option.value;
  } else if (option.key == "text") {
    source.columns.text = split(option.value, ',');
  } else if (option.key == "text_pair") {
    source.columns.text_pair = option.value;
  } else if (option.key == "negative") {
    source.columns.negative = option.value;
  } else {
    fail_option(source, option, "header, label, text, text_pair and negative");
  }
}

DataPart parse_part(std::string_view text, std::string_view spelled) {
  for (const DataPart part : {DataPart::train, DataPart::validation, DataPart::test}) {
    if (part_name(part) == text) return part;
  }
  fail(spelled, fmt::format("\"{}\" is not a part; parts are train, validation and test", text));
}

int parse_integer(const DataSource& source, const Option& option, int least) {
  int number = 0;
  const char* end = option.value.data() + option.value.size();
  const auto [stop, problem] = std::from_chars(option.value.data(), end, number);
  if (problem != std::errc() || stop != end) {
    fail(source.spelled,
         fmt::format("{} is \"{}\", expected a whole number", option.key, option.value));
  }
  if (number < least) {
    fail(source.spelled, fmt::format("{} is {}, expected at least {}", option.key, number, least));
  }
  return number;
}

void apply_synthetic_option(DataSource& source, const Option& option) {
  const std::array<std::pair<std::string_view, int*>, 6> numbers = {{
      {"tokens", &source.synthetic.tokens},
      {"decoys", &source.synthetic.decoys},
      {"values", &source.synthetic.values},
      {"decoy_markers", &source.synthetic.decoy_markers},
      {"symbols", &source.synthetic.symbols},
      {"markers", &source.synthetic.markers},
  }};
  const auto found = std::find_if(numbers.begin(), numbers.end(),
                                  [&](const auto& number) { return number.first == option.key; });
  if (found == numbers.end()) {
    fail_option(source, option, "tokens, decoys, values, decoy_markers, symbols and markers");
  }
  *found->second = parse_integer(source, option, std::numeric_limits<int>::min());
}

void apply_option(DataSource& source, const Option& option) {
  switch (source.kind) {
    case SourceKind::csv:
    case SourceKind::tsv:
      return apply_column_option(source, option);
    case SourceKind::synthetic:
      return apply_synthetic_option(source, option);
    case SourceKind::conll:
      if (option.key != "tag") fail_option(source, option, "tag");
      source.tag_column = parse_integer(source, option, 1);
      return;
    case SourceKind::qrels:
      if (option.key != "candidates") fail_option(source, option, "candidates");
      source.candidates = parse_integer(source, option, 1);
      return;
    case SourceKind::imdb:
      if (option.key != "part") fail_option(source, option, "part");
      source.part = parse_part(option.value, source.spelled);
      return;
    default:
      fail_option(source, option, "no options");
  }
}

void set_paths(DataSource& source, std::string_view text) {
  const size_t files = source.kind == SourceKind::qrels                                        ? 3
                       : source.kind == SourceKind::idx || source.kind == SourceKind::parallel ? 2
                                                                                               : 0;
  const bool list = files > 0 || source.kind == SourceKind::cifar;
  source.paths = list ? split(text, ',') : std::vector<std::string>{std::string(text)};
  if (std::find(source.paths.begin(), source.paths.end(), "") != source.paths.end()) {
    fail(source.spelled,
         fmt::format("a file name is missing after \"{}:\"", source_table.name(source.kind)));
  }
  if (files > 0 && source.paths.size() != files) {
    fail(source.spelled,
         fmt::format("{}: takes {} files, FILE,FILE{}", source_table.name(source.kind),
                     files == 2 ? "two" : "three", files == 2 ? "" : ",FILE"));
  }
}

[[noreturn]] void fail_unknown(std::string_view spelled) {
  std::vector<std::string> names;
  for (const CatalogEntry& entry : catalog()) names.push_back(entry.name);
  fail(spelled,
       fmt::format(
           "neither a file (.csv, .tsv, .jsonl), FORMAT:PATH (csv, tsv, jsonl, "
           "conll, qrels, imdb, idx, cifar, parallel, text), synthetic, synthetic-hard, nor a "
           "known name ({}){}",
           known_names(), did_you_mean(leading_word(spelled), names)));
}

void set_name(DataSource& source, std::string_view body) {
  const std::string_view word = leading_word(body);
  if (const SyntheticName* known = find_synthetic(word); known != nullptr && word == body) {
    source.kind = SourceKind::synthetic;
    source.synthetic = known->task;
    return;
  }
  if (find_entry(word) == nullptr) fail_unknown(source.spelled);
  source.kind = SourceKind::named;
  source.name = std::string(word);
  if (word != body) source.part = parse_part(body.substr(word.size() + 1), source.spelled);
}

DataSource parse_source(std::string_view text) {
  DataSource source;
  source.spelled = std::string(text);
  const size_t question = std::min(text.rfind('?'), text.size());
  const std::string_view body = text.substr(0, question);
  if (const std::optional<SourceKind> kind = path_kind(body)) {
    source.kind = *kind;
    set_paths(source, body.substr(body.find(':') + 1));
  } else if (const std::optional<SourceKind> by_suffix = kind_of_suffix(body)) {
    source.kind = *by_suffix;
    set_paths(source, body);
  } else {
    set_name(source, body);
  }
  if (question < text.size()) {
    for (const Option& option : parse_options(text.substr(question + 1), text)) {
      apply_option(source, option);
    }
  }
  if (source.kind == SourceKind::synthetic) validate(source.synthetic);
  return source;
}

}  // namespace

bool is_data_spec(std::string_view text) {
  return starts_source(text) || suffix_before_options(text).has_value();
}

DataSpec parse_data_spec(std::string_view text) {
  DataSpec spec;
  spec.spelled = std::string(text);
  for (const std::string_view source : split_sources(text)) {
    if (source.empty()) fail(text, "a data source is missing");
    spec.sources.push_back(parse_source(source));
  }
  return spec;
}

}  // namespace headroom
