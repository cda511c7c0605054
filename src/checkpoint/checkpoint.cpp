#include "checkpoint/checkpoint.h"

#include <fmt/format.h>

#include "base/file.h"
#include "checkpoint/safetensors_writer.h"

namespace headroom {
namespace {

constexpr uint64_t config_limit = 16ULL << 20;  // gates of the largest legal model fit well
constexpr uint64_t vocabulary_limit = 256ULL << 20;

}  // namespace

ModelConfig read_config(const std::filesystem::path& directory) {
  if (!std::filesystem::is_directory(directory)) {
    throw Error(ErrorCode::bad_model, "open checkpoint",
                fmt::format("{} is not a directory: a checkpoint is a folder with config.json, "
                            "model.safetensors and vocab.txt",
                            directory.string()));
  }
  const std::string text = read_file(directory / "config.json", ErrorCode::bad_model, config_limit);
  return config_from_json(parse_json(text, ErrorCode::bad_model, "config.json"));
}

Vocabulary read_vocabulary(const std::filesystem::path& directory, const ModelConfig& config) {
  Vocabulary vocabulary = Vocabulary::from_text(
      read_file(directory / "vocab.txt", ErrorCode::bad_model, vocabulary_limit));
  if (vocabulary.size() != config.shape.vocabulary) {
    throw Error(ErrorCode::bad_model, "read vocab.txt",
                fmt::format("{} tokens, but config.json says vocab_size = {}: files of two models?",
                            vocabulary.size(), config.shape.vocabulary));
  }
  return vocabulary;
}

void write_checkpoint(const std::filesystem::path& directory, const CheckpointContent& content) {
  StagedDirectory staged(directory);
  const auto& folder = staged.path();
  write_file_atomically(folder / "config.json", config_to_json(content.config).dump(2) + "\n");
  write_file_atomically(folder / "vocab.txt", content.vocabulary);
  write_file_atomically(folder / "README.md", content.card);
  if (!content.log.empty()) write_file_atomically(folder / "train_log.jsonl", content.log);
  write_safetensors(folder / "model.safetensors", content.tensors, {{"format", "pt"}});
  staged.commit();
}

}  // namespace headroom
