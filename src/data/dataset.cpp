#include "data/dataset.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace headroom {

std::string_view part_name(DataPart part) {
  switch (part) {
    case DataPart::train:
      return "train";
    case DataPart::validation:
      return "validation";
    case DataPart::test:
      return "test";
  }
  return "unknown";
}

std::vector<int32_t> TextDataset::row_labels() const {
  std::vector<int32_t> result;
  result.reserve(rows.size());
  for (const TextRow& row : rows) result.push_back(row.label);
  return result;
}

std::vector<int64_t> TextDataset::label_counts() const {
  std::vector<int64_t> counts(labels.size(), 0);
  for (const TextRow& row : rows) ++counts[static_cast<size_t>(row.label)];
  return counts;
}

void require_trainable(const TextDataset& dataset) {
  const auto fail = [&](std::string_view why) {
    throw Error(ErrorCode::bad_data, "load data", fmt::format("{} {}", dataset.name, why));
  };
  if (dataset.rows.empty()) fail("has no rows; is the file empty?");
  const std::vector<int64_t> counts = dataset.label_counts();
  const auto has_rows = [](int64_t count) { return count > 0; };
  if (std::count_if(counts.begin(), counts.end(), has_rows) >= 2) return;
  const auto only = std::find_if(counts.begin(), counts.end(), has_rows) - counts.begin();
  fail(
      fmt::format("has {} rows, all with the label \"{}\"; at least two classes are needed to "
                  "train. Is the label column the right one?",
                  dataset.rows.size(), dataset.labels[static_cast<size_t>(only)]));
}

}  // namespace headroom
