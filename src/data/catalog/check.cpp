#include "data/catalog/check.h"

#include <algorithm>
#include <functional>
#include <string_view>

#include "base/random.h"
#include "data/catalog/catalog.h"
#include "data/load.h"
#include "text/words.h"

namespace headroom {
namespace {

int64_t count_words(std::string_view text, WordScanner& scanner) {
  int64_t count = 0;
  scanner.reset(text);
  while (scanner.next()) ++count;
  return count;
}

// Adds up rows as they come. Of each only eight bytes are kept, so that ten million take 80 MB.
class Counter {
 public:
  void add(const TextRow& row) {
    const int64_t words = count_words(row.text, scanner_) + count_words(row.text_pair, scanner_);
    summary_.min_words = hashes_.empty() ? words : std::min(summary_.min_words, words);
    summary_.max_words = std::max(summary_.max_words, words);
    summary_.empty += words == 0 ? 1 : 0;
    summary_.text_bytes += static_cast<int64_t>(row.text.size() + row.text_pair.size());
    words_ += words;
    const auto label = static_cast<size_t>(row.label);
    if (label >= rows_of_label_.size()) rows_of_label_.resize(label + 1);
    ++rows_of_label_[label];
    hashes_.push_back(hash_of(row));
  }

  DataSummary finish(const StreamedRows& all) {
    summary_.pairs = all.pairs;
    summary_.columns = all.columns;
    summary_.rows = all.rows;
    summary_.mean_words = static_cast<double>(words_) / static_cast<double>(all.rows);
    for (const std::string& label : all.labels) summary_.classes.push_back({label, 0, {}});
    for (size_t i = 0; i < rows_of_label_.size(); ++i) {
      summary_.classes[static_cast<size_t>(all.renumber[i])].rows = rows_of_label_[i];
    }
    std::sort(hashes_.begin(), hashes_.end());
    const auto distinct = std::unique(hashes_.begin(), hashes_.end()) - hashes_.begin();
    summary_.duplicates = all.rows - distinct;
    return summary_;
  }

 private:
  // Two different rows of ten million share one with a probability of three in a million.
  static uint64_t hash_of(const TextRow& row) {
    const std::hash<std::string_view> hash;
    return mix_key({row.text.size(), hash(row.text), hash(row.text_pair)});
  }

  DataSummary summary_;
  WordScanner scanner_;
  int64_t words_ = 0;
  std::vector<int64_t> rows_of_label_;  // by provisional number
  std::vector<uint64_t> hashes_;
};

void add_expectations(const DataSpec& spec, const std::filesystem::path& data_dir,
                      DataSummary& summary) {
  if (spec.sources.size() != 1 || spec.sources[0].kind != SourceKind::named) return;
  const DataSource& source = spec.sources[0];
  const FoundPart found = require_part(*find_entry(source.name), data_dir, source.part);
  if (found.part->rows > 0) summary.expected_rows = found.part->rows;
  if (found.part->class_rows.empty()) return;
  summary.expected_classes = static_cast<int64_t>(found.part->class_rows.size());
  if (found.part->class_rows.size() != summary.classes.size()) return;
  for (size_t i = 0; i < summary.classes.size(); ++i) {
    summary.classes[i].expected = found.part->class_rows[i];
  }
}

}  // namespace

bool DataSummary::as_expected() const {
  const auto agrees = [](const ClassSummary& each) {
    return !each.expected || *each.expected == each.rows;
  };
  const auto class_count = static_cast<int64_t>(classes.size());
  return expected_rows.value_or(rows) == rows &&
         expected_classes.value_or(class_count) == class_count &&
         std::all_of(classes.begin(), classes.end(), agrees);
}

DataSummary check_data(const DataSpec& spec, const std::filesystem::path& data_dir) {
  Counter counter;
  const StreamedRows all =
      stream_text_rows(spec, data_dir, nullptr,
                       [&](const TextRow& row, const RowOrigin& /*origin*/) { counter.add(row); });
  DataSummary summary = counter.finish(all);
  summary.name = spec.spelled;
  add_expectations(spec, data_dir, summary);
  return summary;
}

}  // namespace headroom
