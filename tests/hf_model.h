// Models with random weights, one of each family, and what Hugging Face's Transformers computed
// with them for texts and pairs: tests/data/hf, whose README says where they come from.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "base/json.h"
#include "text/tokenizer.h"

namespace headroom::testing {

// Classifiers; those of other outputs are tests/engine/hf_outputs_test.cpp's.
inline const std::vector<std::string> hf_models = {
    "bert-tiny", "distilbert-tiny", "electra-cls",   "roberta-cls",
    "xlmr-cls",  "modernbert-cls",  "deberta-v2-cls"};

inline std::filesystem::path hf_model_folder(const std::string& name = "bert-tiny") {
  return std::filesystem::path(HEADROOM_SOURCE_DIR "/tests/data/hf") / name;
}

struct HfCase {
  std::string text;
  std::optional<std::string> pair;
  Tokens tokens;
  std::vector<double> logits;  // of a text
  std::vector<std::vector<double>> token_logits;
  std::vector<std::pair<int64_t, int64_t>> offsets;  // of tokens; special ones have 0 and 0
  std::vector<std::string> spelled;                  // tokens
  std::vector<double> embedding;
};

inline std::vector<HfCase> hf_cases(const std::string& name = "bert-tiny") {
  const Json json =
      parse_json(read_file(hf_model_folder(name) / "expected.json", ErrorCode::bad_data),
                 ErrorCode::bad_data, "expected.json");
  std::vector<HfCase> cases;
  for (const Json& entry : json.at("cases")) {
    HfCase read{entry.at("text"), {}, {entry.at("input_ids"), {}}, {}, {}, {}, {}, {}};
    if (entry.contains("embedding")) {
      read.embedding = entry.at("embedding").get<std::vector<double>>();
    } else if (entry.contains("offsets")) {
      read.token_logits = entry.at("logits").get<std::vector<std::vector<double>>>();
      read.offsets = entry.at("offsets").get<std::vector<std::pair<int64_t, int64_t>>>();
    } else {
      read.logits = entry.at("logits").get<std::vector<double>>();
    }
    read.spelled = entry.at("tokens").get<std::vector<std::string>>();
    if (entry.contains("token_type_ids")) {
      read.tokens.types = entry.at("token_type_ids").get<std::vector<int32_t>>();
    }
    if (!entry.at("text_pair").is_null()) read.pair = entry.at("text_pair").get<std::string>();
    cases.push_back(read);
  }
  return cases;
}

// Text to ids as the caller of a model does it; a single text has types of 0 where there are types.
// Texts were truncated to the `longest` that the model takes.
inline Tokens encode_case(const Tokenizer& tokenizer, const HfCase& each, int64_t longest) {
  if (each.pair) return tokenizer.encode_pair(each.text, *each.pair, longest);
  std::vector<int32_t> ids = tokenizer.encode(each.text, longest);
  const std::vector<int32_t> types(each.tokens.types.empty() ? 0 : ids.size(), 0);
  return {ids, types};
}

}  // namespace headroom::testing
