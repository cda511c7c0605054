// Every output at every budget of a nested model, against plain arithmetic; calibration; what may
// be asked of answers.
#include <gtest/gtest.h>

#include "engine/agreement.h"
#include "engine/answers/answer_texts.h"
#include "engine/answers/rank.h"
#include "engine/answers/rank_rounds.h"
#include "engine/answers/vectors.h"
#include "engine/tags/windows.h"

namespace headroom {
namespace {

using namespace testing;

const std::vector<double> budgets = {0.25, 0.5, 1};

ModelShape shape_of(Task task, int64_t dense = 0) {
  ModelShape shape = small_shape(24);
  if (traits(task).output == OutputForm::score) shape.labels = 1;
  if (task == Task::embed) shape.labels = 0;
  shape.dense = dense;
  return shape;
}

Tokens some_tokens(int64_t length = 9) {
  Random random{5};
  return {random_ids(random, length)};
}

Answer answer_of(const RandomCheckpoint& checkpoint, const Tokens& tokens, double budget) {
  Session session(EngineModel::load(checkpoint.path()));
  return session.run(std::span(&tokens, 1), Budget{budget}).at(0);
}

std::vector<double> softmax(std::vector<double> x) {
  double sum = 0;
  for (double& each : x) sum += each = std::exp(each);
  for (double& each : x) each /= sum;
  return x;
}

double logistic(double x) {
  return 1 / (1 + std::exp(-x));
}

std::vector<double> pooled(const Matrix& states, Pooling pooling) {
  std::vector<double> vector = states[0];
  for (size_t d = 0; d < vector.size(); ++d) {
    for (size_t row = 1; row < states.size() && pooling != Pooling::cls; ++row) {
      vector[d] = pooling == Pooling::max ? std::max(vector[d], states[row][d])
                                          : vector[d] + states[row][d];
    }
    if (pooling == Pooling::mean) vector[d] /= static_cast<double>(states.size());
  }
  return vector;
}

TEST(Outputs, VectorsArePooledRows) {
  for (const Pooling pooling : {Pooling::mean, Pooling::cls, Pooling::max}) {
    for (const int64_t dense : {0, 5}) {
      OutputConfig output;
      output.vector.pooling = pooling;
      output.vector.normalize = dense == 0;
      output.vector.activation = DenseActivation::tanh;
      const RandomCheckpoint checkpoint(shape_of(Task::embed, dense), 1, {}, Task::embed, output);
      for (const double budget : budgets) {
        const Selection selection = checkpoint.config().selection(budget);
        std::vector<double> expected =
            pooled(checkpoint.plain().states(some_tokens(), selection), pooling);
        if (dense > 0) {
          expected = checkpoint.plain().linear({expected}, "dense")[0];
          for (double& x : expected) x = std::tanh(x);
        } else {
          double squares = 0;
          for (const double x : expected) squares += x * x;
          for (double& x : expected) x /= std::sqrt(squares);
        }
        const Answer answer = answer_of(checkpoint, some_tokens(), budget);
        ASSERT_EQ(answer.embedding.size(), expected.size());
        for (size_t d = 0; d < expected.size(); ++d) {
          EXPECT_NEAR(answer.embedding[d], expected[d], 2e-5) << pooling_table.name(pooling);
        }
      }
    }
  }
}

TEST(Outputs, TagsAreOfEveryToken) {
  const RandomCheckpoint checkpoint(shape_of(Task::tag), 1, {}, Task::tag);
  for (const double budget : budgets) {
    const Selection selection = checkpoint.config().selection(budget);
    const Matrix logits = checkpoint.plain().linear(
        checkpoint.plain().states(some_tokens(), selection), "classifier");
    const Answer answer = answer_of(checkpoint, some_tokens(), budget);
    ASSERT_EQ(answer.scores.size(), logits.size() * 3);
    for (size_t row = 0; row < logits.size(); ++row) {
      const std::vector<double> expected = softmax(logits[row]);
      for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(answer.scores[row * 3 + i], expected[i], 2e-5);
    }
  }
}

TEST(Outputs, SeveralLabelsHaveASigmoidAndAThresholdEach) {
  OutputConfig output;
  output.thresholds = {0, 1, 0.5};
  const RandomCheckpoint checkpoint(shape_of(Task::multilabel), 1, {}, Task::multilabel, output);
  for (const double budget : budgets) {
    const std::vector<double> logits =
        checkpoint.plain().logits(some_tokens(), checkpoint.config().selection(budget));
    const Answer answer = answer_of(checkpoint, some_tokens(), budget);
    for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(answer.scores[i], logistic(logits[i]), 2e-5);
    const bool third = answer.scores[2] >= 0.5;
    EXPECT_EQ(answer.labels, third ? (std::vector<size_t>{0, 2}) : std::vector<size_t>{0});
  }
}

TEST(Outputs, AScoreIsANumberOrItsSigmoid) {
  for (const Task task : {Task::regress, Task::rerank}) {
    const RandomCheckpoint checkpoint(shape_of(task), 1, {}, task);
    for (const double budget : budgets) {
      const double logit =
          checkpoint.plain().logits(some_tokens(), checkpoint.config().selection(budget))[0];
      const Answer answer = answer_of(checkpoint, some_tokens(), budget);
      EXPECT_NEAR(answer.logit, logit, 2e-5);
      EXPECT_NEAR(answer.score, task == Task::rerank ? logistic(logit) : logit, 2e-5);
    }
  }
}

TEST(Outputs, CalibrationOfTheBudgetIsApplied) {
  OutputConfig fitted;
  fitted.calibration = {{0.25, 2, 0.5}, {1, 1, 0}};
  for (const Task task : {Task::classify, Task::multilabel, Task::rerank, Task::tag}) {
    const RandomCheckpoint plain(shape_of(task), 1, {}, task);
    const RandomCheckpoint calibrated(shape_of(task), 1, {}, task, fitted);
    const Answer whole = answer_of(plain, some_tokens(), 1);
    EXPECT_EQ(answer_of(calibrated, some_tokens(), 1).scores, whole.scores) << task_name(task);
    const Answer before = answer_of(plain, some_tokens(), 0.25);
    const Answer after = answer_of(calibrated, some_tokens(), 0.25);
    if (task == Task::rerank) {
      EXPECT_NEAR(after.logit, before.logit / 2 + 0.5, 1e-12);
      EXPECT_NEAR(after.score, logistic(after.logit), 1e-12);
    } else if (task == Task::multilabel) {
      const double logit = std::log(before.scores[0] / (1 - before.scores[0]));
      EXPECT_NEAR(after.scores[0], logistic(logit / 2 + 0.5), 1e-9);
    } else {
      const double ratio = before.scores[0] / before.scores[1];
      EXPECT_NEAR(after.scores[0] / after.scores[1], std::sqrt(ratio), 1e-9) << task_name(task);
    }
  }
}

// One text through the door of texts.
Answer asked(const RandomCheckpoint& checkpoint, std::string_view text,
             const AnswerOptions& options) {
  Session session(EngineModel::load(checkpoint.path()));
  const Text one{text};
  const Budget budget;
  return answer_texts(session, {&one, 1}, {&budget, 1}, options).at(0);
}

TEST(Vectors, MayBeShortened) {
  const RandomCheckpoint checkpoint(shape_of(Task::embed), 1, {}, Task::embed);
  const std::vector<float> whole = asked(checkpoint, "a b", {}).embedding;
  AnswerOptions options;
  options.dimensions = 4;
  const std::vector<float> first = asked(checkpoint, "a b", options).embedding;
  ASSERT_EQ(first.size(), 4U);
  double squares = 0;
  for (const float x : first) squares += static_cast<double>(x) * x;
  EXPECT_NEAR(squares, 1, 1e-6) << "length 1 again";
  EXPECT_NEAR(first[1] / first[0], whole[1] / whole[0], 1e-4);
  options.dimensions = 32;
  EXPECT_EQ(asked(checkpoint, "a b", options).embedding, whole);
  for (const int64_t wrong : {0, -1, 33}) {
    options.dimensions = wrong;
    expect_error(ErrorCode::usage, "this model's vectors have 1 to 32",
                 [&] { asked(checkpoint, "a b", options); });
  }
}

TEST(Vectors, GetTheModelsPrompts) {
  OutputConfig output;
  output.vector.prompts = {{"query", "q "}, {"passage", "p "}};
  const RandomCheckpoint plain(shape_of(Task::embed), 1, {}, Task::embed, output);
  AnswerOptions options;
  options.prompt = "query";
  EXPECT_EQ(asked(plain, "a b", options).embedding, asked(plain, "q a b", {}).embedding);
  options.prompt = "passages";
  expect_error(ErrorCode::usage, "prompt \"passages\" is not one of passage, query",
               [&] { asked(plain, "a b", options); });
  output.vector.default_prompt = "passage";
  const RandomCheckpoint usual(shape_of(Task::embed), 1, {}, Task::embed, output);
  EXPECT_EQ(asked(usual, "a b", {}).embedding, asked(plain, "p a b", {}).embedding);
}

TEST(Vectors, OfEmptyTextsAreThoseOfTheSpecialTokens) {
  const RandomCheckpoint checkpoint(shape_of(Task::embed), 1, {}, Task::embed);
  EXPECT_EQ(asked(checkpoint, "", {}).tokens, 2);
  EXPECT_EQ(asked(checkpoint, "", {}).embedding, asked(checkpoint, "  ", {}).embedding);
}

TEST(AnswerOptions, OfAnotherOutputAreRefused) {
  const RandomCheckpoint classifier(small_shape());
  const RandomCheckpoint vectors(shape_of(Task::embed), 1, {}, Task::embed);
  AnswerOptions options;
  options.dimensions = 2;
  expect_error(ErrorCode::usage, "dimensions is for models of task embed",
               [&] { asked(classifier, "a", options); });
  options = {};
  options.aggregation = Aggregation::max;
  expect_error(ErrorCode::usage, "aggregation is for models of task tag",
               [&] { asked(vectors, "a", options); });
}

TEST(Ranking, PairsTheQueryAsTheTokenizerDoes) {
  const RandomCheckpoint checkpoint(shape_of(Task::rerank), 1, {}, Task::rerank);
  const auto model = EngineModel::load(checkpoint.path());
  const std::string long_query = "a b c d e f g h i j k l m n o p q r s t u v w x y z";
  const std::vector<std::string_view> passages = {"", "c d", long_query};
  for (const std::string& query : {std::string("a b"), std::string(), long_query}) {
    const std::vector<Tokens> pairs = query_pairs(*model, query, passages);
    ASSERT_EQ(pairs.size(), passages.size());
    for (size_t i = 0; i < pairs.size(); ++i) {
      const Tokens expected = tokenise(*model, {query, passages[i]});
      EXPECT_EQ(pairs[i].ids, expected.ids) << query << " | " << passages[i];
      EXPECT_EQ(pairs[i].types, expected.types);
    }
  }
}

TEST(Ranking, PutsTheBestFirstAndKeepsTheOrderOfEquals) {
  std::vector<Answer> answers(4);
  answers[1].logit = 2;
  answers[3].logit = -1;
  EXPECT_EQ(ranking(answers), (std::vector<size_t>{1, 0, 2, 3}));
  expect_error(ErrorCode::usage, "a ranker has one score", [] {
    const RandomCheckpoint classifier(small_shape());
    Session session(EngineModel::load(classifier.path()));
    rank_passages(session, "a", {}, {});
  });
}

TEST(Ranking, RefinesTheBestQuarterButAtLeastTen) {
  const RandomCheckpoint checkpoint(shape_of(Task::rerank), 1, {}, Task::rerank);
  EXPECT_EQ(rank_rounds(checkpoint.config(), 100).refined, 25U);
  EXPECT_EQ(rank_rounds(checkpoint.config(), 50).refined, 13U);
  EXPECT_EQ(rank_rounds(checkpoint.config(), 11).refined, 10U);
  EXPECT_EQ(rank_rounds(checkpoint.config(), 10).refined, 0U) << "nothing to leave out";
  EXPECT_EQ(rank_rounds(checkpoint.config(), 10).first, 1);
  ModelConfig dense = checkpoint.config();
  dense.order.reset();
  EXPECT_EQ(rank_rounds(dense, 100).first, 1) << "it has no smaller budget";
}

TEST(Ranking, GivesTheBestOfAFirstRoundTheFullBudget) {
  const RandomCheckpoint checkpoint(shape_of(Task::rerank), 1, {}, Task::rerank);
  Session session(EngineModel::load(checkpoint.path()));
  std::vector<std::string> texts;
  for (char c = 'a'; c <= 'v'; ++c) texts.push_back(std::string(1, c) + " b");
  const std::vector<std::string_view> passages(texts.begin(), texts.end());
  const auto small = rank_passages(session, "a b", passages, {0.25});
  const auto full = rank_passages(session, "a b", passages, {});
  const auto both = rank_passages(session, "a b", passages, {.automatic = true});
  const std::vector<size_t> order = ranking(small);
  for (size_t i = 0; i < order.size(); ++i) {
    const bool refined = i < 10;
    const Answer& answer = both[order[i]];
    EXPECT_EQ(answer.logit, (refined ? full : small)[order[i]].logit);
    EXPECT_EQ(answer.budget, refined ? 1.25 : 0.25);
    EXPECT_EQ(answer.rungs, refined ? (std::vector{0.25, 1.0}) : std::vector{0.25});
  }
  const Text pair = {"a", "b"};
  expect_error(ErrorCode::usage, "ask rerank",
               [&] { session.run(std::span(&pair, 1), {.automatic = true}); });
}

TEST(Outputs, WithoutAnAutomaticBudgetSayWhatToDoInstead) {
  const Text text = {"a b"};
  for (const Task task : {Task::tag, Task::embed, Task::multilabel, Task::regress}) {
    const RandomCheckpoint checkpoint(shape_of(task), 1, {}, task);
    Session session(EngineModel::load(checkpoint.path()));
    expect_error(ErrorCode::usage, "give a fraction or a latency",
                 [&] { session.run(std::span(&text, 1), {.automatic = true}); });
    expect_error(ErrorCode::usage, "give a fraction above 0",
                 [&] { session.run(std::span(&text, 1), Budget{0}); });
  }
}

TEST(Ranking, ALatencyIsThatOfAllPassages) {
  const RandomCheckpoint checkpoint(shape_of(Task::rerank), 1, {}, Task::rerank);
  // A pair takes its budget in milliseconds, at any length.
  LatencyTable table{"", "fp32", 1, "", {}};
  for (const double budget : {0.125, 0.25, 0.5, 1.0}) {
    for (const int64_t tokens : {1, 64}) table.cells.push_back({budget, tokens, budget, budget});
  }
  Session session(EngineModel::load(checkpoint.path()), 1, table);
  std::vector<std::string> texts;
  for (char c = 'a'; c <= 't'; ++c) texts.push_back(std::string(1, c) + " b");
  const std::vector<std::string_view> passages(texts.begin(), texts.end());
  ASSERT_EQ(passages.size(), 20U);
  const auto within = [&](double ms, bool automatic) {
    return rank_passages(session, "a b", passages, {.latency_ms = ms, .automatic = automatic});
  };
  const auto refined = [&](double ms) {
    const std::vector<Answer> answers = within(ms, true);
    return std::count_if(answers.begin(), answers.end(),
                         [](const Answer& answer) { return answer.rungs.size() == 2; });
  };
  EXPECT_EQ(within(20, false)[7].budget, 1);
  EXPECT_EQ(within(19, false)[7].budget, 0.5);
  expect_error(ErrorCode::target_unreachable, "20 passages", [&] { within(2, false); });
  EXPECT_EQ(refined(15), 10) << "5 ms, then 10";
  EXPECT_EQ(refined(8.5), 3) << "of which there is time for";
  EXPECT_EQ(refined(5.5), 0);
  const Answer least = rank_passages(session, "a b", passages, {0.125})[7];
  EXPECT_EQ(within(3, true)[7].rungs, std::vector{least.budget}) << "no time for a quarter";
  EXPECT_EQ(within(3, true)[7].logit, least.logit);
  expect_error(ErrorCode::target_unreachable, "20 passages", [&] { within(2, true); });
  Session without(EngineModel::load(checkpoint.path()));
  expect_error(ErrorCode::usage, "headroom calibrate",
               [&] { rank_passages(without, "a b", passages, {.latency_ms = 5}); });
}

TEST(Ranking, AddsBm25AsTheCalibrationSays) {
  OutputConfig output;
  output.calibration = {{0.25, 1, 0}, {1, 2, 3}};
  const RandomCheckpoint plain(shape_of(Task::rerank), 1, {}, Task::rerank, output);
  const Vocabulary vocabulary = letters("bert");
  output.lexical = TokenBm25{vocabulary.sep_id(), 2, {}};
  output.lexical->rarity.assign(static_cast<size_t>(vocabulary.size()), 16);
  output.calibration = {{0.25, 1, 0, 0.5}, {1, 2, 3, 0.25}};
  const RandomCheckpoint blended(shape_of(Task::rerank), 1, {}, Task::rerank, output);
  Session without(EngineModel::load(plain.path()));
  Session with(EngineModel::load(blended.path()));
  const std::vector<std::string_view> passages = {"x y", "a", "b a a"};
  for (const Budget budget : {Budget{0.25}, Budget{1}}) {
    const auto network = rank_passages(without, "a b", passages, budget);
    const auto all = rank_passages(with, "a b", passages, budget);
    const double weight = budget.fraction < 1 ? 0.5 : 0.25;
    const auto pairs = query_pairs(with.model(), "a b", passages);
    for (size_t i = 0; i < passages.size(); ++i) {
      const double bm25 = output.lexical->score(pairs[i].ids);
      EXPECT_DOUBLE_EQ(all[i].logit, network[i].logit + weight * bm25);
      EXPECT_DOUBLE_EQ(all[i].score, logistic(all[i].logit));
    }
    EXPECT_EQ(all[0].logit, network[0].logit) << "no word in common";
    EXPECT_GT(all[1].logit, network[1].logit);
    const Text pair = {"a b", passages[2]};
    EXPECT_EQ(with.run(std::span(&pair, 1), budget)[0].logit, all[2].logit) << "a pair alone";
  }
}

TEST(Windows, OverlapAndGiveEveryTokenItsMiddle) {
  const RandomCheckpoint checkpoint(shape_of(Task::tag), 1, {}, Task::tag);
  const auto model = EngineModel::load(checkpoint.path());
  std::string text;
  for (int i = 0; i < 40; ++i) text += i == 0 ? "a" : " a";
  const TextWindows windows(model->tokenizer(), text, 10);  // 8 pieces, of which 2 are shared
  EXPECT_EQ(windows.pieces().size(), 40U);
  ASSERT_EQ(windows.inputs().size(), 7U);
  for (const Tokens& window : windows.inputs()) EXPECT_LE(window.ids.size(), 10U);
  // Scores that say which window and row they are of.
  std::vector<Answer> answers(windows.inputs().size());
  for (size_t w = 0; w < answers.size(); ++w) {
    for (size_t row = 0; row < windows.inputs()[w].ids.size(); ++row) {
      answers[w].scores.push_back(static_cast<double>(100 * w + row));
    }
  }
  const auto scores = windows.scores(answers, 1);
  ASSERT_EQ(scores.size(), 40U);
  for (size_t i = 0; i < scores.size(); ++i) {
    const auto place = static_cast<size_t>(scores[i][0]);
    const size_t window = place / 100;
    const size_t row = place % 100;
    EXPECT_EQ(6 * window + row - 1, i) << "the row of that very token";
    const bool first = window == 0;
    const bool last = window + 1 == answers.size();
    EXPECT_TRUE(first || row - 1 >= 1) << "a token at an edge has its context elsewhere";
    EXPECT_TRUE(last || row - 1 <= 6);
  }
}

TEST(Windows, OfAShortOrEmptyTextAreOne) {
  const RandomCheckpoint checkpoint(shape_of(Task::tag), 1, {}, Task::tag);
  const auto model = EngineModel::load(checkpoint.path());
  EXPECT_EQ(TextWindows(model->tokenizer(), "", 10).inputs().at(0).ids.size(), 2U);
  EXPECT_EQ(TextWindows(model->tokenizer(), "a b", 10).inputs().size(), 1U);
  expect_error(ErrorCode::usage, "none is left", [&] { TextWindows(model->tokenizer(), "a", 2); });
}

TEST(Tags, AreOfOneText) {
  const RandomCheckpoint checkpoint(shape_of(Task::tag), 1, {}, Task::tag);
  Session session(EngineModel::load(checkpoint.path()));
  const Text pair{"a", "b"};
  const Budget budget;
  expect_error(ErrorCode::bad_data, "one text, not two", [&] {
    answer_texts(session, {&pair, 1}, {&budget, 1}, {});
  });
}

TEST(Tags, OfALongTextAreThoseOfItsWindows) {
  const RandomCheckpoint checkpoint(shape_of(Task::tag), 1, {}, Task::tag);
  std::string text = "a";
  for (int i = 1; i < 60; ++i) text += std::string(" ") + static_cast<char>('a' + i % 26);
  AnswerOptions options;
  options.token_tags = true;
  const Answer answer = asked(checkpoint, text, options);
  ASSERT_EQ(answer.token_tags.size(), 60U);
  for (size_t i = 0; i < 60; ++i) {
    EXPECT_EQ(answer.token_tags[i].start, static_cast<int64_t>(2 * i));
    EXPECT_EQ(answer.token_tags[i].end, static_cast<int64_t>(2 * i + 1));
  }
  EXPECT_GT(answer.tokens, 60);
  EXPECT_TRUE(asked(checkpoint, "", options).entities.empty());
  EXPECT_TRUE(asked(checkpoint, "", options).token_tags.empty());
}

}  // namespace
}  // namespace headroom
