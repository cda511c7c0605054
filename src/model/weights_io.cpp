#include "model/weights_io.h"

#include <cstring>

#include "checkpoint/checkpoint.h"
#include "checkpoint/weights_memory.h"
#include "model/slice.h"

namespace headroom {

ModelWeights load_weights(const std::filesystem::path& directory, const ModelConfig& config) {
  require_weights_fit(config, sizeof(float), /*max_memory=*/0, directory);
  const SafetensorsFile file = open_weights(directory / "model.safetensors", config);
  const std::vector<TensorSpec> names = config.tensors();
  file.expect_count(names.size());
  ModelWeights weights = hollow_weights(config.shape, config.output_head());
  weights.vector = config.output.vector;
  size_t next = 0;
  for_each_tensor(weights, [&](const std::string& name, torch::Tensor& tensor) {
    const TensorSpec& entry = names[next++];
    file.expect_shape(name, entry.shape);
    const std::vector<float> values = file.read_f32(name);
    tensor = torch::empty(entry.shape);
    if (!values.empty()) {
      std::memcpy(tensor.data_ptr<float>(), values.data(), values.size() * sizeof(float));
    }
  });
  return config.stored ? expand_model(weights, config.shape, *config.stored) : weights;
}

std::vector<TensorView> tensor_views(ModelWeights& cpu_weights, DType type) {
  TORCH_CHECK(type == DType::f32 || type == DType::bf16, "weights are stored as f32 or bf16");
  std::vector<TensorView> views;
  for_each_tensor(cpu_weights, [&](const std::string& name, torch::Tensor& tensor) {
    tensor = tensor.detach()
                 .to(torch::kCPU, type == DType::bf16 ? torch::kBFloat16 : torch::kFloat32)
                 .contiguous();
    const auto* data = static_cast<const std::byte*>(tensor.data_ptr());
    views.push_back({name, type, tensor.sizes().vec(), {data, tensor.nbytes()}});
  });
  return views;
}

}  // namespace headroom
