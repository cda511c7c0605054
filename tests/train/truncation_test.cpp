// Texts longer than the model reads: which part is chosen, told, stored and read by both engines.
#include <gtest/gtest.h>

#include "checkpoint/checkpoint.h"
#include "engine/session.h"
#include "support.h"
#include "text/word_tokenizer.h"
#include "train/evaluate/predictor.h"
#include "train/notes.h"
#include "train/reviews.h"
#include "train/rows/truncation_choice.h"

namespace headroom {
namespace {
using testing::expect_error;
using testing::Notes;
using testing::request_for;
using testing::TemporaryFolder;

struct Choice {
  KeptPart kept{};  // by the tokenizer
  TaskData data;
};

// Of ten rows, `long_rows` with three words where two fit.
Choice choose(TruncationChoice asked, int long_rows, bool pairs = false,
              const TextCoding* fixed = nullptr, KeptPart own = KeptPart::head) {
  WordTokenizer tokenizer(Vocabulary::with_words({"a", "b", "c"}));
  tokenizer.set_kept_part(own);
  TaskRequest request;
  request.truncation = asked;
  request.max_tokens = 4;
  Choice choice;
  const auto text = [&](size_t row) {
    return static_cast<int>(row) < long_rows ? std::string_view("a b c") : std::string_view("a b");
  };
  choose_truncation(request, fixed, {10, text, pairs}, tokenizer, choice.data);
  choice.kept = tokenizer.truncation().keeps;
  return choice;
}

TEST(TruncationChoice, AutoReadsBothEndsWhereManyRowsAreTooLong) {
  const Choice many = choose(TruncationChoice::automatic, 1);
  EXPECT_EQ(many.kept, KeptPart::head_tail);
  EXPECT_EQ(many.data.truncation, KeptPart::head_tail);
  EXPECT_NE(many.data.truncation_note.find("10 % of the training rows are longer than 4 tokens"),
            std::string::npos)
      << many.data.truncation_note;
  const Choice none = choose(TruncationChoice::automatic, 0);
  EXPECT_EQ(none.kept, KeptPart::head);
  EXPECT_EQ(none.data.truncation, std::nullopt) << "as older versions read it";
  EXPECT_EQ(none.data.truncation_note, "");
}

TEST(TruncationChoice, IsWhatWasAskedFor) {
  EXPECT_EQ(choose(TruncationChoice::head, 10).kept, KeptPart::head);
  EXPECT_EQ(choose(TruncationChoice::head, 10).data.truncation, std::nullopt);
  EXPECT_EQ(choose(TruncationChoice::tail, 0).data.truncation, KeptPart::tail);
  EXPECT_EQ(choose(TruncationChoice::head_tail, 0).data.truncation, KeptPart::head_tail);
}

TEST(TruncationChoice, AutoKeepsWhatTheStartHas) {
  const TextCoding tail{.vocabulary = Vocabulary::with_words({}), .truncation = KeptPart::tail};
  EXPECT_EQ(choose(TruncationChoice::automatic, 0, false, &tail).data.truncation, KeptPart::tail);
  const Choice files = choose(TruncationChoice::automatic, 10, false, nullptr, KeptPart::tail);
  EXPECT_EQ(files.kept, KeptPart::tail);
  EXPECT_EQ(files.data.truncation, std::nullopt) << "the tokenizer's files say it";
}

TEST(TruncationChoice, WhatDiffersFromTheTokenizersFilesIsStored) {
  const Choice head = choose(TruncationChoice::head, 10, false, nullptr, KeptPart::tail);
  EXPECT_EQ(head.data.truncation, KeptPart::head);
}

TEST(TruncationChoice, OfPairsIsNone) {
  EXPECT_EQ(choose(TruncationChoice::automatic, 10, true).kept, KeptPart::head);
  expect_error(ErrorCode::usage, "--truncation tail is for single texts",
               [] { choose(TruncationChoice::tail, 10, true); });
}

// Reviews whose telling word is the last of twenty.
std::string late_reviews(int rows) {
  std::string csv = "label,text\n";
  for (int i = 0; i < rows; ++i) {
    csv += i % 2 == 0 ? "good," : "bad,";
    for (int word = 0; word < 19; ++word) csv += (i + word) % 3 == 0 ? "the " : "film ";
    csv += i % 2 == 0 ? "great\n" : "awful\n";
  }
  return csv;
}

TEST(Truncation, OfTrainingIsThatOfBothEngines) {
  const TemporaryFolder folder;
  TrainRequest request =
      request_for(folder.write("late.csv", late_reviews(120)), folder.path() / "model");
  request.method = Method::dense;
  request.task.truncation = TruncationChoice::automatic;
  Notes notes;
  EXPECT_EQ(train_model(request, notes).scores[0].accuracy, 1) << "the end was read";
  EXPECT_TRUE(notes.hold("100 % of the training rows are longer than 12 tokens"));
  const ModelConfig config = read_config(request.out);
  EXPECT_EQ(config.truncation, KeptPart::head_tail);
  EXPECT_EQ(testing::evaluate_at(request.out, request.task.data, {1.0})[0].accuracy, 1);

  const std::vector<Text> texts = {{"film the film film the film film the film film the great"}};
  Session session(EngineModel::load(request.out, config, {Precision::fp32, {}}), 1);
  const Answer native = session.run(texts, Budget{})[0];
  const Answer torch = Predictor(request.out, 1.0, 1, "cpu").predict(texts[0]);
  EXPECT_EQ(native.label, torch.label);
  EXPECT_NEAR(native.scores[0], torch.scores[0], 1e-5);
  EXPECT_TRUE(native.truncated);
  EXPECT_EQ(config.labels[static_cast<size_t>(native.label)], "good");

  request.task.truncation = TruncationChoice::head;
  request.out = folder.path() / "head";
  EXPECT_LT(testing::train_quietly(request).scores[0].accuracy, 0.9) << "nothing was to be seen";
  EXPECT_EQ(read_config(request.out).truncation, std::nullopt);
}

TEST(Truncation, OfOtherTasksIsRefused) {
  TrainRequest request = request_for("rows.csv", "model");
  request.task.task = Task::tag;
  request.task.truncation = TruncationChoice::head_tail;
  expect_error(ErrorCode::usage, "is for --task classify, multilabel or regress, not tag",
               [&] { testing::train_quietly(request); });
}

TEST(Truncation, IsAutomaticWhenFineTuningSingleTexts) {
  EXPECT_EQ(default_request(Task::classify, true).task.truncation, TruncationChoice::automatic);
  EXPECT_EQ(default_request(Task::regress, true).task.truncation, TruncationChoice::automatic);
  EXPECT_EQ(default_request(Task::tag, true).task.truncation, TruncationChoice::head);
  EXPECT_EQ(default_request(Task::classify, false).task.truncation, TruncationChoice::head);
}

}  // namespace
}  // namespace headroom
