#include "checkpoint/checkpoint.h"

#include <fmt/format.h>

#include "base/files/file.h"
#include "checkpoint/fused_tensors.h"
#include "checkpoint/tensors/convert.h"
#include "checkpoint/tensors/safetensors_writer.h"
#include "text/pipeline/read_tokenizer.h"

namespace headroom {
namespace fs = std::filesystem;
namespace {

constexpr uint64_t config_limit = 16ULL << 20;  // gates of the largest legal model fit well

void require_finite(const std::vector<TensorView>& tensors) {
  for (const TensorView& tensor : tensors) {
    if (const auto index = find_not_finite(tensor.dtype, tensor.bytes)) {
      throw Error(ErrorCode::runtime, "write checkpoint",
                  fmt::format("element {} of tensor \"{}\" is NaN or infinite: the training "
                              "diverged; try a lower learning rate",
                              *index, tensor.name));
    }
  }
}

}  // namespace

std::string read_checkpoint_file(const fs::path& file, uint64_t limit) {
  return read_file(file, ErrorCode::bad_model, limit, Links::refuse);
}

SafetensorsFile open_weights(const fs::path& safetensors, const ModelConfig& config) {
  SafetensorsFile file(safetensors);
  split_fused_tensors(file, config.shape);
  if (!config.weights_checksum) return file;
  const uint64_t found = file.checksum();
  if (found != *config.weights_checksum) {
    throw Error(ErrorCode::bad_model, "open weights",
                fmt::format("{} has the checksum {}, config.json says {}: a damaged copy, or "
                            "weights of another model? If another program changed them on "
                            "purpose, remove headroom.weights_xxh64 from config.json",
                            safetensors.string(), checksum_text(found),
                            checksum_text(*config.weights_checksum)));
  }
  return file;
}

size_t verify_weights(const fs::path& directory, const ModelConfig& config) {
  const SafetensorsFile file = open_weights(directory / "model.safetensors", config);
  const std::vector<TensorSpec> names = config.tensors();
  for (const TensorSpec& tensor : names) {
    file.expect_shape(tensor.name, tensor.shape);
    file.finite_bytes(tensor.name);
  }
  file.expect_count(names.size());
  return names.size();
}

ModelConfig read_config(const fs::path& directory) {
  if (!fs::is_directory(directory)) {
    throw Error(ErrorCode::bad_model, "open checkpoint",
                fmt::format("{} is not a directory: a checkpoint is a folder with config.json, "
                            "model.safetensors and vocab.txt",
                            directory.string()));
  }
  const std::string text = read_checkpoint_file(directory / "config.json", config_limit);
  return config_from_json(parse_json(text, ErrorCode::bad_model, "config.json"));
}

void require_answers(const ModelConfig& config, const fs::path& directory) {
  if (answers_text(config.task)) return;
  if (traits(config.task).output == OutputForm::states) {
    throw Error(ErrorCode::bad_model, "open checkpoint",
                fmt::format("{} is a pretrained encoder and has no labels: train --init makes a "
                            "classifier of it",
                            directory.string()));
  }
  throw Error(ErrorCode::usage, "open checkpoint",
              fmt::format("{} is a model of task {}, which the native engine, the server and the "
                          "exporters do not run: train, eval and predict do, with libtorch",
                          directory.string(), task_name(config.task)));
}

TokenizerFiles read_tokenizer_files(const fs::path& directory) {
  TokenizerFiles files;
  files.tokenizer_json = read_checkpoint_file(directory / "tokenizer.json", max_tokenizer_json);
  if (fs::exists(directory / "tokenizer_config.json")) {
    files.tokenizer_config =
        read_checkpoint_file(directory / "tokenizer_config.json", max_tokenizer_config);
  }
  return files;
}

void require_rows_for(const Vocabulary& vocabulary, const ModelConfig& config) {
  if (vocabulary.size() <= config.shape.vocabulary) return;
  throw Error(ErrorCode::bad_model, "read vocabulary",
              fmt::format("{} tokens, but config.json says vocab_size = {}: files of two models?",
                          vocabulary.size(), config.shape.vocabulary));
}

Vocabulary read_vocabulary(const fs::path& directory, const ModelConfig& config) {
  if (config.tokenizer == TokenizerKind::pipeline) {
    TokenizerFiles files = read_tokenizer_files(directory);
    Vocabulary vocabulary = read_tokenizer(files)->vocabulary();
    require_rows_for(vocabulary, config);
    vocabulary.set_files(std::move(files));
    return vocabulary;
  }
  Vocabulary vocabulary = Vocabulary::from_text(
      read_checkpoint_file(directory / "vocab.txt", Vocabulary::max_text_bytes));
  require_rows_for(vocabulary, config);
  return vocabulary;
}

bool is_checkpoint(const fs::path& directory) {
  try {
    return parse_json(read_checkpoint_file(directory / "config.json", config_limit),
                      ErrorCode::bad_model, "config.json")
        .contains("headroom");
  } catch (const Error&) {
    return false;
  }
}

void require_replaceable(const fs::path& out, const std::string& operation) {
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorCode::usage, operation, why);
  };
  if (out.empty()) refuse("--out is empty: name a directory");
  std::error_code ignored;
  if (fs::equivalent(out, fs::current_path(), ignored)) {
    refuse("--out is the current directory, which cannot be replaced: name another one");
  }
  const bool empty_folder = fs::is_directory(out, ignored) && fs::is_empty(out, ignored);
  if (fs::exists(out, ignored) && !is_checkpoint(out) && !empty_folder) {
    refuse(
        fmt::format("--out {} exists and is not a checkpoint: choose another name", out.string()));
  }
}

void write_checkpoint(const fs::path& directory, const CheckpointContent& content) {
  require_finite(content.tensors);
  StagedDirectory staged(directory);
  const auto& folder = staged.path();
  ModelConfig written = content.config;
  const FusedTensors tensors(content.tensors, content.config.shape);
  written.weights_checksum =
      write_safetensors(folder / "model.safetensors", tensors.views(), {{"format", "pt"}});
  Json config = config_to_json(written);
  config.update(content.keys.is_null() ? Json::object() : content.keys);
  write_file_atomically(folder / "config.json", config.dump(2) + "\n");
  if (!content.vocabulary.empty()) {
    write_file_atomically(folder / "vocab.txt", content.vocabulary);
  }
  write_file_atomically(folder / "README.md", content.card);
  if (!content.log.empty()) write_file_atomically(folder / "train_log.jsonl", content.log);
  const auto path_of = [&](const std::string& name) {
    fs::create_directories((folder / name).parent_path());
    return folder / name;
  };
  for (const auto& [name, text] : content.files) write_file_atomically(path_of(name), text);
  for (const auto& [name, views] : content.tensor_files) {
    write_safetensors(path_of(name), views, {{"format", "pt"}});
  }
  if (content.policy.policy) {
    write_policy(folder, *content.policy.policy, content.policy.rung_zero);
  }
  staged.commit();
}

}  // namespace headroom
