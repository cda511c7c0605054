// The marked-token task: rows are drawn fresh at every step, and training goes on until solved.
#include "data/eval_rows.h"
#include "train/tasks/tasks.h"

namespace headroom {
inline namespace train {
namespace {

void set_synthetic_defaults(TrainRequest& request) {
  Recipe& recipe = request.recipe;
  recipe.batch_size = 64;
  recipe.soft_rate = 5e-4;
  recipe.hard_rate = 3e-4;
  recipe.dense_epochs = 20;  // an upper bound: the stage ends when validation says solved
  recipe.soft_epochs = 1;
  recipe.hard_epochs = 2;
  recipe.until_solved = true;
  recipe.validate_every = 50;
  recipe.dropout = 0.0;
  ModelShape& shape = request.shape;
  shape.layers = 2;  // one to mark "after the marker", one to fetch what is marked
  shape.width = 64;
  shape.heads = 4;
  shape.ffn = 128;
}

TaskData load_synthetic(const TaskRequest& request, const TextCoding* /*fixed*/) {
  TaskData data;
  data.task = Task::synthetic;
  data.name = request.data.empty() ? "synthetic" : request.data;
  data.synthetic = parse_synthetic(request.data);
  data.labels = synthetic_labels(data.synthetic);
  data.vocabulary = synthetic_vocabulary(data.synthetic);
  data.max_tokens = data.synthetic.tokens + 2;
  data.validation = synthetic_validation_rows(data.synthetic);
  data.test = synthetic_test_rows(data.synthetic);
  return data;
}

EncodedDataset load_scored_synthetic(const EvaluationData& rows) {
  return synthetic_eval_rows(rows.data, static_cast<int>(rows.config.shape.positions));
}

}  // namespace

const TaskDefinition synthetic_task = {set_synthetic_defaults, load_synthetic,
                                       load_scored_synthetic, nullptr};

}  // namespace train
}  // namespace headroom
