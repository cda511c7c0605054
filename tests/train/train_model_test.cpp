// From a CSV file to a checkpoint and back to predictions, and all that may go wrong between.
#include "train/train_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "base/files/file.h"
#include "checkpoint/checkpoint.h"
#include "full_disk.h"
#include "support.h"
#include "train/evaluate/predictor.h"
#include "train/notes.h"
#include "train/reviews.h"
#include "train/stop_at.h"

namespace headroom {
namespace {
namespace fs = std::filesystem;
using testing::evaluate_at;
using testing::exit_when_terminated;
using testing::expect_error;
using testing::expect_stopped;
using testing::FullDisk;
using testing::request_for;
using testing::reviews;
using testing::same_model;
using testing::spec_of;
using testing::StopAt;
using testing::TemporaryFolder;
using testing::train_quietly;

std::map<std::string, std::string> files_in(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    files[entry.path().filename()] = read_file(entry.path(), ErrorCode::bad_data);
  }
  return files;
}

// One training for all tests that only read its checkpoint.
class TrainModel : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    shared = std::make_unique<TemporaryFolder>();
    csv = shared->write("train.csv", reviews(200, 1));
    test_csv = shared->write("test.csv", reviews(100, 2));
    model = shared->path() / "model";
    TrainRequest request = request_for(csv, model);
    request.task.eval_data = spec_of(test_csv);
    report = train_quietly(request);
  }
  static void TearDownTestSuite() { shared.reset(); }

  // The request of a run that must fail, over a checkpoint that must survive it.
  void expect_untouched(ErrorCode code, std::string_view fragment, TrainRequest request) const {
    const auto before = files_in(model);
    expect_error(code, fragment, [&] { train_quietly(request); });
    EXPECT_EQ(files_in(model), before);
  }

  static inline std::unique_ptr<TemporaryFolder> shared;
  static inline fs::path csv, test_csv, model;
  static inline TrainReport report;
  TemporaryFolder folder;
};

TEST_F(TrainModel, WritesACheckpointThatCanBeRead) {
  const ModelConfig config = read_config(model);
  EXPECT_EQ(config.method, Method::budgeted);
  EXPECT_EQ(config.shape.labels, 2);
  EXPECT_EQ(config.shape.positions, 12);
  EXPECT_EQ(read_vocabulary(model, config).size(), config.shape.vocabulary);
  EXPECT_TRUE(fs::exists(model / "README.md"));
  EXPECT_TRUE(fs::exists(model / "train_log.jsonl"));
}

TEST_F(TrainModel, ReportsWhatEvaluationFindsInTheCheckpoint) {
  const std::vector<BudgetScore> scores = evaluate_at(model, spec_of(test_csv), {0.5, 1.0});
  ASSERT_EQ(report.scores.size(), 2U);
  EXPECT_EQ(report.scored_on, "test");
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(scores[i].examples, 100);
    EXPECT_EQ(scores[i].accuracy, report.scores[i].accuracy);
    EXPECT_EQ(scores[i].loss, report.scores[i].loss);
    EXPECT_GE(scores[i].accuracy, 0.95) << "budget " << scores[i].budget;
  }
}

TEST_F(TrainModel, PredictsUnseenTexts) {
  for (const double budget : {0.5, 1.0}) {
    const Predictor predictor(model, budget, 1, "cpu");
    const auto label_of = [&](const std::string& text) {
      return predictor.config().labels.at(static_cast<size_t>(predictor.predict({text}).label));
    };
    EXPECT_EQ(label_of("a superb story"), "good");
    EXPECT_EQ(label_of("the actors was lovely with a film"), "good");
    EXPECT_EQ(label_of("the story was dull"), "bad");
    EXPECT_EQ(label_of("awful"), "bad");
  }
}

TEST_F(TrainModel, PredictsTheSameBitsTwice) {
  const Predictor first(model, 0.5, 1, "cpu");
  const Predictor second(model, 0.5, 1, "cpu");
  const Text input = {"the film was great"};
  const Answer prediction = first.predict(input);
  EXPECT_EQ(prediction.tokens, 6);
  EXPECT_NEAR(prediction.scores[0] + prediction.scores[1], 1.0, 1e-12);
  EXPECT_EQ(first.predict(input).scores, prediction.scores);
  EXPECT_EQ(second.predict(input).scores, prediction.scores);
}

TEST_F(TrainModel, PredictsStrangeTextsWithoutHarm) {
  const Predictor predictor(model, 0.5, 1, "cpu");
  std::string endless;
  for (int i = 0; i < 10000; ++i) endless += "great ";
  EXPECT_EQ(predictor.predict({endless}).tokens, 12);
  EXPECT_EQ(predictor.predict({""}).tokens, 2);
  EXPECT_LE(predictor.predict({endless, endless}).tokens, 12);
  expect_error(ErrorCode::bad_data, "UTF-8", [&] { predictor.predict({"\xff"}); });
}

TEST_F(TrainModel, RefusesBudgetsThatDoNotExist) {
  for (const double budget : {0.0, -1.0, 1.5, std::nan("")}) {
    expect_error(ErrorCode::usage, "budget", [&] { Predictor(model, budget, 1, "cpu"); });
  }
}

TEST_F(TrainModel, TwiceGivesTheSameCheckpoint) {
  TrainRequest request = request_for(csv, folder.path() / "again");
  request.task.eval_data = spec_of(test_csv);
  train_quietly(request);
  EXPECT_TRUE(same_model(model, request.out));
  EXPECT_FALSE(fs::exists(folder.path() / "again.training"));
}

TEST_F(TrainModel, MissingDataIsBadData) {
  TrainRequest request = request_for(folder.path() / "nowhere.csv", model);
  expect_untouched(ErrorCode::usage, "nowhere.csv", request);
}

TEST_F(TrainModel, DataWithOneLabelIsBadData) {
  const auto one = folder.write("one.csv", "label,text\ngood,great\ngood,lovely\n");
  expect_untouched(ErrorCode::bad_data, "label", request_for(one, model));
}

TEST_F(TrainModel, AnUnwritableOutputFailsBeforeTraining) {
  const fs::path file = folder.write("file", "precious");
  StopAt no_step = StopAt::step(1);
  expect_error(ErrorCode::runtime, "file",
               [&] { train_model(request_for(csv, file / "model"), no_step); });
  EXPECT_EQ(read_file(file, ErrorCode::bad_data), "precious");
}

TEST_F(TrainModel, AFolderThatIsNoCheckpointIsNotReplaced) {
  folder.write("thesis.tex", "precious");
  expect_error(ErrorCode::usage, "is not a checkpoint",
               [&] { train_quietly(request_for(csv, folder.path())); });
  EXPECT_EQ(read_file(folder.path() / "thesis.tex", ErrorCode::bad_data), "precious");
}

TEST_F(TrainModel, AFullDiskLeavesTheFormerCheckpoint) {
  const FullDisk disk(4096);
  TrainRequest request = request_for(csv, model);
  request.seed = 2;
  expect_untouched(ErrorCode::runtime, "", request);
}

TEST_F(TrainModel, WidthThatHeadsDoNotDivideIsAUsageError) {
  TrainRequest request = request_for(csv, model);
  request.shape.heads = 3;
  expect_untouched(ErrorCode::usage, "multiple of --heads", request);
}

TEST_F(TrainModel, AnUnknownDeviceIsAUsageError) {
  TrainRequest request = request_for(csv, model);
  request.device = "abacus";
  expect_untouched(ErrorCode::usage, "neither cpu nor cuda", request);
}

TEST_F(TrainModel, ADamagedStartIsABadModel) {
  TrainRequest request = request_for(csv, model);
  request.init = folder.path();
  expect_untouched(ErrorCode::bad_model, "config.json", request);
}

TEST_F(TrainModel, StartsFromACheckpointThatKnowsTheTask) {
  TrainRequest request = request_for(csv, folder.path() / "further");
  request.init = model;
  request.method = Method::dense;
  request.recipe.dense_epochs = 0.1;
  request.recipe.dense_rate = 1e-6;
  train_quietly(request);
  EXPECT_GE(evaluate_at(request.out, spec_of(test_csv), {1.0})[0].accuracy, 0.95);
}

TEST_F(TrainModel, TellsAndKeepsWhatItChose) {
  TrainRequest request = request_for(csv, folder.path() / "chosen");
  request.init = model;
  request.method = Method::dense;
  request.recipe.dense_epochs = 0.1;
  request.recipe.dense_rate = left_open;
  testing::Notes notes;
  train_model(request, notes);
  EXPECT_TRUE(notes.hold("dense 0.1 epochs at 0.0002"));
  const std::string log = read_file(request.out / "train_log.jsonl", ErrorCode::bad_data);
  EXPECT_EQ(Json::parse(log.substr(0, log.find('\n')))["recipe"]["lr"], 2e-4);
}

TEST_F(TrainModel, ADenseModelRunsAtBudgetOneOnly) {
  TrainRequest request = request_for(csv, folder.path() / "dense");
  request.method = Method::dense;
  request.recipe.dense_epochs = 0.1;
  EXPECT_EQ(train_quietly(request).scores.size(), 1U);
  EXPECT_EQ(Predictor(request.out, 1.0, 1, "cpu").predict({"a"}).active_heads, 1.0);
  expect_error(ErrorCode::usage, "budget 1 only", [&] { Predictor(request.out, 0.5, 1, "cpu"); });
}

TEST_F(TrainModel, AStaticModelRemembersItsBudget) {
  TrainRequest request = request_for(csv, folder.path() / "static");
  request.method = Method::static_gates;
  request.static_budget = 0.25;
  request.recipe.dense_epochs = request.recipe.soft_epochs = request.recipe.hard_epochs = 0.1;
  train_quietly(request);
  EXPECT_EQ(read_config(request.out).trained_budget, 0.25);
}

TEST_F(TrainModel, ResumedRunsWriteTheSameCheckpoint) {
  struct Stop {
    int64_t step;
    double save_seconds;
  };
  // 12 steps an epoch: before anything is saved, in the dense stage, after its end, after the soft
  // stage's end.
  for (const auto& [step, save_seconds] : {Stop{1, 0}, Stop{20, 0}, Stop{70, 60}, Stop{110, 60}}) {
    SCOPED_TRACE(step);
    const TemporaryFolder own;
    TrainRequest request = request_for(csv, own.path() / "model");
    request.task.eval_data = spec_of(test_csv);
    request.save_seconds = save_seconds;
    expect_stopped(StopAt::step(step), [&](ProgressSink& stop) { train_model(request, stop); });
    EXPECT_FALSE(fs::exists(request.out));
    request.resume = true;
    request.save_seconds = 60;
    train_quietly(request);
    EXPECT_TRUE(same_model(model, request.out));
    EXPECT_FALSE(fs::exists(own.path() / "model.training"));
  }
}

// A request whose run was stopped at its tenth step.
TrainRequest unfinished(const fs::path& csv, const fs::path& out) {
  TrainRequest request = request_for(csv, out);
  request.save_seconds = 0;
  expect_stopped(StopAt::step(10), [&](ProgressSink& stop) { train_model(request, stop); });
  request.save_seconds = 60;
  return request;
}

TEST_F(TrainModel, AnUnfinishedRunIsNotLostUnasked) {
  const TrainRequest request = unfinished(csv, folder.path() / "model");
  expect_error(ErrorCode::usage, "unfinished run", [&] { train_quietly(request); });
  EXPECT_TRUE(fs::exists(folder.path() / "model.training" / "state" / "state.json"));
}

TEST_F(TrainModel, RestartDiscardsAnUnfinishedRun) {
  TrainRequest request = unfinished(csv, folder.path() / "model");
  request.restart = true;
  request.seed = 2;  // would be refused by --resume
  request.recipe.dense_epochs = request.recipe.soft_epochs = request.recipe.hard_epochs = 0.1;
  train_quietly(request);
  EXPECT_TRUE(fs::exists(request.out / "config.json"));
  EXPECT_FALSE(fs::exists(folder.path() / "model.training"));
}

TEST_F(TrainModel, ResumingWithOtherOptionsIsAUsageError) {
  TrainRequest request = unfinished(csv, folder.path() / "model");
  request.resume = true;
  const auto expect_refused = [&](const auto& change, const std::string& difference) {
    TrainRequest other = request;
    change(other);
    expect_error(ErrorCode::usage, "saved with other data or options (" + difference,
                 [&] { train_quietly(other); });
  };
  expect_refused([](TrainRequest& r) { r.seed = 2; }, "seed: 1 there, 2 here)");
  expect_refused([](TrainRequest& r) { r.recipe.dense_rate = 1e-3; }, "lr: ");
  expect_refused([](TrainRequest& r) { r.recipe.warmup = 0.5; }, "warmup: ");
  expect_refused([](TrainRequest& r) { r.recipe.stages.distill_weight = 0.9; }, "distill-weight: ");
  expect_refused([](TrainRequest& r) { r.task.split_seed = 2; }, "split-seed: 1 there, 2 here;");
  expect_refused([](TrainRequest& r) { r.task.cased = true; }, "cased: false there, true here");
}

TEST_F(TrainModel, ResumingOnOtherRowsIsAUsageError) {
  const fs::path rows = folder.write("rows.csv", reviews(200, 1));
  TrainRequest request = unfinished(rows, folder.path() / "model");
  request.resume = true;
  folder.write("rows.csv", reviews(200, 3));
  expect_error(ErrorCode::usage, "training rows: ", [&] { train_quietly(request); });
}

TEST_F(TrainModel, WeightsMayBeStoredAsBf16) {
  TrainRequest request = request_for(csv, folder.path() / "small");
  request.bf16_weights = true;
  train_quietly(request);
  EXPECT_LT(fs::file_size(request.out / "model.safetensors"),
            fs::file_size(model / "model.safetensors"));
  EXPECT_GE(evaluate_at(request.out, spec_of(test_csv), {1.0})[0].accuracy, 0.95);
}

TEST_F(TrainModel, SavesWhenAskedToEndAndGoesOnLater) {
  TrainRequest request = request_for(csv, folder.path() / "model");
  request.task.eval_data = spec_of(test_csv);
  EXPECT_EXIT(exit_when_terminated(50, [&](ProgressSink& stop) { train_model(request, stop); }),
              ::testing::ExitedWithCode(130), "");
  EXPECT_TRUE(fs::exists(folder.path() / "model.training" / "state" / "state.json"));
  request.resume = true;
  train_quietly(request);
  EXPECT_TRUE(same_model(model, request.out));
  EXPECT_FALSE(fs::exists(folder.path() / "model.training"));
}

}  // namespace
}  // namespace headroom
