#include "base/files/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support.h"

namespace headroom {
namespace {
using testing::expect_error;
using testing::TemporaryFolder;

TEST(File, WrittenContentIsReadBack) {
  const TemporaryFolder folder;
  write_file_atomically(folder.path() / "a", std::string("x\0y", 3));
  EXPECT_EQ(read_file(folder.path() / "a", ErrorCode::bad_data), std::string("x\0y", 3));
}

TEST(File, MissingFileThrowsTheCallersCode) {
  expect_error(ErrorCode::bad_model, "No such file",
               [] { read_file("/nonexistent/model", ErrorCode::bad_model); });
}

TEST(File, FileAboveTheLimitIsRefused) {
  const TemporaryFolder folder;
  const auto file = folder.write("big", "123456");
  expect_error(ErrorCode::bad_data, "more than the limit of 5",
               [&] { read_file(file, ErrorCode::bad_data, 5); });
}

TEST(File, DirectoryIsNotReadAsAFile) {
  const TemporaryFolder folder;
  expect_error(ErrorCode::bad_data, "is a directory",
               [&] { read_file(folder.path(), ErrorCode::bad_data); });
}

TEST(File, FailedWriteLeavesTheOldContentAndNoTemporary) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "taken");
  folder.write("taken/keep", "old");
  expect_error(ErrorCode::runtime, "taken",
               [&] { write_file_atomically(folder.path() / "taken", "new"); });
  EXPECT_EQ(read_file(folder.path() / "taken/keep", ErrorCode::bad_data), "old");
  const auto entries = std::filesystem::directory_iterator(folder.path());
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1);
}

TEST(File, FullDiskIsARuntimeError) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full on this system";
  FILE* full = fopen("/dev/full", "w");
  expect_error(ErrorCode::runtime, "No space left",
               [&] { write_all(fileno(full), "data", "/dev/full"); });
  fclose(full);
}

TEST(File, RemovedTreesTakeTheirFoldersAlong) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() / "a/b/c");
  folder.write("a/b/c/file", "x");
  std::filesystem::create_symlink(folder.path() / "kept", folder.path() / "a/link");
  folder.write("kept", "y");
  remove_tree(folder.path() / "a");
  remove_tree(folder.path() / "not there");
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "a"));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "kept")) << "links are not followed";
}

// What a stranger planted under the names that used to be taken, and under the target's own.
TEST(File, PlantedLinksAreNotFollowed) {
  const TemporaryFolder folder;
  const auto victim = folder.write("victim", "mine");
  const auto target = folder.path() / "latency.json";
  const std::string process = std::to_string(::getpid());
  for (const std::string& name : {".latency.json.tmp-" + process, std::string("latency.json")}) {
    std::filesystem::create_symlink(victim, folder.path() / name);
  }
  write_file_atomically(target, "new");
  EXPECT_EQ(read_file(victim, ErrorCode::bad_data), "mine");
  EXPECT_EQ(read_file(target, ErrorCode::bad_data), "new");
  EXPECT_FALSE(std::filesystem::is_symlink(target)) << "the link itself is replaced";
}

TEST(File, TemporaryNamesCannotBeGuessed) {
  const TemporaryFolder folder;
  const TemporaryFile first(folder.path() / "a");
  const TemporaryFile second(folder.path() / "a");  // nor do two writers of one file meet
  size_t entries = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    EXPECT_EQ(entry.path().filename().string().size(), std::string(".a.tmp-").size() + 16);
    ++entries;
  }
  EXPECT_EQ(entries, 2U);
}

TEST(StagedDirectory, APlantedFolderIsLeftAlone) {
  const TemporaryFolder folder;
  const std::string planted = ".model.staging-" + std::to_string(::getpid());
  std::filesystem::create_directory(folder.path() / planted);
  folder.write(planted + "/keep", "old");
  StagedDirectory staged(folder.path() / "model");
  write_file_atomically(staged.path() / "fresh", "new");
  staged.commit();
  EXPECT_EQ(read_file(folder.path() / planted / "keep", ErrorCode::bad_data), "old");
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "model/keep"));
}

TEST(StagedDirectory, ReplacesTheTargetWhole) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "model");
  folder.write("model/stale", "old");
  StagedDirectory staged(folder.path() / "model");
  write_file_atomically(staged.path() / "fresh", "new");
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "model/stale")) << "untouched before commit";
  staged.commit();
  EXPECT_EQ(read_file(folder.path() / "model/fresh", ErrorCode::bad_data), "new");
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "model/stale"));
}

TEST(StagedDirectory, WithoutCommitNothingRemains) {
  const TemporaryFolder folder;
  {
    const StagedDirectory staged(folder.path() / "model");
    write_file_atomically(staged.path() / "half", "written");
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(File, ANamedPipeIsRefusedAndNotWaitedFor) {
  const TemporaryFolder folder;
  const auto pipe = folder.path() / "config.json";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  expect_error(ErrorCode::bad_model, "is not a regular file",
               [&] { read_file(pipe, ErrorCode::bad_model); });
}

}  // namespace
}  // namespace headroom
