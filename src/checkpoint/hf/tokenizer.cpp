#include "checkpoint/hf/tokenizer.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <utility>

#include "base/error.h"
#include "checkpoint/hf/slow_tokenizer.h"
#include "families/families.h"
#include "text/wordpiece/wordpiece_tokenizer.h"

namespace headroom {
namespace {

struct SpecialKey {
  const char* key;
  std::string_view token;
};
constexpr std::array<SpecialKey, 5> special_keys = {{{"unk_token", unknown_token},
                                                     {"sep_token", sep_token},
                                                     {"pad_token", pad_token},
                                                     {"cls_token", cls_token},
                                                     {"mask_token", mask_token}}};

[[noreturn]] void refuse_tokenizer(const std::string& message) {
  throw Error(ErrorCode::bad_model, "read Hugging Face tokenizer", message);
}

// "[SEP]", or {"content": "[SEP]", ...} of an AddedToken.
std::string token_content(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_object() && value.contains("content") && value.at("content").is_string()) {
    return value.at("content").get<std::string>();
  }
  return shown(value);
}

void require_special(const std::string& file, std::string_view key, const Json& value) {
  const std::string token = token_content(value);
  if (is_special_token(token)) return;
  refuse_tokenizer(
      fmt::format("{} {} has \"{}\": only BERT's special tokens are imported, not tokens added to "
                  "them",
                  file, key, token));
}

// The keys that tokenizer_config.json and special_tokens_map.json share.
void check_special_tokens(const std::string& file, const Json& json) {
  for (const SpecialKey& special : special_keys) {
    if (!json.contains(special.key)) continue;
    const std::string token = token_content(json.at(special.key));
    if (token == special.token) continue;
    refuse_tokenizer(
        fmt::format("{} {} is \"{}\", expected \"{}\"", file, special.key, token, special.token));
  }
  for (const char* key :
       {"additional_special_tokens", "extra_special_tokens", "added_tokens_decoder"}) {
    if (!json.contains(key)) continue;
    for (const Json& value : json.at(key)) require_special(file, key, value);
  }
}

void check_added_tokens_file(const HfFolder& folder) {
  if (!folder.has("added_tokens.json")) return;
  const Json added = folder.json("added_tokens.json");
  for (const auto& [token, id] : added.items()) require_special("added_tokens.json", "", token);
}

struct TokenizerSettings {
  std::optional<bool> lower_case;  // none: not said
  bool needs_tokenizer_json = false;
  std::optional<int64_t> max_tokens;
};

TokenizerSettings read_settings(const HfFolder& folder, const ModelShape& shape) {
  const std::string name = "tokenizer_config.json";
  if (!folder.has(name)) return {};
  const Json json = folder.json(name);
  const JsonFields fields(json, ErrorCode::bad_model, name);
  TokenizerSettings settings;
  std::string kind = fields.text_or("tokenizer_class", "BertTokenizer");
  settings.needs_tokenizer_json = kind == "PreTrainedTokenizerFast" || kind == "TokenizersBackend";
  if (kind.ends_with("Fast")) kind.resize(kind.size() - 4);
  const std::string_view own = schema_of(shape).tokenizer_class;
  if (kind != "BertTokenizer" && kind != own && !settings.needs_tokenizer_json) {
    fields.fail("tokenizer_class", fmt::format("is \"{}\", expected {}", kind, own));
  }
  if (fields.has("do_lower_case")) settings.lower_case = fields.boolean_or("do_lower_case", true);
  const bool lower_case = settings.lower_case.value_or(true);
  if (fields.boolean_or("strip_accents", lower_case) != lower_case) {
    fields.fail("strip_accents", fmt::format("is {}, but do_lower_case is {}: our tokenizer does "
                                             "both or neither",
                                             !lower_case, lower_case));
  }
  for (const char* key : {"tokenize_chinese_chars", "do_basic_tokenize"}) {
    if (!fields.boolean_or(key, true)) {
      fields.fail(key, "is false, our tokenizer always does that");
    }
  }
  if (json.contains("never_split") && !json.at("never_split").empty()) {
    fields.fail("never_split", "is set, our tokenizer splits every word");
  }
  check_special_tokens(name, json);
  // Transformers writes 1e30 for "no limit".
  const double longest = fields.number_or("model_max_length", 1e30, 2, 1e300);
  if (longest < 1e9) settings.max_tokens = static_cast<int64_t>(longest);
  return settings;
}

std::optional<Vocabulary> read_vocabulary_file(const HfFolder& folder) {
  if (!folder.has("vocab.txt")) return std::nullopt;
  return Vocabulary::from_text(folder.text("vocab.txt", Vocabulary::max_text_bytes));
}

// Nothing where there is no tokenizer.json, or one that is not BERT's own.
std::optional<PlainBertTokenizer> read_plain_bert(const HfFolder& folder) {
  if (!folder.has("tokenizer.json")) return std::nullopt;
  try {
    return parse_tokenizer_json(folder.text("tokenizer.json", max_tokenizer_json));
  } catch (const Error&) {
    return std::nullopt;  // its own reader says what is wrong with it, if anything is
  }
}

// Empty where the folder has a vocab.txt of BERT's and no tokenizer.json.
TokenizerFiles read_files(const HfFolder& folder) {
  TokenizerFiles files;
  files.tokenizer_json = folder.has("tokenizer.json")
                             ? folder.text("tokenizer.json", max_tokenizer_json)
                             : convert_slow_tokenizer(folder);
  if (folder.has("tokenizer_config.json")) {
    files.tokenizer_config = folder.text("tokenizer_config.json", max_tokenizer_config);
  }
  return files;
}

void require_rows(int64_t tokens, const ModelShape& shape) {
  if (tokens <= shape.vocabulary) return;
  refuse_tokenizer(
      fmt::format("the vocabulary has {} tokens, but config.json says vocab_size = {}: files of "
                  "two models, or tokens added later?",
                  tokens, shape.vocabulary));
}

HfTokenizer read_pipeline(TokenizerFiles files, const ModelShape& shape) {
  HfTokenizer tokenizer;
  tokenizer.kind = TokenizerKind::pipeline;
  tokenizer.files = std::move(files);
  const auto opened = read_tokenizer(tokenizer.files);
  require_rows(opened->vocabulary().size(), shape);
  tokenizer.max_tokens = opened->truncation().max_tokens;
  return tokenizer;
}

}  // namespace

HfTokenizer read_hf_tokenizer(const HfFolder& folder, const ModelShape& shape) {
  const std::optional<PlainBertTokenizer> fast = read_plain_bert(folder);
  if (!fast) {
    TokenizerFiles files = read_files(folder);
    if (!files.empty()) return read_pipeline(std::move(files), shape);
  }
  const TokenizerSettings settings = read_settings(folder, shape);
  if (folder.has("special_tokens_map.json")) {
    check_special_tokens("special_tokens_map.json", folder.json("special_tokens_map.json"));
  }
  check_added_tokens_file(folder);
  const std::optional<Vocabulary> vocabulary = read_vocabulary_file(folder);
  if (!fast && (!vocabulary || settings.needs_tokenizer_json)) {
    refuse_tokenizer(vocabulary ? "tokenizer.json is missing, which tokenizer_config.json asks for"
                                : "neither vocab.txt nor tokenizer.json is in the folder");
  }
  if (fast && vocabulary && !(fast->vocabulary == *vocabulary)) {
    refuse_tokenizer(
        "vocab.txt and tokenizer.json hold different vocabularies: files of two models?");
  }
  if (fast && settings.lower_case && *settings.lower_case != fast->lower_case) {
    refuse_tokenizer(
        fmt::format("tokenizer_config.json says do_lower_case = {}, tokenizer.json lowercase = {}",
                    *settings.lower_case, fast->lower_case));
  }
  const Vocabulary& found = fast ? fast->vocabulary : *vocabulary;
  require_rows(found.size(), shape);
  const bool lower_case = fast ? fast->lower_case : settings.lower_case.value_or(true);
  return {TokenizerKind::wordpiece, lower_case, found.to_text(), {}, settings.max_tokens};
}

std::unique_ptr<Tokenizer> open_hf_tokenizer(const HfFolder& folder) {
  const TokenizerFiles files = read_files(folder);
  if (!files.empty()) return read_tokenizer(files);
  const std::optional<Vocabulary> vocabulary = read_vocabulary_file(folder);
  if (!vocabulary) refuse_tokenizer("neither vocab.txt nor tokenizer.json is in the folder");
  const TokenizerSettings settings = read_settings(folder, {});
  auto tokenizer =
      std::make_unique<WordPieceTokenizer>(*vocabulary, settings.lower_case.value_or(true));
  Truncation truncation = tokenizer->truncation();
  if (settings.max_tokens) truncation.max_tokens = static_cast<int>(*settings.max_tokens);
  tokenizer->set_truncation(truncation);
  return tokenizer;
}

std::string tokenizer_config_text(bool lower_case, const ModelShape& shape) {
  Json json = {{"tokenizer_class", schema_of(shape).tokenizer_class},
               {"do_lower_case", lower_case},
               {"do_basic_tokenize", true},
               {"tokenize_chinese_chars", true},
               {"strip_accents", nullptr},
               {"model_max_length", shape.positions}};
  for (const SpecialKey& special : special_keys) json[special.key] = special.token;
  return json.dump(2) + "\n";
}

}  // namespace headroom
