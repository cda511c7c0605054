// An imported model against what Hugging Face's Transformers computed: text to ids to logits. And
// what is exported for Transformers against the engine at that budget.
#include "hf_model.h"

#include <gtest/gtest.h>

#include "checkpoint/exported_model.h"
#include "checkpoint/hf/export.h"
#include "checkpoint/hf/import.h"
#include "engine/session.h"

namespace headroom {
namespace {
using namespace testing;

std::vector<float> logits_of(const EngineModel& model, const Tokens& tokens, double budget) {
  Arena arena;
  std::vector<float> logits(static_cast<size_t>(model.config().shape.labels));
  const Tokens sequence = {tokens.ids, tokens.types};
  model.encoder().run({&sequence, 1}, model.plan(budget), logits, arena);
  return logits;
}

// Text to ids to logits, as expected.json has them.
void expect_transformers_answers(const std::string& name, const std::filesystem::path& checkpoint,
                                 Isa isa) {
  EngineOptions options;
  options.isa = isa;
  const auto model = EngineModel::load(checkpoint, options);
  const std::vector<HfCase> cases = hf_cases(name);
  ASSERT_GE(cases.size(), 27U);
  for (const HfCase& each : cases) {
    const Tokens tokens = encode_case(model->tokenizer(), each, model->config().longest_input());
    EXPECT_EQ(tokens.ids, each.tokens.ids) << each.text;
    EXPECT_EQ(tokens.types, each.tokens.types) << each.text;
    const std::vector<float> logits = logits_of(*model, tokens, 1.0);
    ASSERT_EQ(logits.size(), each.logits.size());
    for (size_t i = 0; i < logits.size(); ++i) {
      EXPECT_NEAR(logits[i], each.logits[i], 1e-5) << each.text;
    }
  }
}

class ImportedModel : public ::testing::TestWithParam<Isa> {};

INSTANTIATE_TEST_SUITE_P(On, ImportedModel, ::testing::ValuesIn(usable_isas()),
                         [](const auto& tested) { return std::string(isa_name(tested.param)); });

TEST_P(ImportedModel, GivesTextsAndPairsTheIdsAndLogitsOfTransformers) {
  for (const std::string& name : hf_models) {
    const TemporaryFolder folder;
    import_hf_folder(hf_model_folder(name), folder.path() / "model");
    expect_transformers_answers(name, folder.path() / "model", GetParam());
  }
}

TEST_P(ImportedModel, GivesTheSameAfterExportAndImport) {
  for (const std::string& name : hf_models) {
    const TemporaryFolder folder;
    import_hf_folder(hf_model_folder(name), folder.path() / "in");
    export_hf_folder(folder.path() / "in", 1.0, HfForm::dense_equivalent, folder.path() / "out");
    import_hf_folder(folder.path() / "out", folder.path() / "again");
    expect_transformers_answers(name, folder.path() / "again", GetParam());
  }
}

TEST_P(ImportedModel, GivesTextsTheVectorsOfSentenceTransformers) {
  const TemporaryFolder folder;
  import_hf_folder(hf_model_folder("mpnet-embed"), folder.path() / "model");
  EngineOptions options;
  options.isa = GetParam();
  Session session(EngineModel::load(folder.path() / "model", options));
  for (const HfCase& each : hf_cases("mpnet-embed")) {
    const Text text{each.text};
    const std::vector<float> vector = session.run({&text, 1}, Budget{}).at(0).embedding;
    ASSERT_EQ(vector.size(), each.embedding.size());
    for (size_t i = 0; i < vector.size(); ++i) {
      EXPECT_NEAR(vector[i], each.embedding[i], 1e-5) << each.text;
    }
  }
}

// Texts of one, of few and of as many tokens as fit.
std::vector<Tokens> some_texts(const EngineModel& model) {
  std::vector<Tokens> texts;
  for (const char* text : {"", "q w e r t y", "a b c d e f g h i j k l m n o p q r s t u v w"}) {
    texts.push_back(
        {model.tokenizer().encode(text, static_cast<int>(model.config().shape.positions)), {}});
  }
  return texts;
}

// One text after another through both: the same logits to 1e-5.
void expect_equal_answers(const EngineModel& expected, double budget, const EngineModel& found) {
  EXPECT_EQ(found.config().method, Method::dense);
  for (const Tokens& text : some_texts(expected)) {
    const std::vector<float> logits = logits_of(expected, text, budget);
    const std::vector<float> again = logits_of(found, text, 1.0);
    for (size_t i = 0; i < logits.size(); ++i) EXPECT_NEAR(again[i], logits[i], 1e-5) << budget;
  }
}

class ExportedModel : public ::testing::TestWithParam<HfForm> {
 protected:
  std::shared_ptr<const EngineModel> exported(const std::filesystem::path& from, double budget,
                                              HfForm form) const {
    const auto out = folder_.path() / (from.filename().string() + "-exported");
    export_hf_folder(from, budget, form, out);
    return EngineModel::load(out);
  }

  TemporaryFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(As, ExportedModel,
                         ::testing::Values(HfForm::compact, HfForm::dense_equivalent),
                         [](const auto& tested) {
                           return tested.param == HfForm::compact ? "compact" : "dense_equivalent";
                         });

TEST_P(ExportedModel, AnswersAsTheEngineDoesAtThatBudget) {
  const auto path = write_nested(folder_);
  const auto elastic = EngineModel::load(path);
  for (const double budget : {0.25, 0.5, 1.0}) {
    expect_equal_answers(*elastic, budget, *exported(path, budget, GetParam()));
  }
}

TEST_P(ExportedModel, MayComeFromACompactOne) {
  const auto path = write_nested(folder_);
  const auto compact = folder_.path() / "compact";
  export_hf_folder(path, 0.5, HfForm::compact, compact);
  expect_equal_answers(*EngineModel::load(path), 0.5, *exported(compact, 1.0, GetParam()));
}

// Heads in the middle stay, under their numbers.
TEST_P(ExportedModel, KeepsTheHeadsThatGatesChoose) {
  const auto path = write_gated(folder_);
  const auto elastic = EngineModel::load(path);
  for (const double budget : {0.25, 0.5}) {
    expect_equal_answers(*elastic, budget, *exported(path, budget, GetParam()));
  }
}

TEST_F(ExportedModel, WithSkippedLayersIsCompact) {
  const auto path = write_nested(folder_, /*by_depth=*/true);
  const auto found = exported(path, 0.25, HfForm::compact);
  expect_equal_answers(*EngineModel::load(path), 0.25, *found);
  EXPECT_EQ(found->config().stored->heads_of(1), 0);
}

}  // namespace
}  // namespace headroom
