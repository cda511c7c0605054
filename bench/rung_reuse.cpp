// Whether a rung gains from what the rung before it computed: a nested model's full pass, alone and
// with the last states of the small pass added to its embeddings through a matrix that starts at 0
// (the tokens that ThinkingViT hands on). Both arms are trained on from the same checkpoint, with
// the same rows, steps and rates, each on the labels at both budgets. Writes a line of JSON for
// every seed and arm.
//   bench-rung-reuse MODEL DATA VALIDATION-ROWS [SEEDS [EPOCHS [TRAIN-ROWS]]]
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/measure/machine.h"
#include "bench_program.h"
#include "checkpoint/checkpoint.h"
#include "train/checkpoint_model.h"
#include "train/evaluate/evaluate.h"
#include "train/loop/adamw.h"
#include "train/loop/parameters.h"
#include "train/loop/schedule.h"
#include "train/rows/task_data.h"
#include "train/runtime.h"
#include "train/stages/losses.h"
#include "train/tasks/tasks.h"

namespace headroom {
namespace {

constexpr double small = 0.125;
constexpr int batch_rows = 32;
constexpr double peak_rate = 1e-4;

struct Setting {
  std::string model;
  TaskRequest task;
  double epochs = 1;
};

// A model whose full pass may read the small one's states.
class Climber {
 public:
  Climber(const std::string& checkpoint, bool reuses)
      : opened_(open_finished(checkpoint, torch::kCPU)),
        parameters_(opened_.model, ParameterSettings{}) {
    if (!reuses) return;
    const int64_t width = opened_.model.shape.width;
    ParameterGroup group{"states", 1.0, 0.0, torch::zeros({width * width}), {}, {}, {}};
    for (auto* each : {&group.gradient, &group.mean, &group.square}) {
      *each = torch::zeros_like(group.values);
    }
    from_states_ = group.values.view({width, width}).detach().requires_grad_();
    from_states_.mutable_grad() = group.gradient.view({width, width});
    parameters_.groups().push_back(std::move(group));
  }

  torch::Tensor small_logits(const Batch& batch, const ForwardOptions& options) const {
    return forward(at_budget(opened_.model, small), batch, options);
  }
  torch::Tensor full_logits(const Batch& batch, ForwardOptions options) const {
    if (from_states_.defined()) {
      const torch::Tensor states = encode(at_budget(opened_.model, small), batch, options);
      options.added = torch::matmul(states, from_states_);
    }
    return forward(at_budget(opened_.model, 1.0), batch, options);
  }

  void train(BatchSource& source, double epochs) {
    const auto per_epoch = static_cast<double>(source.steps_per_epoch());
    const auto steps = static_cast<int64_t>(epochs * per_epoch);
    const Schedule schedule{peak_rate, steps, steps / 20};
    const ForwardOptions options = opened_.model.training();
    for (int64_t step = 0; step < steps; ++step) {
      const Batch batch = source.batch(step);
      parameters_.zero_gradients();
      const torch::Tensor loss = task_loss(small_logits(batch, options), batch.labels, 0) +
                                 task_loss(full_logits(batch, options), batch.labels, 0);
      loss.backward();
      adamw_step(parameters_.groups(), {}, schedule.rate(step), step + 1);
      if (step % 100 == 0) fmt::print(stderr, "\r{} of {} steps ", step, steps);
    }
    fmt::print(stderr, "\r");
  }

  // Shares of rows answered right by the small pass and by the full one.
  Json accuracy(const EncodedDataset& rows) const {
    torch::NoGradGuard no_gradients;
    const ForwardOptions options = opened_.model.evaluation();
    int64_t right_small = 0;
    int64_t right_full = 0;
    const auto right = [](const torch::Tensor& logits, const Batch& batch) {
      return (logits.argmax(1) == batch.labels).sum().item<int64_t>();
    };
    for (const Batch& batch : evaluation_batches(rows, torch::kCPU)) {
      right_small += right(small_logits(batch, options), batch);
      right_full += right(full_logits(batch, options), batch);
    }
    const auto count = static_cast<double>(rows.size());
    return {{"small", static_cast<double>(right_small) / count},
            {"full", static_cast<double>(right_full) / count}};
  }

 private:
  CheckpointModel opened_;
  Parameters parameters_;
  torch::Tensor from_states_;  // D x D; undefined: the full pass is alone
};

int main_of(int argc, char** argv) {
  if (argc < 4) {
    fmt::print(stderr,
               "usage: bench-rung-reuse MODEL DATA VALIDATION-ROWS [SEEDS [EPOCHS "
               "[TRAIN-ROWS]]]\n");
    return 2;
  }
  Setting setting;
  setting.model = argv[1];
  setting.task.data = argv[2];
  setting.task.eval_data = setting.task.data + ":test";
  setting.task.validation_rows = std::atoi(argv[3]);
  const int seeds = argc > 4 ? std::atoi(argv[4]) : 3;
  setting.epochs = argc > 5 ? std::atof(argv[5]) : 1;
  setting.task.train_rows = argc > 6 ? std::atoi(argv[6]) : 0;
  const char* data_dir = std::getenv("HEADROOM_DATA");
  setting.task.data_dir = data_dir != nullptr ? data_dir : "data";
  const ModelConfig config = read_config(setting.model);
  setting.task.task = config.task;
  setting.task.max_tokens = static_cast<int>(config.longest_input());
  use_threads(1);
  const TextCoding coding = read_coding(setting.model);
  const TaskData data = load_task(setting.task, &coding);
  for (int seed = 1; seed <= seeds; ++seed) {
    for (const bool reuses : {false, true}) {
      Climber climber(setting.model, reuses);
      Json line = {{"date", today()},           {"machine", cpu_name()},
                   {"data", setting.task.data}, {"train_rows", data.train.size()},
                   {"epochs", setting.epochs},  {"peak_rate", peak_rate},
                   {"small_budget", small},     {"seed", seed},
                   {"reuses", reuses}};
      line["before"] = climber.accuracy(data.validation);
      torch::manual_seed(seed);
      const auto source =
          training_source(data, batch_rows, static_cast<uint64_t>(seed), torch::kCPU);
      climber.train(*source, setting.epochs);
      line["validation"] = climber.accuracy(data.validation);
      line["test"] = climber.accuracy(data.test);
      fmt::print("{}\n", line.dump());
      std::fflush(stdout);
    }
  }
  return 0;
}

}  // namespace
}  // namespace headroom

int main(int argc, char** argv) {
  return headroom::run_program("bench-rung-reuse", [&] { return headroom::main_of(argc, argv); });
}
