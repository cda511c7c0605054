#include "data/formats/tagged.h"

#include <gtest/gtest.h>

#include "support.h"
#include "text/wordpiece/wordpiece_tokenizer.h"

namespace headroom {
namespace {
using testing::expect_error;
using testing::TemporaryFolder;
using Labels = std::vector<std::string>;

TaggedDataset load(std::string_view content, std::string_view options = "",
                   const Labels* labels = nullptr) {
  const TemporaryFolder folder;
  const auto file = folder.write("rows.txt", content);
  return load_tagged("conll:" + file.string() + std::string(options), {}, labels);
}

constexpr std::string_view two_sentences =
    "-DOCSTART- -X- -X- O\n\nEU NNP B-NP B-ORG\nrejects VBZ B-VP O\n\n\nPeter NN B-NP B-PER\n"
    "Blackburn NN I-NP I-PER\n";

TEST(Tagged, SentencesEndAtEmptyLines) {
  const TaggedDataset dataset = load(two_sentences);
  EXPECT_EQ(dataset.labels, (Labels{"O", "B-ORG", "B-PER", "I-PER"}));
  ASSERT_EQ(dataset.sentences.size(), 2U);
  EXPECT_EQ(dataset.sentences[0].words, (Labels{"EU", "rejects"}));
  EXPECT_EQ(dataset.sentences[0].tags, (std::vector<int32_t>{1, 0}));
  EXPECT_EQ(dataset.sentences[1].tags, (std::vector<int32_t>{2, 3}));
}

TEST(Tagged, AnotherColumnMayHaveTheTag) {
  EXPECT_EQ(load(two_sentences, "?tag=3").labels, (Labels{"O", "B-NP", "B-VP", "I-NP"}));
}

TEST(Tagged, EntitiesOfTheFirstSchemeBeginWithB) {
  EXPECT_EQ(load("a I-LOC\nb I-LOC\nc O\n").labels, (Labels{"O", "B-LOC", "I-LOC"}));
}

TEST(Tagged, JsonLinesHaveTokensAndTags) {
  const TemporaryFolder folder;
  const auto file = folder.write("rows.jsonl", R"({"tokens":["in","Rome"],"tags":["O","B-LOC"]})");
  EXPECT_EQ(load_tagged("jsonl:" + file.string(), {}).labels, (Labels{"O", "B-LOC"}));
  const auto bad = folder.write("bad.jsonl", "\n{\"tokens\":[\"in\"],\"tags\":[]}\n");
  expect_error(ErrorCode::bad_data, "bad.jsonl line 2: 1 tokens but 0 tags",
               [&] { load_tagged("jsonl:" + bad.string(), {}); });
}

TEST(Tagged, BadLinesAreToldWithTheirNumber) {
  expect_error(ErrorCode::bad_data, "rows.txt line 2: found 1 columns, expected a word and its tag",
               [] { load("a O\nb\n"); });
  expect_error(ErrorCode::bad_data, "rows.txt line 1: found 2 columns",
               [] { load("a O\n", "?tag=4"); });
  expect_error(ErrorCode::bad_data, "every word", [] { load("a O\nb O\n"); });
  expect_error(ErrorCode::bad_data, "no rows", [] { load("-DOCSTART- O\n\n"); });
  const Labels known = {"O", "B-PER"};
  expect_error(ErrorCode::bad_data, "rows.txt line 1: unknown label \"B-LOC\"",
               [&] { load("Rome B-LOC\n", "", &known); });
  expect_error(ErrorCode::usage, "--task tag reads conll:FILE",
               [] { load_tagged("csv:rows.csv", {}); });
}

// [PAD] [UNK] [CLS] [SEP] [MASK] then words.
WordPieceTokenizer pieces_tokenizer() {
  return WordPieceTokenizer(Vocabulary::with_words({"play", "##ing", "in", "rome"}), true);
}

TEST(Tagged, TypesTellTheLetterCaseWhereTheTokenizerDoes) {
  const TaggedDataset dataset = load("Playing B-ACT\nin O\nROME B-LOC\n");
  WordPieceTokenizer tokenizer = pieces_tokenizer();
  EXPECT_TRUE(encode_tagged(dataset, tokenizer, 16).types.empty());
  tokenizer.set_letter_case(true);
  const EncodedDataset rows = encode_tagged(dataset, tokenizer, 16);
  EXPECT_EQ(rows.types, (std::vector<int32_t>{0, 1, 1, 0, 2, 0}));
  const EncodedDataset parts = encode_tagged(dataset, tokenizer, 5);
  ASSERT_EQ(parts.size(), 2);
  EXPECT_EQ(parts.types, (std::vector<int32_t>{0, 1, 1, 0, 0, 0, 2, 0})) << "cut between words";
}

TEST(Tagged, OnlyFirstPiecesHaveTags) {
  const TaggedDataset dataset = load("Playing B-ACT\nin O\nRome B-LOC\n");
  const WordPieceTokenizer tokenizer = pieces_tokenizer();
  const EncodedDataset rows = encode_tagged(dataset, tokenizer, 16);
  ASSERT_EQ(rows.size(), 1);
  EXPECT_EQ(rows.length(0), 6) << "[CLS] play ##ing in rome [SEP]";
  const auto none = EncodedDataset::no_tag;
  const auto tags = rows.row_tags(0);
  EXPECT_EQ(std::vector<int32_t>(tags.begin(), tags.end()),
            (std::vector<int32_t>{none, 1, none, 0, 2, none}));
}

TEST(Tagged, LongSentencesBecomeRowsOfOneGroup) {
  const TaggedDataset dataset = load("playing O\nin O\nRome B-LOC\n\nin O\n");
  const WordPieceTokenizer tokenizer = pieces_tokenizer();
  const EncodedDataset rows = encode_tagged(dataset, tokenizer, 5);
  EXPECT_EQ(rows.groups, (std::vector<int32_t>{0, 0, 1}));
  EXPECT_EQ(rows.length(0), 5) << "playing in";
  EXPECT_EQ(rows.length(1), 3) << "rome";
  EXPECT_EQ(encode_tagged(dataset, tokenizer, 3).size(), 4) << "a word's pieces are cut, not lost";
}

}  // namespace
}  // namespace headroom
