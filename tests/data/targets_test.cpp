#include "data/targets.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support.h"
#include "text/word_tokenizer.h"

namespace headroom {
namespace {
namespace fs = std::filesystem;
using testing::expect_error;
using testing::TemporaryFolder;
using Labels = std::vector<std::string>;
using Numbers = std::vector<int32_t>;

struct Source {
  Source(std::string_view name, std::string_view content) : file(folder.write(name, content)) {}
  TargetDataset load(Task task, std::string_view format, std::string_view options = "",
                     const Labels* labels = nullptr) const {
    return load_targets(std::string(format) + ":" + file.string() + std::string(options), {}, task,
                        TargetUse::train, labels);
  }
  TemporaryFolder folder;
  fs::path file;
};

TEST(Targets, SeveralLabelsAreSeparatedByCommas) {
  const Source source("rows.csv", "\"joy,love\",a\n,b\nanger,c\n\"love, anger\",d\n");
  const TargetDataset dataset = source.load(Task::multilabel, "csv");
  EXPECT_EQ(dataset.labels, (Labels{"anger", "joy", "love"}));
  EXPECT_EQ(dataset.rows[0].labels, (Numbers{1, 2}));
  EXPECT_EQ(dataset.rows[1].labels, Numbers{}) << "a row may have none";
  EXPECT_EQ(dataset.rows[3].labels, (Numbers{2, 0}));
}

TEST(Targets, JsonHasListsOfLabels) {
  const Source source(
      "rows.jsonl",
      "{\"text\":\"a\",\"labels\":[\"x, y\",\"z\"]}\n{\"text\":\"b\",\"label\":[]}\n"
      "{\"text\":\"c\",\"label\":\"z\"}\n");
  const TargetDataset dataset = source.load(Task::multilabel, "jsonl");
  EXPECT_EQ(dataset.labels, (Labels{"x, y", "z"}));
  EXPECT_EQ(dataset.rows[0].labels, (Numbers{0, 1}));
  EXPECT_EQ(dataset.rows[2].labels, Numbers{1});
}

TEST(Targets, BadLabelsAreToldWithTheirLine) {
  const Source twice("rows.csv", "a,x\n\"b,b\",y\n");
  expect_error(ErrorCode::bad_data, "rows.csv line 2: has a label twice",
               [&] { twice.load(Task::multilabel, "csv"); });
  const Labels known = {"a", "c"};
  expect_error(ErrorCode::bad_data, "rows.csv line 2: unknown label \"b\"",
               [&] { twice.load(Task::multilabel, "csv", "", &known); });
  const Source one("rows.csv", "a,x\na,y\n");
  expect_error(ErrorCode::bad_data, "fewer than two different labels",
               [&] { one.load(Task::multilabel, "csv"); });
}

TEST(Targets, NumbersMayBelongToATextOrAPair) {
  const Source source("rows.csv", "1.5,a,b\n-2,c,d\n");
  EXPECT_EQ(source.load(Task::regress, "csv").rows[0].texts, (Labels{"a b"}));
  const TargetDataset pairs = source.load(Task::regress, "csv", "?text=2&text_pair=3");
  EXPECT_EQ(pairs.rows[1].texts, (Labels{"c", "d"}));
  EXPECT_EQ(pairs.rows[1].value, -2);
}

TEST(Targets, WhatIsNoNumberIsToldWithItsLine) {
  const Source word("rows.csv", "1,a\ntwo,b\n");
  expect_error(ErrorCode::bad_data, "rows.csv line 2: \"two\" is not a number",
               [&] { word.load(Task::regress, "csv"); });
  const Source header("rows.csv", "score,text\n1,a\n");
  expect_error(ErrorCode::bad_data, "say ?header=1", [&] { header.load(Task::regress, "csv"); });
  const Source equal("rows.csv", "3,a\n3,b\n");
  expect_error(ErrorCode::bad_data, "every row has the value 3",
               [&] { equal.load(Task::regress, "csv"); });
}

TEST(Targets, VectorsTakePairsTriplesAndScores) {
  const Source source("rows.csv", "a,b,c,4\nd,e,f,1\n");
  const TargetDataset pairs = source.load(Task::embed, "csv", "?text=1&text_pair=2");
  EXPECT_EQ(pairs.texts_a_row, 2U);
  EXPECT_FALSE(pairs.scored);
  const TargetDataset triples = source.load(Task::embed, "csv", "?text=1&text_pair=2&negative=3");
  EXPECT_EQ(triples.rows[1].texts, (Labels{"d", "e", "f"}));
  const TargetDataset scored = source.load(Task::embed, "csv", "?text=1&text_pair=2&label=4");
  EXPECT_TRUE(scored.scored);
  EXPECT_EQ(scored.rows[0].value, 4);
}

TEST(Targets, RowsOfVectorsMustBeAlike) {
  const Source one("rows.csv", "a,b\nc,d\n");
  expect_error(ErrorCode::bad_data, "needs two texts a row: name the second with ?text_pair=COL",
               [&] { one.load(Task::embed, "csv"); });
  const Source mixed("rows.jsonl",
                     "{\"text\":\"a\",\"text_pair\":\"b\"}\n"
                     "{\"text\":\"a\",\"text_pair\":\"b\",\"label\":2}\n");
  expect_error(ErrorCode::bad_data, "rows.jsonl line 2: has a score, but the rows before it have",
               [&] { mixed.load(Task::embed, "jsonl"); });
  const Source both("rows.csv", "a,b,c,1\n");
  expect_error(ErrorCode::bad_data, "a score or a negative, not both",
               [&] { both.load(Task::embed, "csv", "?text=1&text_pair=2&negative=3&label=4"); });
}

TEST(Targets, PassagesOfOneQueryAreAGroup) {
  const Source source("rows.csv", "1,q,right\n0,q,wrong\n2,other,best\n0,q,worse\n");
  const TargetDataset dataset = source.load(Task::rerank, "csv", "?text=2&text_pair=3");
  EXPECT_EQ(dataset.groups, 2);
  EXPECT_EQ(dataset.rows[3].group, 0);
  EXPECT_EQ(dataset.rows[3].ideal, 1);
  EXPECT_EQ(dataset.rows[2].ideal, 2);
}

constexpr std::string_view queries = "q1\tred apple\nq2\tblue sea\n";
constexpr std::string_view documents =
    "{\"_id\":\"d1\",\"title\":\"Red\",\"text\":\"apple\"}\n"
    "{\"_id\":\"d2\",\"text\":\"red car\"}\n{\"_id\":\"d3\",\"text\":\"waves\"}\n";

struct Collection {
  explicit Collection(std::string_view judgements)
      : spec("qrels:" + folder.write("qrels.txt", judgements).string() + "," +
             folder.write("queries.tsv", queries).string() + "," +
             folder.write("docs.jsonl", documents).string()) {}
  TargetDataset load(TargetUse use, std::string_view options = "") const {
    return load_targets(spec + std::string(options), {}, Task::rerank, use);
  }
  TemporaryFolder folder;
  std::string spec;
};

TEST(Targets, CandidatesAreWhatWordsFind) {
  const Collection collection("q1 0 d1 1\nq2 0 d3 1\n");
  const TargetDataset scored = collection.load(TargetUse::score);
  ASSERT_EQ(scored.rows.size(), 2U) << "no word of q2 is in a document";
  EXPECT_EQ(scored.rows[0].texts, (Labels{"red apple", "Red apple"}));
  EXPECT_EQ(scored.rows[0].value, 1);
  EXPECT_EQ(scored.rows[1].value, 0);
  const TargetDataset train = collection.load(TargetUse::train);
  ASSERT_EQ(train.rows.size(), 3U) << "with what the search missed";
  EXPECT_EQ(train.rows[2].texts[1], "waves");
  EXPECT_TRUE(train.rows[2].missed);
  EXPECT_FALSE(train.rows[1].missed);
  EXPECT_EQ(collection.load(TargetUse::score, "?candidates=1").rows.size(), 1U);
}

TEST(Targets, BadJudgementsAreToldWithTheirLine) {
  expect_error(ErrorCode::bad_data, "qrels.txt line 2: unknown document \"d9\"",
               [] { Collection("q1 0 d1 1\nq1 0 d9 1\n").load(TargetUse::train); });
  expect_error(ErrorCode::bad_data, "qrels.txt line 1: expected \"query 0 document grade\"",
               [] { Collection("q1 d1\n").load(TargetUse::train); });
  expect_error(ErrorCode::usage, "for --task rerank",
               [] { load_targets("qrels:a,b,c", {}, Task::regress, TargetUse::train); });
}

TEST(Targets, PublishedFormsAreRead) {
  const TemporaryFolder folder;
  fs::create_directories(folder.path() / "stsb");
  folder.write("stsb/sts-train.csv",
               "g\tf\ty\t1\t4.5\tA \"plane\".\tAn air plane.\tsource\n"
               "g\tf\ty\t2\t1.0\tx\ty\n");
  const TargetDataset pairs = load_targets("stsb", folder.path(), Task::embed, TargetUse::train);
  EXPECT_EQ(pairs.rows[0].texts, (Labels{"A \"plane\".", "An air plane."}));
  EXPECT_EQ(pairs.rows[0].value, 4.5);
  EXPECT_EQ(load_targets("stsb", folder.path(), Task::regress, TargetUse::train).rows.size(), 2U);

  fs::create_directories(folder.path() / "goemotions");
  folder.write("goemotions/labels.txt", "joy\nanger\nlove\n");
  folder.write("goemotions/train.tsv", "hi\t2,0\tid1\nho\t1\tid2\n");
  const TargetDataset labels =
      load_targets("goemotions", folder.path(), Task::multilabel, TargetUse::train);
  EXPECT_EQ(labels.labels, (Labels{"joy", "anger", "love"})) << "in the file's order";
  EXPECT_EQ(labels.rows[0].labels, (Numbers{2, 0}));
  folder.write("goemotions/train.tsv", "hi\t3\tid1\n");
  expect_error(ErrorCode::bad_data, "train.tsv line 1: \"3\", expected numbers from 0 to 2", [&] {
    load_targets("goemotions", folder.path(), Task::multilabel, TargetUse::train);
  });
  expect_error(ErrorCode::usage, "goemotions is for --task multilabel",
               [&] { load_targets("goemotions", folder.path(), Task::regress, TargetUse::train); });

  fs::create_directories(folder.path() / "cranfield");
  folder.write("cranfield/cran.qry.xml",
               "<top>\n<num> 7</num>\n<title>\nheated\nwing\n</title>\n</top>\n");
  folder.write("cranfield/cran.all.1400.xml",
               "<doc><docno>1</docno><title>t</title><text>a heated\nwing .</text></doc>\n"
               "<doc><docno>2</docno><text>other</text></doc>\n"
               "<doc><docno>3</docno><text>a wing of a house</text></doc>\n");
  folder.write("cranfield/cranqrel.trec.txt", "1 0 2 1\n1 0 1 1\n1 0 99 1\n");
  const TargetDataset passages =
      load_targets("cranfield", folder.path(), Task::rerank, TargetUse::train);
  ASSERT_EQ(passages.rows.size(), 3U);
  EXPECT_EQ(passages.rows[0].texts, (Labels{"heated wing", "a heated wing ."}));
  EXPECT_DOUBLE_EQ(passages.rows[0].ideal, 1 + 1 / std::log2(3.0));
}

TEST(Targets, EncodingKeepsTargetsBesideTheirRows) {
  const Vocabulary words = Vocabulary::with_words({"a", "b", "c", "d"});
  const WordTokenizer tokenizer(words);
  const Source labels("rows.csv", "\"x,y\",a b\ny,c\n");
  const EncodedDataset flags =
      encode_targets(labels.load(Task::multilabel, "csv"), Task::multilabel, tokenizer, 8);
  EXPECT_EQ(flags.values, (std::vector<float>{1, 1, 0, 1}));
  EXPECT_EQ(flags.length(0), 4);

  const Source pairs("rows.csv", "1,a,b c\n0,a,d\n");
  const auto ranked = pairs.load(Task::rerank, "csv", "?text=2&text_pair=3");
  const EncodedDataset passages = encode_targets(ranked, Task::rerank, tokenizer, 8);
  EXPECT_EQ(passages.length(0), 6) << "[CLS] a [SEP] b c [SEP]";
  EXPECT_EQ(passages.values, (std::vector<float>{1, 1, 0, 1})) << "grade and ideal";
  EXPECT_EQ(passages.groups, (Numbers{0, 0}));

  const auto scored = pairs.load(Task::embed, "csv", "?text=2&text_pair=3&label=1");
  const EncodedDataset vectors = encode_targets(scored, Task::embed, tokenizer, 8);
  EXPECT_EQ(vectors.length(0), 3);
  ASSERT_EQ(vectors.partners.size(), 1U);
  EXPECT_EQ(vectors.partners[0].length(0), 4);
  EXPECT_EQ(vectors.values, (std::vector<float>{1, 0}));
}

}  // namespace
}  // namespace headroom
