#include "train/pretraining/token_detection.h"

namespace headroom {
inline namespace train {

void for_each_tensor(TokenDetection& detection,
                     const std::function<void(const std::string&, torch::Tensor&)>& visit) {
  for_each_tensor(detection.generator, [&](const std::string& name, torch::Tensor& tensor) {
    if (tensor.defined()) visit("generator." + name, tensor);
  });
  for_each_tensor(detection.head, "detection", visit);
}

ModelWeights without_tables(ModelWeights generator) {
  return with_tables(std::move(generator), {});
}

ModelWeights with_tables(ModelWeights generator, const ModelWeights& encoder) {
  generator.words = encoder.words;
  generator.positions = encoder.positions;
  generator.types = encoder.types;
  generator.embedding_norm = encoder.embedding_norm;
  return generator;
}

}  // namespace train
}  // namespace headroom
