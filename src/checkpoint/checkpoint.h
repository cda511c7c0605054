// A checkpoint directory: config.json, model.safetensors, vocab.txt and README.md (the model card),
// and train_log.jsonl and a policy where training made them. Written whole or not at all.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "checkpoint/config.h"
#include "checkpoint/policy_file.h"
#include "checkpoint/tensors/safetensors.h"
#include "checkpoint/tensors/tensor.h"
#include "text/vocabulary.h"

namespace headroom {

// All throw ErrorCode::bad_model, naming the file, when something is missing or damaged.
ModelConfig read_config(const std::filesystem::path& directory);
// Throws unless `config`, of that directory, is of a model that answers texts.
void require_answers(const ModelConfig& config, const std::filesystem::path& directory);
Vocabulary read_vocabulary(const std::filesystem::path& directory, const ModelConfig& config);
// tokenizer.json and, where there is one, tokenizer_config.json.
TokenizerFiles read_tokenizer_files(const std::filesystem::path& directory);
// Throws when a vocabulary has more tokens than the model has rows for.
void require_rows_for(const Vocabulary& vocabulary, const ModelConfig& config);

// model.safetensors with the checksum that config.json gives, where it gives one. Reads the whole
// file once, at the speed of memory.
SafetensorsFile open_weights(const std::filesystem::path& safetensors, const ModelConfig& config);

// What loading checks, without loading: every tensor that `config` implies is there, has its shape
// and is finite, no other tensor is, and the checksum fits. Returns how many tensors there are.
size_t verify_weights(const std::filesystem::path& directory, const ModelConfig& config);

// A small file of a checkpoint. Links are not followed.
std::string read_checkpoint_file(const std::filesystem::path& file, uint64_t limit);

struct CheckpointContent {
  ModelConfig config;
  std::string vocabulary;  // vocab.txt; empty: no file, `files` have a tokenizer.json
  std::string card;        // README.md
  std::string log;         // train_log.jsonl; empty: no file
  std::vector<TensorView> tensors;
  std::map<std::string, std::string> files = {};  // other small files, by name or path
  std::map<std::string, std::vector<TensorView>> tensor_files = {};  // other safetensors files
  Json keys = {};            // added to config.json for other readers
  StoredPolicy policy = {};  // of these weights: its checksums are filled in
};

// Whether a directory is one of ours: other programs keep a config.json too, without a "headroom"
// object.
bool is_checkpoint(const std::filesystem::path& directory);

// Refuses (ErrorCode::usage, naming `operation`) an --out that write_checkpoint() must not replace:
// what exists there has to be a checkpoint or an empty folder.
void require_replaceable(const std::filesystem::path& out, const std::string& operation);

// Replaces `directory` in one step; an existing checkpoint there stays intact until the new one is
// complete and on disk. Throws ErrorCode::runtime when it cannot be written, and when a weight is
// not finite: nobody could load it.
void write_checkpoint(const std::filesystem::path& directory, const CheckpointContent& content);

}  // namespace headroom
