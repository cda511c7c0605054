#include "checkpoint/hf/tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "checkpoint/tensor_names.h"

namespace headroom {
namespace {

constexpr std::string_view encoder_prefix = "bert.";

[[noreturn]] void fail(const std::string& message) {
  throw Error(ErrorCode::bad_model, "import tensors", message);
}

class Mapper {
 public:
  explicit Mapper(const HfWeights& weights) : weights_(weights), names_(weights.names()) {
    // BertModel saves its tensors without the prefix, every class around it with it.
    prefixed_ = std::any_of(names_.begin(), names_.end(), [](const std::string& name) {
      return name.starts_with(encoder_prefix);
    });
  }

  bool has_pooler() const { return weights_.has(their_name("bert.pooler.dense.weight")); }

  TensorView take(const TensorName& wanted) {
    const std::string name = stored_name(wanted.name);
    const SafetensorsFile& file = weights_.file_of(name);
    file.expect_shape(name, wanted.shape);
    taken_.insert(name);
    return {wanted.name, file.at(name).dtype, wanted.shape, file.finite_bytes(name)};
  }

  // Refuses what is left, unless it is known to change nothing.
  std::vector<std::string> leave_the_rest(std::string_view architecture) const {
    size_t heads = 0;
    for (const std::string& name : names_) {
      if (taken_.contains(name) || is_buffer(name)) continue;
      if (!name.starts_with("cls.")) {
        fail(fmt::format("\"{}\" is no tensor of a {}: is config.json of another model?", name,
                         architecture));
      }
      ++heads;
    }
    if (heads == 0) return {};
    return {fmt::format("{} tensors of the pretraining heads (cls.*) are not kept", heads)};
  }

 private:
  std::string their_name(const std::string& ours) const {
    const bool drop = !prefixed_ && ours.starts_with(encoder_prefix);
    return drop ? ours.substr(encoder_prefix.size()) : ours;
  }

  // Norms of files converted from TensorFlow are called gamma and beta. Only norms: renaming every
  // gamma breaks models that have one of their own.
  std::string stored_name(const std::string& ours) const {
    std::string name = their_name(ours);
    for (const auto& [now, before] : {std::pair("LayerNorm.weight", "LayerNorm.gamma"),
                                      std::pair("LayerNorm.bias", "LayerNorm.beta")}) {
      if (!name.ends_with(now)) continue;
      std::string old = name.substr(0, name.size() - std::string_view(now).size()) + before;
      if (!weights_.has(old)) continue;
      if (weights_.has(name)) fail(fmt::format("both \"{}\" and \"{}\" are there", name, old));
      return old;
    }
    return name;
  }

  // 0, 1, 2, ...: saved with the weights by versions before 4.31.
  bool is_buffer(const std::string& name) const {
    return name == their_name("bert.embeddings.position_ids") ||
           name == their_name("bert.embeddings.token_type_ids");
  }

  const HfWeights& weights_;
  std::vector<std::string> names_;
  bool prefixed_ = false;
  std::set<std::string> taken_;
};

}  // namespace

HfTensors map_hf_tensors(const HfWeights& weights, const ModelConfig& config) {
  Mapper mapper(weights);
  HfTensors result;
  ModelConfig stored = config;
  stored.pooler = result.pooler = mapper.has_pooler();
  for (const TensorName& wanted : tensor_names(stored.shape, stored.output_head())) {
    result.tensors.push_back(mapper.take(wanted));
  }
  result.notes = mapper.leave_the_rest(traits(config.task).architecture);
  return result;
}

}  // namespace headroom
