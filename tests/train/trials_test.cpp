// train --minutes: trials, the run that follows them, and going on after a stop in either.
#include <gtest/gtest.h>

#include <filesystem>
#include <vector>

#include "base/json.h"
#include "support.h"
#include "train/notes.h"
#include "train/reviews.h"
#include "train/stop_at.h"

namespace headroom {
namespace {
namespace fs = std::filesystem;
using testing::expect_error;
using testing::Notes;
using testing::request_for;
using testing::reviews;
using testing::StopAt;
using testing::TemporaryFolder;

// Its trials and its stage end with their epochs, long before the time is over.
TrainRequest short_request(const TemporaryFolder& folder) {
  TrainRequest request =
      request_for(folder.write("train.csv", reviews(120, 1)), folder.path() / "model");
  request.method = Method::dense;
  request.recipe.dense_epochs = 1;
  request.minutes = 30;
  return request;
}

// The trials in the log of a finished run.
std::vector<Json> logged_trials(const fs::path& model) {
  std::vector<Json> trials;
  const std::string log = read_file(model / "train_log.jsonl", ErrorCode::bad_data);
  for (size_t begin = 0; begin < log.size();) {
    const size_t end = log.find('\n', begin);
    Json line = parse_json(log.substr(begin, end - begin), ErrorCode::bad_data, "log");
    if (line.contains("trial")) trials.push_back(std::move(line));
    begin = end + 1;
  }
  return trials;
}

TEST(Minutes, TrainWithTheBestOfTheTrials) {
  const TemporaryFolder folder;
  const TrainRequest request = short_request(folder);
  Notes notes;
  train_model(request, notes);
  EXPECT_TRUE(notes.hold("--minutes 30: trials for 10 of them, beginning with dense 1 epoch"));
  EXPECT_TRUE(notes.hold("dropout  steps  seconds  validation")) << "the table";
  const std::vector<Json> trials = logged_trials(request.out);
  ASSERT_EQ(trials.size(), 8U);
  double best = 0;
  for (const Json& trial : trials) best = std::max(best, trial["validation"].get<double>());
  const std::string log = read_file(request.out / "train_log.jsonl", ErrorCode::bad_data);
  const Json chosen =
      parse_json(log.substr(0, log.find('\n')), ErrorCode::bad_data, "log")["recipe"];
  for (const Json& trial : trials) {
    if (trial["validation"] != best) continue;
    EXPECT_EQ(chosen["lr"], trial["lr"]) << "the first of the best";
    EXPECT_EQ(chosen["batch"], trial["batch"]);
    EXPECT_EQ(chosen["dropout"], trial["dropout"]);
    break;
  }
  EXPECT_FALSE(fs::exists(folder.path() / "model.training"));
}

TEST(Minutes, StoppedTrialsGoOn) {
  const TemporaryFolder folder;
  TrainRequest request = short_request(folder);
  StopAt stop = StopAt::step(15);  // the first has 7
  expect_error(ErrorCode::interrupted, "; --resume goes on from there",
               [&] { train_model(request, stop); });
  const fs::path saved = folder.path() / "model.training" / "trials.json";
  const Json trials =
      parse_json(read_file(saved, ErrorCode::bad_data), ErrorCode::bad_data, "").at("trials");
  ASSERT_GE(trials.size(), 1U);
  expect_error(ErrorCode::usage, "holds an unfinished run",
               [&] { testing::train_quietly(request); });

  request.resume = true;
  TrainRequest other = request;
  other.recipe.warmup = 0.5;
  expect_error(ErrorCode::usage, "saved with other data or options (warmup",
               [&] { testing::train_quietly(other); });
  testing::train_quietly(request);
  const std::vector<Json> all = logged_trials(request.out);
  ASSERT_EQ(all.size(), 8U);
  for (size_t i = 0; i < trials.size(); ++i) {
    EXPECT_EQ(all[i]["seconds"], trials[i]["seconds"]) << "was not made again";
  }
}

TEST(Minutes, ARunStoppedBehindItsTrialsGoesOnWithTheirRecipe) {
  const TemporaryFolder folder;
  TrainRequest request = short_request(folder);
  request.save_seconds = 0;
  StopAt stop =
      StopAt::stage_end(5);  // rows, trials, their table, the recipe, the end of the stage
  expect_error(ErrorCode::interrupted, "pulled the plug", [&] { train_model(request, stop); });
  request.resume = true;
  Notes notes;
  train_model(request, notes);
  EXPECT_TRUE(notes.hold("resumed at step"));
  EXPECT_EQ(logged_trials(request.out).size(), 8U);
}

TEST(Minutes, DoNotGoOnWithARunThatHadNone) {
  const TemporaryFolder folder;
  TrainRequest request = short_request(folder);
  request.minutes = 0;
  request.save_seconds = 0;
  StopAt stop = StopAt::step(5);
  expect_error(ErrorCode::interrupted, "pulled the plug", [&] { train_model(request, stop); });
  request.resume = true;
  request.minutes = 30;
  expect_error(ErrorCode::usage, "started without --minutes",
               [&] { testing::train_quietly(request); });
}

TEST(Minutes, NeedADenseStageAndOneProcess) {
  TrainRequest request = request_for("rows.csv", "model");
  request.minutes = 1;
  request.parallel.world.size = 2;
  expect_error(ErrorCode::usage, "--minutes is for one process",
               [&] { testing::train_quietly(request); });
  request.parallel.world.size = 1;
  request.method = Method::adaptive;
  request.recipe.dense_epochs = 0;
  expect_error(ErrorCode::usage, "tries recipes on the dense stage",
               [&] { testing::train_quietly(request); });
}

}  // namespace
}  // namespace headroom
