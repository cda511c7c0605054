#include "data/unlabelled.h"

#include <gtest/gtest.h>

#include <numeric>

#include "support.h"
#include "text/word_tokenizer.h"

namespace headroom {
namespace {
using namespace testing;

class Unlabelled : public ::testing::Test {
 protected:
  UnlabelledTexts load(const char* name, std::string_view content, Task task,
                       const char* options = "") const {
    return load_unlabelled(folder.write(name, content).string() + options, {}, task);
  }
  TemporaryFolder folder;
};

std::vector<std::string> texts_of(const UnlabelledTexts& all) {
  std::vector<std::string> texts;
  for (const UnlabelledText& each : all.texts) texts.push_back(each.text);
  return texts;
}

using Strings = std::vector<std::string>;

TEST_F(Unlabelled, LinesAreTextsEachOnce) {
  const UnlabelledTexts all = load("texts.txt", "b\n\na\nb\n  \nc", Task::classify);
  EXPECT_EQ(texts_of(all), (Strings{"b", "a", "c"}));
  EXPECT_EQ(all.blank, 2);
  EXPECT_EQ(all.repeated, 1);
}

TEST_F(Unlabelled, RowsLoseTheirLabels) {
  EXPECT_EQ(texts_of(load("rows.csv", "good,one\nbad,two\n", Task::classify)),
            (Strings{"one", "two"}));
  EXPECT_EQ(texts_of(load("rows.jsonl", "{\"text\":\"one\"}\n{\"text\":\"two\",\"label\":\"x\"}\n",
                          Task::multilabel)),
            (Strings{"one", "two"}));
  const std::string spec = "conll:" + folder.write("x", "the O\ncat B-PET\n\na O\n").string();
  EXPECT_EQ(texts_of(load_unlabelled(spec, {}, Task::tag)), (Strings{"the cat", "a"}));
}

TEST_F(Unlabelled, PairsAreSeparatedByATab) {
  const UnlabelledTexts all = load("pairs.txt", "a\tb\na\tc\n", Task::pair);
  ASSERT_EQ(all.texts.size(), 2U);
  EXPECT_EQ(all.texts[1], (UnlabelledText{"a", "c"}));
  expect_error(ErrorCode::bad_data, "line 2: one text, but this model reads two",
               [&] { load("one.txt", "a\tb\nc\n", Task::rerank); });
}

TEST_F(Unlabelled, BothTextsOfARowAreTextsForVectors) {
  const UnlabelledTexts all =
      load("rows.csv", "5,a,b\n1,c,a\n", Task::embed, "?label=1&text=2&text_pair=3");
  EXPECT_EQ(all.texts.size(), 3U);
  EXPECT_EQ(all.repeated, 1);
}

TEST_F(Unlabelled, BadUtf8NamesTheLine) {
  expect_error(ErrorCode::bad_data, "line 2",
               [&] { load("texts.txt", "fine\n\xff\n", Task::classify); });
}

class UnlabelledRows : public ::testing::Test {
 protected:
  static Vocabulary words() {
    VocabularyBuilder builder;
    builder.add("one two three four five");
    return builder.build(100, 1);
  }
  EncodedDataset encode(const std::vector<UnlabelledText>& texts, Task task,
                        const std::string& prompt = {}) const {
    UnlabelledTexts all{"texts", texts};
    std::vector<int32_t> numbers(texts.size());
    std::iota(numbers.begin(), numbers.end(), 0);
    return encode_unlabelled(all, numbers, task, tokenizer, 5, prompt);
  }
  const WordTokenizer tokenizer{words()};
};

TEST_F(UnlabelledRows, HaveTypesWhereOneIsAPair) {
  EXPECT_TRUE(encode({{"one"}, {"two"}}, Task::classify).types.empty());
  const EncodedDataset rows = encode({{"one"}, {"one", "two"}, {"one"}}, Task::classify);
  EXPECT_EQ(rows.types, (std::vector<int32_t>{0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0}));
}

TEST_F(UnlabelledRows, OfATaggerMarkItsTokensAndGoOnWhereTheyDoNotFit) {
  const EncodedDataset rows = encode({{"one two three four"}, {"five"}}, Task::tag);
  ASSERT_EQ(rows.size(), 3);
  const int32_t none = EncodedDataset::no_tag;
  EXPECT_EQ(rows.tags, (std::vector<int32_t>{none, 0, 0, 0, none, none, 0, none, none, 0, none}));
}

TEST_F(UnlabelledRows, HaveThePromptInFront) {
  EXPECT_EQ(encode({{"two"}}, Task::embed, "one ").tokens,
            encode({{"one two"}}, Task::embed).tokens);
}

}  // namespace
}  // namespace headroom
