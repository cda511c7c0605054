// A Hugging Face folder as a checkpoint for whoever has token ids: config and weights are imported,
// and the words are numbers. What a network computes then does not depend on its tokenizer.
#pragma once

#include <filesystem>
#include <string>

#include "checkpoint/checkpoint.h"
#include "checkpoint/hf/config.h"
#include "checkpoint/hf/tensors.h"

namespace headroom::testing {

inline std::string numbered_words(int64_t count) {
  std::string text = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n";
  for (int64_t i = 5; i < count; ++i) text += "w" + std::to_string(i) + "\n";
  return text;
}

inline ModelConfig import_network(const std::filesystem::path& from,
                                  const std::filesystem::path& out) {
  const HfFolder folder(from);
  ModelConfig config = read_hf_config(folder.json("config.json")).config;
  const HfWeights weights(folder);
  const HfTensors tensors = map_hf_tensors(weights, config);
  config.pooler = tensors.pooler;
  write_checkpoint(out, {config, numbered_words(config.shape.vocabulary), "", "", tensors.tensors});
  return config;
}

}  // namespace headroom::testing
