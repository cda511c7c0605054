// The published data sets, where they are at hand: the rows and classes must be those that their
// authors report.
#include <gtest/gtest.h>

#include "data/catalog/catalog.h"
#include "data/catalog/check.h"
#include "data/encoded.h"
#include "data/load.h"
#include "data_folder.h"
#include "text/word_tokenizer.h"

namespace headroom {
namespace {

class RealData : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(folder_)) GTEST_SKIP() << folder_ << " is not here";
  }

  // Every row and class of the part is there; returns its summary for more.
  DataSummary expect_complete(const std::string& spec, int64_t rows, size_t classes) const {
    DataSummary summary = check_data(parse_data_spec(spec), folder_);
    EXPECT_EQ(summary.rows, rows) << spec;
    EXPECT_EQ(summary.expected_rows, rows) << spec;
    EXPECT_EQ(summary.classes.size(), classes) << spec;
    EXPECT_TRUE(summary.as_expected()) << spec;
    return summary;
  }
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_ = testing::data_folder();
};

TEST_F(RealData, AgNewsIsComplete) {
  expect_complete("agnews", 35773, 4);
  const DataSummary test = expect_complete("agnews:test", 7600, 4);
  EXPECT_EQ(test.classes[0].label, "World");
  for (const ClassSummary& each : test.classes) EXPECT_EQ(each.rows, 1900);
}

TEST_F(RealData, AgNewsBackslashesAreKept) {
  const TextDataset test = load_text_dataset("agnews:test", folder());
  EXPECT_EQ(test.rows[1].text.find("A second\\team of rocketeers") != std::string::npos, true);
  EXPECT_TRUE(test.rows[6].text.starts_with("Loosing the War on Terrorism \\\\\"Sven Jaschan"));
}

TEST_F(RealData, AgNewsBecomesTokens) {
  const TextDataset test = load_text_dataset("agnews:test", folder());
  VocabularyBuilder builder;
  for (const TextRow& row : test.rows) builder.add(row.text);
  const Vocabulary vocabulary = builder.build(20000, 2);
  EXPECT_TRUE(vocabulary.find("the").has_value());
  const EncodedDataset encoded = encode_dataset(test, WordTokenizer(vocabulary), 64);
  EXPECT_EQ(encoded.size(), 7600);
  for (const int32_t length : encoded.lengths()) ASSERT_LE(length, 64);
}

TEST_F(RealData, DbpediaIsComplete) {
  const DataSummary train = expect_complete("dbpedia", 11200, 14);
  EXPECT_EQ(train.classes[0].label, "Company");
  expect_complete("dbpedia:test", 2800, 14);
}

TEST_F(RealData, DbpediaClassesFitTheirTexts) {
  const TextDataset train = load_text_dataset("dbpedia", folder());
  EXPECT_TRUE(train.rows[0].text.starts_with("Lake Gore"));
  EXPECT_EQ(train.labels[static_cast<size_t>(train.rows[0].label)], "NaturalPlace");
}

TEST_F(RealData, ImdbIsComplete) {
  expect_complete("imdb", 25000, 2);
  expect_complete("imdb:test", 25000, 2);
}

TEST_F(RealData, Banking77IsComplete) {
  expect_complete("banking77", 10003, 77);
  expect_complete("banking77:test", 3080, 77);
}

TEST_F(RealData, Newsgroups20IsComplete) {
  expect_complete("newsgroups20", 11314, 20);
  expect_complete("newsgroups20:test", 7532, 20);
}

TEST_F(RealData, SickIsComplete) {
  EXPECT_TRUE(expect_complete("sick", 4500, 3).pairs);
  expect_complete("sick:validation", 500, 3);
  expect_complete("sick:test", 4927, 3);
}

TEST_F(RealData, SnliIsComplete) {
  EXPECT_TRUE(expect_complete("snli", 9842, 3).pairs);
  expect_complete("snli:test", 9824, 3);
}

TEST_F(RealData, YelpIsComplete) {
  expect_complete("yelp", 126670, 2);
  expect_complete("yelp:test", 63483, 2);
}

TEST_F(RealData, EveryKnownSetIsFound) {
  for (const CatalogEntry& entry : catalog()) {
    EXPECT_TRUE(find_part(entry, folder(), DataPart::train).has_value()) << entry.name;
  }
}

}  // namespace
}  // namespace headroom
