// The training loop: stopping, keeping the best, saving and going on with the same bits.
#include "train/trainer.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "support.h"
#include "train/plan.h"
#include "train/recipe.h"
#include "train/runtime.h"
#include "train/tiny.h"

namespace headroom {
namespace {
namespace fs = std::filesystem;
using testing::expect_error;
using testing::same_bits;
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
  StageResult run() {
    SilentProgress silent;
    return run_stages(model, plans, *testing::tiny_source(), settings, silent).stages.at(0);
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
  SilentProgress silent;
  const TrainingResult result = run_stages(scripted.model, scripted.plans, *testing::tiny_source(),
                                           scripted.settings, silent);
  EXPECT_EQ(result.stages[0].steps, scripted.stage->losses);
  EXPECT_EQ(scripted.stage->seen.size(), 1U) << "validated once, at the end";
  const std::vector<double> rates = rates_in(result.log);
  ASSERT_FALSE(rates.empty());
  EXPECT_EQ(rates[0], 1e-2);
  for (size_t i = 1; i < rates.size(); ++i) EXPECT_LT(rates[i], rates[i - 1]);
}

TEST(Trainer, WritesOneJsonLinePerValidation) {
  ScriptedRun scripted(std::vector<double>(10, 0.5));
  SilentProgress silent;
  const TrainingResult result = run_stages(scripted.model, scripted.plans, *testing::tiny_source(),
                                           scripted.settings, silent);
  std::istringstream lines(result.log);
  int validations = 0;
  for (std::string line; std::getline(lines, line);) {
    const Json json = parse_json(line, ErrorCode::runtime, "log line");
    validations += json.contains("validation") ? 1 : 0;
  }
  EXPECT_EQ(validations, 10);
}

// Stops a run at the n-th sign of life: a step, or a sentence at the end of a stage.
class StopAt : public ProgressSink {
 public:
  StopAt(int64_t steps, int64_t notes) : steps_(steps), notes_(notes) {}
  void update(const ProgressUpdate& /*update*/) override { count_down(steps_); }
  void note(const std::string& /*line*/) override { count_down(notes_); }

 private:
  static void count_down(int64_t& left) {
    if (--left == 0) throw Error(ErrorCode::interrupted, "test", "pulled the plug");
  }
  int64_t steps_;
  int64_t notes_;
};

constexpr int64_t never = INT64_MAX;

// A whole training with dropout: 6 dense steps, then 5 soft and 4 hard or 5 nested ones. A run that
// will be stopped is saved after every step, others at the end of each stage.
struct MethodRun {
  explicit MethodRun(Method wanted, fs::path state = {}) : method(wanted) {
    use_threads(1);
    settings.state_directory = std::move(state);
    settings.resume = true;
    settings.fingerprint = "one";
    model.dropout = 0.2;
    if (method == Method::nested) model.gates.reset();
  }

  TrainingResult run(ProgressSink& progress) {
    const std::vector<Batch> validation = testing::tiny_validation();
    const auto source = testing::tiny_source();
    Recipe recipe;
    recipe.validate_every = 2;
    recipe.dense_rate = recipe.soft_rate = recipe.hard_rate = recipe.nested_rate = 1e-2;
    recipe.dense_epochs = 6.0 / 8;
    recipe.soft_epochs = recipe.nested_epochs = 5.0 / 8;
    recipe.hard_epochs = 4.0 / 8;
    recipe.nested.allocation = Allocation::ranked;  // an order that must be stored to be known
    std::vector<StagePlan> plans = plan_method(method, recipe, *source, validation);
    return run_stages(model, plans, *source, settings, progress);
  }
  TrainingResult run() {
    SilentProgress silent;
    return run(silent);
  }
  void run_until(int64_t steps, int64_t notes = never) {
    settings.save_seconds = 0;
    StopAt stop(steps, notes);
    expect_error(ErrorCode::interrupted, "pulled the plug", [&] { run(stop); });
  }

  Method method;
  TrainerSettings settings;
  ElasticModel model = tiny_model();
};

struct BudgetedRun : MethodRun {
  explicit BudgetedRun(fs::path state = {}) : MethodRun(Method::budgeted, std::move(state)) {}
};

struct NestedRun : MethodRun {
  explicit NestedRun(fs::path state = {}) : MethodRun(Method::nested, std::move(state)) {}
};

constexpr int64_t all_steps = 15;
constexpr int64_t all_nested_steps = 11;

void expect_same_scores(const TrainingResult& a, const TrainingResult& b) {
  ASSERT_EQ(a.stages.size(), b.stages.size());
  for (size_t i = 0; i < a.stages.size(); ++i) {
    EXPECT_EQ(a.stages[i].name, b.stages[i].name);
    EXPECT_EQ(a.stages[i].steps, b.stages[i].steps);
    EXPECT_EQ(a.stages[i].best_score, b.stages[i].best_score);
    EXPECT_EQ(a.stages[i].best_step, b.stages[i].best_step);
  }
  EXPECT_EQ(a.steps, b.steps);
}

TEST(Training, TwiceOnOneThreadGivesTheSameBits) {
  BudgetedRun first;
  BudgetedRun second;
  expect_same_scores(first.run(), second.run());
  EXPECT_TRUE(same_bits(first.model, second.model));
  EXPECT_FALSE(same_bits(first.model, tiny_model())) << "something was learned";
}

TEST(Training, AnotherSeedGivesOtherBits) {
  BudgetedRun first;
  BudgetedRun second;
  second.settings.seed = 2;
  first.run();
  second.run();
  EXPECT_FALSE(same_bits(first.model, second.model));
}

TEST(Training, SavingChangesNothing) {
  const TemporaryFolder folder;
  BudgetedRun plain;
  BudgetedRun saved(folder.path() / "state");
  saved.settings.save_seconds = 0;
  expect_same_scores(plain.run(), saved.run());
  EXPECT_TRUE(same_bits(plain.model, saved.model));
}

TEST(Resume, FromAnyStepEndsWithTheSameBits) {
  BudgetedRun whole;
  const TrainingResult expected = whole.run();
  ASSERT_EQ(expected.steps, all_steps);
  for (int64_t step = 1; step <= all_steps; ++step) {
    SCOPED_TRACE(step);
    const TemporaryFolder folder;
    BudgetedRun(folder.path()).run_until(step);
    BudgetedRun resumed(folder.path());
    expect_same_scores(resumed.run(), expected);
    EXPECT_TRUE(same_bits(resumed.model, whole.model));
  }
}

TEST(Resume, FromAnyStageBoundaryEndsWithTheSameBits) {
  BudgetedRun whole;
  const TrainingResult expected = whole.run();
  for (int64_t stage = 1; stage <= 3; ++stage) {
    SCOPED_TRACE(stage);
    const TemporaryFolder folder;
    BudgetedRun(folder.path()).run_until(never, stage);
    BudgetedRun resumed(folder.path());
    expect_same_scores(resumed.run(), expected);
    EXPECT_TRUE(same_bits(resumed.model, whole.model));
  }
}

TEST(Resume, ManyTimesEndsWithTheSameBits) {
  BudgetedRun whole;
  const TrainingResult expected = whole.run();
  const TemporaryFolder folder;
  // The step at which the plug is pulled is lost, so stopping at every second one goes on by one.
  for (int64_t i = 1; i < all_steps - 3; ++i) BudgetedRun(folder.path()).run_until(2);
  BudgetedRun resumed(folder.path());
  expect_same_scores(resumed.run(), expected);
  EXPECT_TRUE(same_bits(resumed.model, whole.model));
}

TEST(Resume, OfAFinishedRunTakesNoStep) {
  const TemporaryFolder folder;
  BudgetedRun whole(folder.path());
  const TrainingResult expected = whole.run();
  BudgetedRun again(folder.path());
  const TrainingResult result = again.run();
  expect_same_scores(result, expected);
  EXPECT_EQ(result.samples, 0);
  EXPECT_TRUE(same_bits(again.model, whole.model));
}

TEST(Training, OfANestedModelStoresAnOrder) {
  NestedRun run;
  const TrainingResult result = run.run();
  EXPECT_EQ(result.stages.back().name, "nested");
  EXPECT_EQ(result.steps, all_nested_steps);
  ASSERT_TRUE(run.model.order);
  EXPECT_NE(run.model.order, uniform_order(run.model.shape, 4)) << "ranked by what was measured";
  EXPECT_NE(result.log.find("accuracy@0.125"), std::string::npos);
}

TEST(Resume, OfANestedRunEndsWithTheSameBitsAndOrder) {
  NestedRun whole;
  const TrainingResult expected = whole.run();
  for (int64_t step = 1; step <= all_nested_steps; ++step) {
    SCOPED_TRACE(step);
    const TemporaryFolder folder;
    NestedRun(folder.path()).run_until(step);
    NestedRun resumed(folder.path());
    expect_same_scores(resumed.run(), expected);
    EXPECT_TRUE(same_bits(resumed.model, whole.model));
    EXPECT_EQ(resumed.model.order, whole.model.order);
  }
}

TEST(Resume, OfANestedRunAtAStageBoundaryEndsWithTheSameBitsAndOrder) {
  NestedRun whole;
  whole.run();
  for (int64_t stage = 1; stage <= 2; ++stage) {
    SCOPED_TRACE(stage);
    const TemporaryFolder folder;
    NestedRun(folder.path()).run_until(never, stage);
    NestedRun resumed(folder.path());
    resumed.run();
    EXPECT_TRUE(same_bits(resumed.model, whole.model));
    EXPECT_EQ(resumed.model.order, whole.model.order);
  }
}

TEST(Resume, RemembersHowLongNothingImproved) {
  const auto stale_scores = [] { return std::vector<double>{0.9, 0.5, 0.5, 0.5, 0.5}; };
  const TemporaryFolder folder;
  const auto prepare = [&](ScriptedRun& scripted) {
    scripted.plans[0].patience = 3;
    scripted.settings.state_directory = folder.path();
    scripted.settings.save_seconds = 0;
    scripted.settings.resume = true;
  };
  ScriptedRun first(stale_scores());
  prepare(first);
  StopAt stop(6, never);  // after the validations at 2 and 4, of which one was stale
  expect_error(ErrorCode::interrupted, "pulled the plug", [&] {
    run_stages(first.model, first.plans, *testing::tiny_source(), first.settings, stop);
  });
  ScriptedRun second(std::vector<double>(5, 0.5));
  prepare(second);
  const StageResult result = second.run();
  EXPECT_EQ(result.steps, 8);
  EXPECT_EQ(result.best_score, 0.9);
  EXPECT_EQ(result.best_step, 2);
  EXPECT_TRUE(torch::equal(second.model.weights.classifier.bias.detach(), first.stage->seen[0]));
}

// A scripted stage of 1000 seconds, stopped at its third step.
TEST(Resume, RemembersTheSecondsSpent) {
  const TemporaryFolder folder;
  const auto prepare = [&](ScriptedRun& scripted) {
    scripted.plans[0].seconds = 1000;
    scripted.settings.state_directory = folder.path();
    scripted.settings.save_seconds = 0;
    scripted.settings.resume = true;
  };
  ScriptedRun first(std::vector<double>(10, 0.5));
  prepare(first);
  StopAt stop(3, never);
  expect_error(ErrorCode::interrupted, "pulled the plug", [&] {
    run_stages(first.model, first.plans, *testing::tiny_source(), first.settings, stop);
  });
  const fs::path file = folder.path() / "state" / "state.json";
  Json json = parse_json(read_file(file, ErrorCode::bad_data), ErrorCode::bad_data, "state");
  EXPECT_GT(json["stages"][0]["seconds"].get<double>(), 0);
  json["stages"][0]["seconds"] = 1000.0;
  write_file_atomically(file, json.dump());
  ScriptedRun second(std::vector<double>(10, 0.5));
  prepare(second);
  EXPECT_EQ(second.run().steps, 2);
  EXPECT_EQ(second.stage->losses, 0) << "its time was up";
}

TEST(Resume, WithoutASavedStateStartsAnew) {
  const TemporaryFolder folder;
  BudgetedRun whole;
  BudgetedRun resumed(folder.path() / "nothing here");
  expect_same_scores(resumed.run(), whole.run());
}

TEST(Resume, IsNotAttemptedUnlessAsked) {
  const TemporaryFolder folder;
  BudgetedRun(folder.path()).run_until(9);
  BudgetedRun anew(folder.path());
  anew.settings.resume = false;
  EXPECT_EQ(anew.run().samples, all_steps * 8);
}

// A state saved in the soft stage, to be damaged.
class SavedState : public ::testing::Test {
 protected:
  SavedState() { BudgetedRun(folder.path()).run_until(9); }

  void expect_refused(ErrorCode code, std::string_view fragment) const {
    BudgetedRun resumed(folder.path());
    expect_error(code, fragment, [&] { resumed.run(); });
  }
  void edit_json(const std::function<void(Json&)>& edit) const {
    Json json = parse_json(read_file(state() / "state.json", ErrorCode::bad_data),
                           ErrorCode::bad_data, "state.json");
    edit(json);
    write_file_atomically(state() / "state.json", json.dump());
  }
  fs::path state() const { return folder.path() / "state"; }

  TemporaryFolder folder;
};

TEST_F(SavedState, OfOtherOptionsIsRefused) {
  BudgetedRun other(folder.path());
  other.settings.fingerprint = "two";
  expect_error(ErrorCode::usage, "saved with other data or options", [&] { other.run(); });
}

TEST_F(SavedState, WithATruncatedTensorFileIsRefused) {
  const auto whole = fs::file_size(state() / "tensors.safetensors");
  for (const auto size : {whole - 1, whole / 2, uintmax_t{10}, uintmax_t{0}}) {
    fs::resize_file(state() / "tensors.safetensors", size);
    expect_refused(ErrorCode::bad_model, "tensors.safetensors");
  }
}

TEST_F(SavedState, WithoutItsTensorFileIsRefused) {
  fs::remove(state() / "tensors.safetensors");
  expect_refused(ErrorCode::bad_model, "tensors.safetensors");
}

TEST_F(SavedState, WithTruncatedNumbersIsRefused) {
  fs::resize_file(state() / "state.json", fs::file_size(state() / "state.json") / 2);
  expect_refused(ErrorCode::bad_data, "training state");
}

TEST_F(SavedState, WithANegativeStepIsRefused) {
  edit_json([](Json& json) { json["total_steps"] = -1; });
  expect_refused(ErrorCode::bad_data, "total_steps");
}

TEST_F(SavedState, WithTooFewGroupsIsRefused) {
  edit_json([](Json& json) { json["groups"] = 1; });
  expect_refused(ErrorCode::bad_data, "");
}

TEST_F(SavedState, WithStagesThatAreNoObjectsIsRefused) {
  edit_json([](Json& json) { json["stages"] = {1, "two"}; });
  expect_refused(ErrorCode::bad_data, "training state");
}

TEST_F(SavedState, OfAnEarlierVersionStillLoads) {
  edit_json([](Json& json) {
    json.erase("order");
    for (Json& stage : json["stages"]) stage.erase("seconds");
  });
  BudgetedRun whole;
  whole.run();
  BudgetedRun resumed(folder.path());
  resumed.run();
  EXPECT_TRUE(same_bits(resumed.model, whole.model));
}

TEST_F(SavedState, WithADamagedOrderIsRefused) {
  edit_json([](Json& json) { json["order"] = {1, 2}; });
  expect_refused(ErrorCode::bad_data, "order");
  edit_json([](Json& json) { json["order"] = "h0"; });
  expect_refused(ErrorCode::bad_data, "order");
  edit_json([](Json& json) { json["order"] = {"h0", "h99"}; });
  expect_refused(ErrorCode::bad_model, "h99");
}

TEST_F(SavedState, OfAModelOfAnotherSizeIsRefused) {
  BudgetedRun wider(folder.path());
  wider.model.shape.ffn = 48;
  wider.model.weights = fresh_weights(wider.model.shape, 1, torch::kCPU);
  expect_error(ErrorCode::bad_data, "", [&] { wider.run(); });
}

}  // namespace
}  // namespace headroom
