#include "checkpoint/hf/tokenizer_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/json.h"
#include "checkpoint/config_keys.h"

namespace headroom {
namespace {

constexpr std::string_view tokenizer_origin = "tokenizer.json";

[[noreturn]] void refuse_json(const std::string& message) {
  throw Error(ErrorCode::bad_model, "read tokenizer.json", message);
}

JsonFields part(const Json& json, const char* name) {
  if (!json.contains(name) || !json.at(name).is_object()) {
    refuse_json(fmt::format("{} is missing: only BERT's tokenizer is imported", name));
  }
  return {json.at(name), ErrorCode::bad_model, fmt::format("{} {}", tokenizer_origin, name)};
}

void expect_type(const JsonFields& fields, std::string_view type) {
  if (fields.text("type") != type) expect_text(fields, "type", type);
}

void expect_true(const JsonFields& fields, std::string_view key) {
  if (!fields.boolean_or(key, true)) fields.fail(key, "is false, our tokenizer always does that");
}

// {"[PAD]": 0, ...} as vocab.txt would have it.
Vocabulary vocabulary_from(const SortedJson& map) {
  if (!map.is_object()) refuse_json("model.vocab is no object of tokens and their ids");
  std::vector<const std::string*> by_id(map.size(), nullptr);
  for (const auto& entry : map.get_ref<const SortedJson::object_t&>()) {
    const auto& [token, id] = entry;
    const bool in_range = id.is_number_unsigned() && id.get<uint64_t>() < by_id.size();
    if (!in_range || by_id[id.get<size_t>()] != nullptr) {
      refuse_json(fmt::format("model.vocab gives \"{}\" the id {}, expected each of 0 to {} once",
                              token, shown(id), by_id.size() - 1));
    }
    // The line ends of vocab.txt; its reader refuses every other control character.
    if (token.find_first_of("\r\n") != std::string::npos) {
      refuse_json(fmt::format("token {} holds a line end", shown(id)));
    }
    by_id[id.get<size_t>()] = &token;
  }
  std::string text;
  for (const std::string* token : by_id) text.append(*token).push_back('\n');
  return Vocabulary::from_text(text, "tokenizer.json model.vocab");
}

void check_model(const JsonFields& model) {
  expect_type(model, "WordPiece");
  expect_text(model, "unk_token", unknown_token);
  expect_text(model, "continuing_subword_prefix", "##");
  model.integer_or("max_input_chars_per_word", 100, 100, 100);
}

bool read_normalizer(const JsonFields& normalizer) {
  expect_type(normalizer, "BertNormalizer");
  expect_true(normalizer, "clean_text");
  expect_true(normalizer, "handle_chinese_chars");
  const bool lower_case = normalizer.boolean_or("lowercase", true);
  if (normalizer.boolean_or("strip_accents", lower_case) != lower_case) {
    normalizer.fail("strip_accents", fmt::format("is {}, but lowercase is {}: our tokenizer does "
                                                 "both or neither",
                                                 !lower_case, lower_case));
  }
  return lower_case;
}

// "[CLS]:0 $A:0 [SEP]:0" from the list of pieces.
std::string template_text(const JsonFields& processor, const char* key) {
  std::string text;
  for (const Json& piece : processor.array(key)) {
    for (const auto& [kind, sign] : {std::pair("SpecialToken", ""), std::pair("Sequence", "$")}) {
      if (!piece.is_object() || !piece.contains(kind)) continue;
      const JsonFields fields(piece.at(kind), ErrorCode::bad_model,
                              fmt::format("{} post_processor.{}", tokenizer_origin, key));
      text += fmt::format("{}{}{}:{}", text.empty() ? "" : " ", sign, fields.text("id"),
                          fields.integer("type_id", 0, 1));
    }
  }
  return text;
}

void expect_template(const JsonFields& processor, const char* key, std::string_view expected) {
  const std::string text = template_text(processor, key);
  if (text != expected)
    processor.fail(key, fmt::format("is \"{}\", expected \"{}\"", text, expected));
}

void check_post_processor(const JsonFields& processor) {
  if (processor.text("type") == "BertProcessing") {
    for (const auto& [key, token] : {std::pair("sep", sep_token), std::pair("cls", cls_token)}) {
      const Json& pair = processor.array(key);
      if (pair.empty() || pair[0] != token) {
        processor.fail(key, fmt::format("is {}, expected {}", shown(pair), token));
      }
    }
    return;
  }
  expect_type(processor, "TemplateProcessing");
  expect_template(processor, "single", "[CLS]:0 $A:0 [SEP]:0");
  expect_template(processor, "pair", "[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1");
}

// An added token is found before a text is cut into words; ours are the special ones.
void check_added_tokens(const Json& json, const Vocabulary& vocabulary) {
  if (!json.contains("added_tokens")) return;
  for (const Json& token : json.at("added_tokens")) {
    const JsonFields fields(token, ErrorCode::bad_model, "tokenizer.json added_tokens");
    const std::string content = fields.text("content");
    if (!is_special_token(content)) {
      fields.fail("content", fmt::format("is \"{}\": only BERT's special tokens are imported, not "
                                         "tokens added to them",
                                         content));
    }
    if (vocabulary.find(content) != fields.integer("id", 0, INT32_MAX)) {
      fields.fail("id", fmt::format("of \"{}\" is not the one in model.vocab", content));
    }
  }
}

}  // namespace

PlainBertTokenizer parse_tokenizer_json(std::string_view text) {
  SortedJson large = parse_sorted_json(text, ErrorCode::bad_model, tokenizer_origin);
  SortedJson vocabulary;
  if (large.is_object() && large.contains("model") && large["model"].is_object()) {
    vocabulary = std::exchange(large["model"]["vocab"], nullptr);
  }
  // Without its vocabulary it is small, or refused: a Json finds keys by walking over them.
  Json json = parse_json(large.dump(), ErrorCode::bad_model, tokenizer_origin);
  if (!json.is_object()) refuse_json("a JSON object was expected");
  for (const char* name : {"model", "normalizer", "pre_tokenizer", "post_processor"}) {
    if (json.contains(name) && json[name].is_object()) json[name] = without_nulls(json[name]);
  }
  check_model(part(json, "model"));
  const bool lower_case = read_normalizer(part(json, "normalizer"));
  expect_type(part(json, "pre_tokenizer"), "BertPreTokenizer");
  check_post_processor(part(json, "post_processor"));
  PlainBertTokenizer tokenizer{vocabulary_from(vocabulary), lower_case};
  check_added_tokens(json, tokenizer.vocabulary);
  return tokenizer;
}

}  // namespace headroom
