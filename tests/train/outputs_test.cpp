// Every output from a data file to a checkpoint: it learns, resumes to the same bytes, and both
// engines say the same about a text.
#include <gtest/gtest.h>

#include <cmath>

#include "checkpoint/checkpoint.h"
#include "engine/answers/answer_texts.h"
#include "engine/session.h"
#include "support.h"
#include "train/evaluate/predictor.h"
#include "train/reviews.h"
#include "train/rows/validation_data.h"
#include "train/stop_at.h"

namespace headroom {
namespace {
namespace fs = std::filesystem;
using namespace testing;

const std::vector<std::string> fruit = {"apple", "pear", "plum"};
const std::vector<std::string> towns = {"rome", "paris", "oslo"};
const std::vector<std::string> noise = {"the", "was", "near", "a", "with", "old"};

std::string some(const std::vector<std::string>& words, Random& random) {
  return words[random.below(words.size())];
}

std::string filler(Random& random) {
  std::string text;
  for (uint64_t n = 1 + random.below(3); n > 0; --n) text += some(noise, random) + " ";
  return text;
}

// Towns of one or two words among others.
std::string tagged_rows(int rows, uint64_t seed) {
  Random random{seed};
  std::string conll = "-DOCSTART- O\n\n";
  for (int i = 0; i < rows; ++i) {
    conll += some(noise, random) + " O\n";
    conll += some(towns, random) + " B-LOC\n";
    if (random.below(2) == 0) conll += "city I-LOC\n";
    conll += some(noise, random) + " O\n" + some(fruit, random) + " B-FOOD\n\n";
  }
  return conll;
}

// A row has a label for each kind of word in it.
std::string label_rows(int rows, uint64_t seed) {
  Random random{seed};
  std::string csv;
  for (int i = 0; i < rows; ++i) {
    const bool food = random.below(2) == 0;
    const bool place = random.below(2) == 0;
    csv += food && place ? "\"food,place\"," : food ? "food," : place ? "place," : ",";
    csv += filler(random) + (food ? some(fruit, random) + " " : "") + filler(random) +
           (place ? some(towns, random) : "") + "\n";
  }
  return csv;
}

// How many fruits there are, times 100, plus 1000.
std::string number_rows(int rows, uint64_t seed) {
  Random random{seed};
  std::string csv;
  for (int i = 0; i < rows; ++i) {
    const uint64_t count = random.below(4);
    csv += std::to_string(1000 + 100 * count) + "," + filler(random);
    for (uint64_t n = 0; n < count; ++n) csv += some(fruit, random) + " ";
    csv += "\n";
  }
  return csv;
}

// Passages about fruit answer every query.
std::string judged_rows(int rows, uint64_t seed) {
  Random random{seed};
  std::string csv;
  for (int i = 0; i < rows / 4; ++i) {
    for (int passage = 0; passage < 4; ++passage) {
      const bool right = passage == static_cast<int>(random.below(4)) || passage == 3;
      csv += std::string(right ? "1" : "0") + ",query " + std::to_string(i) + "," + filler(random) +
             some(right ? fruit : towns, random) + "\n";
    }
  }
  return csv;
}

// Alike are texts of one kind.
std::string scored_pairs(int rows, uint64_t seed) {
  Random random{seed};
  std::string csv;
  for (int i = 0; i < rows; ++i) {
    const bool alike = random.below(2) == 0;
    csv += std::string(alike ? "5" : "1") + "," + filler(random) + some(fruit, random) + "," +
           filler(random) + some(alike ? fruit : towns, random) + "\n";
  }
  return csv;
}

struct Example {
  Task task;
  std::string (*rows)(int rows, uint64_t seed);
  const char* format;
  const char* options;
  std::string measure;
  double least;  // of the measure at every budget
};

void PrintTo(const Example& example, std::ostream* out) {
  *out << task_name(example.task);
}

class Outputs : public ::testing::TestWithParam<Example> {
 protected:
  std::string spec(const char* file, int rows, uint64_t seed) const {
    const Example& example = GetParam();
    return std::string(example.format) + ":" +
           folder.write(file, example.rows(rows, seed)).string() + example.options;
  }
  TrainRequest request(const char* name) const {
    TrainRequest request = request_for("", folder.path() / name);
    request.task.task = GetParam().task;
    request.task.data = spec("train", 300, 1);
    request.task.max_tokens = 20;
    request.task.min_count = 1;
    request.method = Method::nested;
    request.task.validation_rows = GetParam().task == Task::rerank ? 15 : 60;  // queries
    request.recipe.dense_epochs = 14;
    request.recipe.nested_epochs = 6;
    request.recipe.dense_rate = request.recipe.nested_rate = 5e-3;
    request.budgets = {0.25, 0.5, 1.0};
    return request;
  }
  TemporaryFolder folder;
};

double measure_of(const BudgetScore& score, const std::string& name) {
  for (const NamedMeasure& each : score.measures) {
    if (each.name == name) return each.value;
  }
  ADD_FAILURE() << "no measure " << name;
  return 0;
}

TEST_P(Outputs, AreLearnedAtEveryBudget) {
  TrainRequest asked = request("model");
  asked.task.eval_data = spec("test", 100, 2);
  const TrainReport report = train_quietly(asked);
  const ModelConfig config = read_config(asked.out);
  EXPECT_EQ(config.task, GetParam().task);
  const auto scores = evaluate_at(asked.out, asked.task.eval_data, asked.budgets);
  ASSERT_EQ(report.scores.size(), 3U);
  for (size_t i = 0; i < scores.size(); ++i) {
    EXPECT_EQ(scores[i].measures, report.scores[i].measures) << "as stored";
    EXPECT_EQ(scores[i].measures[0].name, GetParam().measure);
    EXPECT_GE(measure_of(scores[i], GetParam().measure), GetParam().least)
        << "budget " << scores[i].budget;
    EXPECT_EQ(to_json(scores[i])["loss"], scores[i].loss);
  }
  EXPECT_LT(scores[0].model_macs, scores[2].model_macs);
}

TEST_P(Outputs, ResumeToTheSameBytes) {
  TrainRequest whole = request("whole");
  whole.recipe.dense_epochs = whole.recipe.nested_epochs = 0.5;
  train_quietly(whole);
  for (const int64_t step : {3, 9}) {
    SCOPED_TRACE(step);
    TrainRequest stopped = whole;
    stopped.out = folder.path() / std::to_string(step);
    stopped.save_seconds = 0;
    expect_stopped(StopAt::step(step), [&](ProgressSink& stop) { train_model(stopped, stop); });
    stopped.resume = true;
    train_quietly(stopped);
    EXPECT_TRUE(same_model(whole.out, stopped.out));
  }
  TrainRequest other = whole;
  other.out = folder.path() / "other";
  other.save_seconds = 0;
  expect_stopped(StopAt::step(3), [&](ProgressSink& stop) { train_model(other, stop); });
  other.resume = true;
  other.task.data = spec("train", 240, 3);
  expect_error(ErrorCode::usage, "training rows", [&] { train_quietly(other); });
}

void expect_near(const std::vector<double>& a, const std::vector<double>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-4) << i;
}

TEST_P(Outputs, AreTheSameInBothEngines) {
  TrainRequest asked = request("model");
  asked.recipe.dense_epochs = asked.recipe.nested_epochs = 0.5;
  train_quietly(asked);
  const ModelConfig config = read_config(asked.out);
  Session session(EngineModel::load(asked.out, config, {Precision::fp32, {}}), 1);
  const std::vector<Text> texts = {
      {"the old apple was near rome"}, {"The old Apple was near ROME"}, {"pear"}};
  for (const double budget : {1.0, 0.25}) {
    const Predictor predictor(asked.out, budget, 1, "cpu");
    for (const Text& one : texts) {
      Text text = one;
      if (config.task == Task::rerank) text.pair = "a plum with oslo";
      const Answer torch = predictor.predict(text);
      const Tokens tokens = session.model().tokenizer().tokens(text, 20);
      const Answer native = config.task == Task::tag
                                ? session.run(std::span(&tokens, 1), Budget{budget})[0]
                                : session.run(std::span(&text, 1), Budget{budget})[0];
      expect_near(native.scores, torch.scores);
      EXPECT_EQ(native.labels, torch.labels);
      EXPECT_NEAR(native.score, torch.score, 1e-4 * std::max(1.0, std::abs(torch.score)));
      EXPECT_NEAR(native.logit, torch.logit, 1e-4 * std::max(1.0, std::abs(torch.logit)));
      expect_near({native.embedding.begin(), native.embedding.end()},
                  {torch.embedding.begin(), torch.embedding.end()});
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, Outputs,
    ::testing::Values(Example{Task::tag, tagged_rows, "conll", "", "f1", 0.9},
                      Example{Task::multilabel, label_rows, "csv", "", "f1", 0.85},
                      Example{Task::regress, number_rows, "csv", "", "spearman", 0.8},
                      Example{Task::rerank, judged_rows, "csv", "?text=2&text_pair=3", "ndcg", 0.9},
                      Example{Task::embed, scored_pairs, "csv", "?label=1&text=2&text_pair=3",
                              "spearman", 0.7}),
    [](const auto& given) { return std::string(task_name(given.param.task)); });

// Words that are names where they are capitalised.
std::string capital_rows(int rows, uint64_t seed) {
  Random random{seed};
  std::string conll;
  for (int i = 0; i < rows; ++i) {
    conll += some(noise, random) + " O\n";
    conll += random.below(2) == 0 ? "Rose B-PER\n" : "rose O\n";
    conll += some(noise, random) + " O\n\n";
  }
  return conll;
}

TEST(Tagger, OfALowerCaseVocabularyFindsNamesByTheirCapitals) {
  const TemporaryFolder folder;
  TrainRequest request = request_for("", folder.path() / "model");
  request.task.task = Task::tag;
  request.task.data = "conll:" + folder.write("train", capital_rows(240, 1)).string();
  request.task.validation_data = "conll:" + folder.write("dev", capital_rows(60, 2)).string();
  request.task.min_count = 1;
  request.method = Method::dense;
  request.recipe.dense_epochs = 8;
  request.recipe.dense_rate = 5e-3;
  EXPECT_EQ(train_quietly(request).scores[0].examples, 60) << "all of --validation-data";
  EXPECT_EQ(evaluate_at(request.out, request.task.validation_data, {1.0})[0].measures[0].value, 1);
  const ModelConfig config = read_config(request.out);
  EXPECT_TRUE(config.letter_case);
  Session session(EngineModel::load(request.out, config, {Precision::fp32, {}}), 1);
  const std::vector<Text> texts = {{"the old Rose was near the rose"}};
  const Answer answer = answer_texts(session, texts, std::vector<Budget>{{}}, {})[0];
  ASSERT_EQ(answer.entities.size(), 1U);
  EXPECT_EQ(answer.entities[0].start, 8);

  request.out = folder.path() / "plain";
  request.task.letter_case = false;
  EXPECT_LT(train_quietly(request).scores[0].measures[0].value, 0.9);
  EXPECT_FALSE(read_config(request.out).letter_case);
}

TEST(ValidationData, IsTheOfficialPartOfAKnownSetUnlessToldOtherwise) {
  const TemporaryFolder folder;
  fs::create_directories(folder.path() / "conll2003");
  for (const char* part : {"train", "valid", "test"}) {
    folder.write(std::string("conll2003/") + part + ".txt", capital_rows(40, 1));
  }
  TaskRequest request = default_request(Task::tag, false).task;
  request.data = "conll2003";
  request.data_dir = folder.path();
  EXPECT_EQ(validation_spec(request), "conll2003:validation");
  request.validation_rows = 10;
  EXPECT_EQ(validation_spec(request), "") << "so many are to be set aside";
  request.validation_rows = 0;
  request.validation_data = set_aside;
  EXPECT_EQ(validation_spec(request), "");
  request.validation_data = "conll:mine.txt";
  EXPECT_EQ(validation_spec(request), "conll:mine.txt");
  request.validation_rows = 10;
  expect_error(ErrorCode::usage, "leave one of them out", [&] { validation_spec(request); });

  request.validation_data.clear();
  request.validation_rows = 0;
  request.data = "conll2003+conll:more.txt";
  EXPECT_EQ(validation_spec(request), "") << "a file has no official part";
  request.data = "conll2003:test";
  EXPECT_EQ(validation_spec(request), "");
}

TEST(NumberModel, SaysItsNumbersInTheUnitsOfTheData) {
  const TemporaryFolder folder;
  TrainRequest request = request_for("", folder.path() / "model");
  request.task.task = Task::regress;
  request.task.data = "csv:" + folder.write("train", number_rows(240, 1)).string();
  request.method = Method::dense;
  request.recipe.dense_epochs = 10;
  request.recipe.dense_rate = 5e-3;
  train_quietly(request);
  EXPECT_NEAR(Predictor(request.out, 1.0, 1, "cpu").predict({"the apple pear"}).score, 1200, 60);
}

TEST(VectorModel, LearnsFromPairsAndTriples) {
  const TemporaryFolder folder;
  Random random{1};
  std::string csv;
  for (int i = 0; i < 240; ++i) {
    const size_t kind = random.below(3);
    csv += fruit[kind] + " " + filler(random) + "," + towns[kind] + " " + filler(random) + "," +
           towns[(kind + 1) % 3] + "\n";
  }
  const std::string data = "csv:" + folder.write("train", csv).string();
  for (const char* columns : {"?text=1&text_pair=2", "?text=1&text_pair=2&negative=3"}) {
    SCOPED_TRACE(columns);
    TrainRequest request = request_for("", folder.path() / "model");
    request.task.task = Task::embed;
    request.task.data = data + columns;
    request.method = Method::nested;
    request.recipe.dense_epochs = 8;
    request.recipe.nested_epochs = 4;
    request.recipe.dense_rate = request.recipe.nested_rate = 5e-3;
    const TrainReport report = train_quietly(request);
    EXPECT_EQ(report.scores[0].measures[0].name, "mrr");
    const Predictor predictor(request.out, 0.5, 1, "cpu");
    const auto cosine = [&](const char* a, const char* b) {
      const Answer first = predictor.predict({a});
      const Answer second = predictor.predict({b});
      double sum = 0;
      for (size_t i = 0; i < first.embedding.size(); ++i) {
        sum += static_cast<double>(first.embedding[i]) * second.embedding[i];
      }
      return sum;
    };
    EXPECT_GT(cosine("apple", "rome"), cosine("apple", "paris") + 0.2);
    EXPECT_NEAR(cosine("apple", "apple"), 1, 1e-5) << "normalised";
  }
}

TEST(SeveralLabels, HaveThresholdsAndACalibrationForEveryBudget) {
  const TemporaryFolder folder;
  TrainRequest request = request_for("", folder.path() / "model");
  request.task.task = Task::multilabel;
  request.task.data = "csv:" + folder.write("train", label_rows(200, 1)).string();
  request.method = Method::nested;
  request.recipe.dense_epochs = request.recipe.nested_epochs = 1;
  train_quietly(request);
  const OutputConfig output = read_config(request.out).output;
  EXPECT_EQ(output.thresholds.size(), 2U);
  ASSERT_EQ(output.calibration.size(), 5U);
  EXPECT_EQ(output.calibration.front().budget, 0.125);
  EXPECT_EQ(output.calibration.back(), ScoreCalibration{1.0});
}

TEST(NewOutputs, RefuseHeadsChosenForEachInput) {
  const TemporaryFolder folder;
  TrainRequest request = request_for("", folder.path() / "model");
  request.task.task = Task::tag;
  request.task.data = "conll:" + folder.write("train", tagged_rows(20, 1)).string();
  request.method = Method::adaptive;
  expect_error(ErrorCode::usage, "--method nested", [&] { train_quietly(request); });
}

// A passage answers if it has the query's word; no two queries ask for the same.
std::string matching_rows(int queries, uint64_t seed) {
  Random random{seed};
  std::string csv;
  for (int i = 0; i < queries; ++i) {
    const std::string word = "w" + std::to_string(i);
    for (int passage = 0; passage < 4; ++passage) {
      const std::string own = passage == i % 4 ? word : "w" + std::to_string((i + 7) % queries);
      csv += std::string(passage == i % 4 ? "1" : "0") + "," + word + "," + filler(random) + own +
             " " + filler(random) + "\n";
    }
  }
  return csv;
}

TEST(Rankings, ContainBm25WhereItRanksBetter) {
  const TemporaryFolder folder;
  TrainRequest request = request_for("", folder.path() / "model");
  request.task.task = Task::rerank;
  request.task.data =
      "csv:" + folder.write("train", matching_rows(60, 1)).string() + "?text=2&text_pair=3";
  request.task.eval_data = request.task.data;
  request.task.min_count = 1;
  request.task.validation_rows = 15;
  request.method = Method::nested;
  request.recipe.dense_epochs = request.recipe.nested_epochs = 0.5;
  const TrainReport report = train_quietly(request);
  const OutputConfig output = read_config(request.out).output;
  ASSERT_TRUE(output.lexical);
  for (const BudgetScore& score : report.scores) EXPECT_GE(measure_of(score, "ndcg"), 0.95);
  Session session(EngineModel::load(request.out));
  const Text right = {"w3", "old w3 with"};
  const Text wrong = {"w3", "old w4 with"};
  for (const double budget : {0.5, 1.0}) {
    const Predictor predictor(request.out, budget, 1, "cpu");
    const double logit = session.run(std::span(&right, 1), Budget{budget})[0].logit;
    EXPECT_NEAR(predictor.predict(right).logit, logit, 1e-4);
    EXPECT_GT(logit, session.run(std::span(&wrong, 1), Budget{budget})[0].logit);
  }
}

TEST(NewOutputs, StartFromAnotherModelsEncoder) {
  const TemporaryFolder folder;
  TrainRequest first =
      request_for(folder.write("train.csv", reviews(100, 1)), folder.path() / "classifier");
  first.recipe.dense_epochs = 0.2;
  first.method = Method::dense;
  train_quietly(first);
  TrainRequest second = request_for("", folder.path() / "tagger");
  second.init = first.out;
  second.task.task = Task::tag;
  second.task.data = "conll:" + folder.write("train", tagged_rows(60, 1)).string();
  second.method = Method::dense;
  second.recipe.dense_epochs = 0.2;
  train_quietly(second);
  const ModelConfig config = read_config(second.out);
  EXPECT_EQ(config.labels, (std::vector<std::string>{"O", "B-FOOD", "B-LOC", "I-LOC"}));
  EXPECT_EQ(config.shape.width, 16);
  second.init = second.out;  // its own labels and head come along
  second.out = folder.path() / "again";
  train_quietly(second);
  EXPECT_EQ(read_config(second.out).labels, config.labels);
}

}  // namespace
}  // namespace headroom
