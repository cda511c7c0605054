#include "text/wordpiece/wordpiece_tokenizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/files/file.h"
#include "base/json.h"
#include "data_folder.h"
#include "support.h"

namespace headroom {
namespace {
using testing::expect_error;
using Ids = std::vector<int32_t>;

// [PAD] 0, [UNK] 1, [CLS] 2, [SEP] 3, [MASK] 4, then from 5 on:
WordPieceTokenizer small(bool lower_case = true) {
  return WordPieceTokenizer(Vocabulary::with_words({"un", "##aff", "##able", "##ab", "a", "##a",
                                                    ",", "\u00E9t\u00E9", "ete", "\u6771", "["}),
                            lower_case);
}

// The ids between [CLS] and [SEP].
Ids pieces(const WordPieceTokenizer& tokenizer, std::string_view text, int limit = 1000) {
  Ids ids = tokenizer.encode(text, limit + 2);
  ids.erase(ids.begin());
  ids.pop_back();
  return ids;
}

TEST(WordPieceTokenizer, TakesTheLongestPieceEachTime) {
  EXPECT_EQ(pieces(small(), "unaffable"), (Ids{5, 6, 7}));
  EXPECT_EQ(pieces(small(), "unaffab"), (Ids{5, 6, 8}));
}

TEST(WordPieceTokenizer, PutsTheTextBetweenClsAndSep) {
  EXPECT_EQ(small().encode("UN, a", 16), (Ids{2, 5, 11, 9, 3}));
  EXPECT_EQ(small().encode(" ", 16), (Ids{2, 3}));
}

TEST(WordPieceTokenizer, AWordWithAnUnmatchablePartIsUnknownAsAWhole) {
  EXPECT_EQ(pieces(small(), "unaffablex a"), (Ids{1, 9}));
  EXPECT_EQ(pieces(small(), "aff"), (Ids{1})) << "a continuation does not start a word";
}

TEST(WordPieceTokenizer, CaseAndAccentsFollowTheOption) {
  EXPECT_EQ(pieces(small(), "\u00C9t\u00E9 \u6771"), (Ids{13, 14}));
  EXPECT_EQ(pieces(small(false), "\u00E9t\u00E9 \u00C9t\u00E9 A"), (Ids{12, 1, 1}));
  EXPECT_TRUE(small().lower_case());
  EXPECT_FALSE(small(false).lower_case());
}

TEST(WordPieceTokenizer, WordsOfMoreThan100CharactersAreUnknown) {
  EXPECT_EQ(pieces(small(), std::string(100, 'a')).size(), 100U);
  EXPECT_EQ(pieces(small(), std::string(101, 'a')), (Ids{1}));
  const WordPieceTokenizer cased(Vocabulary::with_words({"\u0436", "##\u0436"}), false);
  std::string word;
  for (int i = 0; i < 100; ++i) word += "\u0436";
  EXPECT_EQ(pieces(cased, word).size(), 100U) << "characters, not bytes";
  EXPECT_EQ(pieces(cased, word + "\u0436"), (Ids{1}));
}

TEST(WordPieceTokenizer, SpecialTokensInATextAreThemselves) {
  EXPECT_EQ(pieces(small(), "[CLS] [SEP] [MASK] [UNK] [PAD]"), (Ids{2, 3, 4, 1, 0}));
  EXPECT_EQ(pieces(small(), "un[SEP]able"), (Ids{5, 3, 1}));
  EXPECT_EQ(pieces(small(), "[[SEP]"), (Ids{15, 3}));
  EXPECT_EQ(pieces(small(), "[sep]"), (Ids{15, 1, 1})) << "only in capitals";
  const WordPieceTokenizer bare(Vocabulary::from_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\n"));
  EXPECT_EQ(pieces(bare, "[MASK]"), (Ids{1, 1, 1})) << "a vocabulary without [MASK]";
}

TEST(WordPieceTokenizer, StopsAtTheLimitEvenInsideAWord) {
  EXPECT_EQ(pieces(small(), "unaffable a", 2), (Ids{5, 6}));
  EXPECT_EQ(pieces(small(), "a a a a", 3), (Ids{9, 9, 9}));
  EXPECT_EQ(pieces(small(), "a [SEP] [SEP]", 2), (Ids{9, 3}));
  EXPECT_EQ(pieces(small(), "a [SEP] [SEP]", 0), Ids{});
  EXPECT_EQ(pieces(small(), "unaffablex a", 1), (Ids{1})) << "unknown, though its start matches";
}

TEST(WordPieceTokenizer, EveryLimitGivesAStartOfTheWhole) {
  const std::string text = "Unaffable, [SEP] a\u6771unaffablex aaa";
  const Ids all = pieces(small(), text);
  for (size_t limit = 0; limit <= all.size() + 1; ++limit) {
    const Ids start(all.begin(), all.begin() + static_cast<int64_t>(std::min(limit, all.size())));
    EXPECT_EQ(pieces(small(), text, static_cast<int>(limit)), start);
  }
}

TEST(WordPieceTokenizer, TextThatIsNotUtf8IsRefused) {
  expect_error(ErrorCode::bad_data, "byte 0xE9 at offset 3 is not valid UTF-8",
               [] { small().encode("caf\xE9", 9); });
}

TEST(WordPieceTokenizer, OneTokenizerServesManyThreads) {
  const WordPieceTokenizer tokenizer = small();
  const std::string text = "Unaffable, \u00C9t\u00E9 a\u6771 unaffablex ";
  const Ids expected = tokenizer.encode(text, 64);
  const auto encode_often = [&](bool& same) {
    for (int i = 0; i < 1000; ++i) same = same && tokenizer.encode(text, 64) == expected;
  };
  bool first = true;
  bool second = true;
  std::thread other(encode_often, std::ref(first));
  encode_often(second);
  other.join();
  EXPECT_TRUE(first);
  EXPECT_TRUE(second);
}

TEST(WordPieceTokenizer, ACopyStandsOnItsOwn) {
  auto original = std::make_unique<WordPieceTokenizer>(small());
  const WordPieceTokenizer copy = *original;
  original.reset();
  EXPECT_EQ(pieces(copy, "unaffable [SEP]"), (Ids{5, 6, 7, 3}));
}

// The ids and token types that Hugging Face Transformers gave for each of its texts.
TEST(WordPieceTokenizer, GivesTheIdsOfHuggingFace) {
  const auto folder = testing::data_folder() / "../hf/bert-random-tiny";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " is not here";
  const WordPieceTokenizer tokenizer(
      Vocabulary::from_text(read_file(folder / "vocab.txt", ErrorCode::bad_model)));
  const Json expected = parse_json(read_file(folder / "expected.json", ErrorCode::bad_data),
                                   ErrorCode::bad_data, "expected.json");
  ASSERT_EQ(expected.at("cases").size(), 27U);
  for (const Json& each : expected.at("cases")) {
    const std::string text = each.at("text");
    const Ids ids = each.at("input_ids");
    const Ids types = each.at("token_type_ids");
    if (each.at("text_pair").is_null()) {
      EXPECT_EQ(tokenizer.encode(text, 128), ids) << text;
      EXPECT_EQ(types, Ids(ids.size(), 0)) << text;
    } else {
      const std::string second = each.at("text_pair");
      const Tokens pair = tokenizer.encode_pair(text, second, 128);
      EXPECT_EQ(pair.ids, ids) << text;
      EXPECT_EQ(pair.types, types) << text;
    }
  }
}

}  // namespace
}  // namespace headroom
