#include "text/pipeline/token_model.h"

#include <fmt/format.h>

#include <cmath>

#include "text/pipeline/parts.h"
#include "text/unicode/utf8.h"

namespace headroom {
namespace {

// Models may leave some ids to tokens that are added; far more means a damaged file.
constexpr size_t max_holes = 100'000;

using MakeModel = std::unique_ptr<TokenModel> (*)(const JsonFields&, const ModelJson&);
constexpr std::array<PartKind<MakeModel>, 4> model_kinds = {{
    {"BPE", make_bpe},
    {"Unigram", make_unigram},
    {"WordLevel", make_word_level},
    {"WordPiece", make_wordpiece},
}};

// Files written before 2020 have no type.
std::string guessed_type(const ModelJson& json) {
  if (json.merges.is_array()) return "BPE";
  if (json.vocabulary.is_array()) return "Unigram";
  return json.fields.contains("continuing_subword_prefix") ? "WordPiece" : "WordLevel";
}

}  // namespace

TokenTable::TokenTable(const SortedJson& vocabulary) {
  if (vocabulary.is_object()) {
    read_ids(vocabulary);
  } else if (vocabulary.is_array()) {
    read_scores(vocabulary);
  } else {
    refuse_tokenizer_json("model.vocab is neither an object of ids nor a list of scores");
  }
  if (tokens_.empty()) refuse_tokenizer_json("model.vocab is empty");
}

void TokenTable::read_ids(const SortedJson& map) {
  const size_t most = std::min(map.size() + max_holes, Vocabulary::max_size);
  ids_.reserve(map.size());
  for (const auto& entry : map.get_ref<const SortedJson::object_t&>()) {
    const std::string& token = entry.first;
    const SortedJson& id = entry.second;
    if (!id.is_number_unsigned() || id.get<uint64_t>() >= most) {
      refuse_tokenizer_json(fmt::format("model.vocab gives \"{}\" the id {}, expected 0 to {}",
                                        token, shown(id), most - 1));
    }
    const auto index = id.get<size_t>();
    if (index >= tokens_.size()) tokens_.resize(index + 1);
    if (!tokens_[index].empty()) {
      refuse_tokenizer_json(fmt::format("model.vocab gives \"{}\" and \"{}\" the id {}",
                                        tokens_[index], token, index));
    }
    tokens_[index] = token;
    ids_.emplace(token, static_cast<int32_t>(index));
  }
}

void TokenTable::read_scores(const SortedJson& list) {
  if (list.size() > Vocabulary::max_size) {
    refuse_tokenizer_json(fmt::format("model.vocab has {} tokens, more than the limit of {}",
                                      list.size(), Vocabulary::max_size));
  }
  ids_.reserve(list.size());
  for (const SortedJson& entry : list) {
    const bool pair = entry.is_array() && entry.size() == 2 && entry[0].is_string() &&
                      entry[1].is_number() && std::isfinite(entry[1].get<double>());
    if (!pair) {
      refuse_tokenizer_json(
          fmt::format("entry {} of model.vocab is {}, expected a token and its score",
                      tokens_.size(), shown(entry)));
    }
    tokens_.push_back(entry[0].get<std::string>());
    scores_.push_back(entry[1].get<double>());
    ids_[tokens_.back()] = static_cast<int32_t>(tokens_.size() - 1);
  }
}

std::optional<int32_t> TokenTable::find(std::string_view token) const {
  const auto found = ids_.find(token);
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

int32_t TokenTable::require(std::string_view token, std::string_view what) const {
  if (const auto id = find(token)) return *id;
  refuse_tokenizer_json(fmt::format("{} \"{}\" is not in model.vocab", what, token));
}

std::unique_ptr<TokenModel> make_token_model(const ModelJson& json) {
  Json with_type = json.fields;
  if (!with_type.contains("type")) with_type["type"] = guessed_type(json);
  const JsonFields fields(with_type, ErrorCode::bad_model, "tokenizer.json model");
  return find_kind(model_kinds, fields)(fields, json);
}

}  // namespace headroom
