// The tokenizer that a checkpoint's vocabulary was made for.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "checkpoint/config.h"
#include "text/pipeline/read_tokenizer.h"
#include "text/tokenizer.h"

namespace headroom {

// With BERT's special tokens.
std::unique_ptr<Tokenizer> make_tokenizer(TokenizerKind kind, bool lower_case,
                                          Vocabulary vocabulary);

// With those of the model's family.
std::unique_ptr<Tokenizer> make_tokenizer(const ModelConfig& config, Vocabulary vocabulary);

// Of a checkpoint directory, whatever its kind. Throws ErrorCode::bad_model when its files are
// missing, damaged or do not fit `config`.
std::unique_ptr<Tokenizer> load_tokenizer(const std::filesystem::path& directory,
                                          const ModelConfig& config);

// A tokenizer's files as a checkpoint names them.
std::map<std::string, std::string> named_files(const TokenizerFiles& files);
// Those of a vocabulary that is a part of a tokenizer.json; none of a list of tokens.
std::map<std::string, std::string> tokenizer_files(const Vocabulary& vocabulary);

}  // namespace headroom
