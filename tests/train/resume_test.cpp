// Whole trainings: the same bits every time, also when they are stopped anywhere and go on later.
#include <gtest/gtest.h>

#include "base/files/file.h"
#include "support.h"
#include "train/fingerprint.h"
#include "train/loop/plan.h"
#include "train/loop/trainer.h"
#include "train/recipe.h"
#include "train/rows/task_data.h"
#include "train/runtime.h"
#include "train/stop_at.h"
#include "train/tiny.h"

namespace headroom {
namespace {
namespace fs = std::filesystem;
using testing::expect_error;
using testing::expect_stopped;
using testing::same_bits;
using testing::StopAt;
using testing::TemporaryFolder;
using testing::tiny_model;

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
  void run_until(const StopAt& stop) {
    settings.save_seconds = 0;
    expect_stopped(stop, [&](ProgressSink& progress) { run(progress); });
  }

  Method method;
  TrainerSettings settings;
  ElasticModel model = tiny_model();
};

struct BudgetedRun : MethodRun {
  explicit BudgetedRun(fs::path state = {}) : MethodRun(Method::budgeted, std::move(state)) {}
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

// Stops runs at the first, second, … `last` place of a kind, goes on with each, and expects what a
// run becomes without a stop.
void expect_resumed_from_each(Method method, int64_t last, StopAt (*place)(int64_t)) {
  MethodRun whole(method);
  const TrainingResult expected = whole.run();
  for (int64_t nth = 1; nth <= last; ++nth) {
    SCOPED_TRACE(nth);
    const TemporaryFolder folder;
    MethodRun(method, folder.path()).run_until(place(nth));
    MethodRun resumed(method, folder.path());
    expect_same_scores(resumed.run(), expected);
    EXPECT_TRUE(same_bits(resumed.model, whole.model));
    EXPECT_EQ(resumed.model.order, whole.model.order);
  }
}

StopAt at_step(int64_t nth) {
  return StopAt::step(nth);
}

TEST(Training, TwiceOnOneThreadGivesTheSameBits) {
  BudgetedRun first;
  BudgetedRun second;
  const TrainingResult result = first.run();
  EXPECT_EQ(result.steps, all_steps);
  expect_same_scores(result, second.run());
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
  expect_resumed_from_each(Method::budgeted, all_steps, at_step);
}

TEST(Resume, FromAnyStageBoundaryEndsWithTheSameBits) {
  expect_resumed_from_each(Method::budgeted, 3, StopAt::stage_end);
}

TEST(Resume, ManyTimesEndsWithTheSameBits) {
  BudgetedRun whole;
  const TrainingResult expected = whole.run();
  const TemporaryFolder folder;
  // The step at which the plug is pulled is lost, so stopping at every second one goes on by one.
  for (int64_t i = 1; i < all_steps - 3; ++i) BudgetedRun(folder.path()).run_until(StopAt::step(2));
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
  MethodRun run(Method::nested);
  const TrainingResult result = run.run();
  EXPECT_EQ(result.stages.back().name, "nested");
  EXPECT_EQ(result.steps, all_nested_steps);
  ASSERT_TRUE(run.model.order);
  EXPECT_NE(run.model.order, uniform_order(run.model.shape, 4)) << "ranked by what was measured";
  EXPECT_NE(result.log.find("accuracy@0.125"), std::string::npos);
}

TEST(Resume, OfANestedRunEndsWithTheSameBitsAndOrder) {
  expect_resumed_from_each(Method::nested, all_nested_steps, at_step);
}

TEST(Resume, OfANestedRunAtAStageBoundaryEndsWithTheSameBitsAndOrder) {
  expect_resumed_from_each(Method::nested, 2, StopAt::stage_end);
}

TEST(Resume, WithoutASavedStateStartsAnew) {
  const TemporaryFolder folder;
  BudgetedRun whole;
  BudgetedRun resumed(folder.path() / "nothing here");
  expect_same_scores(resumed.run(), whole.run());
}

TEST(Resume, IsNotAttemptedUnlessAsked) {
  const TemporaryFolder folder;
  BudgetedRun(folder.path()).run_until(StopAt::step(9));
  BudgetedRun anew(folder.path());
  anew.settings.resume = false;
  EXPECT_EQ(anew.run().samples, all_steps * 8);
}

// A state saved in the soft stage, to be damaged.
class SavedState : public ::testing::Test {
 protected:
  SavedState() { BudgetedRun(folder.path()).run_until(StopAt::step(9)); }

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

TEST(Fingerprint, TellsTokenizersOfTheSameTokensApart) {
  const auto vocabulary_of = [](const char* tokenizer_json) {
    TaskData data;
    data.vocabulary = Vocabulary::with_words({"a"});
    data.vocabulary->set_files({tokenizer_json, ""});
    return fingerprint({}, data).at("vocabulary");
  };
  EXPECT_EQ(vocabulary_of("one"), vocabulary_of("one"));
  EXPECT_NE(vocabulary_of("one"), vocabulary_of("two"));
}

}  // namespace
}  // namespace headroom
