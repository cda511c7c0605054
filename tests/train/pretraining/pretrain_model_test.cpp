// From a file of plain text to a checkpoint that training starts from, and what may go wrong.
#include "train/pretraining/pretrain_model.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/files/file.h"
#include "checkpoint/checkpoint.h"
#include "support.h"
#include "train/evaluate/checkpoint.h"
#include "train/evaluate/predictor.h"
#include "train/notes.h"
#include "train/stop_at.h"
#include "train/train_model.h"

namespace headroom {
namespace {
namespace fs = std::filesystem;
using testing::exit_when_terminated;
using testing::expect_error;
using testing::expect_stopped;
using testing::Notes;
using testing::StopAt;
using testing::TemporaryFolder;

// Documents of one sentence: about nine tokens each.
std::string sentences(int count) {
  const char* const subjects[] = {"the cat", "a dog", "one bird", "the fish"};
  const char* const verbs[] = {"sees", "likes", "hears"};
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += std::string(subjects[i % 4]) + " " + verbs[i % 3] + " " + subjects[(i / 4) % 4] +
            " again.\n\n";
  }
  return text;
}

PretrainRequest request_for(const fs::path& text, const fs::path& out) {
  PretrainRequest request;
  request.text = {text.string()};
  request.vocabulary_size = 80;
  request.shape = {.layers = 2, .width = 16, .heads = 2, .ffn = 32};
  request.row_tokens = 16;
  request.batch_rows = 4;
  request.steps = 12;
  request.validation_rows = 4;
  request.validate_every = 5;
  request.out = out;
  request.threads = 1;
  return request;
}

PretrainReport pretrain_quietly(const PretrainRequest& request) {
  SilentProgress silent;
  return pretrain_model(request, silent);
}

std::string bytes_of(const fs::path& folder, const char* file) {
  return read_file(folder / file, ErrorCode::bad_data);
}

// One pretraining for all tests that only read its checkpoint.
class Pretrain : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    shared = std::make_unique<TemporaryFolder>();
    text = shared->write("text.txt", sentences(120));
    model = shared->path() / "model";
    report = pretrain_quietly(request_for(text, model));
  }
  static void TearDownTestSuite() { shared.reset(); }

  // A request whose run was stopped at its seventh step.
  PretrainRequest unfinished() const {
    PretrainRequest request = request_for(text, folder.path() / "model");
    request.save_seconds = 0;
    expect_stopped(StopAt::step(7), [&](ProgressSink& stop) { pretrain_model(request, stop); });
    return request;
  }
  void expect_refused(ErrorCode code, std::string_view why, const PretrainRequest& request) const {
    StopAt no_step = StopAt::step(1);
    expect_error(code, why, [&] { pretrain_model(request, no_step); });
    EXPECT_FALSE(fs::exists(request.out));
  }

  static inline std::unique_ptr<TemporaryFolder> shared;
  static inline fs::path text, model;
  static inline PretrainReport report;
  TemporaryFolder folder;
};

TEST_F(Pretrain, WritesACheckpointThatCanBeRead) {
  const ModelConfig config = read_config(model);
  EXPECT_EQ(config.task, Task::masked_lm);
  EXPECT_EQ(config.tokenizer, TokenizerKind::wordpiece);
  EXPECT_EQ(config.shape.positions, 16);
  EXPECT_EQ(config.shape.labels, 0);
  EXPECT_LE(config.shape.vocabulary, 80);
  const Vocabulary vocabulary = read_vocabulary(model, config);
  EXPECT_TRUE(vocabulary.mask_id());
  EXPECT_TRUE(vocabulary.find("cat"));
  EXPECT_TRUE(fs::exists(model / "README.md"));
  EXPECT_FALSE(fs::exists(shared->path() / "model.training"));
}

TEST_F(Pretrain, ReportsWhatItDid) {
  EXPECT_EQ(report.documents, 120);
  EXPECT_EQ(report.steps, 12);
  EXPECT_EQ(report.tokens_seen, 12.0 * 4 * 16);
  EXPECT_EQ(report.text_tokens % 16, 0);
  EXPECT_GT(report.text_tokens, 120 * 6);
  EXPECT_GE(report.accuracy, 0.0);
  EXPECT_LE(report.accuracy, 1.0);
}

TEST_F(Pretrain, TwiceGivesTheSameCheckpoint) {
  const PretrainRequest request = request_for(text, folder.path() / "again");
  pretrain_quietly(request);
  for (const char* file : {"model.safetensors", "config.json", "vocab.txt"}) {
    EXPECT_EQ(bytes_of(request.out, file), bytes_of(model, file)) << file;
  }
}

// A nested classifier that starts from a pretrained checkpoint.
fs::path train_classifier(const fs::path& init, const TemporaryFolder& folder) {
  std::string rows;
  for (int i = 0; i < 40; ++i) rows += i % 2 == 0 ? "1,the cat sees\n" : "2,a dog hears\n";
  TrainRequest request;
  request.task.data = "csv:" + folder.write("rows.csv", rows).string();
  request.task.max_tokens = 10;
  request.init = init;
  request.method = Method::nested;
  request.recipe.dense_epochs = request.recipe.nested_epochs = 0.5;
  request.out = folder.path() / "classifier";
  request.threads = 1;
  SilentProgress silent;
  train_model(request, silent);
  return request.out;
}

TEST_F(Pretrain, IsWhatTrainingStartsFrom) {
  const fs::path classifier = train_classifier(model, folder);
  const ModelConfig config = read_config(classifier);
  EXPECT_EQ(config.task, Task::classify);
  EXPECT_EQ(config.tokenizer, TokenizerKind::wordpiece);
  EXPECT_EQ(config.shape.width, 16) << "the shape of --init";
  EXPECT_EQ(config.shape.positions, 10);
  EXPECT_EQ(bytes_of(classifier, "vocab.txt"), bytes_of(model, "vocab.txt"));
  EXPECT_EQ(Predictor(classifier, 0.5, 1, "cpu").predict({"the cat"}).scores.size(), 2U);
}

TEST_F(Pretrain, RowsOfTrainingAreCutToThePositionsOfTheStart) {
  const fs::path csv = folder.write("rows.csv", "1,cat\n2,dog\n1,cat\n2,dog\n");
  TrainRequest request;
  request.task.data = "csv:" + csv.string();
  request.task.max_tokens = 500;
  request.init = model;
  request.method = Method::dense;
  request.out = folder.path() / "classifier";
  request.threads = 1;
  SilentProgress silent;
  train_model(request, silent);
  EXPECT_EQ(read_config(request.out).shape.positions, 16);
}

TEST_F(Pretrain, ItsCheckpointClassifiesNothing) {
  expect_error(ErrorCode::bad_model, "--init", [&] { Predictor(model, 1.0, 1, "cpu"); });
  EvalRequest request;
  request.model = model;
  request.data = "csv:" + folder.write("rows.csv", "1,cat\n2,dog\n").string();
  request.budgets = {1.0};
  request.threads = 1;
  expect_error(ErrorCode::bad_model, "--init", [&] { evaluate_checkpoint(request); });
}

TEST_F(Pretrain, SaysWhatItChose) {
  Notes notes;
  pretrain_model(request_for(text, folder.path() / "again"), notes);
  EXPECT_TRUE(notes.hold("peak rate 0.001 after 6 steps; word frequencies alone have a loss of"));
  EXPECT_NE(bytes_of(folder.path() / "again", "README.md").find("peak rate 0.001, warm-up of 6"),
            std::string::npos);
}

// A request that goes on from the shared checkpoint; the shape it leaves open is another.
PretrainRequest continued(const fs::path& text, const fs::path& init, const fs::path& out) {
  PretrainRequest request = request_for(text, out);
  request.shape = {};
  request.init = init;
  return request;
}

TEST_F(Pretrain, GoesOnFromTheWeightsOfAnEarlierRun) {
  PretrainRequest request = continued(text, model, folder.path() / "more");
  request.rate = 1e-12;  // too little to change a stored weight
  pretrain_quietly(request);
  for (const char* file : {"model.safetensors", "config.json", "vocab.txt"}) {
    EXPECT_EQ(bytes_of(request.out, file), bytes_of(model, file)) << file;
  }
  EXPECT_NE(bytes_of(request.out, "README.md").find("Goes on from: model"), std::string::npos);
}

TEST_F(Pretrain, GoesOnLearningWithAWarmUp) {
  const PretrainRequest request = continued(text, model, folder.path() / "more");
  pretrain_quietly(request);
  EXPECT_NE(bytes_of(request.out, "model.safetensors"), bytes_of(model, "model.safetensors"));
  EXPECT_NE(bytes_of(request.out, "README.md").find("warm-up of 6 steps"), std::string::npos);
}

TEST_F(Pretrain, GoingOnWithShorterRowsKeepsAllPositions) {
  PretrainRequest request = continued(text, model, folder.path() / "more");
  request.row_tokens = 8;
  pretrain_quietly(request);
  EXPECT_EQ(read_config(request.out).shape.positions, 16);
}

TEST_F(Pretrain, WhatItCannotGoOnFromIsAUsageError) {
  PretrainRequest request = continued(text, model, folder.path() / "more");
  request.row_tokens = 17;
  expect_refused(ErrorCode::usage, "--max-tokens 17 is too long", request);
  request = continued(text, model, folder.path() / "more");
  request.vocabulary = model / "vocab.txt";
  expect_refused(ErrorCode::usage, "leave --vocab out", request);
  request = continued(text, folder.path() / "nowhere", folder.path() / "more");
  expect_refused(ErrorCode::bad_model, "nowhere", request);
}

TEST_F(Pretrain, ResumedFromACrashWritesTheSameCheckpoint) {
  PretrainRequest request = unfinished();
  EXPECT_FALSE(fs::exists(request.out));
  request.resume = true;
  pretrain_quietly(request);
  EXPECT_EQ(bytes_of(request.out, "model.safetensors"), bytes_of(model, "model.safetensors"));
  EXPECT_FALSE(fs::exists(folder.path() / "model.training"));
}

TEST_F(Pretrain, SavesWhenAskedToEndAndGoesOnLater) {
  PretrainRequest request = request_for(text, folder.path() / "model");
  EXPECT_EXIT(exit_when_terminated(6, [&](ProgressSink& stop) { pretrain_model(request, stop); }),
              ::testing::ExitedWithCode(130), "");
  EXPECT_TRUE(fs::exists(folder.path() / "model.training" / "state" / "state.json"));
  request.resume = true;
  pretrain_quietly(request);
  EXPECT_EQ(bytes_of(request.out, "model.safetensors"), bytes_of(model, "model.safetensors"));
}

TEST_F(Pretrain, AnUnfinishedRunIsNotLostUnasked) {
  const PretrainRequest request = unfinished();
  expect_error(ErrorCode::usage, "unfinished run", [&] { pretrain_quietly(request); });
}

TEST_F(Pretrain, ResumingWithOtherOptionsIsAUsageError) {
  PretrainRequest request = unfinished();
  request.resume = true;
  const auto with = [&](auto change) {
    PretrainRequest other = request;
    change(other);
    return other;
  };
  for (const PretrainRequest& other :
       {with([](PretrainRequest& r) { r.seed = 2; }), with([](PretrainRequest& r) { r.rate = 1; }),
        with([](PretrainRequest& r) { r.steps = 13; }),
        with([](PretrainRequest& r) { r.batch_rows = 5; }),
        with([](PretrainRequest& r) { r.validate_every = 3; }),
        with([](PretrainRequest& r) { r.objective = PretrainObjective::replaced; }),
        with([](PretrainRequest& r) { r.nested_share = 0.5; }),
        with([](PretrainRequest& r) { r.lower_case = false; })}) {
    expect_refused(ErrorCode::usage, "saved with other data or options", other);
  }
}

TEST_F(Pretrain, OtherTextsOfTheSameSizeAreOtherData) {
  PretrainRequest request = unfinished();
  std::string other = sentences(120);
  for (size_t at = 0; (at = other.find("cat", at)) != std::string::npos;) other[at + 2] = 'r';
  write_file_atomically(folder.path() / "other.txt", other);
  request.text = {(folder.path() / "other.txt").string()};
  request.resume = true;
  expect_refused(ErrorCode::usage, "saved with other data or options", request);
}

TEST_F(Pretrain, NeedsStepsOrMinutesAndNotBoth) {
  PretrainRequest request = request_for(text, folder.path() / "model");
  request.minutes = 1;
  expect_refused(ErrorCode::usage, "either --steps or --minutes", request);
  request.steps = 0;
  request.minutes = 0;
  expect_refused(ErrorCode::usage, "either --steps or --minutes", request);
}

TEST_F(Pretrain, MeasuredInMinutesEndsToo) {
  PretrainRequest request = request_for(text, folder.path() / "model");
  request.steps = 0;
  request.minutes = 1e-4;
  EXPECT_GE(pretrain_quietly(request).steps, 1);
  EXPECT_TRUE(fs::exists(request.out / "model.safetensors"));
}

TEST_F(Pretrain, StandardInputNeedsAVocabularyBecauseItIsReadOnce) {
  PretrainRequest request = request_for(text, folder.path() / "model");
  request.text = {"-"};
  expect_refused(ErrorCode::usage, "give --vocab", request);
}

TEST_F(Pretrain, TooLittleTextIsBadData) {
  const fs::path little = folder.write("little.txt", sentences(5));
  expect_refused(ErrorCode::bad_data, "at least 10 are needed",
                 request_for(little, folder.path() / "model"));
}

TEST_F(Pretrain, MissingOrEmptyTextIsRefused) {
  expect_refused(ErrorCode::usage, "nowhere.txt",
                 request_for(folder.path() / "nowhere.txt", folder.path() / "model"));
  expect_refused(ErrorCode::bad_data, "empty.txt",
                 request_for(folder.write("empty.txt", ""), folder.path() / "model"));
}

TEST_F(Pretrain, BadShapesAreUsageErrors) {
  PretrainRequest request = request_for(text, folder.path() / "model");
  request.shape.heads = 3;
  expect_refused(ErrorCode::usage, "multiple of --heads 3", request);
  request.shape.heads = 0;
  expect_refused(ErrorCode::usage, "multiple of --heads 0", request);
  request = request_for(text, folder.path() / "model");
  request.row_tokens = 7;
  expect_refused(ErrorCode::usage, "at least 8", request);
  request = request_for(text, folder.path() / "model");
  request.text.clear();
  expect_refused(ErrorCode::usage, "--text", request);
}

TEST_F(Pretrain, UsesTheVocabularyItIsGiven) {
  PretrainRequest request = request_for(text, folder.path() / "model");
  request.vocabulary = model / "vocab.txt";
  pretrain_quietly(request);
  EXPECT_EQ(bytes_of(request.out, "model.safetensors"), bytes_of(model, "model.safetensors"));
}

TEST_F(Pretrain, AVocabularyWithoutAMaskTokenIsABadModel) {
  PretrainRequest request = request_for(text, folder.path() / "model");
  request.vocabulary = folder.write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\nthe\ncat\n");
  expect_refused(ErrorCode::bad_model, "[MASK]", request);
}

TEST_F(Pretrain, AFolderThatIsNoCheckpointIsNotReplaced) {
  folder.write("thesis.tex", "precious");
  expect_error(ErrorCode::usage, "is not a checkpoint",
               [&] { pretrain_quietly(request_for(text, folder.path())); });
  EXPECT_EQ(bytes_of(folder.path(), "thesis.tex"), "precious");
}

TEST_F(Pretrain, WithNestedStepsResumesWithTheSameBits) {
  PretrainRequest request = request_for(text, folder.path() / "whole");
  request.nested_share = 0.5;
  pretrain_quietly(request);
  EXPECT_NE(bytes_of(request.out, "model.safetensors"), bytes_of(model, "model.safetensors"));
  const fs::path whole = request.out;
  request.out = folder.path() / "halves";
  request.save_seconds = 0;
  expect_stopped(StopAt::step(7), [&](ProgressSink& stop) { pretrain_model(request, stop); });
  request.resume = true;
  pretrain_quietly(request);
  EXPECT_EQ(bytes_of(request.out, "model.safetensors"), bytes_of(whole, "model.safetensors"));
  EXPECT_EQ(read_config(request.out).method, Method::dense) << "fine-tuning makes the order";
}

PretrainRequest ordered_request(const fs::path& text, const fs::path& out) {
  PretrainRequest request = request_for(text, out);
  request.order_weight = 1;
  request.short_share = 0.5;
  request.short_tokens = 8;
  return request;
}

TEST_F(Pretrain, TellsTheOrderOfSegmentsAndLeavesItsHeadBehind) {
  const PretrainRequest request = ordered_request(text, folder.path() / "ordered");
  const PretrainReport ordered = pretrain_quietly(request);
  EXPECT_EQ(ordered.parameters, report.parameters);
  EXPECT_EQ(ordered.tokens_seen, report.tokens_seen);
  EXPECT_NE(bytes_of(request.out, "model.safetensors"), bytes_of(model, "model.safetensors"));
  const std::string card = bytes_of(request.out, "README.md");
  const std::string told = fmt::format("order of segments: {:.1f} %", 100 * ordered.order_accuracy);
  for (const std::string& part :
       {std::string("masked language model and sentence order, the first 50 % in rows of 8 tokens, "
                    "12 steps"),
        told}) {
    EXPECT_NE(card.find(part), std::string::npos) << part << "\n" << card;
  }
}

TEST_F(Pretrain, ResumedWithSegmentsInOrderWritesTheSameCheckpoint) {
  const PretrainRequest whole = ordered_request(text, folder.path() / "whole");
  const PretrainReport expected = pretrain_quietly(whole);
  PretrainRequest halves = ordered_request(text, folder.path() / "halves");
  halves.save_seconds = 0;
  expect_stopped(StopAt::step(7), [&](ProgressSink& stop) { pretrain_model(halves, stop); });
  halves.resume = true;
  EXPECT_EQ(pretrain_quietly(halves).order_accuracy, expected.order_accuracy) << "the head, too";
  EXPECT_EQ(bytes_of(halves.out, "model.safetensors"), bytes_of(whole.out, "model.safetensors"));
}

TEST_F(Pretrain, RefusesShortRowsThatAreNoPartOfARow) {
  for (const int tokens : {12, 16}) {
    PretrainRequest request = ordered_request(text, folder.path() / "model");
    request.short_tokens = tokens;
    expect_refused(ErrorCode::usage, "is no part of it", request);
  }
}

TEST_F(Pretrain, RefusesShortRowsAlone) {
  PretrainRequest request = ordered_request(text, folder.path() / "model");
  request.short_share = 1;
  expect_refused(ErrorCode::usage, "positions from 8 on would never be trained", request);
}

PretrainRequest detection_request(const fs::path& text, const fs::path& out) {
  PretrainRequest request = request_for(text, out);
  request.objective = PretrainObjective::replaced;
  return request;
}

// One pretraining on replaced tokens for the tests that only read its checkpoint.
class PretrainOnReplaced : public Pretrain {
 protected:
  static void SetUpTestSuite() {
    Pretrain::SetUpTestSuite();
    detector = shared->path() / "detector";
    detected = pretrain_quietly(detection_request(text, detector));
  }
  static inline fs::path detector;
  static inline PretrainReport detected;
};

TEST_F(PretrainOnReplaced, WritesTheEncoderAlone) {
  const ModelConfig config = read_config(detector);
  EXPECT_EQ(config.task, Task::encoder);
  EXPECT_EQ(config.output_head(), OutputHead::none);
  EXPECT_EQ(config.shape.layers, 2);
  EXPECT_EQ(config.shape.width, 16);
  EXPECT_EQ(config.shape.positions, 16);
  int64_t parameters = 0;
  for (const TensorSpec& tensor : config.tensors()) {
    int64_t size = 1;
    for (const int64_t dimension : tensor.shape) size *= dimension;
    parameters += size;
  }
  EXPECT_EQ(detected.parameters, parameters);
}

TEST_F(PretrainOnReplaced, ReportsBothModels) {
  for (const double share : {detected.found, detected.precision, detected.accuracy}) {
    EXPECT_GE(share, 0);
    EXPECT_LE(share, 1);
  }
  EXPECT_GT(detected.detection_loss, 0);
  const std::string card = bytes_of(detector, "README.md");
  EXPECT_NE(card.find("replaced-token detection, 12 steps"), std::string::npos) << card;
  EXPECT_NE(card.find("Replaced tokens found"), std::string::npos) << card;
}

TEST_F(PretrainOnReplaced, SaysWhichGeneratorItChose) {
  Notes notes;
  pretrain_model(detection_request(text, folder.path() / "again"), notes);
  EXPECT_TRUE(notes.hold("generator: 2 layers, width 8, 1 heads, FFN 8"));
  EXPECT_EQ(bytes_of(folder.path() / "again", "model.safetensors"),
            bytes_of(detector, "model.safetensors"));
}

TEST_F(PretrainOnReplaced, IsWhatTrainingStartsFrom) {
  const fs::path classifier = train_classifier(detector, folder);
  EXPECT_EQ(read_config(classifier).shape.width, 16);
  EXPECT_EQ(Predictor(classifier, 0.5, 1, "cpu").predict({"the cat"}).scores.size(), 2U);
}

TEST_F(PretrainOnReplaced, ResumedFromACrashWritesTheSameCheckpoint) {
  PretrainRequest request = detection_request(text, folder.path() / "model");
  request.save_seconds = 0;
  expect_stopped(StopAt::step(7), [&](ProgressSink& stop) { pretrain_model(request, stop); });
  request.resume = true;
  EXPECT_EQ(pretrain_quietly(request).detection_loss, detected.detection_loss)
      << "the generator and the head, too";
  EXPECT_EQ(bytes_of(request.out, "model.safetensors"), bytes_of(detector, "model.safetensors"));
}

TEST_F(PretrainOnReplaced, EitherObjectiveGoesOnFromTheOther) {
  const auto go_on = [&](const fs::path& init, PretrainObjective objective, const char* out) {
    PretrainRequest request = continued(text, init, folder.path() / out);
    request.objective = objective;
    request.rate = 1e-12;  // too little to change a stored weight
    pretrain_quietly(request);
    return request.out;
  };
  const fs::path masked = go_on(detector, PretrainObjective::masked, "masked");
  EXPECT_EQ(read_config(masked).task, Task::masked_lm);
  const fs::path back = go_on(masked, PretrainObjective::replaced, "back");
  EXPECT_EQ(bytes_of(back, "model.safetensors"), bytes_of(detector, "model.safetensors"))
      << "a head for words comes and goes, the encoder stays";
  const fs::path again = go_on(detector, PretrainObjective::replaced, "again");
  EXPECT_EQ(bytes_of(again, "model.safetensors"), bytes_of(detector, "model.safetensors"));
}

}  // namespace
}  // namespace headroom
