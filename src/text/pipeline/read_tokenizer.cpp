#include "text/pipeline/read_tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "text/pipeline/parts.h"
#include "text/pipeline/pipeline_tokenizer.h"
#include "text/pipeline/post_processor.h"

namespace headroom {
namespace {

// Transformers writes 1e30 for "no limit".
constexpr double no_limit = 1e9;

// tokenizer.json in two: what is small, and the model.
struct TokenizerJson {
  Json parts;
  ModelJson model;
};

TokenizerJson parse_parts(std::string_view text) {
  SortedJson all = parse_sorted_json(text, ErrorCode::bad_model, tokenizer_origin);
  if (!all.is_object()) refuse_tokenizer_json("a JSON object was expected");
  if (!all.contains("model") || !all["model"].is_object()) {
    refuse_tokenizer_json("model is missing: is this a tokenizer.json?");
  }
  TokenizerJson json;
  SortedJson& model = all["model"];
  if (model.contains("vocab")) json.model.vocabulary = std::exchange(model["vocab"], nullptr);
  if (model.contains("merges")) json.model.merges = std::exchange(model["merges"], nullptr);
  json.model.fields = without_nulls(parse_json(model.dump(), ErrorCode::bad_model, "model"));
  all.erase("model");
  json.parts = without_nulls(parse_json(all.dump(), ErrorCode::bad_model, tokenizer_origin));
  return json;
}

const Json& part_or_null(const Json& json, const char* key) {
  static const Json null;
  return json.contains(key) ? json.at(key) : null;
}

Json parse_tokenizer_config(std::string_view text) {
  if (text.empty()) return Json::object();
  Json json = parse_json(text, ErrorCode::bad_model, "tokenizer_config.json");
  if (!json.is_object()) {
    throw Error(ErrorCode::bad_model, "read tokenizer_config.json", "a JSON object was expected");
  }
  return without_nulls(json);
}

// The tokens of a tokenizer while its files are read: those of the model, then those added.
class TokenList {
 public:
  explicit TokenList(const TokenTable& table) : table_(table), tokens_(table.tokens()) {}

  void add(AddedToken token) {
    if (const auto id = table_.find(token.content)) token.id = *id;  // the model's own
    const auto index = static_cast<size_t>(token.id);
    if (index >= tokens_.size()) tokens_.resize(index + 1);
    const bool taken = !tokens_[index].empty() && tokens_[index] != token.content;
    if (taken && !table_.find(token.content)) {
      refuse_tokenizer_json(fmt::format("added_tokens gives \"{}\" the id {} of \"{}\"",
                                        token.content, token.id, tokens_[index]));
    }
    tokens_[index] = token.content;
    const auto [entry, is_new] = indices_.emplace(token.content, added_.size());
    if (is_new) {
      added_.push_back(std::move(token));
    } else {
      added_[entry->second] = std::move(token);
    }
  }

  bool is_added(std::string_view content) const { return indices_.find(content) != indices_.end(); }
  int32_t id_of(std::string_view content) const {
    const auto found = indices_.find(content);
    if (found != indices_.end()) return added_[found->second].id;
    return table_.find(content).value_or(-1);
  }

  std::vector<AddedToken> take_added() { return std::move(added_); }
  std::vector<std::string> take_tokens() { return std::move(tokens_); }

 private:
  const TokenTable& table_;
  std::vector<std::string> tokens_;
  std::vector<AddedToken> added_;
  StringMap<size_t> indices_;  // in added_, by content
};

constexpr int64_t max_token_id = static_cast<int64_t>(Vocabulary::max_size) - 1;

void read_added_tokens(const Json& parts, TokenList& tokens) {
  if (!parts.contains("added_tokens")) return;
  const JsonFields fields(parts, ErrorCode::bad_model, "tokenizer.json");
  for (const Json& token : fields.array("added_tokens")) {
    const JsonFields entry(token, ErrorCode::bad_model, "tokenizer.json added_tokens");
    const auto id = static_cast<int32_t>(entry.integer("id", 0, max_token_id));
    tokens.add(read_added_token(token, id));
  }
}

constexpr std::array<const char*, 7> role_keys = {
    "bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token"};

// What Transformers adds to a tokenizer.json from tokenizer_config.json: tokens of its own list
// (with their flags), and special tokens that are known but were not marked.
void read_configured_tokens(const Json& config, TokenList& tokens) {
  if (config.contains("added_tokens_decoder") && config.at("added_tokens_decoder").is_object()) {
    for (const auto& [key, token] : config.at("added_tokens_decoder").items()) {
      const bool number =
          !key.empty() && key.size() < 8 &&
          std::all_of(key.begin(), key.end(), [](char c) { return c >= '0' && c <= '9'; });
      if (number && std::stoll(key) <= max_token_id) {
        tokens.add(read_added_token(token, static_cast<int32_t>(std::stoll(key))));
      }
    }
  }
  for (const char* key : role_keys) {
    if (!config.contains(key)) continue;
    const std::string content = named_token_content(config.at(key));
    const int32_t id = content.empty() ? -1 : tokens.id_of(content);
    if (id < 0 || tokens.is_added(content)) continue;
    Json token = config.at(key).is_object() ? config.at(key) : Json{{"content", content}};
    token["special"] = true;
    if (!token.contains("normalized")) token["normalized"] = false;
    tokens.add(read_added_token(token, id));
  }
}

// The roles that tokenizer_config.json names, or those of the usual names.
SpecialIds special_ids(const Json& config, const TokenList& tokens, const TokenModel& model,
                       const PostProcessing& processing) {
  const auto named = [&](const char* key, std::initializer_list<std::string_view> usual) {
    if (config.contains(key)) {
      const int32_t id = tokens.id_of(named_token_content(config.at(key)));
      if (id >= 0) return id;
    }
    for (const std::string_view token : usual) {
      if (const int32_t id = tokens.id_of(token); id >= 0) return id;
    }
    return -1;
  };
  SpecialIds ids;
  ids.pad = named("pad_token", {"[PAD]", "<pad>"});
  ids.unknown = model.unknown().value_or(named("unk_token", {}));
  ids.mask = named("mask_token", {"[MASK]", "<mask>"});
  ids.cls = named("cls_token", {"[CLS]", "<s>"});
  ids.sep = named("sep_token", {"[SEP]", "</s>"});
  const std::vector<FramePiece>& single = processing.single;
  const auto is_special = [](const FramePiece& piece) {
    return piece.kind == FramePiece::Kind::special;
  };
  if (is_special(single.front())) ids.cls = single.front().id;
  if (is_special(single.back())) ids.sep = single.back().id;
  return ids;
}

Truncation read_truncation(const Json& config, const Json& parts) {
  Truncation truncation;
  truncation.odd_to_longer = true;
  bool left = false;  // the side that is cut off
  const JsonFields fields(config, ErrorCode::bad_model, "tokenizer_config.json");
  const char* key = fields.has("model_max_length") ? "model_max_length" : "max_len";
  double longest = fields.number_or(key, 1e30, 2, 1e300);
  if (longest >= no_limit && parts.contains("truncation")) {
    const TokenizerPart part(parts.at("truncation"), "truncation");
    longest = part.fields().number_or("max_length", 1e30, 2, 1e300);
    left = part.fields().text_or("direction", "Right") == "Left";
  }
  if (longest < no_limit) truncation.max_tokens = static_cast<int>(longest);
  if (fields.has("truncation_side")) left = fields.text("truncation_side") == "left";
  truncation.keeps = left ? KeptPart::tail : KeptPart::head;
  return truncation;
}

void check_frame(const std::vector<FramePiece>& frame, size_t tokens) {
  for (const FramePiece& piece : frame) {
    if (static_cast<size_t>(piece.id) < tokens) continue;
    refuse_tokenizer_json(
        fmt::format("post_processor uses id {}, but there are {} tokens", piece.id, tokens));
  }
}

}  // namespace

std::string named_token_content(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  const bool object =
      value.is_object() && value.contains("content") && value.at("content").is_string();
  return object ? value.at("content").get<std::string>() : "";
}

std::unique_ptr<Tokenizer> read_tokenizer(const TokenizerFiles& files) {
  const TokenizerJson json = parse_parts(files.tokenizer_json);
  const Json config = parse_tokenizer_config(files.tokenizer_config);
  const Json& normalizer = part_or_null(json.parts, "normalizer");
  const Json& pre_tokenizer = part_or_null(json.parts, "pre_tokenizer");
  PipelineParts parts;
  parts.model = make_token_model(json.model);
  if (!normalizer.is_null()) parts.normalizer = make_normalizer(normalizer);
  if (!pre_tokenizer.is_null()) parts.pre_tokenizer = make_pre_tokenizer(pre_tokenizer);
  parts.splitter = make_word_splitter(normalizer, pre_tokenizer);
  const PostProcessing processing = read_post_processor(part_or_null(json.parts, "post_processor"));
  parts.trims_offsets = processing.trims_offsets;
  parts.prefix_space_added = processing.prefix_space_added;

  TokenList tokens(parts.model->table());
  read_added_tokens(json.parts, tokens);
  read_configured_tokens(config, tokens);
  const SpecialIds special = special_ids(config, tokens, *parts.model, processing);
  parts.added = tokens.take_added();
  Vocabulary vocabulary = Vocabulary::with_ids(tokens.take_tokens(), special);
  check_frame(processing.single, vocabulary.tokens().size());
  check_frame(processing.pair, vocabulary.tokens().size());
  auto tokenizer = std::make_unique<PipelineTokenizer>(std::move(parts), std::move(vocabulary),
                                                       Framing(processing.single, processing.pair));
  tokenizer->set_truncation(read_truncation(config, json.parts));
  return tokenizer;
}

}  // namespace headroom
