#include "train/pretraining/token_detection.h"

#include "model/layers.h"

namespace headroom {
inline namespace train {

void for_each_tensor(TokenDetection& detection,
                     const std::function<void(const std::string&, torch::Tensor&)>& visit) {
  for_each_tensor(detection.generator, [&](const std::string& name, torch::Tensor& tensor) {
    if (tensor.defined()) visit("generator." + name, tensor);
  });
  visit("detection.dense.weight", detection.dense.weight);
  visit("detection.dense.bias", detection.dense.bias);
  visit("detection.output.weight", detection.output.weight);
  visit("detection.output.bias", detection.output.bias);
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

torch::Tensor detection_logits(const TokenDetection& detection, const torch::Tensor& rows) {
  const torch::Tensor hidden = torch::gelu(linear(rows, detection.dense));
  return linear(hidden, detection.output).squeeze(-1).to(torch::kFloat32);
}

}  // namespace train
}  // namespace headroom
