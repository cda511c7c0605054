// Pretraining some steps at a random budget, so that prefixes of the weights work before
// fine-tuning ranks them.
#pragma once

#include "base/random.h"
#include "train/stages/elastic_model.h"

namespace headroom {
inline namespace train {

class NestedSteps {
 public:
  explicit NestedSteps(double share) : share_(share) {}  // of all steps

  void prepare(ElasticModel& model) const;  // gives it an order, where there are such steps

  // What a step runs; the other steps run the whole model.
  ModelWeights weights_for(const ElasticModel& model, Random& random) const;

 private:
  double share_;
};

}  // namespace train
}  // namespace headroom
