#include "families/training.h"

#include <fmt/format.h>

#include "base/files/scratch_folder.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/hf/import.h"
#include "checkpoint/make_tokenizer.h"
#include "model/weights_io.h"
#include "train/train_model.h"

namespace headroom {
namespace {
namespace fs = std::filesystem;

constexpr int seeds = 3;

// The imported model with weights drawn as for a model that nobody has trained: those of the folder
// are large, so that differences show.
void write_untrained(const fs::path& folder, uint64_t seed, const fs::path& out) {
  import_hf_folder(folder, out);
  const ModelConfig config = read_config(out);
  const Vocabulary vocabulary = read_vocabulary(out, config);
  ModelWeights weights = fresh_weights(config.shape, seed, torch::kCPU);
  write_checkpoint(out, {config, vocabulary.to_text(), "", "", tensor_views(weights),
                         tokenizer_files(vocabulary)});
}

TrainRequest request_for(Method method, uint64_t seed, const fs::path& data_dir) {
  TrainRequest request;
  request.task.data = "agnews";
  request.task.eval_data = "agnews:test";
  request.task.data_dir = data_dir;
  request.task.max_tokens = 32;
  request.task.train_rows = 8000;
  request.task.validation_rows = 1000;
  request.method = method;
  request.recipe.dropout = 0.1;
  request.recipe.dense_epochs = 6;
  request.recipe.dense_rate = 3e-3;
  request.recipe.nested_epochs = 6;
  request.recipe.nested_rate = 2e-3;
  request.seed = seed;
  request.threads = 1;
  request.budgets =
      method == Method::dense ? std::vector<double>{1.0} : std::vector<double>{0.25, 0.5, 1.0};
  return request;
}

}  // namespace

Json train_families(const fs::path& models, const fs::path& data_dir) {
  Json rows = Json::array();
  for (const std::string family : {"roberta", "modernbert", "deberta-v2"}) {
    for (uint64_t seed = 1; seed <= seeds; ++seed) {
      for (const Method method : {Method::dense, Method::nested}) {
        const ScratchFolder scratch;
        TrainRequest request = request_for(method, seed, data_dir);
        request.init = scratch.path() / "init";
        request.out = scratch.path() / "model";
        write_untrained(models / (family + "-cls"), seed, request.init);
        SilentProgress silent;
        Json accuracies;
        for (const BudgetScore& score : train_model(request, silent).scores) {
          accuracies[fmt::format("{}", score.budget)] = score.accuracy;
        }
        rows.push_back({{"family", family},
                        {"method", method_name(method)},
                        {"seed", seed},
                        {"accuracy", accuracies}});
        fmt::print(stderr, "training: {}\n", rows.back().dump());
      }
    }
  }
  return rows;
}

}  // namespace headroom
