#include "train/rows/split_units.h"

#include <numeric>

namespace headroom {
inline namespace train {

SplitIndices split_units(int64_t units, const TaskRequest& request, const std::string& validation) {
  const std::vector<int32_t> one_class(static_cast<size_t>(units), 0);
  std::vector<int32_t> kept(one_class.size());
  std::iota(kept.begin(), kept.end(), 0);
  if (request.train_rows > 0) {
    kept = sample_stratified(one_class, request.train_rows, request.split_seed);
  }
  if (!validation.empty()) return {kept, {}};
  const auto count = static_cast<int64_t>(kept.size());
  SplitIndices split = split_stratified(std::span(one_class).first(kept.size()),
                                        request.validation_count(count), request.split_seed);
  for (auto* part : {&split.train, &split.validation}) {
    for (int32_t& number : *part) number = kept[static_cast<size_t>(number)];
  }
  return split;
}

}  // namespace train
}  // namespace headroom
