// Whole tokenizers of a few tokens: models, added tokens, frames, truncation, offsets.
#include <gtest/gtest.h>

#include "support.h"
#include "text/pipeline/pipeline_checks.h"

namespace headroom {
namespace {
using namespace testing;

using Tokens = std::vector<std::string>;
using Spans = std::vector<TextSpan>;

Json bpe(const Json& merges, const Json& more = Json::object()) {
  Json model = {
      {"type", "BPE"},
      {"vocab", {{"<unk>", 0}, {"a", 1}, {"b", 2}, {"c", 3}, {"ab", 4}, {"bc", 5}, {"abc", 6}}},
      {"merges", merges}};
  model.update(more);
  return {{"model", model}, {"pre_tokenizer", {{"type", "WhitespaceSplit"}}}};
}

TEST(Bpe, MergesTheEarliestPairFirst) {
  EXPECT_EQ(tokens(*tokenizer_of(bpe(Json::array({"a b", "ab c"}))), {"abc bc"}),
            (Tokens{"abc", "b", "c"}));
  EXPECT_EQ(tokens(*tokenizer_of(bpe(Json::array({"b c", "a b"}))), {"abc ab"}),
            (Tokens{"a", "bc", "ab"}));
  EXPECT_EQ(tokens(*tokenizer_of(bpe(Json::array({Json::array({"a", "b"})}))), {"aab"}),
            (Tokens{"a", "ab"}));
  EXPECT_EQ(tokens(*tokenizer_of(bpe(Json::array())), {"ab"}), (Tokens{"a", "b"}));
}

TEST(Bpe, UnknownCharactersVanishOrAreOneOrSeveralTokens) {
  const Json merges = Json::array({"a b"});
  EXPECT_EQ(tokens(*tokenizer_of(bpe(merges)), {"axyb"}), (Tokens{"ab"}));
  EXPECT_EQ(tokens(*tokenizer_of(bpe(merges, {{"unk_token", "<unk>"}})), {"axyb"}),
            (Tokens{"a", "<unk>", "<unk>", "b"}));
  const auto fusing = tokenizer_of(bpe(merges, {{"unk_token", "<unk>"}, {"fuse_unk", true}}));
  EXPECT_EQ(tokens(*fusing, {"axyb"}), (Tokens{"a", "<unk>", "b"}));
  EXPECT_EQ(fusing->encode_with_offsets({"aéyb"}, 99).offsets, (Spans{{0, 1}, {1, 3}, {3, 4}}));
}

TEST(Bpe, MayTakeWordsWholeAndBytesForTheRest) {
  EXPECT_EQ(tokens(*tokenizer_of(bpe(Json::array(), {{"ignore_merges", true}})), {"abc abca"}),
            (Tokens{"abc", "a", "b", "c", "a"}));
  Json json = bpe(Json::array(), {{"byte_fallback", true}, {"unk_token", "<unk>"}});
  json["model"]["vocab"]["<0xC3>"] = 7;
  json["model"]["vocab"]["<0xA9>"] = 8;
  const auto tokenizer = tokenizer_of(json);
  EXPECT_EQ(tokens(*tokenizer, {"aé東"}), (Tokens{"a", "<0xC3>", "<0xA9>", "<unk>"}));
  EXPECT_EQ(tokenizer->encode_with_offsets({"aé"}, 99).offsets, (Spans{{0, 1}, {1, 2}, {1, 2}}));
}

TEST(Bpe, MarksTheInsideAndTheEndOfWords) {
  const Json vocab = {{"a", 0}, {"##b", 1}, {"##c</w>", 2}, {"ab", 3}, {"a</w>", 4}};
  const auto tokenizer = tokenizer_of(
      bpe(Json::array({"a ##b"}),
          {{"vocab", vocab}, {"continuing_subword_prefix", "##"}, {"end_of_word_suffix", "</w>"}}));
  EXPECT_EQ(tokens(*tokenizer, {"abc a"}), (Tokens{"ab", "##c</w>", "a</w>"}));
}

// Long words are merged by another algorithm than short ones.
TEST(Bpe, LongWordsGiveTheSame) {
  const auto tokenizer = tokenizer_of(bpe(Json::array({"b c", "a b", "a bc"})));
  std::string word;
  Tokens expected;
  for (int i = 0; i < 300; ++i) {
    word += i % 3 == 0 ? "abc" : "aab";
    const Tokens cut = i % 3 == 0 ? Tokens{"abc"} : Tokens{"a", "ab"};
    expected.insert(expected.end(), cut.begin(), cut.end());
  }
  EXPECT_EQ(tokens(*tokenizer, {word}), expected);
  EXPECT_EQ(tokenizer->encode(std::string(1'000'000, 'a'), 1 << 21).size(), 1'000'000U);
}

Json unigram() {
  Json model = {
      {"type", "Unigram"},
      {"unk_id", 0},
      {"vocab", Json::parse(R"([["<unk>", 0], ["▁", -4], ["a", -3], ["b", -3], ["▁a", -3.5],
                                          ["ab", -5], ["▁ab", -6]])")}};
  return {{"model", model}, {"pre_tokenizer", {{"type", "Metaspace"}}}};
}

TEST(Unigram, TakesTheTokensOfTheLargestSum) {
  const auto tokenizer = tokenizer_of(unigram());
  EXPECT_EQ(tokens(*tokenizer, {"ab a"}), (Tokens{"▁ab", "▁a"}));  // -6 beats -3.5 - 3
  EXPECT_EQ(tokens(*tokenizer, {"b"}), (Tokens{"▁", "b"}));
  EXPECT_EQ(tokenizer->encode_with_offsets({"b ab"}, 99).offsets, (Spans{{0, 1}, {0, 1}, {1, 4}}));
}

TEST(Unigram, UnknownCharactersInARowAreOneToken) {
  const auto tokenizer = tokenizer_of(unigram());
  EXPECT_EQ(tokens(*tokenizer, {"a東京b"}), (Tokens{"▁a", "<unk>", "b"}));
  EXPECT_EQ(tokenizer->encode_with_offsets({"a東京b"}, 99).offsets,
            (Spans{{0, 1}, {1, 3}, {3, 4}}));
  Json without = unigram();
  without["model"].erase("unk_id");
  expect_error(ErrorCode::bad_data, "no unknown token",
               [&] { tokenizer_of(without)->encode("東", 99); });
}

TEST(Unigram, BytesStandForUnknownCharacters) {
  Json json = unigram();
  json["model"]["byte_fallback"] = true;
  for (const char* byte : {"<0xC3>", "<0xA9>"})
    json["model"]["vocab"].push_back(Json::array({byte, -9.0}));
  EXPECT_EQ(tokens(*tokenizer_of(json), {"aé"}), (Tokens{"▁a", "<0xC3>", "<0xA9>"}));
}

TEST(WordLevel, LooksWordsUp) {
  const Json json = {{"model", {{"type", "WordLevel"}, {"vocab", {{"<unk>", 0}, {"hi", 1}}}}},
                     {"pre_tokenizer", {{"type", "Whitespace"}}}};
  EXPECT_EQ(tokens(*tokenizer_of(json), {"hi you"}), (Tokens{"hi", "<unk>"}));
}

Json with_added(const Json& token) {
  Json json = bpe(Json::array(), {{"unk_token", "<unk>"}});
  json["normalizer"] = {{"type", "Lowercase"}};
  Json entry = {{"id", 9}, {"content", "<M>"}, {"special", true}};
  entry.update(token);
  json["added_tokens"] = {entry};
  return json;
}

TEST(AddedTokens, AreFoundAnywhere) {
  EXPECT_EQ(tokens(*tokenizer_of(with_added(Json::object())), {"a<M>b"}),
            (Tokens{"a", "<M>", "b"}));
  EXPECT_EQ(tokens(*tokenizer_of(with_added(Json::object())), {"<m>"}),
            (Tokens{"<unk>", "<unk>", "<unk>"}));
  EXPECT_EQ(tokens(*tokenizer_of(with_added({{"normalized", true}})), {"a<m>"}),
            (Tokens{"a", "<M>"}));
}

TEST(AddedTokens, MayTakeSpacesAndWantNoNeighbours) {
  const auto left = tokenizer_of(with_added({{"lstrip", true}}));
  EXPECT_EQ(left->encode_with_offsets({"a  <M> b"}, 99).offsets, (Spans{{0, 1}, {1, 6}, {7, 8}}));
  const auto right = tokenizer_of(with_added({{"rstrip", true}}));
  EXPECT_EQ(right->encode_with_offsets({"a <M>  b"}, 99).offsets, (Spans{{0, 1}, {2, 7}, {7, 8}}));
  const auto alone = tokenizer_of(with_added({{"single_word", true}, {"content", "ab"}}));
  EXPECT_EQ(tokens(*alone, {"ab cab ab"}), (Tokens{"ab", "c", "a", "b", "ab"}));
}

TEST(AddedTokens, TheLongestWins) {
  Json json = with_added(Json::object());
  json["added_tokens"].push_back({{"id", 10}, {"content", "<M>a"}, {"special", true}});
  EXPECT_EQ(tokens(*tokenizer_of(json), {"<M>ab"}), (Tokens{"<M>a", "b"}));
}

TEST(AddedTokens, ComeFromTheConfigToo) {
  const Json config = {{"added_tokens_decoder", {{"9", {{"content", "[X]"}, {"special", true}}}}},
                       {"mask_token", "abc"}};
  const auto tokenizer = tokenizer_of(bpe(Json::array()), config);
  EXPECT_EQ(tokens(*tokenizer, {"a[X]abcb"}), (Tokens{"a", "[X]", "abc", "b"}));
  EXPECT_EQ(tokenizer->vocabulary().mask_id(), 6);
}

Json framed() {
  Json json = bpe(Json::array());
  json["post_processor"] = {{"type", "BertProcessing"}, {"sep", {"c", 3}}, {"cls", {"b", 2}}};
  return json;
}

TEST(Truncation, HalvesTwoLongTexts) {
  const auto tokenizer = tokenizer_of(framed());
  const auto lengths = [&](size_t first, size_t second, int limit) {
    const std::string one(first, 'a');
    const std::string two(second, 'a');
    const Encoding encoding = tokenizer->encode_with_offsets({one, two}, limit);
    EXPECT_EQ(tokenizer->encode_pair(one, two, limit).ids, encoding.ids);
    return std::pair(std::count(encoding.sources.begin(), encoding.sources.end(), 0),
                     std::count(encoding.sources.begin(), encoding.sources.end(), 1));
  };
  // Seven tokens are left beside the three special ones.
  EXPECT_EQ(lengths(8, 8, 10), std::pair(3L, 4L));
  EXPECT_EQ(lengths(8, 4, 10), std::pair(4L, 3L));
  EXPECT_EQ(lengths(4, 8, 10), std::pair(3L, 4L));
  EXPECT_EQ(lengths(8, 2, 10), std::pair(5L, 2L));
  EXPECT_EQ(lengths(0, 8, 10), std::pair(0L, 7L));
  EXPECT_EQ(lengths(4, 3, 10), std::pair(4L, 3L));
  EXPECT_EQ(lengths(8, 8, 3), std::pair(0L, 0L));
}

TEST(Truncation, MayKeepTheEnd) {
  const auto tokenizer =
      tokenizer_of(framed(), {{"truncation_side", "left"}, {"model_max_length", 4}});
  EXPECT_EQ(tokenizer->most_tokens(512), 4);
  EXPECT_EQ(tokens(*tokenizer, {"abca"}, 4), (Tokens{"b", "c", "a", "c"}));
  EXPECT_EQ(tokenizer->encode("abca", 4), (std::vector<int32_t>{2, 3, 1, 3}));
}

TEST(Truncation, TheFileMaySayHowLongWhereTheConfigDoesNot) {
  Json json = framed();
  json["truncation"] = {{"max_length", 7}, {"direction", "Right"}, {"stride", 0}};
  EXPECT_EQ(tokenizer_of(json)->most_tokens(512), 7);
  EXPECT_EQ(tokenizer_of(json, {{"model_max_length", 9}})->most_tokens(512), 9);
  EXPECT_EQ(tokenizer_of(json, {{"model_max_length", 1e30}})->most_tokens(512), 7);
  EXPECT_EQ(tokenizer_of(framed())->most_tokens(512), 512);
}

TEST(Frames, TypesAreThoseOfTheTemplate) {
  const auto tokenizer = tokenizer_of(framed());
  EXPECT_EQ(tokenizer->encode_pair("a", "a", 99).types, (std::vector<int32_t>{0, 0, 0, 1, 1}));
  Json bare = bpe(Json::array());
  EXPECT_EQ(tokenizer_of(bare)->encode("a", 9), (std::vector<int32_t>{1}));
  EXPECT_EQ(tokenizer_of(bare)->encode_pair("a", "b", 9).types, (std::vector<int32_t>{0, 1}));
}

// Offsets of byte-level tokens leave their spaces out, but not a space that was put in front.
TEST(Frames, ByteLevelOffsetsAreTrimmed) {
  Json json = {{"model",
                {{"type", "BPE"},
                 {"vocab", {{"Ġ", 0}, {"a", 1}, {"Ġa", 2}}},
                 {"merges", Json::array({"Ġ a"})}}},
               {"pre_tokenizer", {{"type", "ByteLevel"}}},
               {"post_processor", {{"type", "ByteLevel"}}}};
  EXPECT_EQ(tokenizer_of(json)->encode_with_offsets({"a a"}, 99).offsets, (Spans{{0, 1}, {2, 3}}));
  EXPECT_EQ(tokenizer_of(json)->encode_with_offsets({"  a"}, 99).offsets, (Spans{{0, 0}, {2, 3}}));
  json["post_processor"]["trim_offsets"] = false;
  EXPECT_EQ(tokenizer_of(json)->encode_with_offsets({"a a"}, 99).offsets, (Spans{{0, 1}, {1, 3}}));
}

TEST(PipelineTokenizer, OddTextsAreNoProblem) {
  const auto tokenizer = tokenizer_of(framed());
  EXPECT_EQ(tokenizer->encode("", 9), (std::vector<int32_t>{2, 3}));
  EXPECT_EQ(tokenizer->encode(" \u3000\n", 9), (std::vector<int32_t>{2, 3}));
  expect_error(ErrorCode::bad_data, "UTF-8", [&] { tokenizer->encode("\xC3", 9); });
  expect_error(ErrorCode::bad_data, "UTF-8", [&] { tokenizer->encode_with_offsets({"\xFF"}, 9); });
  expect_error(ErrorCode::usage, "special tokens alone need 2", [&] { tokenizer->encode("a", 1); });
}

TEST(PipelineTokenizer, BadFilesAreRefusedByName) {
  const auto refused = [](const char* pointer, const Json& value, std::string_view why) {
    Json json = framed();
    json[Json::json_pointer(pointer)] = value;
    expect_error(ErrorCode::bad_model, why, [&] { tokenizer_of(json); });
  };
  refused("/model/type", "Neural", "type is \"Neural\", which is not read here; known are BPE");
  refused("/model/merges/0", "a", "entry 0 of model.merges is \"a\"");
  refused("/model/merges/0", "a x", "\"x\" is not in model.vocab");
  refused("/model/vocab", "x", "neither an object of ids nor a list");
  refused("/model/vocab/a", 2, "the id 2");
  refused("/model/vocab/a", -2, "the id -2");
  refused("/model/dropout", 0.1, "dropout is set");
  refused("/pre_tokenizer", 3, "expected an object");
  refused("/pre_tokenizer/type", "UnicodeScripts", "\"UnicodeScripts\", which is not read here");
  refused("/post_processor/cls/1", 900, "post_processor uses id 900");
  refused("/post_processor/cls", Json::array({"b"}), "expected a token and its id");
  refused("/added_tokens", {{{"id", 1}, {"content", "z"}}}, "gives \"z\" the id 1 of \"a\"");
  expect_error(ErrorCode::bad_model, "model is missing", [] {
    tokenizer_of({{"version", "1.0"}});
  });
}

}  // namespace
}  // namespace headroom
