#include "data/check.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "data/catalog.h"
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

void summarize_words(const TextDataset& dataset, DataSummary& summary) {
  WordScanner scanner;
  int64_t total = 0;
  for (const TextRow& row : dataset.rows) {
    const int64_t words = count_words(row.text, scanner) + count_words(row.text_pair, scanner);
    summary.min_words = &row == dataset.rows.data() ? words : std::min(summary.min_words, words);
    summary.max_words = std::max(summary.max_words, words);
    summary.empty += words == 0 ? 1 : 0;
    total += words;
    summary.text_bytes += static_cast<int64_t>(row.text.size() + row.text_pair.size());
  }
  summary.mean_words = static_cast<double>(total) / static_cast<double>(dataset.rows.size());
}

int64_t count_duplicates(const TextDataset& dataset) {
  std::unordered_set<std::string> seen;
  int64_t duplicates = 0;
  for (const TextRow& row : dataset.rows) {
    // The length keeps ("a", "bc") and ("ab", "c") apart.
    const std::string key = std::to_string(row.text.size()) + ' ' + row.text + row.text_pair;
    duplicates += seen.insert(key).second ? 0 : 1;
  }
  return duplicates;
}

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
  const TextDataset dataset = read_text_dataset(spec, data_dir);
  DataSummary summary;
  summary.name = dataset.name;
  summary.pairs = dataset.pairs;
  summary.rows = static_cast<int64_t>(dataset.rows.size());
  const std::vector<int64_t> counts = dataset.label_counts();
  for (size_t i = 0; i < counts.size(); ++i) {
    summary.classes.push_back({dataset.labels[i], counts[i], std::nullopt});
  }
  summarize_words(dataset, summary);
  summary.duplicates = count_duplicates(dataset);
  add_expectations(spec, data_dir, summary);
  return summary;
}

}  // namespace headroom
