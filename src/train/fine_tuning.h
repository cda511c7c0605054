// Starting from another model's weights.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/task.h"
#include "checkpoint/config.h"
#include "train/stages/elastic_model.h"

namespace headroom {
inline namespace train {

// Puts the encoder of the checkpoint `init` into `model`, which has fresh weights for `labels`. The
// pooler comes along when `init` has one, its classifier when it has the same output and labels,
// how it makes vectors when `task` does, its controllers when the model has such, too. Positions
// beyond model.shape are cut off. Where model.shape has another number of token types, each begins
// as the first.
void start_from(const std::filesystem::path& init, const std::vector<std::string>& labels,
                ElasticModel& model, Task task = Task::classify);

// Whether a model that starts from `init` keeps its last layer: one for the same output and labels.
// That of a number it never keeps: it has the scale of other rows.
bool keeps_head(const ModelConfig& init, Task task, const std::vector<std::string>& labels);

}  // namespace train
}  // namespace headroom
