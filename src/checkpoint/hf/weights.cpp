#include "checkpoint/hf/weights.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/checked.h"
#include "base/error.h"

namespace headroom {
namespace {

constexpr const char* single_name = "model.safetensors";
constexpr const char* index_name = "model.safetensors.index.json";
constexpr uint64_t index_limit = 64ULL << 20;
constexpr size_t max_shards = 1000;  // the largest public models have a few hundred

[[noreturn]] void refuse_weights(const std::string& message) {
  throw Error(ErrorCode::bad_model, "read Hugging Face weights", message);
}

// What lies there instead is named: most often a pickle.
[[noreturn]] void fail_without_weights(const HfFolder& folder) {
  for (const std::string& name : folder.names()) {
    for (const char* ending : {".bin", ".pt", ".pth", ".pkl", ".ckpt", ".bin.index.json"}) {
      if (!name.ends_with(ending)) continue;
      refuse_weights(
          fmt::format("{} is a pickle, which can run code when it is opened, so it is never read. "
                      "If you trust where it came from, load it in Transformers and call "
                      "save_pretrained(): that writes {}",
                      name, single_name));
    }
    if (name.ends_with(".h5") || name.ends_with(".msgpack")) {
      refuse_weights(
          fmt::format("{} holds weights of TensorFlow or Flax; load them in Transformers and call "
                      "save_pretrained() of the PyTorch class: that writes {}",
                      name, single_name));
    }
  }
  refuse_weights(fmt::format("neither {} nor {} is in the folder", single_name, index_name));
}

// A shard lies beside its index; another index is no shard.
void check_shard_name(const std::string& name) {
  if (name.find('/') != std::string::npos || name.find('\\') != std::string::npos ||
      name.starts_with('.') || !name.ends_with(".safetensors")) {
    refuse_weights(
        fmt::format("{} names the shard \"{}\", expected the plain name of a .safetensors file "
                    "beside it",
                    index_name, name));
  }
}

// Tensor to file, as the index says.
std::map<std::string, std::string> read_weight_map(const SortedJson& index) {
  const auto found = index.find("weight_map");
  if (found == index.end() || !found->is_object() || found->empty()) {
    refuse_weights(fmt::format("{} has no weight_map: an incomplete download?", index_name));
  }
  std::map<std::string, std::string> map;
  for (const auto& [tensor, file] : found->items()) {
    if (!file.is_string()) {
      refuse_weights(fmt::format("{}: weight_map gives \"{}\" no file name", index_name, tensor));
    }
    check_shard_name(file.get<std::string>());
    map.emplace(tensor, file.get<std::string>());
  }
  return map;
}

void check_total_size(const SortedJson& index, const std::vector<SafetensorsFile>& files) {
  const auto metadata = index.find("metadata");
  if (metadata == index.end() || !metadata->is_object() || !metadata->contains("total_size"))
    return;
  uint64_t total = 0;
  for (const SafetensorsFile& file : files) {
    // Each file's sizes are bounded by its real length, so this cannot wrap in practice.
    for (const TensorInfo& tensor : file.tensors()) {
      total = checked_add(total, tensor.end - tensor.begin).value_or(total);
    }
  }
  const SortedJson& declared = metadata->at("total_size");
  if (!declared.is_number() || declared.get<double>() != static_cast<double>(total)) {
    refuse_weights(
        fmt::format("{} declares {} bytes of tensors, its shards hold {}: an incomplete download?",
                    index_name, shown(declared), total));
  }
}

}  // namespace

HfWeights::HfWeights(const HfFolder& folder) {
  if (folder.has(single_name)) {
    files_.emplace_back(folder.file(single_name));
    for (const TensorInfo& tensor : files_[0].tensors()) owner_.emplace(tensor.name, 0);
  } else if (folder.has(index_name)) {
    open_shards(folder);
  } else {
    fail_without_weights(folder);
  }
}

void HfWeights::open_shards(const HfFolder& folder) {
  const SortedJson index =
      parse_sorted_json(folder.text(index_name, index_limit), ErrorCode::bad_model, index_name);
  const std::map<std::string, std::string> map = read_weight_map(index);
  std::map<std::string, size_t> shards;
  for (const auto& [tensor, file] : map) shards.emplace(file, 0);
  if (shards.size() > max_shards) {
    refuse_weights(fmt::format("{} lists {} shards, more than the limit of {}", index_name,
                               shards.size(), max_shards));
  }
  for (auto& [name, position] : shards) {
    position = files_.size();
    files_.emplace_back(folder.file(name));
    for (const TensorInfo& tensor : files_.back().tensors()) {
      const auto listed = map.find(tensor.name);
      if (listed == map.end() || listed->second != name) {
        refuse_weights(
            fmt::format("{} holds \"{}\", which {} {}: every tensor must be listed once, where it "
                        "is",
                        name, tensor.name, index_name,
                        listed == map.end() ? "does not list"
                                            : fmt::format("looks for in {}", listed->second)));
      }
      owner_.emplace(tensor.name, position);
    }
  }
  for (const auto& [tensor, file] : map) {
    if (!has(tensor)) {
      refuse_weights(
          fmt::format("{} looks for \"{}\" in {}, where it is not", index_name, tensor, file));
    }
  }
  check_total_size(index, files_);
}

std::vector<std::string> HfWeights::names() const {
  std::vector<std::string> names;
  for (const auto& [name, position] : owner_) names.push_back(name);
  return names;
}

const SafetensorsFile& HfWeights::file_of(std::string_view name) const {
  const auto found = owner_.find(name);
  if (found == owner_.end()) {
    refuse_weights(fmt::format("there is no tensor \"{}\": weights of another model?", name));
  }
  return files_[found->second];
}

}  // namespace headroom
