// `reproduce`: from rows to a page, on a handful of rows where a known set is looked for.
#include <gtest/gtest.h>

#include "base/files/file.h"
#include "cli/contract.h"
#include "cli/tiny_model.h"

namespace headroom {
namespace {
using namespace testing;
namespace fs = std::filesystem;

class Reproduce : public TrainingHalf {
 protected:
  Reproduce() {
    std::string rows;
    const char* topics[] = {"war", "goal", "bank", "chip"};
    for (int i = 0; i < 600; ++i) {
      const std::string topic = topics[i % 4];
      rows += "\"" + std::to_string(i % 4 + 1) + "\",\"" + topic + " news " +
              std::to_string(i % 9) + "\",\"more about the " + topic + "\"\n";
    }
    fs::create_directories(folder_.path() / "ag_news");
    folder_.write("ag_news/classes.txt", "World\nSports\nBusiness\nSci/Tech\n");
    folder_.write("ag_news/train.csv", rows);
    folder_.write("ag_news/train_extra.csv", rows);
    folder_.write("ag_news/test.csv", rows);
  }

  Outcome reproduce(const Arguments& more) const {
    return run(joined({"reproduce", "nested", "--task", "agnews", "--quick", "--out", out(),
                       "--data-dir", folder_.path().string(), "--threads", "1", "--json"},
                      more));
  }
  std::string out() const { return (folder_.path() / "out").string(); }
  Json json_in(const std::string& file) const {
    return Json::parse(read_file(fs::path(out()) / file, ErrorCode::bad_data));
  }

  TemporaryFolder folder_;
};

TEST_F(Reproduce, WritesRecordsPageAndPlotsAndKeepsToOneRecipe) {
  const Outcome outcome = reproduce({"--arms", "nested,dense", "--seeds", "1,2"});
  expect_success(outcome);
  EXPECT_EQ(only_json_line(outcome)["seeds"], 2);
  for (const char* file : {"README.md", "results.json", "timing.json", "accuracy.svg",
                           "accuracy-time.svg", "alive.svg", "runs/seed-1.json"}) {
    EXPECT_TRUE(fs::exists(fs::path(out()) / file)) << file;
  }
  const Json record = json_in("runs/seed-2.json");
  expect_keys(record, {"commit", "recipe", "machine", "rows", "shape", "arms"});
  EXPECT_EQ(record["arms"].size(), 4U) << "and the starts of both";
  const std::string page = read_file(fs::path(out()) / "README.md", ErrorCode::bad_data);
  expect_holds(page, "Made by `headroom reproduce nested --task agnews --seeds 1,2 --quick`");
  expect_holds(page, "## Measured time");

  const Outcome other = reproduce({"--arms", "nested-depth", "--seeds", "1", "--epochs", "2"});
  EXPECT_EQ(other.exit_code, 2) << transcript(other);
  expect_holds(other.out, "its recipe is another");
  EXPECT_EQ(json_in("runs/seed-2.json"), record);

  fs::remove(fs::path(out()) / "README.md");
  expect_success(reproduce({"--seeds", "1,2", "--summary-only"}));
  EXPECT_EQ(read_file(fs::path(out()) / "README.md", ErrorCode::bad_data), page);
}

TEST_F(Reproduce, WhatItDoesNotKnowIsTold) {
  const auto refused = [](const Arguments& arguments, const char* why) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << transcript(outcome);
    expect_holds(outcome.err, why);
  };
  refused({"reproduce", "levitation", "--task", "agnews", "--out", out()}, "adaptive");
  refused({"reproduce", "nested", "--task", "mnist", "--out", out()}, "banking77");
}

}  // namespace
}  // namespace headroom
