#include "model/weights_io.h"

#include <fmt/format.h>

#include <cstring>

#include "base/error.h"
#include "checkpoint/safetensors.h"
#include "checkpoint/tensor_names.h"

namespace headroom {

ModelWeights load_weights(const std::filesystem::path& directory, const ModelConfig& config) {
  const SafetensorsFile file(directory / "model.safetensors");
  const std::vector<TensorName> names = tensor_names(config.shape);
  if (file.tensors().size() != names.size()) {
    throw Error(ErrorCode::bad_model, "load weights",
                fmt::format("{} holds {} tensors, config.json implies {}: files of two models?",
                            file.path().string(), file.tensors().size(), names.size()));
  }
  ModelWeights weights;
  weights.layers.resize(static_cast<size_t>(config.shape.layers));
  for (LayerWeights& layer : weights.layers) layer.attention.heads = config.shape.heads;
  size_t next = 0;
  for_each_tensor(weights, [&](const std::string& name, torch::Tensor& tensor) {
    const TensorName& entry = names[next++];
    file.expect_shape(name, entry.shape);
    const std::vector<float> values = file.read_f32(name);
    tensor = torch::empty(entry.shape);
    std::memcpy(tensor.data_ptr<float>(), values.data(), values.size() * sizeof(float));
  });
  return weights;
}

std::vector<TensorView> tensor_views(ModelWeights& cpu_weights) {
  std::vector<TensorView> views;
  for_each_tensor(cpu_weights, [&](const std::string& name, torch::Tensor& tensor) {
    tensor = tensor.detach().to(torch::kCPU).contiguous();
    const auto* data = reinterpret_cast<const std::byte*>(tensor.data_ptr<float>());
    views.push_back({name,
                     DType::f32,
                     tensor.sizes().vec(),
                     {data, static_cast<size_t>(tensor.numel()) * sizeof(float)}});
  });
  return views;
}

}  // namespace headroom
