#include "engine_random.h"

#include <fmt/format.h>

#include <span>
#include <string>

#include "budget/unit_order.h"
#include "checkpoint/checkpoint.h"
#include "families/schema.h"

namespace headroom {

void write_random_checkpoint(const std::filesystem::path& directory, ModelShape shape, Task task) {
  std::vector<std::string> words = {"<s>", "</s>"};  // which some families frame texts with
  for (int64_t i = 2; i < shape.vocabulary - special_count; ++i) {
    words.push_back(fmt::format("w{}", i));
  }
  ModelConfig config;
  config.task = task;
  shape.readout = readout_of(task);
  if (shape.readout == Readout::vector) shape.labels = 0;
  config.shape = shape;
  config.method = Method::nested;
  config.order = uniform_order(shape, default_group_width(shape.ffn));
  for (int64_t i = 0; i < shape.labels; ++i) config.labels.push_back(std::to_string(i));
  CheckpointContent content{config, Vocabulary::with_words(words).to_text(), "# Random\n", "", {}};
  const std::vector<TensorSpec> names = tensor_specs(shape);
  std::vector<std::vector<float>> tensors(names.size());
  Random random{1};
  for (size_t i = 0; i < names.size(); ++i) {
    int64_t count = 1;
    for (const int64_t dim : names[i].shape) count *= dim;
    const bool is_norm_weight = is_norm(names[i].module.role) && !names[i].bias;
    for (int64_t j = 0; j < count; ++j) {
      tensors[i].push_back(static_cast<float>((is_norm_weight ? 1 : 0) + 0.05 * random.normal()));
    }
    content.tensors.push_back({names[i].name, DType::f32, names[i].shape,
                               std::as_bytes(std::span<const float>(tensors[i]))});
  }
  write_checkpoint(directory, content);
}

std::vector<int32_t> random_ids(Random& random, const ModelShape& shape, int64_t tokens) {
  std::vector<int32_t> ids;
  for (int64_t t = 0; t < tokens; ++t) {
    ids.push_back(static_cast<int32_t>(random.below(static_cast<uint64_t>(shape.vocabulary))));
  }
  return ids;
}

}  // namespace headroom
