#include "train/loop/training_output.h"

#include <gtest/gtest.h>

#include "support.h"

namespace headroom {
namespace {
namespace fs = std::filesystem;
using testing::expect_error;
using testing::TemporaryFolder;

TEST(TrainingOutput, KeepsItsStateBesideTheCheckpoint) {
  EXPECT_EQ((TrainingOutput{"/a/model"}.state_directory()), "/a/model.training");
  EXPECT_EQ((TrainingOutput{"/a/model/"}.state_directory()), "/a/model.training");
  EXPECT_EQ((TrainingOutput{"/a/b/../model/."}.state_directory()), "/a/model.training");
  EXPECT_EQ((TrainingOutput{"model"}.state_directory()), fs::current_path() / "model.training");
}

TEST(TrainingOutput, WithoutANameIsAUsageError) {
  expect_error(ErrorCode::usage, "--out is empty", [] { check_output({}); });
  expect_error(ErrorCode::usage, "current directory", [] { check_output({"."}); });
}

TEST(TrainingOutput, ReplacesCheckpointsAndEmptyFoldersOnly) {
  const TemporaryFolder folder;
  check_output({folder.path() / "new"});
  check_output({folder.path()});
  const fs::path file = folder.write("config.json", R"({"model_type": "bert"})");
  expect_error(ErrorCode::usage, "is not a checkpoint", [&] { check_output({folder.path()}); });
  expect_error(ErrorCode::usage, "is not a checkpoint", [&] { check_output({file}); });
  folder.write("config.json", R"({"headroom": {}})");
  check_output({folder.path()});
}

TEST(TrainingOutput, AnUnfinishedRunIsNeverForgotten) {
  const TemporaryFolder folder;
  const fs::path out = folder.path() / "model";
  fs::create_directories(folder.path() / "model.training" / "state");
  folder.write("model.training/state/state.json", "{}");
  expect_error(ErrorCode::usage, "unfinished run", [&] { check_output({out}); });
  check_output({out, /*resume=*/true, /*restart=*/false});
  static_cast<void>(open_output({out, /*resume=*/true, /*restart=*/false}));
  EXPECT_TRUE(fs::exists(folder.path() / "model.training" / "state"));
  static_cast<void>(open_output({out, /*resume=*/false, /*restart=*/true}));
  EXPECT_FALSE(fs::exists(folder.path() / "model.training" / "state"));
}

TEST(TrainingOutput, TakesOneRunAtATime) {
  const TemporaryFolder folder;
  const TrainingOutput output{folder.path() / "model", /*resume=*/true, /*restart=*/false};
  {
    const auto running = open_output(output);
    expect_error(ErrorCode::usage, "is being written by another run",
                 [&] { static_cast<void>(open_output(output)); });
  }
  EXPECT_NE(open_output(output), nullptr);
}

TEST(TrainingOutput, ThatCannotBeWrittenIsARuntimeError) {
  const TemporaryFolder folder;
  const fs::path file = folder.write("file", "precious");
  expect_error(ErrorCode::runtime, "file",
               [&] { static_cast<void>(open_output({file / "model"})); });
}

}  // namespace
}  // namespace headroom
