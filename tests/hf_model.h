// A BERT with random weights, and what Hugging Face's Transformers computed with it for 27 texts
// and pairs: tests/data/hf/bert-tiny, whose README says where it comes from.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "text/tokenizer.h"

namespace headroom::testing {

inline std::filesystem::path hf_model_folder() {
  return HEADROOM_SOURCE_DIR "/tests/data/hf/bert-tiny";
}

struct HfCase {
  std::string text;
  std::optional<std::string> pair;
  EncodedPair tokens;
  std::vector<double> logits;
};

inline std::vector<HfCase> hf_cases() {
  const Json json = parse_json(read_file(hf_model_folder() / "expected.json", ErrorCode::bad_data),
                               ErrorCode::bad_data, "expected.json");
  std::vector<HfCase> cases;
  for (const Json& entry : json.at("cases")) {
    HfCase read{entry.at("text"),
                {},
                {entry.at("input_ids"), entry.at("token_type_ids")},
                entry.at("logits")};
    if (!entry.at("text_pair").is_null()) read.pair = entry.at("text_pair").get<std::string>();
    cases.push_back(read);
  }
  return cases;
}

// Text to ids as the caller of a model does it; a single text has types of 0.
inline EncodedPair encode_case(const Tokenizer& tokenizer, const HfCase& each) {
  if (each.pair) return tokenizer.encode_pair(each.text, *each.pair, 128);
  std::vector<int32_t> ids = tokenizer.encode(each.text, 128);
  const std::vector<int32_t> types(ids.size(), 0);
  return {ids, types};
}

}  // namespace headroom::testing
