#include "data/agreement.h"

#include <algorithm>

#include "base/measure/cosine.h"
#include "base/measure/rank_correlation.h"

namespace headroom {
namespace {

using Outputs = std::span<const float>;

size_t best_of(Outputs scores) {
  return static_cast<size_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
}

bool same_labels(Outputs a, Outputs b, std::span<const double> thresholds) {
  for (size_t i = 0; i < a.size(); ++i) {
    const double least = thresholds.empty() ? 0.5 : thresholds[i];
    if ((a[i] >= least) != (b[i] >= least)) return false;
  }
  return true;
}

double squared_difference(Outputs a, Outputs b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum / static_cast<double>(std::max<size_t>(a.size(), 1));
}

// The outputs of each answer: of a tagger's row those of every token that has a tag, padding left
// out, otherwise all of them.
template <typename Take>
void for_each_answer(Task task, const EncodedDataset& rows, const RowOutputs& outputs,
                     const RowOutputs& full, size_t labels, const Take& take) {
  for (size_t row = 0; row < full.size(); ++row) {
    if (task != Task::tag) {
      take(Outputs(outputs[row]), Outputs(full[row]));
      continue;
    }
    const std::span<const int32_t> tags = rows.row_tags(static_cast<int64_t>(row));
    for (size_t i = 0; i < tags.size(); ++i) {
      if (tags[i] == EncodedDataset::no_tag) continue;
      take(Outputs(outputs[row]).subspan(i * labels, labels),
           Outputs(full[row]).subspan(i * labels, labels));
    }
  }
}

}  // namespace

Measured measure_agreement(Task task, const EncodedDataset& rows, const RowOutputs& outputs,
                           const RowOutputs& full, const OutputNames& names) {
  const OutputForm form = traits(task).output;
  Measured result;
  double alike = 0;
  std::vector<double> here;
  std::vector<double> there;
  for_each_answer(task, rows, outputs, full, names.labels.size(), [&](Outputs a, Outputs b) {
    ++result.examples;
    result.loss += squared_difference(a, b);
    if (form == OutputForm::score) {
      here.push_back(a[0]);
      there.push_back(b[0]);
    } else if (form == OutputForm::vector) {
      alike += cosine(a, b);
    } else if (form == OutputForm::labels) {
      alike += same_labels(a, b, names.thresholds) ? 1 : 0;
    } else {
      alike += best_of(a) == best_of(b) ? 1 : 0;
    }
  });
  const auto count = static_cast<double>(std::max<int64_t>(result.examples, 1));
  result.loss /= count;
  if (form == OutputForm::score) {
    result.values = {{"rank_correlation", rank_correlation(here, there).value}};
  } else {
    result.values = {{form == OutputForm::vector ? "cosine" : "agreement", alike / count}};
  }
  return result;
}

}  // namespace headroom
