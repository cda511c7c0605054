#include "data/formats/tree_rows.h"

#include <gtest/gtest.h>

#include "archives.h"
#include "support.h"

namespace headroom {
namespace {
namespace fs = std::filesystem;
using testing::expect_error;
using testing::gzip;
using testing::tar_end;
using testing::tar_entry;
using testing::TemporaryFolder;
using Rows = std::vector<std::pair<std::string, std::string>>;  // label, text

const TreeLayout reviews = {"train", {"neg", "pos"}, ".txt", false};

Rows read(const fs::path& path, const TreeLayout& layout = reviews) {
  Rows rows;
  read_tree_rows(path, layout,
                 [&](RawRow& row, const RowOrigin&) { rows.emplace_back(row.label, row.text); });
  return rows;
}

TEST(TreeRows, AnArchiveGivesTheWantedPartSorted) {
  const TemporaryFolder folder;
  const auto file = folder.write(
      "a.tar.gz",
      gzip(tar_entry("aclImdb/README", "about") + tar_entry("aclImdb/train/pos/1_9.txt", "good") +
           tar_entry("aclImdb/train/neg/1_2.txt", "worse") +
           tar_entry("aclImdb/train/neg/0_1.txt", "bad") +
           tar_entry("aclImdb/train/neg/notes", "no .txt") +
           tar_entry("aclImdb/train/unsup/0_0.txt", "unlabelled") +
           tar_entry("aclImdb/test/pos/0_9.txt", "other part") + tar_end()));
  EXPECT_EQ(read(file), (Rows{{"neg", "bad"}, {"neg", "worse"}, {"pos", "good"}}));
}

TEST(TreeRows, ADirectoryGivesTheSameRows) {
  const TemporaryFolder folder;
  fs::create_directories(folder.path() / "aclImdb/train/neg");
  fs::create_directories(folder.path() / "aclImdb/train/pos");
  fs::create_directories(folder.path() / "aclImdb/train/unsup");
  folder.write("aclImdb/train/pos/1_9.txt", "good");
  folder.write("aclImdb/train/neg/0_1.txt", "bad");
  folder.write("aclImdb/train/unsup/0_0.txt", "unlabelled");
  const Rows rows = {{"neg", "bad"}, {"pos", "good"}};
  EXPECT_EQ(read(folder.path()), rows) << "the folder it was unpacked in";
  EXPECT_EQ(read(folder.path() / "aclImdb"), rows) << "the set's folder";
  EXPECT_EQ(read(folder.path() / "aclImdb/train"), rows) << "the part's folder";
}

TEST(TreeRows, Latin1IsConverted) {
  const TemporaryFolder folder;
  const auto file =
      folder.write("n.tar", tar_entry("20news-bydate-test/alt.x/1", "caf\xE9") + tar_end());
  EXPECT_EQ(read(file, {"20news-bydate-test", {}, "", true}), (Rows{{"alt.x", "caf\u00E9"}}));
}

TEST(TreeRows, ATreeWithoutTheWantedFilesIsRefused) {
  const TemporaryFolder folder;
  const auto file = folder.write("n.tar", tar_entry("other/neg/1.txt", "x") + tar_end());
  expect_error(ErrorCode::bad_data, "n.tar holds no files train/LABEL/*.txt", [&] { read(file); });
  expect_error(ErrorCode::bad_data, "holds no files", [&] { read(folder.path()); });
  expect_error(ErrorCode::usage, "No such file", [] { read("/nonexistent/aclImdb"); });
}

}  // namespace
}  // namespace headroom
