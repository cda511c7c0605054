#include "experiments/variants/experiment.h"

#include <cmath>
#include <optional>
#include <utility>

#include "base/random.h"
#include "budget/cost.h"
#include "checkpoint/make_tokenizer.h"
#include "experiments/seed_run.h"
#include "experiments/variants/kind_budgets.h"
#include "experiments/variants/kind_budgets_summary.h"
#include "train/evaluate/translate.h"
#include "train/runtime.h"

namespace headroom::experiments::variants {
namespace {

constexpr double backward_share = 2;  // each product has two gradients of the same size

class VariantsRun : public SeedRun {
 public:
  VariantsRun(const Experiment& experiment, uint64_t seed, const std::filesystem::path& file,
              ProgressSink& progress)
      : SeedRun(experiment, seed, file, progress) {}

  Record run() {
    for (const AttentionKind kind : all_attention_kinds) {
      arm(std::string(attention_name(kind)),
          [&](ArmRecord& made) { train_arm(made, begin(kind)); });
    }
    arm("standard-matched", [&](ArmRecord& made) {
      ElasticModel model = begin(AttentionKind::standard);
      for_each_attention(model.weights, halve_heads);
      train_arm(made, std::move(model));
    });
    arm("standard-mixing", [&](ArmRecord& made) {
      ElasticModel model = begin(AttentionKind::standard);
      add_mixing(model.weights);
      train_arm(made, std::move(model));
    });
    arm("super-xavier", [&](ArmRecord& made) {
      ElasticModel model = begin(AttentionKind::super);
      draw_mixing(model.weights);
      train_arm(made, std::move(model));
    });
    return record_;
  }

 private:
  ElasticModel begin(AttentionKind kind) {
    shape_.attention = kind;
    ElasticModel model = start();
    model.mean_pooling = experiment_.mean_pooling;
    return model;
  }

  static void halve_heads(AttentionWeights& attention) {
    const int64_t rows = attention.heads / 2 * attention.head_width();
    attention.heads /= 2;
    for (Linear* linear : {&attention.query, &attention.key, &attention.value}) {
      linear->weight = linear->weight.narrow(0, 0, rows).clone();
      linear->bias = linear->bias.narrow(0, 0, rows).clone();
    }
    attention.output.weight = attention.output.weight.narrow(1, 0, rows).clone();
  }

  // The matrices that a Super model of this seed would start with.
  void add_mixing(ModelWeights& weights) {
    shape_.attention = AttentionKind::super;
    ModelWeights super = start().weights;
    shape_.attention = AttentionKind::standard;
    std::vector<torch::Tensor> matrices;
    for_each_attention(super, [&](AttentionWeights& each) { matrices.push_back(each.mixing); });
    size_t next = 0;
    for_each_attention(weights, [&](AttentionWeights& each) { each.mixing = matrices[next++]; });
  }

  // W_A from Xavier's uniform distribution, where ours starts near the identity.
  void draw_mixing(ModelWeights& weights) {
    uint64_t layer = 0;
    for_each_attention(weights, [&](AttentionWeights& each) {
      const auto positions = static_cast<double>(each.mixing.size(0));
      const double reach = std::sqrt(6 / (positions + positions));
      Random random{seed_, layer++, 0x786176696572};
      torch::Tensor drawn = torch::empty(each.mixing.sizes());
      float* values = drawn.data_ptr<float>();
      for (int64_t i = 0; i < drawn.numel(); ++i) {
        values[i] = static_cast<float>(reach * (2 * random.uniform() - 1));
      }
      each.mixing = (each.causal ? drawn.tril() : drawn).to(device_);
    });
  }

  void train_arm(ArmRecord& arm, ElasticModel model) {
    const int64_t steps = steps_for(recipe().dense_epochs, *source_);
    arm.parameters = parameters_of(model);  // before training makes views of them
    arm.attention_parameters = attention_parameters_of(model);
    const TrainingResult trained =
        train(model, plan(dense_stage(recipe().stages, validation_), steps, recipe().dense_rate),
              /*salt=*/0);
    arm.steps = steps;
    arm.best_step = trained.stages[0].best_step;
    arm.validation = {measured(evaluate(model.weights, validation_, model.evaluation()))};
    const Evaluation result = evaluate(model.weights, test_, model.evaluation());
    Point point = measured(result);
    point.correct = correct_rows(result);
    if (data_.task == Task::translate) {
      const auto tokenizer = make_tokenizer(data_.tokenizer, data_.lower_case, *data_.vocabulary);
      point.bleu = score_translations(model, *tokenizer, data_.test, default_beam).bleu;
    }
    const Cost cost = cost_of_model(model);
    point.attention_macs = cost.attention_macs;
    point.model_macs = cost.model_macs;
    point.training_macs = (1 + backward_share) * cost.model_macs;
    point.parameters = static_cast<double>(*arm.parameters);
    point.attention_parameters = static_cast<double>(*arm.attention_parameters);
    arm.points = {point};
  }

  static Point measured(const Evaluation& result) {
    return {.budget = 1, .accuracy = result.accuracy, .loss = result.loss};
  }

  static int64_t parameters_of(ElasticModel& model) {
    int64_t count = 0;
    for_each_tensor(model.weights, [&](const std::string&, const torch::Tensor& tensor) {
      count += tensor.numel();
    });
    return count;
  }

  static int64_t attention_parameters_of(ElasticModel& model) {
    int64_t count = 0;
    for_each_attention(model.weights, [&](const AttentionWeights& each) {
      for (const torch::Tensor* tensor : {&each.query.weight, &each.query.bias, &each.key.weight,
                                          &each.key.bias, &each.value.weight, &each.value.bias,
                                          &each.mixing, &each.output.weight, &each.output.bias}) {
        if (tensor->defined()) count += tensor->numel();
      }
    });
    return count;
  }

  // Of a model of the shape with this kind, all heads, at the test rows' lengths.
  Cost whole_cost(AttentionKind kind) const {
    ModelShape shape = shape_;
    shape.attention = kind;
    if (data_.task == Task::translate) return mean_translation_cost(shape, data_.test);
    std::vector<int64_t> lengths;
    for (const int32_t length : data_.test.lengths()) lengths.push_back(length);
    return mean_cost(shape, all_heads(shape.layers, shape.heads), lengths);
  }

  Cost cost_of_model(const ElasticModel& model) const {
    const AttentionWeights& first = model.weights.layers[0].attention;
    Cost cost = whole_cost(first.kind);
    double attention =
        cost.attention_macs * static_cast<double>(first.heads) / static_cast<double>(shape_.heads);
    if (first.mixing.defined() && !has_mixing(first.kind)) {
      attention += whole_cost(AttentionKind::super).attention_macs -
                   whole_cost(AttentionKind::efficient).attention_macs;
    }
    cost.model_macs += attention - cost.attention_macs;
    cost.attention_macs = attention;
    return cost;
  }
};

}  // namespace

Record run_seed(const Experiment& experiment, uint64_t seed, const std::filesystem::path& file,
                ProgressSink& progress) {
  if (experiment.task_name == kind_budgets_task) {
    return run_kind_budgets_seed(experiment, seed, file, progress);
  }
  use_threads(experiment.threads);
  return VariantsRun(experiment, seed, file, progress).run();
}

}  // namespace headroom::experiments::variants
