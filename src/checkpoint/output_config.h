// What config.json says about a model's output beyond the network: pooling and prompts of vectors,
// thresholds of labels, calibration of scores.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/enum_table.h"
#include "base/json.h"
#include "base/task.h"
#include "budget/score_calibration.h"
#include "budget/shape.h"
#include "text/token_bm25.h"

namespace headroom {

enum class Pooling { mean, cls, max };
inline constexpr auto pooling_table =
    enum_table<Pooling>("pooling", {{Pooling::mean, "mean", "of all tokens"},
                                    {Pooling::cls, "cls", "the first token"},
                                    {Pooling::max, "max", "the largest of each dimension"}});
constexpr const auto& table_of(Pooling) {
  return pooling_table;
}

enum class DenseActivation { identity, tanh };
inline constexpr auto dense_activation_table = enum_table<DenseActivation>(
    "activation", {{DenseActivation::identity, "identity"}, {DenseActivation::tanh, "tanh"}});

// What ModelShape::readout is for a model of `task`.
constexpr Readout readout_of(Task task) {
  if (traits(task).output == OutputForm::tags) return Readout::tokens;
  return traits(task).output == OutputForm::vector ? Readout::vector : Readout::pooled;
}

// Of task embed. The dense layer's width is ModelShape::dense.
struct VectorConfig {
  Pooling pooling = Pooling::mean;
  bool normalize = true;  // to length 1
  DenseActivation activation = DenseActivation::identity;
  std::map<std::string, std::string> prompts;  // by name, put in front of a text: "query: "
  std::string default_prompt;                  // the name of one of them; empty: none

  bool operator==(const VectorConfig&) const = default;
};

struct OutputConfig {
  VectorConfig vector;
  // Task multilabel: the least score at which each label is given. None: 0.5 for all.
  std::vector<double> thresholds;
  std::vector<ScoreCalibration> calibration;  // ascending by budget
  // Task rerank: what ScoreCalibration::lexical is the weight of. None: all of them are 0.
  std::optional<TokenBm25> lexical;

  // What a ranker's score adds to its network's for a pair.
  double lexical_score(const ScoreCalibration& at, std::span<const int32_t> pair) const {
    return lexical && at.lexical != 0 ? at.lexical * lexical->score(pair) : 0;
  }
  double threshold(size_t label) const { return thresholds.empty() ? 0.5 : thresholds[label]; }
  bool operator==(const OutputConfig&) const = default;
};

// The keys of the "headroom" object for a model of `task`.
void output_to_json(const OutputConfig& output, Task task, const ModelShape& shape, Json& own);

// Sets `shape.dense` too; `shape.labels` must be known. Throws ErrorCode::bad_model.
OutputConfig output_from_json(const JsonFields& own, Task task, ModelShape& shape);

}  // namespace headroom
