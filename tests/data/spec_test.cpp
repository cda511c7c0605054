#include "data/catalog/spec.h"

#include <gtest/gtest.h>

#include "data/catalog/spec_name.h"
#include "support.h"

namespace headroom {
namespace {
using testing::expect_error;
using Paths = std::vector<std::string>;

DataSource only(std::string_view text) {
  const DataSpec spec = parse_data_spec(text);
  EXPECT_EQ(spec.sources.size(), 1U) << text;
  return spec.sources.at(0);
}

void expect_refused(std::string_view text, std::string_view fragment) {
  expect_error(ErrorCode::usage, fragment, [&] { parse_data_spec(text); });
}

TEST(DataSpec, APathHasItsFormatInFront) {
  EXPECT_EQ(only("csv:a/b.csv.gz").kind, SourceKind::csv);
  EXPECT_EQ(only("csv:a/b.csv.gz").paths, Paths{"a/b.csv.gz"});
  EXPECT_EQ(only("csv:-").paths, Paths{"-"});
  EXPECT_EQ(only("tsv:C:x,y").paths, Paths{"C:x,y"}) << "colons and commas belong to the path";
  EXPECT_EQ(only("jsonl:x").kind, SourceKind::jsonl);
}

TEST(DataSpec, ColumnsMayBeChosen) {
  const DataSource source = only("csv:f?header=1&label=category&text=title,2&text_pair=b");
  EXPECT_EQ(source.columns, (ColumnChoice{true, "category", {"title", "2"}, "b"}));
  EXPECT_EQ(only("csv:f").columns, ColumnChoice{});
}

TEST(DataSpec, KnownNamesHaveParts) {
  EXPECT_EQ(only("agnews").name, "agnews");
  EXPECT_EQ(only("agnews").part, DataPart::train);
  EXPECT_EQ(only("agnews:test").part, DataPart::test);
  EXPECT_EQ(only("sick:validation").part, DataPart::validation);
}

TEST(DataSpec, ImdbIsBothANameAndAFormat) {
  EXPECT_EQ(only("imdb").kind, SourceKind::named);
  EXPECT_EQ(only("imdb:test").kind, SourceKind::named);
  EXPECT_EQ(only("imdb:aclImdb").kind, SourceKind::imdb);
  EXPECT_EQ(only("imdb:./test?part=test").paths, Paths{"./test"});
  EXPECT_EQ(only("imdb:./test?part=test").part, DataPart::test);
}

TEST(DataSpec, SyntheticTakesParameters) {
  EXPECT_EQ(only("synthetic").synthetic, SyntheticTask{});
  const SyntheticTask task = only("synthetic?tokens=32&decoys=2").synthetic;
  EXPECT_EQ(task.tokens, 32);
  EXPECT_EQ(task.decoys, 2);
  EXPECT_GT(only("synthetic-hard").synthetic.markers, 1) << "kinds, for which heads are needed";
  EXPECT_EQ(only("synthetic-hard?tokens=64").synthetic.tokens, 64);
  expect_refused("synthetic-harder", "synthetic-hard");
  expect_refused("synthetic?tokens=8&decoys=6", "need 14 tokens");
  expect_refused("synthetic?tokens=many", "expected a whole number");
  expect_refused("synthetic?speed=1", "unknown option \"speed\"");
}

TEST(DataSpec, FormatsOfOtherTasksAreRecognised) {
  EXPECT_EQ(only("idx:images,labels").paths, (Paths{"images", "labels"}));
  EXPECT_EQ(only("cifar:a,b,c").paths, (Paths{"a", "b", "c"}));
  EXPECT_EQ(only("parallel:a.en,a.de").kind, SourceKind::parallel);
  EXPECT_EQ(only("text:book.txt").kind, SourceKind::text);
  expect_refused("idx:images", "takes two files");
}

TEST(DataSpec, PlusJoinsSources) {
  const DataSpec spec = parse_data_spec("agnews+csv:a.csv?header=1+dbpedia:test");
  ASSERT_EQ(spec.sources.size(), 3U);
  EXPECT_EQ(spec.sources[0].name, "agnews");
  EXPECT_TRUE(spec.sources[1].columns.header);
  EXPECT_EQ(spec.sources[2].part, DataPart::test);
  EXPECT_EQ(spec.spelled, "agnews+csv:a.csv?header=1+dbpedia:test");
}

TEST(DataSpec, APlusInsideAPathIsKept) {
  EXPECT_EQ(only("csv:c++/a+b.csv").paths, Paths{"c++/a+b.csv"});
  EXPECT_EQ(parse_data_spec("csv:c++/a.csv+csv:b").sources.size(), 2U);
}

TEST(DataSpec, ABareFileIsWhatItsSuffixSays) {
  EXPECT_EQ(only("my/rows.csv?label=2").kind, SourceKind::csv);
  EXPECT_EQ(only("my/rows.csv?label=2").paths, Paths{"my/rows.csv"});
  EXPECT_EQ(only("rows.jsonl.gz").kind, SourceKind::jsonl);
  EXPECT_EQ(parse_data_spec("a.csv+b.tsv?header=0+agnews").sources.size(), 3U);
  EXPECT_EQ(data_name("/home/me/rows.csv?label=2"), "csv:rows.csv?label=2");
}

TEST(DataSpec, MistakesAreExplained) {
  expect_refused("", "a data source is missing");
  expect_refused("agnews+", "a data source is missing");
  expect_refused("agnwes", "known name (agnews, dbpedia, imdb");
  expect_refused("agnews+dbpdia", "\"dbpdia\"");
  expect_refused("xml:file", "neither a file (.csv, .tsv, .jsonl), FORMAT:PATH");
  expect_refused("agnews:dev", "parts are train, validation and test");
  expect_refused("csv:", "a file name is missing");
  expect_refused("csv:f?header", "\"header\" is not of the form key=value");
  expect_refused("csv:f?header=yes", "header must be 0 or 1");
  expect_refused("csv:f?label=1&label=2", "label is given twice");
  expect_refused("csv:f?columns=2", "csv takes header, label, text, text_pair and negative");
  expect_refused("jsonl:f?header=1", "jsonl takes no options");
  expect_refused("agnews?part=test", "a known name takes no options");
}

TEST(DataName, SaysNothingAboutFolders) {
  EXPECT_EQ(data_name("csv:/home/me/rows.csv?label=2"), "csv:rows.csv?label=2");
  EXPECT_EQ(data_name("imdb:/data/aclImdb/?part=test"), "imdb:aclImdb?part=test");
  EXPECT_EQ(data_name("idx:a/images,b/labels"), "idx:images,labels");
  EXPECT_EQ(data_name("tsv:c/s/v"), "tsv:v");
}

TEST(DataName, KeepsKnownNamesAndSyntheticOptionsAsTheyWereWritten) {
  EXPECT_EQ(data_name("agnews:test+csv:mine/rows.csv"), "agnews:test+csv:rows.csv");
  EXPECT_EQ(data_name("synthetic?tokens=64"), "synthetic?tokens=64");
}

}  // namespace
}  // namespace headroom
