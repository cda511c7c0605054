// What every training run does around its steps: how it is saved, and the checkpoint that it ends
// with.
#pragma once

#include <memory>

#include "checkpoint/policy_file.h"
#include "train/loop/trainer.h"
#include "train/rows/task_data.h"
#include "train/train_model.h"

namespace headroom {
inline namespace train {

TrainerSettings run_settings(const TrainRequest& request, const Recipe& recipe,
                             const TaskData& data, std::shared_ptr<Ranks> ranks);

// To the values that a checkpoint in bf16 holds.
void round_to_bf16(ModelWeights& weights);

// Fills in what `report` says about the training, writes the checkpoint, with the policy if there
// is one, and removes the saved state.
void store_run(const TrainRequest& request, const ModelConfig& config, const TaskData& data,
               const Recipe& recipe, const TrainingResult& training, const ElasticModel& model,
               const StoredPolicy& policy, TrainReport& report);

}  // namespace train
}  // namespace headroom
