// Makes a tokenizer of the files that Hugging Face's libraries keep it in: tokenizer.json, and
// tokenizer_config.json for what that does not say.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/json.h"
#include "text/tokenizer.h"

namespace headroom {

inline constexpr uint64_t max_tokenizer_json = 128ULL << 20;  // XLM-R's has 17 MB
inline constexpr uint64_t max_tokenizer_config = 16ULL << 20;

// Throws ErrorCode::bad_model, naming what is wrong or not read here.
std::unique_ptr<Tokenizer> read_tokenizer(const TokenizerFiles& files);

// "[SEP]", or {"content": "[SEP]", ...}: how tokenizer_config.json names a token. Empty for
// anything else.
std::string named_token_content(const Json& value);

}  // namespace headroom
