// From a CSV file to a checkpoint and back to predictions, and all that may go wrong between.
#include "train/train_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "base/file.h"
#include "base/random.h"
#include "checkpoint/checkpoint.h"
#include "full_disk.h"
#include "support.h"
#include "train/evaluate_checkpoint.h"
#include "train/predictor.h"
#include "train/stop_at.h"

namespace headroom {
namespace {
namespace fs = std::filesystem;
using testing::exit_when_terminated;
using testing::expect_error;
using testing::expect_stopped;
using testing::FullDisk;
using testing::StopAt;
using testing::TemporaryFolder;

// Rows whose one telling word gives the label away, among words that say nothing.
std::string reviews(int rows, uint64_t seed) {
  const std::vector<std::string> praise = {"great", "lovely", "superb"};
  const std::vector<std::string> blame = {"awful", "dull", "poor"};
  const std::vector<std::string> noise = {"the", "film", "was", "a", "story", "with", "actors"};
  Random random{seed};
  std::string csv = "label,text\n";
  for (int i = 0; i < rows; ++i) {
    const bool good = i % 2 == 0;
    std::vector<std::string> words = {(good ? praise : blame)[random.below(3)]};
    const uint64_t others = 2 + random.below(5);
    for (uint64_t n = 0; n < others; ++n) words.push_back(noise[random.below(noise.size())]);
    random.shuffle(words);
    csv += good ? "good," : "bad,";
    for (const std::string& word : words) csv += word + " ";
    csv += "\n";
  }
  return csv;
}

std::string spec_of(const fs::path& csv) {
  return "csv:" + csv.string() + "?header=1&label=label&text=text";
}

TrainRequest request_for(const fs::path& csv, const fs::path& out) {
  TrainRequest request;
  request.task.data = spec_of(csv);
  request.task.max_tokens = 12;
  request.shape = {.layers = 2, .width = 16, .heads = 4, .ffn = 32};
  request.recipe.batch_size = 16;
  request.recipe.dropout = 0.1;  // the default suits wider models
  request.recipe.dense_epochs = 5;
  request.recipe.soft_epochs = 4;
  request.recipe.hard_epochs = 2;
  request.recipe.dense_rate = request.recipe.soft_rate = request.recipe.hard_rate = 3e-3;
  request.out = out;
  request.threads = 1;
  request.budgets = {0.5, 1.0};
  return request;
}

TrainReport train_quietly(const TrainRequest& request) {
  SilentProgress silent;
  return train_model(request, silent);
}

std::vector<BudgetScore> evaluate_at(const fs::path& model, const std::string& data,
                                     std::vector<double> budgets) {
  EvalRequest request;
  request.model = model;
  request.data = data;
  request.budgets = std::move(budgets);
  request.threads = 1;
  return evaluate_checkpoint(request);
}

std::map<std::string, std::string> files_in(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    files[entry.path().filename()] = read_file(entry.path(), ErrorCode::bad_data);
  }
  return files;
}

bool same_model(const fs::path& a, const fs::path& b) {
  const auto bytes = [](const fs::path& folder, const char* file) {
    return read_file(folder / file, ErrorCode::bad_data);
  };
  return bytes(a, "model.safetensors") == bytes(b, "model.safetensors") &&
         bytes(a, "config.json") == bytes(b, "config.json");
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
      return predictor.config().labels.at(
          static_cast<size_t>(predictor.predict({text, "", false}).label));
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
  const PredictInput input = {"the film was great", "", false};
  const Prediction prediction = first.predict(input);
  EXPECT_EQ(prediction.tokens, 6);
  EXPECT_NEAR(prediction.scores[0] + prediction.scores[1], 1.0, 1e-12);
  EXPECT_EQ(first.predict(input).scores, prediction.scores);
  EXPECT_EQ(second.predict(input).scores, prediction.scores);
}

TEST_F(TrainModel, PredictsStrangeTextsWithoutHarm) {
  const Predictor predictor(model, 0.5, 1, "cpu");
  std::string endless;
  for (int i = 0; i < 10000; ++i) endless += "great ";
  EXPECT_EQ(predictor.predict({endless, "", false}).tokens, 12);
  EXPECT_EQ(predictor.predict({"", "", false}).tokens, 2);
  EXPECT_LE(predictor.predict({endless, endless, true}).tokens, 12);
  expect_error(ErrorCode::bad_data, "UTF-8", [&] { predictor.predict({"\xff", "", false}); });
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
  expect_untouched(ErrorCode::bad_data, "nowhere.csv", request);
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

TEST_F(TrainModel, ADenseModelRunsAtBudgetOneOnly) {
  TrainRequest request = request_for(csv, folder.path() / "dense");
  request.method = Method::dense;
  request.recipe.dense_epochs = 0.1;
  EXPECT_EQ(train_quietly(request).scores.size(), 1U);
  EXPECT_EQ(Predictor(request.out, 1.0, 1, "cpu").predict({"a", "", false}).active_heads, 1.0);
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
  const auto expect_refused = [](const TrainRequest& changed) {
    expect_error(ErrorCode::usage, "saved with other data or options",
                 [&] { train_quietly(changed); });
  };
  TrainRequest other = request;
  other.seed = 2;
  expect_refused(other);
  other = request;
  other.recipe.dense_rate = 1e-3;
  expect_refused(other);
  other = request;
  other.recipe.warmup = 0.5;
  expect_refused(other);
  other = request;
  other.recipe.stages.distill_weight = 0.9;
  expect_refused(other);
  other = request;
  other.task.split_seed = 2;
  expect_refused(other);
}

TrainRequest nested_request(const fs::path& csv, const fs::path& out) {
  TrainRequest request = request_for(csv, out);
  request.method = Method::nested;
  request.recipe.nested_epochs = 4;
  request.recipe.nested_rate = 3e-3;
  request.budgets = {0.125, 0.25, 0.5, 0.75, 1.0};
  return request;
}

TEST_F(TrainModel, ANestedModelRunsAtEveryBudget) {
  TrainRequest request = nested_request(csv, folder.path() / "nested");
  request.task.eval_data = spec_of(test_csv);
  const TrainReport nested = train_quietly(request);
  const ModelConfig config = read_config(request.out);
  EXPECT_EQ(config.method, Method::nested);
  EXPECT_EQ(config.scope(), "heads+ffn");
  const auto scores = evaluate_at(request.out, spec_of(test_csv), request.budgets);
  ASSERT_EQ(nested.scores.size(), 5U);
  for (size_t i = 0; i < scores.size(); ++i) {
    EXPECT_EQ(scores[i].accuracy, nested.scores[i].accuracy);
    EXPECT_EQ(scores[i].loss, nested.scores[i].loss);
    EXPECT_GE(scores[i].accuracy, 0.9) << "budget " << scores[i].budget;
    if (i == 0) continue;
    EXPECT_GT(scores[i].model_macs, scores[i - 1].model_macs);
    EXPECT_GT(scores[i].parameters, scores[i - 1].parameters);
  }
  EXPECT_LT(scores[0].model_macs_fraction, 0.3) << "the FFN shrinks too";
  for (const double budget : {0.01, 0.3, 0.99}) {
    EXPECT_EQ(Predictor(request.out, budget, 1, "cpu").predict({"dull", "", false}).tokens, 3);
  }
}

TEST_F(TrainModel, ResumedNestedRunsWriteTheSameCheckpoint) {
  TrainRequest request = nested_request(csv, folder.path() / "whole");
  request.recipe.dense_epochs = request.recipe.nested_epochs = 0.5;  // 6 steps each
  request.recipe.nested.allocation = Allocation::ranked;
  train_quietly(request);
  for (const int64_t step : {3, 7, 9, 12}) {
    SCOPED_TRACE(step);
    TrainRequest stopped = request;
    stopped.out = folder.path() / std::to_string(step);
    stopped.save_seconds = 0;
    expect_stopped(StopAt::step(step), [&](ProgressSink& stop) { train_model(stopped, stop); });
    stopped.resume = true;
    train_quietly(stopped);
    EXPECT_TRUE(same_model(request.out, stopped.out));
  }
}

TEST_F(TrainModel, ANestedModelOfHeadsKeepsItsFfnsWhole) {
  TrainRequest request = nested_request(csv, folder.path() / "heads");
  request.recipe.nested.ffn = false;
  request.recipe.dense_epochs = request.recipe.nested_epochs = 0.1;
  train_quietly(request);
  const ModelConfig config = read_config(request.out);
  EXPECT_EQ(config.scope(), "heads");
  EXPECT_EQ(config.selection(0.25).active_ffn(config.shape.ffn), 1.0);
  EXPECT_EQ(Predictor(request.out, 0.25, 1, "cpu").predict({"a", "", false}).active_heads, 0.25);
}

TEST_F(TrainModel, ANestedModelOfDepthDropsWholeLayers) {
  TrainRequest request = nested_request(csv, folder.path() / "depth");
  request.recipe.nested.allocation = Allocation::depth;
  request.recipe.dense_epochs = request.recipe.nested_epochs = 0.1;
  train_quietly(request);
  EXPECT_EQ(read_config(request.out).selection(0.5).ffn, (std::vector<int64_t>{32, 0}));
  EXPECT_EQ(evaluate_at(request.out, spec_of(test_csv), {0.5})[0].examples, 100);
}

TEST_F(TrainModel, ABadFfnGroupIsRefusedBeforeTraining) {
  TrainRequest request = nested_request(csv, folder.path() / "model");
  request.recipe.nested.group_width = 5;
  StopAt no_step = StopAt::step(1);
  expect_error(ErrorCode::usage, "groups of 5", [&] { train_model(request, no_step); });
}

TEST_F(TrainModel, StartsDenseFromANestedCheckpoint) {
  TrainRequest request = nested_request(csv, folder.path() / "nested");
  request.recipe.dense_epochs = request.recipe.nested_epochs = 0.1;
  train_quietly(request);
  request.init = request.out;
  request.out = folder.path() / "dense";
  request.method = Method::dense;
  train_quietly(request);
  EXPECT_FALSE(read_config(request.out).order);
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
