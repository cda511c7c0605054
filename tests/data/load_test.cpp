#include "data/load.h"

#include <gtest/gtest.h>

#include "archives.h"
#include "data/sources.h"
#include "support.h"

namespace headroom {
namespace {
using testing::expect_error;
using testing::gzip;
using testing::TemporaryFolder;
using Labels = std::vector<std::string>;

class Load : public ::testing::Test {
 protected:
  // Loads `content` as a file of `format`, with options such as "?header=1".
  TextDataset load(const std::string& format, std::string_view content,
                   const std::string& options = "", const Labels* labels = nullptr) {
    const std::string file = folder_.write("f", content).string();
    return load_text_dataset(format + ":" + file + options, "", labels);
  }
  void expect_refused(const std::string& format, std::string_view content,
                      std::string_view fragment, const std::string& options = "") {
    expect_error(ErrorCode::bad_data, fragment, [&] { load(format, content, options); });
  }
  const TemporaryFolder& folder() const { return folder_; }

 private:
  TemporaryFolder folder_;
};

TEST_F(Load, CsvHasTheLabelFirstAndJoinsTheRest) {
  const TextDataset data = load("csv", "2,Title,\"Body, here\"\n10,,Only body\n");
  ASSERT_EQ(data.rows.size(), 2U);
  EXPECT_EQ(data.labels, (Labels{"2", "10"}));
  EXPECT_EQ(data.rows[0].text, "Title Body, here");
  EXPECT_EQ(data.rows[1].text, "Only body") << "an empty field adds no space";
  EXPECT_EQ(data.rows[1].label, 1);
  EXPECT_FALSE(data.pairs);
}

TEST_F(Load, GzipIsReadAsItIs) {
  EXPECT_EQ(load("csv", gzip("a,x\nb,y\n")).rows.size(), 2U);
}

TEST_F(Load, ColumnsAreChosenByNameOrNumber) {
  const std::string_view content = "text,extra,category\nhello,1,greet\nbye,2,leave\n";
  const TextDataset data = load("csv", content, "?header=1&label=category&text=text");
  EXPECT_EQ(data.labels, (Labels{"greet", "leave"}));
  EXPECT_EQ(data.rows[0].text, "hello");
  EXPECT_EQ(load("csv", content, "?header=1&label=3&text=2,1").rows[1].text, "2 bye");
  EXPECT_EQ(load("csv", content, "?header=1&label=category").rows[0].text, "hello");
  EXPECT_EQ(load("csv", "body,extra,category\nhello,1,greet\nbye,2,leave\n", "?label=category")
                .rows[0]
                .text,
            "hello 1");
}

TEST_F(Load, AHeaderIsFoundByItsNames) {
  const TextDataset data = load("csv", "id,Text,label\n1,hello,a\n2,bye,b\n");
  EXPECT_EQ(data.labels, (Labels{"a", "b"}));
  EXPECT_EQ(data.rows[0].text, "hello") << "the column called text, not the id too";
  EXPECT_EQ(data.columns, (Labels{"label label, text Text"}));
  EXPECT_EQ(load("csv", "body,topic\nhello,a\nbye,b\n", "?label=topic").rows.size(), 2U);
  const TextDataset pairs = load("tsv", "label\tsentence1\tsentence2\nx\ta\tb\ny\tc\td\n");
  EXPECT_TRUE(pairs.pairs);
  EXPECT_EQ(pairs.rows[1].text_pair, "d");
  EXPECT_EQ(load("csv", "label,text\na,b\n", "?header=0").rows.size(), 2U) << "as was said";
}

TEST_F(Load, AHeaderIsFoundByContent) {
  const std::string rows =
      "where is my parcel today,delivery\nthe parcel never came here,delivery\n"
      "please send my money back,refund\nI want my money back now,refund\n";
  const TextDataset data = load("csv", "message,queue\n" + rows);
  EXPECT_EQ(data.labels, (Labels{"delivery", "refund"}));
  EXPECT_EQ(data.rows[0].text, "where is my parcel today");
  EXPECT_EQ(load("csv", rows, "?label=2").rows.size(), 4U) << "a first row that is a row";
  EXPECT_EQ(load("csv", "greet,hello\nleave,bye\ngreet,hi\nleave,ciao\n").rows.size(), 4U)
      << "texts as short as names say nothing";
}

TEST_F(Load, SeparatorsAreFoundByContent) {
  EXPECT_EQ(load("csv", "a;\"x, y; z\"\nb;one, two, three\n").rows[0].text, "x, y; z");
  EXPECT_EQ(load("csv", "a\tx\nb\ty, z\n").rows[1].text, "y, z");
  EXPECT_EQ(load("csv", "a,x; y\nb,z; w\n").labels, (Labels{"a", "b"})) << "commas come first";
}

TEST_F(Load, ASecondTextMakesPairs) {
  const TextDataset data = load("tsv", "a\tb\tyes\nc\td\tno\n", "?label=3&text=1&text_pair=2");
  EXPECT_TRUE(data.pairs);
  EXPECT_EQ(data.rows[1].text, "c");
  EXPECT_EQ(data.rows[1].text_pair, "d");
}

TEST_F(Load, ColumnsThatDoNotExistAreAUsageError) {
  const auto refuse = [&](const std::string& options, std::string_view fragment) {
    expect_error(ErrorCode::usage, fragment, [&] { load("csv", "a,b\nc,d\n", options); });
  };
  refuse("?header=1&label=x", "has no column \"x\"; its header has: a, b");
  refuse("?label=3", "has no column \"3\"; without header=1 columns are numbers from 1 to 2");
  refuse("?label=0", "has no column \"0\"");
  refuse("?label=1&text=1", "one column cannot be label, text and text_pair at once");
  refuse("?label=1&text_pair=1", "one column cannot be");
}

TEST_F(Load, JsonLinesHoldTextPairAndLabel) {
  const TextDataset data = load("jsonl",
                                "{\"text\":\"a\",\"text_pair\":\"b\",\"label\":1}\n"
                                "{\"text\":\"c\",\"text_pair\":\"d\",\"label\":\"0\"}\n");
  EXPECT_TRUE(data.pairs);
  EXPECT_EQ(data.labels, (Labels{"0", "1"}));
  EXPECT_EQ(data.rows[0].label, 1);
  expect_refused("jsonl", "{\"text\":\"a\"}", "line 1: the object has no \"label\"");
  expect_refused("jsonl",
                 "{\"text\":\"a\",\"label\":1}\n{\"text\":\"a\",\"text_pair\":\"b\",\"label\":1}",
                 "line 2: has a text_pair, but the rows before it have none");
}

TEST_F(Load, SeveralSourcesAreJoined) {
  const std::string one = "csv:" + folder().write("one", "b,x\na,y\n").string();
  const std::string two = "tsv:" + folder().write("two", "c\tz\n").string();
  const TextDataset data = load_text_dataset(one + "+" + two, "");
  EXPECT_EQ(data.rows.size(), 3U);
  EXPECT_EQ(data.labels, (Labels{"a", "b", "c"}));
  EXPECT_EQ(data.rows[2].text, "z");
  EXPECT_EQ(data.name, one + "+" + two);
}

TEST_F(Load, GivenLabelsDecide) {
  const Labels labels = {"pos", "neg", "mixed"};
  const TextDataset data = load("csv", "neg,x\nneg,y\n", "", &labels);
  EXPECT_EQ(data.labels, labels);
  EXPECT_EQ(data.rows[0].label, 1);
  expect_error(ErrorCode::bad_data, "line 2: unknown label \"bad\"; known are: pos, neg, mixed",
               [&] { load("csv", "neg,x\nbad,y\n", "", &labels); });
}

TEST_F(Load, DataThatCannotTrainIsRefused) {
  expect_refused("csv", "", "has no rows");
  expect_refused("csv", "label,text\n", "has no rows", "?header=1");
  expect_refused("csv", gzip(""), "has no rows");
  expect_refused("jsonl", "\n\n", "has no rows");
  expect_refused("csv", "a,x\na,y\n", "2 rows, all with the label \"a\"");
}

TEST_F(Load, RowsThatTakeMoreThanTheAllowedMemoryAreRefusedWithTheLine) {
  const std::string long_text(1000, 'x');
  const auto file = folder().write("f", "a," + long_text + "\nb," + long_text + "\n");
  const std::string spec = "csv:" + file.string();
  EXPECT_EQ(load_text_dataset(spec, "", nullptr, 4000).rows.size(), 2U);
  expect_error(ErrorCode::runtime, "line 2: the rows take more than 2.0 KiB (--max-memory)",
               [&] { load_text_dataset(spec, "", nullptr, 2000); });
}

TEST_F(Load, StreamedRowsHaveProvisionalLabelsUntilTheEnd) {
  const std::string spec = "csv:" + folder().write("f", "b,x\na,y\n").string();
  std::vector<int32_t> provisional;
  const StreamedRows all = stream_text_rows(
      parse_data_spec(spec), "", nullptr,
      [&](const TextRow& row, const RowOrigin&) { provisional.push_back(row.label); });
  EXPECT_EQ(provisional, (std::vector<int32_t>{0, 1}));
  EXPECT_EQ(all.labels, (Labels{"a", "b"}));
  EXPECT_EQ(all.renumber, (std::vector<int32_t>{1, 0}));
  EXPECT_EQ(all.rows, 2);
}

TEST_F(Load, LookingAtOneClassIsAllowed) {
  const std::string spec = "csv:" + folder().write("f", "a,x\n").string();
  EXPECT_EQ(read_text_dataset(parse_data_spec(spec), "").labels, Labels{"a"});
}

TEST_F(Load, MalformedRowsAreRefusedWithTheLine) {
  expect_refused("csv", "1,a,b\n2,c\n",
                 "line 2: expected 3 columns as in the first record, found 2");
  expect_refused("csv", "one column\n", "line 1: found 1 column, expected a label and a text");
  expect_refused("csv", "1,a\n2,caf\xE9\n", "line 2: byte 0xE9 at offset 3 is not valid UTF-8");
  expect_refused("csv", "1,a\n,b\n", "line 2: the label is empty");
  expect_refused("csv", "1,a\n2,\"b\n", "line 2: a quoted field is not closed");
  expect_refused("csv", gzip("1,a\n2,b\n").substr(0, 20), "the gzip data ends early");
}

TEST_F(Load, SourcesOfOtherTasksAreRefused) {
  const auto refuse = [](std::string_view spec, std::string_view fragment) {
    expect_error(ErrorCode::usage, fragment, [&] { load_text_dataset(spec, "/data"); });
  };
  refuse("idx:a,b", "for --task image");
  refuse("cifar:a", "for --task image");
  refuse("parallel:a,b", "for --task translate");
  refuse("text:a", "for --task lm");
  refuse("mnist", "is for --task image: it holds no labelled texts");
  refuse("synthetic", "it is for --task synthetic");
}

// The texts of rows to answer, with a bar between the two of a pair.
class Answered : public ::testing::Test {
 protected:
  Labels read(std::string_view content, const std::string& options = "",
              Task task = Task::classify) {
    const std::string file = folder_.write("f.csv", content).string();
    Labels texts;
    read_texts(parse_data_spec(file + options), "", task,
               [&](const RawRow& row, const RowOrigin& /*origin*/) {
                 texts.push_back(row.text + (row.has_pair ? "|" + row.text_pair : ""));
               });
    return texts;
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(Answered, RowsNeedNoLabelAndOneIsNoText) {
  EXPECT_EQ(read("text\nhello there\n"), Labels{"hello there"});
  EXPECT_EQ(read("hello there\ngood bye\n"), (Labels{"hello there", "good bye"}));
  EXPECT_EQ(read("label,text\ngreet,hello there\n"), Labels{"hello there"});
  EXPECT_EQ(read("greet,hello there\n"), Labels{"hello there"}) << "as train reads it";
  EXPECT_EQ(read("id,text\n7,hello there\n"), Labels{"hello there"});
  EXPECT_EQ(read("subject,message\nparcel,where is my parcel now\nrefund,I want my money back\n"),
            (Labels{"parcel where is my parcel now", "refund I want my money back"}));
  EXPECT_EQ(read("a,b\nc,d\n", "?header=0&text=2"), (Labels{"b", "d"}));
}

TEST_F(Answered, PairsAreTwoColumns) {
  EXPECT_EQ(read("one,two\n", "", Task::pair), Labels{"one|two"});
  EXPECT_EQ(read("text_pair,text\nb,a\n", "", Task::pair), Labels{"a|b"});
  EXPECT_EQ(read("x,one,two\n", "?text=2&text_pair=3", Task::pair), Labels{"one|two"});
}

}  // namespace
}  // namespace headroom
