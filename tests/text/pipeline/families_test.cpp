// Tokenizers of small models beside what Hugging Face's tokenizers made of the same texts.
#include <gtest/gtest.h>

#include <filesystem>

#include "hf_model.h"
#include "text/pipeline/read_tokenizer.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

class FamilyTokenizers : public ::testing::TestWithParam<std::string> {
 protected:
  static std::unique_ptr<Tokenizer> tokenizer() {
    const fs::path folder = testing::hf_model_folder(GetParam());
    return read_tokenizer({read_file(folder / "tokenizer.json", ErrorCode::bad_model),
                           read_file(folder / "tokenizer_config.json", ErrorCode::bad_model)});
  }

  static Json cases() {
    const fs::path file = testing::hf_model_folder(GetParam()) / "expected.json";
    return parse_json(read_file(file, ErrorCode::bad_data), ErrorCode::bad_data, "expected.json")
        .at("cases");
  }
};

TEST_P(FamilyTokenizers, GiveTheSameTokensAsHuggingFaces) {
  const auto tokenizer = FamilyTokenizers::tokenizer();
  const int limit = tokenizer->most_tokens(1 << 20);
  for (const Json& each : cases()) {
    const std::string first = each.at("text");
    SCOPED_TRACE(first.substr(0, 60));
    Text text{first};
    std::string second;
    if (each.at("text_pair").is_string()) {
      second = each.at("text_pair");
      text.pair = second;
    }
    const auto expected = each.at("input_ids").get<std::vector<int32_t>>();
    const Encoding encoding = tokenizer->encode_with_offsets(text, limit);
    EXPECT_EQ(encoding.ids, expected);
    EXPECT_EQ(text.pair ? tokenizer->encode_pair(first, second, limit).ids
                        : tokenizer->encode(first, limit),
              expected);
    std::vector<std::string> tokens;
    for (const int32_t id : encoding.ids) tokens.push_back(tokenizer->vocabulary().token(id));
    EXPECT_EQ(Json(tokens), each.at("tokens"));
    if (each.contains("token_type_ids")) {
      EXPECT_EQ(encoding.types, each.at("token_type_ids").get<std::vector<int32_t>>());
    }
    if (!each.contains("offsets")) continue;
    Json offsets = Json::array();
    for (const TextSpan& span : encoding.offsets) offsets.push_back({span.begin, span.end});
    EXPECT_EQ(offsets, each.at("offsets"));
  }
}

TEST_P(FamilyTokenizers, ReadTheEndOfALongTextAsInTheWhole) {
  const auto tokenizer = FamilyTokenizers::tokenizer();
  tokenizer->set_kept_part(KeptPart::tail);
  std::string text;
  for (int i = 0; i < 40; ++i) {
    for (const Json& each : cases()) text += each.at("text").get<std::string>() + " ";
  }
  const std::vector<int32_t> all = tokenizer->pieces(text);
  for (const int max_tokens : {18, 66, 130}) {
    const auto room = static_cast<std::ptrdiff_t>(tokenizer->room(max_tokens));
    const std::vector<int32_t> last(all.end() - room, all.end());
    EXPECT_EQ(tokenizer->encode(text, max_tokens), tokenizer->frame(last));
    EXPECT_EQ(tokenizer->encode_with_offsets({text}, max_tokens).ids, tokenizer->frame(last));
  }
}

INSTANTIATE_TEST_SUITE_P(All, FamilyTokenizers,
                         ::testing::Values("bert-ner", "mpnet-embed", "roberta-cls", "roberta-ner",
                                           "xlmr-cls", "deberta-v2-cls", "modernbert-cls"),
                         [](const auto& each) {
                           std::string name = each.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace headroom
