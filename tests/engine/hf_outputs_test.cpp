// Imported models of every output against what Transformers and Sentence Transformers computed:
// vectors, rankings, several labels, tags. And again after export and import.
#include <gtest/gtest.h>

#include "checkpoint/hf/export.h"
#include "checkpoint/hf/import.h"
#include "engine/answers/answer_texts.h"
#include "engine/answers/rank.h"
#include "hf_model.h"
#include "support.h"

namespace headroom {
namespace {
using namespace testing;

// One that was imported, and one that was exported and imported once more.
class Imported {
 public:
  explicit Imported(const std::string& name) {
    import_hf_folder(hf_model_folder(name), folder_.path() / "in");
    export_hf_folder(folder_.path() / "in", 1.0, HfForm::dense_equivalent, folder_.path() / "out");
    import_hf_folder(folder_.path() / "out", folder_.path() / "again");
  }
  std::vector<std::filesystem::path> both() const {
    return {folder_.path() / "in", folder_.path() / "again"};
  }

 private:
  TemporaryFolder folder_;
};

Answer ask(Session& session, const HfCase& each, const AnswerOptions& options = {}) {
  const Text text{each.text, each.pair};
  const Budget budget;
  return answer_texts(session, {&text, 1}, {&budget, 1}, options).at(0);
}

TEST(HfOutputs, VectorsAreThoseOfSentenceTransformers) {
  for (const std::string name : {"bert-embed-mean", "bert-embed-cls", "mpnet-embed"}) {
    const Imported imported(name);
    for (const auto& path : imported.both()) {
      Session session(EngineModel::load(path));
      for (const HfCase& each : hf_cases(name)) {
        const Answer answer = ask(session, each);
        EXPECT_EQ(answer.tokens, static_cast<int64_t>(each.tokens.ids.size()));
        ASSERT_EQ(answer.embedding.size(), each.embedding.size());
        for (size_t d = 0; d < each.embedding.size(); ++d) {
          EXPECT_NEAR(answer.embedding[d], each.embedding[d], 1e-5) << name << ": " << each.text;
        }
      }
    }
  }
}

TEST(HfOutputs, RankingsAreThoseOfTheCrossEncoder) {
  const Imported imported("bert-rerank");
  for (const auto& path : imported.both()) {
    Session session(EngineModel::load(path));
    EXPECT_EQ(session.model().config().task, Task::rerank);
    for (const HfCase& each : hf_cases("bert-rerank")) {
      const std::string_view passage = *each.pair;
      const std::vector<Answer> answers = rank_passages(session, each.text, {&passage, 1}, {});
      EXPECT_NEAR(answers.at(0).logit, each.logits[0], 1e-5) << each.text;
      EXPECT_EQ(ask(session, each).logit, answers.at(0).logit) << "the pair as two texts";
    }
  }
}

TEST(HfOutputs, SeveralLabelsHaveTheirSigmoids) {
  const Imported imported("bert-multilabel");
  for (const auto& path : imported.both()) {
    Session session(EngineModel::load(path));
    EXPECT_EQ(session.model().config().labels,
              (std::vector<std::string>{"alpha", "beta", "gamma", "delta"}));
    for (const HfCase& each : hf_cases("bert-multilabel")) {
      const Answer answer = ask(session, each);
      std::vector<size_t> above;
      for (size_t i = 0; i < each.logits.size(); ++i) {
        EXPECT_NEAR(answer.scores[i], 1 / (1 + std::exp(-each.logits[i])), 1e-5) << each.text;
        if (each.logits[i] >= 0) above.push_back(i);
      }
      EXPECT_EQ(answer.labels, above) << each.text;
    }
  }
}

void expect_tags(const HfCase& each, const std::vector<TaggedToken>& tags) {
  ASSERT_EQ(tags.size(), each.tokens.ids.size() - 2) << each.text;
  for (size_t i = 0; i < tags.size(); ++i) {
    EXPECT_EQ(tags[i].token, each.spelled[i + 1]) << each.text;
    EXPECT_EQ(tags[i].start, each.offsets[i + 1].first) << each.text << " " << tags[i].token;
    EXPECT_EQ(tags[i].end, each.offsets[i + 1].second) << each.text << " " << tags[i].token;
    double sum = 0;
    for (const double logit : each.token_logits[i + 1]) sum += std::exp(logit);
    for (size_t label = 0; label < tags[i].scores.size(); ++label) {
      EXPECT_NEAR(tags[i].scores[label], std::exp(each.token_logits[i + 1][label]) / sum, 1e-5);
    }
  }
}

TEST(HfOutputs, TagsAndTheirOffsetsAreThoseOfTransformers) {
  AnswerOptions options;
  options.token_tags = true;
  for (const std::string name : {"bert-ner", "roberta-ner"}) {
    const Imported imported(name);
    for (const auto& path : imported.both()) {
      Session session(EngineModel::load(path));
      for (const HfCase& each : hf_cases(name)) {
        if (each.tokens.ids.size() >= 128) continue;  // cut there, read in windows here
        expect_tags(each, ask(session, each, options).token_tags);
      }
    }
  }
}

}  // namespace
}  // namespace headroom
