#include "data/load.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "base/memory_allowance.h"
#include "data/label_list.h"
#include "data/sources.h"
#include "text/unicode/utf8.h"

namespace headroom {
namespace fs = std::filesystem;
namespace {

// Checks rows as they come and gives their labels numbers.
class RowChecker {
 public:
  explicit RowChecker(LabelList& labels) : labels_(labels) {}

  TextRow check(RawRow& row, const RowOrigin& origin) {
    for (const std::string* text : {&row.text, &row.text_pair, &row.label}) {
      if (find_invalid_utf8(*text)) require_utf8(*text, "load data", origin.describe());
    }
    if (rows_ == 0) pairs_ = row.has_pair;
    if (row.has_pair != pairs_) {
      fail_row(origin, row.has_pair ? "has a text_pair, but the rows before it have none"
                                    : "has no text_pair, but the rows before it have one");
    }
    if (row.has_list) fail_row(origin, "has a list of labels: that is for --task multilabel");
    const int32_t label = labels_.number(row.label, origin);
    ++rows_;
    return {std::move(row.text), std::move(row.text_pair), label};
  }

  int64_t rows() const { return rows_; }
  bool pairs() const { return pairs_; }

 private:
  LabelList& labels_;
  int64_t rows_ = 0;
  bool pairs_ = false;
};

uint64_t memory_of(const TextRow& row) {
  return sizeof(TextRow) + heap_bytes(row.text) + heap_bytes(row.text_pair);
}

}  // namespace

StreamedRows stream_text_rows(const DataSpec& spec, const fs::path& data_dir,
                              const std::vector<std::string>* labels, const TakeRow& take) {
  LabelList list(labels);
  RowChecker checker(list);
  std::vector<std::string> columns;
  for (const DataSource& source : spec.sources) {
    const int64_t before = checker.rows();
    std::string names = read_source(
        source, data_dir, Task::classify, RowUse::learn, list,
        [&](RawRow& row, const RowOrigin& origin) { take(checker.check(row, origin), origin); });
    if (!names.empty()) columns.push_back(std::move(names));
    if (checker.rows() == before) fail_empty(source);
  }
  LabelList::Order order = list.finish();
  return {std::move(order.labels), std::move(order.renumber), checker.rows(), checker.pairs(),
          std::move(columns)};
}

TextDataset read_text_dataset(const DataSpec& spec, const fs::path& data_dir,
                              const std::vector<std::string>* labels, uint64_t max_memory) {
  TextDataset dataset;
  dataset.name = spec.spelled;
  MemoryAllowance memory(max_memory, "load data", "rows");
  StreamedRows all =
      stream_text_rows(spec, data_dir, labels, [&](TextRow row, const RowOrigin& origin) {
        if (!memory.take(memory_of(row))) memory.fail(origin.describe());
        dataset.rows.push_back(std::move(row));
      });
  dataset.labels = std::move(all.labels);
  dataset.pairs = all.pairs;
  dataset.columns = std::move(all.columns);
  for (TextRow& row : dataset.rows) row.label = all.renumber[static_cast<size_t>(row.label)];
  return dataset;
}

TextDataset load_text_dataset(const DataSpec& spec, const fs::path& data_dir,
                              const std::vector<std::string>* labels, uint64_t max_memory) {
  TextDataset dataset = read_text_dataset(spec, data_dir, labels, max_memory);
  if (labels == nullptr) require_trainable(dataset);
  return dataset;
}

TextDataset load_text_dataset(std::string_view spec, const fs::path& data_dir,
                              const std::vector<std::string>* labels, uint64_t max_memory) {
  return load_text_dataset(parse_data_spec(spec), data_dir, labels, max_memory);
}

}  // namespace headroom
