#include "train/stages/importance.h"

#include "train/evaluate/evaluate.h"

namespace headroom {
inline namespace train {

HeadOrder rank_by_ablation(const ElasticModel& model, const std::vector<Batch>& validation) {
  const int64_t L = model.shape.layers;
  const int64_t H = model.shape.heads;
  std::vector<double> scores;
  for (int64_t layer = 0; layer < L; ++layer) {
    for (int64_t head = 0; head < H; ++head) {
      torch::Tensor mask = torch::ones({L, H});
      mask.index_put_({layer, head}, 0.0F);
      scores.push_back(
          model.objective
              ->evaluate(model.weights, validation, model.evaluation(mask.to(model.device())))
              .loss);
    }
  }
  return order_by_score(scores, L, H);
}

}  // namespace train
}  // namespace headroom
