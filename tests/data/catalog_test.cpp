#include "data/catalog/catalog.h"

#include <gtest/gtest.h>

#include <numeric>

#include "data/load.h"
#include "support.h"

namespace headroom {
namespace {
namespace fs = std::filesystem;
using testing::expect_error;
using testing::TemporaryFolder;
using Labels = std::vector<std::string>;

// A data directory with the given files, folders made as needed.
class DataDirectory {
 public:
  DataDirectory& with(const fs::path& name, std::string_view content) {
    fs::create_directories((folder_.path() / name).parent_path());
    folder_.write(name.string(), content);
    return *this;
  }
  const fs::path& path() const { return folder_.path(); }
  TextDataset load(std::string_view spec) const { return load_text_dataset(spec, path()); }

 private:
  TemporaryFolder folder_;
};

TEST(Catalog, HoldsTheNamesOfTheCommandLine) {
  EXPECT_EQ(known_names(),
            "agnews, dbpedia, imdb, newsgroups20, banking77, sick, snli, yelp, mnist, cifar10, "
            "multi30k, shakespeare, wikitext2, conll2003, stsb, goemotions, cranfield");
  EXPECT_EQ(find_entry("unheard"), nullptr);
}

TEST(Catalog, ExpectedClassRowsAddUpToTheRows) {
  for (const CatalogEntry& entry : catalog()) {
    for (const DataLayout& layout : entry.layouts) {
      for (const PartLayout& part : layout.parts) {
        if (part.class_rows.empty()) continue;
        EXPECT_EQ(std::accumulate(part.class_rows.begin(), part.class_rows.end(), int64_t{0}),
                  part.rows)
            << entry.name << " " << part_name(part.part) << " " << layout.title;
      }
    }
  }
}

TEST(Catalog, ClassNumbersBecomeNames) {
  DataDirectory data;
  data.with("ag_news_csv/classes.txt", "World\nSports\nBusiness\n\n")
      .with("ag_news_csv/train.csv", "\"3\",\"Oil\",\"rises\"\n\"1\",\"Vote\",\"held\"\n");
  const TextDataset dataset = data.load("agnews");
  EXPECT_EQ(dataset.labels, (Labels{"World", "Sports", "Business"})) << "in the file's order";
  EXPECT_EQ(dataset.rows[0].text, "Oil rises");
  EXPECT_EQ(dataset.rows[0].label, 2);
}

TEST(Catalog, ClassNumbersOutsideTheListAreRefused) {
  DataDirectory data;
  data.with("dbpedia14_subset/classes.txt", "Company\nArtist\n")
      .with("dbpedia14_subset/train.csv", "0,a\n2,b\n");
  expect_error(ErrorCode::bad_data, "line 2: class \"2\", expected a number from 0 to 1",
               [&] { data.load("dbpedia"); });
}

TEST(Catalog, TheFirstCompleteLayoutIsUsed) {
  DataDirectory data;
  data.with("ag_news/classes.txt", "A\nB\n")
      .with("ag_news/train.csv", "1,x\n2,y\n")  // but no train_extra.csv
      .with("ag_news_csv/classes.txt", "A\nB\n")
      .with("ag_news_csv/train.csv", "1,x\n2,y\n2,z\n");
  EXPECT_EQ(data.load("agnews").rows.size(), 3U);
}

TEST(Catalog, PairsComeFromTablesParallelFilesAndJson) {
  DataDirectory data;
  data.with("sick/SICK_trial.txt",
            "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\r\n"
            "4\ta man\ta boy\t3.6\tNEUTRAL\r\n5\ta dog\tno dog\t3\tCONTRADICTION\r\n");
  EXPECT_EQ(data.load("sick:validation").rows[0].text_pair, "a boy");
  EXPECT_EQ(data.load("sick:validation").labels, (Labels{"CONTRADICTION", "NEUTRAL"}));

  data.with("snli_1.0/snli_1.0_test.jsonl",
            "{\"gold_label\":\"neutral\",\"sentence1\":\"a\",\"sentence2\":\"b\"}\n"
            "{\"gold_label\":\"-\",\"sentence1\":\"c\",\"sentence2\":\"d\"}\n"
            "{\"gold_label\":\"entailment\",\"sentence1\":\"e\",\"sentence2\":\"f\"}\n");
  EXPECT_EQ(data.load("snli:test").rows.size(), 2U) << "rows without a gold label are left out";

  data.with("snli_devtest/s1.dev", "a\nc\n")
      .with("snli_devtest/s2.dev", "b\nd\n")
      .with("snli_devtest/labels.dev", "neutral\nentailment\n");
  EXPECT_EQ(data.load("snli").rows[1].text_pair, "d");
  data.with("snli_devtest/s2.dev", "b\n");
  expect_error(ErrorCode::bad_data, "s2.dev: has fewer lines than the files it runs parallel to",
               [&] { data.load("snli"); });
}

TEST(Catalog, OneFilePerClassGivesTheClass) {
  DataDirectory data;
  data.with("yelp/sentiment.dev.0", "awful .\n").with("yelp/sentiment.dev.1", "great !\nnice .\n");
  const TextDataset dataset = data.load("yelp:validation");
  EXPECT_EQ(dataset.labels, (Labels{"negative", "positive"}));
  EXPECT_EQ(dataset.label_counts(), (std::vector<int64_t>{1, 2}));
}

TEST(Catalog, APartThatTheSetDoesNotHaveIsAUsageError) {
  const DataDirectory data;
  expect_error(ErrorCode::usage,
               "agnews has no validation part; training splits its own validation rows off",
               [&] { data.load("agnews:validation"); });
  expect_error(ErrorCode::usage, "mnist has no validation part",
               [&] { require_part(*find_entry("mnist"), data.path(), DataPart::validation); });
}

TEST(Catalog, APartThatOnlyAnotherLayoutHasIsExplained) {
  DataDirectory data;
  data.with("yelp_sentences/sentiment.test.0", "a\n")
      .with("yelp_sentences/sentiment.test.1", "b\n");
  expect_error(ErrorCode::usage, "yelp has no validation part",
               [&] { data.load("yelp:validation"); });
}

TEST(Catalog, MissingFilesAreNamed) {
  const DataDirectory data;
  expect_error(ErrorCode::usage,
               "looked for ag_news/test.csv and ag_news/classes.txt; or ag_news_csv/test.csv",
               [&] { data.load("agnews:test"); });
  expect_error(ErrorCode::usage, "no data directory was given",
               [] { load_text_dataset("agnews", ""); });
}

TEST(Catalog, AMissingSetSaysHowToNameItsFolderAndWhereItCanBeHad) {
  for (const CatalogEntry& entry : catalog()) {
    expect_error(ErrorCode::usage, "--data-dir or HEADROOM_DATA names the folder; http",
                 [&] { require_part(entry, "nowhere", DataPart::train); });
  }
}

}  // namespace
}  // namespace headroom
