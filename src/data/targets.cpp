#include "data/targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/measure/ranking.h"
#include "base/memory_allowance.h"
#include "data/formats/judged.h"
#include "data/label_list.h"
#include "data/sources.h"
#include "text/bm25.h"
#include "text/unicode/utf8.h"

namespace headroom {
namespace fs = std::filesystem;
namespace {

constexpr int32_t cranfield_train_queries = 150;  // of 225; the set has no official split

uint64_t memory_of(const TargetRow& row) {
  uint64_t bytes = sizeof(TargetRow) + row.labels.size() * sizeof(int32_t);
  for (const std::string& text : row.texts) bytes += sizeof(text) + heap_bytes(text);
  return bytes;
}

// "joy, anger" as two names; empty: none.
std::vector<std::string> split_labels(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    std::string_view name = text.substr(0, comma);
    while (name.starts_with(' ')) name.remove_prefix(1);
    while (name.ends_with(' ')) name.remove_suffix(1);
    names.emplace_back(name);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return names;
}

double parse_number(const std::string& text, const RowOrigin& origin) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, value);
  if (problem == std::errc() && stop == end && std::isfinite(value)) return value;
  fail_row(origin, fmt::format("\"{}\" is not a number{}", text,
                               origin.line == 1 ? "; if line 1 is a header, say ?header=1" : ""));
}

// Turns rows as they come into targets; all must have the same form.
class TargetReader {
 public:
  TargetReader(Task task, LabelList& labels, uint64_t max_memory)
      : task_(task), labels_(labels), memory_(max_memory, "load data", "rows") {}

  void take(RawRow& raw, const RowOrigin& origin) {
    check_texts(raw, origin);
    TargetRow row;
    row.texts.push_back(std::move(raw.text));
    if (raw.has_pair) row.texts.push_back(std::move(raw.text_pair));
    if (raw.has_negative) row.texts.push_back(std::move(raw.negative));
    if (task_ == Task::multilabel) {
      set_labels(raw, origin, row);
    } else if (raw.has_list) {
      fail_row(origin, "has a list of labels: that is for --task multilabel");
    } else if (raw.has_label) {
      row.value = parse_number(raw.label, origin);
    }
    if (task_ == Task::rerank) {
      row.group = groups_.emplace(row.texts[0], static_cast<int32_t>(groups_.size())).first->second;
    }
    add(std::move(row), origin.describe());
  }

  void add(TargetRow row, const std::string& origin) {
    if (!memory_.take(memory_of(row))) memory_.fail(origin);
    rows_.push_back(std::move(row));
  }

  int32_t new_group() { return static_cast<int32_t>(groups_.size() + others_++); }
  size_t rows() const { return rows_.size(); }

  TargetDataset finish() {
    TargetDataset dataset;
    dataset.texts_a_row = rows_[0].texts.size();
    dataset.scored = scored_.value_or(true);
    dataset.groups = static_cast<int32_t>(groups_.size()) + others_;
    dataset.rows = std::move(rows_);
    return dataset;
  }

 private:
  void check_texts(const RawRow& raw, const RowOrigin& origin) {
    for (const std::string* text : {&raw.text, &raw.text_pair, &raw.negative, &raw.label}) {
      if (find_invalid_utf8(*text)) require_utf8(*text, "load data", origin.describe());
    }
    const bool pairs = task_ == Task::rerank || task_ == Task::embed;
    if (pairs && !raw.has_pair) {
      fail_row(origin, fmt::format("--task {} needs two texts a row: name the second with "
                                   "?text_pair=COL",
                                   task_name(task_)));
    }
    if (raw.has_negative && task_ != Task::embed) {
      fail_row(origin, "a negative is for --task embed alone");
    }
    if (raw.has_negative && raw.has_label) {
      fail_row(origin, "a row has a score or a negative, not both");
    }
    const size_t texts = 1 + (raw.has_pair ? 1 : 0) + (raw.has_negative ? 1 : 0);
    if (!rows_.empty() && rows_[0].texts.size() != texts) {
      fail_row(origin, fmt::format("has {} texts, the rows before it have {}", texts,
                                   rows_[0].texts.size()));
    }
    if (scored_.value_or(raw.has_label) != raw.has_label) {
      fail_row(origin, raw.has_label ? "has a score, but the rows before it have none"
                                     : "has no score, but the rows before it have one");
    }
    scored_ = raw.has_label;
  }

  void set_labels(RawRow& raw, const RowOrigin& origin, TargetRow& row) {
    const std::vector<std::string> names =
        raw.has_list ? std::move(raw.labels) : split_labels(raw.label);
    for (const std::string& name : names) {
      if (find_invalid_utf8(name)) require_utf8(name, "load data", origin.describe());
      row.labels.push_back(labels_.number(name, origin));
    }
    const std::set<int32_t> distinct(row.labels.begin(), row.labels.end());
    if (distinct.size() < row.labels.size()) fail_row(origin, "has a label twice");
  }

  Task task_;
  LabelList& labels_;
  MemoryAllowance memory_;
  std::vector<TargetRow> rows_;
  std::optional<bool> scored_;
  std::map<std::string, int32_t> groups_;  // by the query's text
  int32_t others_ = 0;                     // groups of collections
};

// The candidates of one query, in BM25's order; `missed`: then what is relevant beside them.
void add_candidates(const JudgedCollection& all, const Bm25& index, size_t query, int count,
                    bool missed, TargetReader& reader) {
  const std::map<int32_t, double>& grades = all.grades[query];
  std::vector<double> known;
  for (const auto& [document, grade] : grades) known.push_back(std::max(grade, 0.0));
  const double ideal = ideal_dcg(known);
  if (ideal <= 0) return;  // nothing to find
  const std::string& text = all.queries[query].text;
  std::vector<int32_t> documents = index.search(text, static_cast<size_t>(count));
  const size_t candidates = documents.size();
  if (missed) {
    const std::set<int32_t> found(documents.begin(), documents.end());
    for (const auto& [document, grade] : grades) {
      if (grade > 0 && !found.contains(document)) documents.push_back(document);
    }
  }
  const int32_t group = reader.new_group();
  for (size_t i = 0; i < documents.size(); ++i) {
    const auto grade = grades.find(documents[i]);
    TargetRow row;
    row.texts = {text, all.documents[static_cast<size_t>(documents[i])].text};
    row.missed = i >= candidates;
    row.value = grade == grades.end() ? 0 : std::max(grade->second, 0.0);
    row.group = group;
    row.ideal = ideal;
    reader.add(std::move(row), all.queries[query].id);
  }
}

void read_collection(const DataSource& source, const fs::path& data_dir, TargetUse use,
                     TargetReader& reader) {
  const bool known = source.kind == SourceKind::named;
  const std::vector<fs::path> files =
      known ? part_for(source, data_dir, Task::rerank).files
            : std::vector<fs::path>(source.paths.begin(), source.paths.end());
  const JudgedCollection all = known ? read_cranfield(files[0], files[1], files[2])
                                     : read_judged(files[0], files[1], files[2]);
  std::vector<std::string> texts;
  for (const NamedText& document : all.documents) texts.push_back(document.text);
  const Bm25 index(texts);
  for (size_t query = 0; query < all.queries.size(); ++query) {
    const bool train_part = static_cast<int32_t>(query) < cranfield_train_queries;
    if (known && train_part != (source.part == DataPart::train)) continue;
    add_candidates(all, index, query, source.candidates, use == TargetUse::train, reader);
  }
}

// Where the rows themselves are all that was judged.
void set_ideals(std::vector<TargetRow>& rows) {
  std::map<int32_t, std::vector<double>> grades;
  for (const TargetRow& row : rows) grades[row.group].push_back(std::max(row.value, 0.0));
  for (TargetRow& row : rows) {
    if (row.ideal == 0) row.ideal = ideal_dcg(grades[row.group]);
  }
}

void require_learnable(const TargetDataset& dataset, Task task) {
  const auto fail = [&](std::string_view why) {
    throw Error(ErrorCode::bad_data, "load data", fmt::format("{}: {}", dataset.name, why));
  };
  if (task == Task::multilabel && dataset.labels.size() < 2) {
    fail("fewer than two different labels; several in a row are separated by commas");
  }
  if (task == Task::embed && !dataset.scored) return;
  const double first = dataset.rows[0].value;
  const auto same = [&](const TargetRow& row) { return row.value == first; };
  if (task != Task::multilabel && std::all_of(dataset.rows.begin(), dataset.rows.end(), same)) {
    fail(fmt::format("every row has the value {}: nothing can be learned from it", first));
  }
}

}  // namespace

TargetDataset load_targets(std::string_view spec, const fs::path& data_dir, Task task,
                           TargetUse use, const std::vector<std::string>* labels,
                           uint64_t max_memory) {
  const DataSpec parsed = parse_data_spec(spec);
  LabelList list(task == Task::multilabel ? labels : nullptr);
  TargetReader reader(task, list, max_memory);
  for (const DataSource& source : parsed.sources) {
    const size_t before = reader.rows();
    if (task == Task::rerank &&
        (source.kind == SourceKind::qrels || source.kind == SourceKind::named)) {
      read_collection(source, data_dir, use, reader);
    } else {
      read_source(source, data_dir, task, learning_use(task), list,
                  [&](RawRow& row, const RowOrigin& origin) { reader.take(row, origin); });
    }
    if (reader.rows() == before) fail_empty(source);
  }
  TargetDataset dataset = reader.finish();
  dataset.name = parsed.spelled;
  if (task == Task::rerank) set_ideals(dataset.rows);
  if (task == Task::multilabel) {
    LabelList::Order order = list.finish();
    dataset.labels = std::move(order.labels);
    for (TargetRow& row : dataset.rows) {
      for (int32_t& label : row.labels) label = order.renumber[static_cast<size_t>(label)];
    }
  }
  if (use == TargetUse::train) require_learnable(dataset, task);
  return dataset;
}

EncodedDataset encode_targets(const TargetDataset& dataset, Task task, const Tokenizer& tokenizer,
                              int max_tokens) {
  EncodedDataset rows;
  const size_t others = task == Task::embed ? dataset.texts_a_row - 1 : 0;
  rows.partners.resize(others);
  const bool valued = task != Task::embed || dataset.scored;
  rows.values_a_row = task == Task::multilabel ? static_cast<int64_t>(dataset.labels.size())
                      : task == Task::rerank   ? 2
                      : valued                 ? 1
                                               : 0;
  for (const TargetRow& row : dataset.rows) {
    if (task != Task::embed && row.texts.size() == 2) {
      const Tokens pair = tokenizer.encode_pair(row.texts[0], row.texts[1], max_tokens);
      rows.append(pair.ids, 0);
      rows.types.insert(rows.types.end(), pair.types.begin(), pair.types.end());
    } else {
      rows.append(tokenizer.encode(row.texts[0], max_tokens), 0);
    }
    for (size_t i = 0; i < others; ++i) {
      rows.partners[i].append(tokenizer.encode(row.texts[i + 1], max_tokens), 0);
    }
    if (task == Task::multilabel) {
      const size_t begin = rows.values.size();
      rows.values.resize(begin + dataset.labels.size(), 0.0F);
      for (const int32_t label : row.labels) rows.values[begin + static_cast<size_t>(label)] = 1;
    } else if (valued) {
      rows.values.push_back(static_cast<float>(row.value));
      if (task == Task::rerank) rows.values.push_back(static_cast<float>(row.ideal));
    }
    if (task == Task::rerank) rows.groups.push_back(row.group);
  }
  return rows;
}

}  // namespace headroom
