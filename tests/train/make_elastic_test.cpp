// From a dense model and texts without labels to one that runs at every budget.
#include "train/make_elastic.h"

#include <gtest/gtest.h>

#include "checkpoint/checkpoint.h"
#include "checkpoint/hf/import.h"
#include "hf_model.h"
#include "support.h"
#include "train/evaluate/predictor.h"
#include "train/notes.h"
#include "train/reviews.h"
#include "train/stop_at.h"

namespace headroom {
namespace {
namespace fs = std::filesystem;
using namespace testing;

// Like reviews(), without the labels.
std::string unlabelled(int rows, uint64_t seed) {
  std::string csv = reviews(rows, seed);
  std::string texts;
  for (size_t begin = csv.find('\n') + 1; begin < csv.size();) {
    const size_t comma = csv.find(',', begin);
    const size_t end = csv.find('\n', comma);
    texts += csv.substr(comma + 1, end - comma);
    begin = end + 1;
  }
  return texts;
}

double agreement_at(const TrainReport& report, double budget) {
  for (const BudgetScore& score : report.scores) {
    if (score.budget == budget) return score.measures.at(0).value;
  }
  ADD_FAILURE() << "no budget " << budget;
  return 0;
}

// One dense model for all tests that only read it.
class Elastic : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    shared = std::make_unique<TemporaryFolder>();
    TrainRequest request =
        request_for(shared->write("train.csv", reviews(300, 1)), shared->path() / "dense");
    request.method = Method::dense;
    train_quietly(request);
    dense = request.out;
    texts = shared->write("texts.txt", unlabelled(400, 2));
  }
  static void TearDownTestSuite() { shared.reset(); }

  TrainRequest request_named(const char* name) const {
    TrainRequest request = default_elastic_request();
    request.init = dense;
    request.task.data = texts;
    request.task.validation_rows = 100;
    request.recipe.batch_size = 16;
    request.recipe.nested_epochs = 6;
    request.recipe.nested_rate = 3e-3;
    request.out = folder.path() / name;
    request.threads = 1;
    return request;
  }
  TrainReport run_quietly(const TrainRequest& request) const {
    SilentProgress silent;
    return make_elastic(request, silent);
  }
  void expect_refused(ErrorCode code, std::string_view why, const TrainRequest& request) const {
    StopAt no_step = StopAt::step(1);
    expect_error(code, why, [&] { make_elastic(request, no_step); });
    EXPECT_FALSE(fs::exists(request.out));
  }

  static inline std::unique_ptr<TemporaryFolder> shared;
  static inline fs::path dense, texts;
  TemporaryFolder folder;
};

// A word for each of twelve labels, so that much gets lost with most heads and neurons.
std::string twelve_labels(int rows, uint64_t seed, bool labelled) {
  Random random{seed};
  std::string csv = labelled ? "label,text\n" : "";
  for (int i = 0; i < rows; ++i) {
    const uint64_t label = random.below(12);
    std::vector<std::string> words = {"word" + std::to_string(label)};
    for (uint64_t n = 2 + random.below(5); n > 0; --n) {
      words.push_back("noise" + std::to_string(random.below(7)));
    }
    random.shuffle(words);
    if (labelled) csv += "label" + std::to_string(label) + ",";
    for (const std::string& word : words) csv += word + " ";
    csv += "\n";
  }
  return csv;
}

TEST_F(Elastic, AgreesMoreThanTheSameModelSlicedAlone) {
  TrainRequest training =
      request_for(folder.write("train.csv", twelve_labels(600, 1, true)), folder.path() / "twelve");
  training.method = Method::dense;
  training.recipe.dense_epochs = 8;
  train_quietly(training);
  TrainRequest request = request_named("elastic");
  request.init = training.out;
  request.task.data = folder.write("twelve.txt", twelve_labels(600, 2, false));
  TrainRequest sliced = request;
  sliced.out = folder.path() / "sliced";
  sliced.recipe.nested_epochs = 0.001;
  sliced.recipe.nested_rate = 0;
  const TrainReport before = run_quietly(sliced);
  const TrainReport after = run_quietly(request);
  EXPECT_EQ(agreement_at(before, 1), 1) << "nothing was trained";
  EXPECT_GT(agreement_at(after, 0.25), agreement_at(before, 0.25) + 0.05);
  EXPECT_GT(agreement_at(after, 0.5), agreement_at(before, 0.5) + 0.02);
  EXPECT_GE(agreement_at(after, 0.5), 0.95);
}

TEST_F(Elastic, KeepsWhatTheDenseModelIs) {
  const TrainRequest request = request_named("elastic");
  run_quietly(request);
  const ModelConfig before = read_config(dense);
  const ModelConfig after = read_config(request.out);
  EXPECT_EQ(after.method, Method::nested);
  EXPECT_TRUE(after.elastic());
  EXPECT_EQ(after.labels, before.labels);
  EXPECT_EQ(after.shape.positions, before.shape.positions);
  EXPECT_GT(verify_weights(request.out, after), 30U);
  EXPECT_EQ(Predictor(request.out, 1.0, 1, "cpu").predict({"superb"}).label,
            Predictor(dense, 1.0, 1, "cpu").predict({"superb"}).label);
  EXPECT_LT(Predictor(request.out, 0.5, 1, "cpu").predict({"superb"}).active_ffn, 1.0);
}

TEST_F(Elastic, ResumedRunsWriteTheSameCheckpoint) {
  TrainRequest whole = request_named("whole");
  whole.recipe.nested_epochs = 0.5;
  run_quietly(whole);
  for (const int64_t step : {1, 6}) {
    SCOPED_TRACE(step);
    TrainRequest stopped = whole;
    stopped.out = folder.path() / std::to_string(step);
    stopped.save_seconds = 0;
    expect_stopped(StopAt::step(step), [&](ProgressSink& stop) { make_elastic(stopped, stop); });
    stopped.resume = true;
    run_quietly(stopped);
    EXPECT_TRUE(same_model(whole.out, stopped.out));
  }
}

TEST_F(Elastic, SearchesAnAllocationWithoutLabels) {
  TrainRequest request = request_named("searched");
  request.recipe.nested.allocation = Allocation::searched;
  request.recipe.nested_epochs = 0.5;
  Notes notes;
  make_elastic(request, notes);
  EXPECT_TRUE(notes.hold("allocation searched on 100 validation rows: "));
  EXPECT_TRUE(read_config(request.out).order);
  TrainRequest again = request;
  again.out = folder.path() / "again";
  run_quietly(again);
  EXPECT_TRUE(same_model(request.out, again.out)) << "nothing is drawn";
}

TEST_F(Elastic, ReadsRowsWithoutTheirLabels) {
  TrainRequest request = request_named("rows");
  request.task.data = spec_of(shared->path() / "train.csv");
  request.recipe.nested_epochs = 0.1;
  Notes notes;
  const TrainReport report = make_elastic(request, notes);
  EXPECT_EQ(report.scores[0].examples, 100);
  EXPECT_TRUE(notes.hold("100 held back"));
}

TEST_F(Elastic, TellsWhatItLeavesOutAndChooses) {
  TrainRequest request = request_named("told");
  request.task.data = folder.write("twice.txt", unlabelled(200, 3) + "\n\n" + unlabelled(5, 3));
  request.recipe.nested_epochs = left_open;
  request.recipe.nested_rate = left_open;
  request.recipe.batch_size = 256;
  Notes notes;
  make_elastic(request, notes);
  EXPECT_TRUE(notes.hold("left out 2 texts without a word")) << notes.lines[0];
  EXPECT_TRUE(notes.hold("nested 27 epochs at 0.0002; batch 256"));
}

TEST_F(Elastic, RefusesAModelThatHasBudgets) {
  const TrainRequest first = request_named("first");
  TrainRequest shortened = first;
  shortened.recipe.nested_epochs = 0.001;
  run_quietly(shortened);
  TrainRequest second = request_named("second");
  second.init = first.out;
  expect_refused(ErrorCode::usage, "has budgets already (method nested)", second);
}

TEST_F(Elastic, RefusesTooFewTexts) {
  TrainRequest request = request_named("few");
  request.task.data = folder.write("few.txt", unlabelled(20, 1));
  expect_refused(ErrorCode::bad_data, "different texts, at least 100 are needed", request);
}

TEST_F(Elastic, RefusesAnEncoderThatAnswersNothing) {
  TrainRequest request = request_named("model");
  request.init = HEADROOM_SOURCE_DIR "/models/base-mini";
  expect_refused(ErrorCode::usage, "only models that answer texts", request);
}

// Random weights of every family and output, as import leaves them.
class ElasticImport : public ::testing::TestWithParam<const char*> {};

TEST_P(ElasticImport, RunsAtEveryBudget) {
  const TemporaryFolder folder;
  import_hf_folder(hf_model_folder(GetParam()), folder.path() / "dense");
  TrainRequest request = default_elastic_request();
  request.init = folder.path() / "dense";
  const ModelConfig before = read_config(request.init);
  std::string lines = unlabelled(150, 1);
  if (traits(before.task).pairs) {
    for (size_t at = 0; (at = lines.find('\n', at)) != lines.npos; at += 9) {
      lines.insert(at, "\tanother");
    }
  }
  request.task.data = folder.write("texts.txt", lines);
  request.recipe.nested_epochs = 1;
  request.recipe.nested_rate = 1e-4;
  request.budgets = {0.5, 1.0};
  request.out = folder.path() / "elastic";
  request.threads = 1;
  SilentProgress silent;
  const TrainReport report = make_elastic(request, silent);
  const ModelConfig config = read_config(request.out);
  EXPECT_EQ(config.task, before.task);
  EXPECT_EQ(config.output.vector, before.output.vector);
  EXPECT_EQ(config.shape.family, before.shape.family);
  EXPECT_GT(verify_weights(request.out, config), 10U);
  EXPECT_GE(agreement_at(report, 1), 0.8);
  EXPECT_LT(report.scores[0].model_macs, report.scores[1].model_macs);
  Text text{"the old film"};
  if (traits(config.task).pairs) text.pair = "another";
  EXPECT_GT(Predictor(request.out, 0.5, 1, "cpu").predict(text).tokens, 2);
}

INSTANTIATE_TEST_SUITE_P(Of, ElasticImport,
                         ::testing::Values("bert-tiny", "distilbert-tiny", "electra-cls",
                                           "roberta-cls", "modernbert-cls", "deberta-v2-cls",
                                           "mpnet-embed", "bert-embed-cls", "bert-multilabel",
                                           "bert-ner", "bert-rerank", "roberta-ner"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace headroom
