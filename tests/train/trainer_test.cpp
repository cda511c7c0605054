// The training loop on one stage that follows a script: when it stops, what it keeps and remembers.
#include "train/loop/trainer.h"

#include <gtest/gtest.h>

#include "base/files/file.h"
#include "support.h"
#include "train/stop_at.h"
#include "train/tiny.h"

namespace headroom {
namespace {
namespace fs = std::filesystem;
using testing::expect_error;
using testing::expect_stopped;
using testing::StopAt;
using testing::TemporaryFolder;
using testing::tiny_model;

// Pulls the classifier's bias to 1 and validates with the scores it was given, in order.
class ScriptedStage : public Stage {
 public:
  explicit ScriptedStage(std::vector<double> scores) : scores_(std::move(scores)) {}

  std::string name() const override { return "scripted"; }
  torch::Tensor loss(const ElasticModel& model, const Batch& /*batch*/,
                     Random& /*random*/) override {
    ++losses;
    const torch::Tensor loss = (model.weights.classifier.bias - 1).square().sum();
    return losses >= nan_from ? loss * std::nan("") : loss;
  }
  Validation validate(const ElasticModel& model) override {
    seen.push_back(model.weights.classifier.bias.detach().clone());
    return {scores_.at(seen.size() - 1), {}};
  }

  int64_t losses = 0;
  int64_t nan_from = INT64_MAX;
  std::vector<torch::Tensor> seen;  // the bias at each validation

 private:
  std::vector<double> scores_;
};

// A run of one scripted stage: 20 steps, a validation every 2.
struct ScriptedRun {
  explicit ScriptedRun(std::vector<double> scores) {
    auto owned = std::make_unique<ScriptedStage>(std::move(scores));
    stage = owned.get();
    plans.emplace_back();
    plans[0].stage = std::move(owned);
    plans[0].schedule = {.peak = 1e-2, .steps = 20};
    plans[0].validate_every = 2;
  }
  TrainingResult train(ProgressSink& progress) {
    return run_stages(model, plans, *testing::tiny_source(), settings, progress);
  }
  TrainingResult train() {
    SilentProgress silent;
    return train(silent);
  }
  StageResult run() { return train().stages.at(0); }

  // After every step, and goes on from what lies there.
  void save_in(const fs::path& folder) {
    settings.state_directory = folder;
    settings.save_seconds = 0;
    settings.resume = true;
  }
  void stop_and_save(int64_t step, const fs::path& folder) {
    save_in(folder);
    expect_stopped(StopAt::step(step), [&](ProgressSink& stop) { train(stop); });
  }

  ScriptedStage* stage;
  std::vector<StagePlan> plans;
  TrainerSettings settings;
  ElasticModel model = tiny_model();
};

TEST(Trainer, TakesEveryStepOfThePlan) {
  ScriptedRun scripted(std::vector<double>(10, 0.5));
  EXPECT_EQ(scripted.run().steps, 20);
  EXPECT_EQ(scripted.stage->losses, 20);
  EXPECT_EQ(scripted.stage->seen.size(), 10U);
}

TEST(Trainer, StopsAsSoonAsTheScoreIsReached) {
  ScriptedRun scripted({0.5, 0.7, 0.95});
  scripted.plans[0].stop_at = 0.9;
  EXPECT_EQ(scripted.run().steps, 6);
}

TEST(Trainer, StopsWhenPatienceRunsOut) {
  ScriptedRun scripted({0.5, 0.7, 0.6, 0.7, 0.7});  // equal is no improvement
  scripted.plans[0].patience = 3;
  const StageResult result = scripted.run();
  EXPECT_EQ(result.steps, 10);
  EXPECT_EQ(result.best_step, 4);
  EXPECT_EQ(result.best_score, 0.7);
}

TEST(Trainer, PatienceStartsAnewWithEveryImprovement) {
  ScriptedRun scripted({0.1, 0.0, 0.2, 0.0, 0.3, 0.0, 0.4, 0.0, 0.5, 0.0});
  scripted.plans[0].patience = 2;
  EXPECT_EQ(scripted.run().steps, 20);
}

TEST(Trainer, EndsWithTheWeightsThatValidatedBest) {
  ScriptedRun scripted({0.1, 0.2, 0.9, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3});
  scripted.run();
  const torch::Tensor& bias = scripted.model.weights.classifier.bias;
  EXPECT_TRUE(torch::equal(bias.detach(), scripted.stage->seen[2]));
  EXPECT_FALSE(torch::equal(bias.detach(), scripted.stage->seen[9]));
}

TEST(Trainer, EndsWithTheLastWeightsWhenToldTo) {
  ScriptedRun scripted({0.1, 0.2, 0.9, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3});
  scripted.plans[0].keep_best = false;
  scripted.run();
  EXPECT_TRUE(
      torch::equal(scripted.model.weights.classifier.bias.detach(), scripted.stage->seen[9]));
}

TEST(Trainer, ALossThatIsNotANumberIsARuntimeError) {
  ScriptedRun scripted(std::vector<double>(10, 0.5));
  scripted.settings.log_every = 5;
  scripted.stage->nan_from = 3;
  expect_error(ErrorCode::runtime, "the loss became nan", [&] { scripted.run(); });
}

TEST(Trainer, ALossThatIsNotANumberIsNoticedInAShortStageToo) {
  ScriptedRun scripted(std::vector<double>(10, 0.5));
  scripted.settings.log_every = 1000;  // longer than the stage
  scripted.stage->nan_from = 3;
  expect_error(ErrorCode::runtime, "the loss became nan", [&] { scripted.run(); });
}

std::vector<double> rates_in(const std::string& log) {
  std::vector<double> rates;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    const Json json = parse_json(line, ErrorCode::runtime, "log line");
    if (json.contains("rate")) rates.push_back(json["rate"].get<double>());
  }
  return rates;
}

TEST(Trainer, AStageMeasuredInSecondsEndsWithTheClock) {
  ScriptedRun scripted({0.5});
  scripted.plans[0].schedule = {.peak = 1e-2, .steps = 1'000'000'000};
  scripted.plans[0].seconds = 0.02;
  scripted.plans[0].validate_every = 0;
  scripted.settings.log_every = 1;
  const TrainingResult result = scripted.train();
  EXPECT_EQ(result.stages[0].steps, scripted.stage->losses);
  EXPECT_EQ(scripted.stage->seen.size(), 1U) << "validated once, at the end";
  const std::vector<double> rates = rates_in(result.log);
  ASSERT_FALSE(rates.empty());
  EXPECT_EQ(rates[0], 1e-2);
  for (size_t i = 1; i < rates.size(); ++i) EXPECT_LT(rates[i], rates[i - 1]);
}

TEST(Trainer, AStageWithALimitEndsWithItsStepsOrTheClock) {
  ScriptedRun in_time(std::vector<double>(10, 0.5));
  in_time.plans[0].most_seconds = 1000;
  EXPECT_EQ(in_time.run().steps, 20);
  ScriptedRun late({0.5});
  late.plans[0].schedule = {.peak = 1e-2, .steps = 1'000'000'000, .warmup = 60'000'000};
  late.plans[0].most_seconds = 0.02;
  late.plans[0].validate_every = 0;
  const StageResult result = late.run();
  EXPECT_LT(result.steps, 1'000'000);
  EXPECT_EQ(late.stage->seen.size(), 1U) << "validated once, at the end";
}

TEST(Trainer, WritesOneJsonLinePerValidation) {
  ScriptedRun scripted(std::vector<double>(10, 0.5));
  const TrainingResult result = scripted.train();
  std::istringstream lines(result.log);
  int validations = 0;
  for (std::string line; std::getline(lines, line);) {
    const Json json = parse_json(line, ErrorCode::runtime, "log line");
    validations += json.contains("validation") ? 1 : 0;
  }
  EXPECT_EQ(validations, 10);
}

TEST(Trainer, RemembersHowLongNothingImproved) {
  const TemporaryFolder folder;
  ScriptedRun first({0.9, 0.5, 0.5, 0.5, 0.5});
  first.plans[0].patience = 3;
  // After the validations at 2 and 4, of which one was stale.
  first.stop_and_save(6, folder.path());
  ScriptedRun second(std::vector<double>(5, 0.5));
  second.plans[0].patience = 3;
  second.save_in(folder.path());
  const StageResult result = second.run();
  EXPECT_EQ(result.steps, 8);
  EXPECT_EQ(result.best_score, 0.9);
  EXPECT_EQ(result.best_step, 2);
  EXPECT_TRUE(torch::equal(second.model.weights.classifier.bias.detach(), first.stage->seen[0]));
}

TEST(Trainer, RemembersTheSecondsSpent) {
  const TemporaryFolder folder;
  ScriptedRun first(std::vector<double>(10, 0.5));
  first.plans[0].seconds = 1000;
  first.stop_and_save(3, folder.path());
  const fs::path file = folder.path() / "state" / "state.json";
  Json json = parse_json(read_file(file, ErrorCode::bad_data), ErrorCode::bad_data, "state");
  EXPECT_GT(json["stages"][0]["seconds"].get<double>(), 0);
  json["stages"][0]["seconds"] = 1000.0;
  write_file_atomically(file, json.dump());
  ScriptedRun second(std::vector<double>(10, 0.5));
  second.plans[0].seconds = 1000;
  second.save_in(folder.path());
  EXPECT_EQ(second.run().steps, 2);
  EXPECT_EQ(second.stage->losses, 0) << "its time was up";
}

}  // namespace
}  // namespace headroom
