#include "checkpoint/hf/tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/join.h"
#include "families/families.h"

namespace headroom {
namespace {

[[noreturn]] void refuse_tensors(const std::string& message) {
  throw Error(ErrorCode::bad_model, "import tensors", message);
}

class Mapper {
 public:
  Mapper(const HfWeights& weights, const ModelSchema& schema)
      : weights_(weights), schema_(schema), names_(weights.names()) {
    // The bare encoder saves its tensors without the prefix, every class around it with it.
    prefixed_ = std::any_of(names_.begin(), names_.end(), [&](const std::string& name) {
      return name.starts_with(schema_.prefix);
    });
  }

  // Of the encoder: classes that have a matrix of their own in front of the classifier name it
  // otherwise.
  bool has_pooler() const {
    const std::string name = schema_.name_of({Role::pooler});
    return name.starts_with(schema_.prefix) && weights_.has(their_name(name + ".weight"));
  }

  TensorView take(const TensorSpec& wanted) {
    const FusedModules* fused = schema_.fused_with(wanted.module.role);
    if (fused != nullptr) return take_rows(wanted, *fused);
    const std::string name = stored_name(wanted.name);
    const SafetensorsFile& file = weights_.file_of(name);
    file.expect_shape(name, wanted.shape);
    taken_.insert(name);
    return {wanted.name, file.at(name).dtype, wanted.shape, file.finite_bytes(name)};
  }

  // What one module has of a tensor that holds several of the same shape.
  TensorView take_rows(const TensorSpec& wanted, const FusedModules& fused) {
    const std::string name = stored_name(schema_.name_of(fused.name, wanted.module) +
                                         (wanted.bias ? ".bias" : ".weight"));
    const SafetensorsFile& file = weights_.file_of(name);
    std::vector<int64_t> shape = wanted.shape;
    shape[0] *= static_cast<int64_t>(fused.roles.size());
    file.expect_shape(name, shape);
    taken_.insert(name);
    const std::span<const std::byte> all = file.finite_bytes(name);
    const size_t size = all.size() / fused.roles.size();
    const auto part = std::find(fused.roles.begin(), fused.roles.end(), wanted.module.role);
    const auto index = static_cast<size_t>(part - fused.roles.begin());
    return {wanted.name, file.at(name).dtype, wanted.shape, all.subspan(index * size, size)};
  }

  // Refuses what is left, unless it is known to change nothing.
  std::vector<std::string> leave_the_rest(const ModelConfig& config) const {
    size_t count = 0;
    std::set<std::string_view> heads;
    bool pooler = false;
    for (const std::string& name : names_) {
      if (taken_.contains(name) || is_buffer(name) || is_dense(name, config)) continue;
      if (name.starts_with(their_name(schema_.name_of({Role::pooler})))) {
        pooler = true;
        continue;
      }
      const auto owns = [&](std::string_view prefix) { return name.starts_with(prefix); };
      const auto head =
          std::find_if(schema_.unused_prefixes.begin(), schema_.unused_prefixes.end(), owns);
      if (head == schema_.unused_prefixes.end()) {
        refuse_tensors(fmt::format("\"{}\" is no tensor of a {}: is config.json of another model?",
                                   name, config.architecture()));
      }
      heads.insert(*head);
      ++count;
    }
    std::vector<std::string> notes;
    if (pooler) notes.emplace_back("the pooler is not kept: this output does not read it");
    if (count == 0) return notes;
    const std::vector<std::string_view> named(heads.begin(), heads.end());
    notes.push_back(fmt::format("{} tensors of heads that are not used here ({}*) are not kept",
                                count, join(named, "*, ")));
    return notes;
  }

 private:
  std::string their_name(std::string_view ours) const {
    const bool drop = !prefixed_ && ours.starts_with(schema_.prefix);
    return std::string(drop ? ours.substr(schema_.prefix.size()) : ours);
  }

  std::string stored_name(const std::string& ours) const {
    std::string name = their_name(ours);
    for (const NameEnding& ending : schema_.former_endings) {
      if (!name.ends_with(ending.now)) continue;
      const std::string old = name.substr(0, name.size() - ending.now.size()).append(ending.before);
      if (!weights_.has(old)) continue;
      if (weights_.has(name))
        refuse_tensors(fmt::format("both \"{}\" and \"{}\" are there", name, old));
      return old;
    }
    return name;
  }

  bool is_buffer(const std::string& name) const {
    return std::any_of(schema_.unused_tensors.begin(), schema_.unused_tensors.end(),
                       [&](std::string_view buffer) { return name == their_name(buffer); });
  }

  // Our exports have it here too, beside the file that Sentence Transformers reads.
  bool is_dense(const std::string& name, const ModelConfig& config) const {
    return config.shape.dense > 0 && name.starts_with(schema_.name_of({Role::dense}) + ".");
  }

  const HfWeights& weights_;
  const ModelSchema& schema_;
  std::vector<std::string> names_;
  bool prefixed_ = false;
  std::set<std::string> taken_;
};

}  // namespace

HfTensors map_hf_tensors(const HfWeights& weights, const ModelConfig& config) {
  Mapper mapper(weights, schema_of(config.shape));
  HfTensors result;
  ModelConfig stored = config;
  stored.pooler = result.pooler = mapper.has_pooler();
  for (const TensorSpec& wanted : tensor_specs(stored.shape, stored.output_head())) {
    if (wanted.module.role != Role::dense) result.tensors.push_back(mapper.take(wanted));
  }
  result.notes = mapper.leave_the_rest(config);
  return result;
}

}  // namespace headroom
