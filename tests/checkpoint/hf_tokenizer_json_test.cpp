// tokenizer.json: BERT's is read, every departure from it refused by name.
#include "checkpoint/hf/tokenizer_json.h"

#include <gtest/gtest.h>

#include <functional>

#include "base/files/file.h"
#include "checkpoint/hf_fixture.h"
#include "text/pipeline/read_tokenizer.h"
#include "text/wordpiece/wordpiece_tokenizer.h"

namespace headroom {
namespace {
using namespace testing;

Json special(const char* token, int type) {
  return {{"SpecialToken", {{"id", token}, {"type_id", type}}}};
}
Json sequence(const char* name, int type) {
  return {{"Sequence", {{"id", name}, {"type_id", type}}}};
}

// What Transformers writes for a BERT.
Json bert_tokenizer() {
  Json json;
  json["added_tokens"] = {{{"id", 2}, {"content", "[CLS]"}, {"special", true}}};
  json["normalizer"] = {{"type", "BertNormalizer"},
                        {"clean_text", true},
                        {"handle_chinese_chars", true},
                        {"strip_accents", nullptr},
                        {"lowercase", true}};
  json["pre_tokenizer"] = {{"type", "BertPreTokenizer"}};
  json["post_processor"] = {
      {"type", "TemplateProcessing"},
      {"single", {special("[CLS]", 0), sequence("A", 0), special("[SEP]", 0)}},
      {"pair",
       {special("[CLS]", 0), sequence("A", 0), special("[SEP]", 0), sequence("B", 1),
        special("[SEP]", 1)}}};
  json["model"] = {{"type", "WordPiece"},
                   {"unk_token", "[UNK]"},
                   {"continuing_subword_prefix", "##"},
                   {"max_input_chars_per_word", 100},
                   {"vocab",
                    {{"[PAD]", 0},
                     {"[UNK]", 1},
                     {"[CLS]", 2},
                     {"[SEP]", 3},
                     {"[MASK]", 4},
                     {"good", 5},
                     {"##ly", 6}}}};
  return json;
}

TEST(TokenizerJson, GivesVocabularyAndCase) {
  Json json = bert_tokenizer();
  EXPECT_EQ(parse_tokenizer_json(json.dump()).vocabulary.to_text(), hf_tokens);
  EXPECT_TRUE(parse_tokenizer_json(json.dump()).lower_case);
  json["normalizer"]["lowercase"] = false;
  EXPECT_FALSE(parse_tokenizer_json(json.dump()).lower_case);
}

TEST(TokenizerJson, TheOlderPostProcessorIsTheSame) {
  Json json = bert_tokenizer();
  json["post_processor"] = {
      {"type", "BertProcessing"}, {"sep", {"[SEP]", 3}}, {"cls", {"[CLS]", 2}}};
  EXPECT_EQ(parse_tokenizer_json(json.dump()).vocabulary.to_text(), hf_tokens);
}

TEST(TokenizerJson, ServesInPlaceOfVocabTxt) {
  HfFixture fixture;
  fixture.write_all();
  std::filesystem::remove(fixture.path() / "vocab.txt");
  fixture.write("tokenizer.json", bert_tokenizer().dump());
  import_hf_folder(fixture.path(), fixture.out());
  EXPECT_EQ(read_file(fixture.out() / "vocab.txt", ErrorCode::bad_data), hf_tokens);
}

TEST(TokenizerJson, MustAgreeWithItsNeighbours) {
  HfFixture fixture;
  fixture.write_all();
  const auto refused = [&](const Json& json, std::string_view why) {
    fixture.write("tokenizer.json", json.dump());
    expect_error(ErrorCode::bad_model, why,
                 [&] { import_hf_folder(fixture.path(), fixture.out()); });
  };
  Json cased = bert_tokenizer();
  cased["normalizer"]["lowercase"] = false;
  refused(cased, "do_lower_case = true, tokenizer.json lowercase = false");
  Json swapped = bert_tokenizer();
  swapped["model"]["vocab"]["good"] = 6;
  swapped["model"]["vocab"]["##ly"] = 5;
  refused(swapped, "different vocabularies");
}

struct Departure {
  const char* name;
  const char* complaint;
  std::function<void(Json&)> change;
};

void PrintTo(const Departure& departure, std::ostream* stream) {
  *stream << departure.name;
}

auto set(const char* pointer, Json value) {
  return [pointer, value](Json& json) { json[Json::json_pointer(pointer)] = value; };
}

const Departure departures[] = {
    {"Bpe", "type is \"BPE\"", set("/model/type", "BPE")},
    {"NoModel", "model is missing", [](Json& json) { json.erase("model"); }},
    {"NoNormalizer", "normalizer is missing", set("/normalizer", nullptr)},
    {"OtherNormalizer", "type is \"NFC\"", set("/normalizer/type", "NFC")},
    {"ControlCharactersKept", "clean_text is false", set("/normalizer/clean_text", false)},
    {"ChineseKept", "handle_chinese_chars is false",
     set("/normalizer/handle_chinese_chars", false)},
    {"AccentsKept", "strip_accents is false", set("/normalizer/strip_accents", false)},
    {"OtherWords", "type is \"Whitespace\"", set("/pre_tokenizer/type", "Whitespace")},
    {"OtherPrefix", "continuing_subword_prefix is \"@@\"",
     set("/model/continuing_subword_prefix", "@@")},
    {"OtherUnknown", "unk_token is \"<unk>\"", set("/model/unk_token", "<unk>")},
    {"ShorterWords", "max_input_chars_per_word is 50", set("/model/max_input_chars_per_word", 50)},
    {"NoPostProcessor", "post_processor is missing", set("/post_processor", nullptr)},
    {"OtherPostProcessor", "type is \"RobertaProcessing\"",
     set("/post_processor/type", "RobertaProcessing")},
    {"NoSeparator", "single is \"[CLS]:0 $A:0\"",
     set("/post_processor/single", {special("[CLS]", 0), sequence("A", 0)})},
    {"AddedToken", "content is \"<user>\"", set("/added_tokens/0/content", "<user>")},
    {"MovedToken", "id of \"[CLS]\" is not the one", set("/added_tokens/0/id", 4)},
    {"IdTwice", "gives \"good\" the id 6", set("/model/vocab/good", 6)},
    {"IdTooLarge", "gives \"good\" the id 70", set("/model/vocab/good", 70)},
    {"NegativeId", "gives \"good\" the id -1", set("/model/vocab/good", -1)},
    {"NoVocabulary", "no object of tokens", set("/model/vocab", nullptr)},
    {"LineEndInAToken", "holds a line end",
     [](Json& json) {
       json["model"]["vocab"].erase("good");
       json["model"]["vocab"]["go\nod"] = 5;
     }},
};

// The same model with its list of pieces alone, and with its tokenizer.json.
TEST(TokenizerJson, TruncatesPairsLikeTheListOfItsPieces) {
  Json whole_json = bert_tokenizer();
  for (const auto& [token, id] : {std::pair("[CLS]", 2), std::pair("[SEP]", 3)}) {
    whole_json["post_processor"]["special_tokens"][token] = {
        {"id", token}, {"ids", {id}}, {"tokens", {token}}};
  }
  const std::string json = whole_json.dump();
  const WordPieceTokenizer listed(parse_tokenizer_json(json).vocabulary);
  const auto whole = read_tokenizer({json, ""});
  for (size_t first = 0; first < 6; ++first) {
    for (size_t second = 0; second < 6; ++second) {
      std::string left, right;
      for (size_t i = 0; i < first; ++i) left += "good ";
      for (size_t i = 0; i < second; ++i) right += "goodly ";
      for (int limit = 3; limit < 20; ++limit) {
        EXPECT_EQ(listed.encode_pair(left, right, limit).ids,
                  whole->encode_pair(left, right, limit).ids)
            << first << " and " << second << " words in " << limit << " tokens";
      }
    }
  }
}

class Departures : public ::testing::TestWithParam<Departure> {};

TEST_P(Departures, AreRefusedByName) {
  Json json = bert_tokenizer();
  GetParam().change(json);
  expect_error(ErrorCode::bad_model, GetParam().complaint,
               [&] { parse_tokenizer_json(json.dump()); });
}

INSTANTIATE_TEST_SUITE_P(TokenizerJson, Departures, ::testing::ValuesIn(departures),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace headroom
