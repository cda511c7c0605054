// Folders for Transformers: what is zero in them, what is beside the weights, what is refused.
#include "checkpoint/hf/export.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/files/file.h"
#include "checkpoint/exported_model.h"
#include "checkpoint/hf_fixture.h"
#include "checkpoint/policy_file.h"
#include "checkpoint/tensors/safetensors.h"

namespace headroom {
namespace {
using namespace testing;

Json exported_config(const std::filesystem::path& folder) {
  return parse_json(read_file(folder / "config.json", ErrorCode::bad_data), ErrorCode::bad_data,
                    "config.json");
}

TEST(HfExport, RemovedUnitsAreZeroColumnsAndTheRestIsUntouched) {
  const TemporaryFolder folder;
  const auto path = write_nested(folder);
  const auto out = folder.path() / "out";
  export_hf_folder(path, 0.5, HfForm::dense_equivalent,
                   out);  // 2 of 4 heads of width 8, 32 of 64 neurons
  const SafetensorsFile before(path / "model.safetensors");
  const SafetensorsFile after(out / "model.safetensors");
  ASSERT_EQ(before.names(), after.names());
  for (const std::string& name : before.names()) {
    const bool loses_units =
        name.find(".layer.") != std::string::npos && name.ends_with("output.dense.weight");
    const std::vector<float> stored = before.read_f32(name);
    const std::vector<float> found = after.read_f32(name);
    const size_t columns = static_cast<size_t>(before.shape(name).back());
    for (size_t i = 0; i < stored.size(); ++i) {
      const bool removed = loses_units && i % columns >= columns / 2;
      ASSERT_EQ(found[i], removed ? 0.0F : stored[i]) << name << " " << i;
    }
  }
}

TEST(HfExport, ACompactFolderHoldsOnlyWhatTheBudgetKeeps) {
  const TemporaryFolder folder;
  const auto path = write_gated(folder);
  const auto out = folder.path() / "out";
  export_hf_folder(path, 0.5, HfForm::compact, out);  // heads 1 and 2 of layer 0; of width 8
  const ModelConfig config = read_config(out);
  ASSERT_TRUE(config.stored);
  EXPECT_EQ(config.stored->kept, (std::vector<std::vector<int32_t>>{{1, 2}, {0, 3}}));
  EXPECT_EQ(exported_config(out)["headroom"]["format"], 2);
  const SafetensorsFile before(path / "model.safetensors");
  const SafetensorsFile after(out / "model.safetensors");
  const std::string layer = "bert.encoder.layer.0.";
  after.expect_shape(layer + "attention.self.query.weight", {16, 32});
  after.expect_shape(layer + "attention.output.dense.weight", {32, 16});
  after.expect_shape(layer + "intermediate.dense.weight", {64, 32});
  const std::vector<float> bias = before.read_f32(layer + "attention.self.value.bias");
  EXPECT_EQ(after.read_f32(layer + "attention.self.value.bias"),
            (std::vector<float>(bias.begin() + 8, bias.begin() + 24)));
}

TEST(HfExport, AtBudgetOneACompactFolderIsWhole) {
  const TemporaryFolder folder;
  const auto out = folder.path() / "out";
  export_hf_folder(write_nested(folder), 1.0, HfForm::compact, out);
  EXPECT_FALSE(read_config(out).stored);
}

TEST(HfExport, ACompactFolderNeedsNoImport) {
  const TemporaryFolder folder;
  const auto out = folder.path() / "out";
  export_hf_folder(write_nested(folder), 0.5, HfForm::compact, out);
  expect_error(ErrorCode::bad_model, "a compact checkpoint already",
               [&] { import_hf_folder(out, folder.path() / "again"); });
}

TEST(HfExport, AnotherAttentionIsNoBert) {
  const TemporaryFolder folder;
  const auto path = write_config_alone(folder, AttentionKind::efficient);
  expect_error(ErrorCode::usage, "its attention is efficient", [&] {
    export_hf_folder(path, 1.0, HfForm::dense_equivalent, folder.path() / "out");
  });
}

TEST(HfExport, ConfigSaysWhatTransformersAsksFor) {
  HfFixture fixture;
  fixture.imported();
  const auto out = fixture.folder().path() / "out";
  export_hf_folder(fixture.out(), 1.0, HfForm::dense_equivalent, out);
  const Json config = exported_config(out);
  EXPECT_EQ(config["model_type"], "bert");
  EXPECT_EQ(config["architectures"], Json({"BertForSequenceClassification"}));
  EXPECT_EQ(config["dtype"], "float32");
  EXPECT_EQ(config["torch_dtype"], "float32");
  EXPECT_EQ(config["label2id"], Json({{"bad", 0}, {"good", 1}}));
  EXPECT_EQ(config["pad_token_id"], 0);
}

TEST(HfExport, TokenizerCardAndLicenceTravelAlong) {
  HfFixture fixture;
  fixture.write("README.md", "---\nlicense: mit\n---\n");
  fixture.write("LICENSE", "Permission\n");
  fixture.write_all();
  fixture.write("tokenizer_config.json", R"({"do_lower_case":false})");
  import_hf_folder(fixture.path(), fixture.out());
  const auto out = fixture.folder().path() / "out";
  export_hf_folder(fixture.out(), 1.0, HfForm::dense_equivalent, out);
  const Json tokenizer = parse_json(read_file(out / "tokenizer_config.json", ErrorCode::bad_data),
                                    ErrorCode::bad_data, "tokenizer_config.json");
  EXPECT_EQ(tokenizer["tokenizer_class"], "BertTokenizer");
  EXPECT_EQ(tokenizer["do_lower_case"], false);
  EXPECT_EQ(tokenizer["model_max_length"], 5);
  EXPECT_EQ(tokenizer["sep_token"], "[SEP]");
  EXPECT_EQ(read_file(out / "vocab.txt", ErrorCode::bad_data), hf_tokens);
  EXPECT_EQ(read_file(out / "LICENSE", ErrorCode::bad_data), "Permission\n");
  const std::string card = read_file(out / "README.md", ErrorCode::bad_data);
  EXPECT_TRUE(card.starts_with("---\nlicense: mit\n---\n")) << card;
  EXPECT_NE(card.find("## Exported by headroom"), std::string::npos) << card;
}

TEST(HfExport, SaysWhatOthersDoWithLongTexts) {
  const TemporaryFolder folder;
  ModelConfig config;
  config.truncation = KeptPart::head_tail;
  const auto model = testing::write_exported(folder, config);
  const HfExportReport report =
      export_hf_folder(model, 1.0, HfForm::compact, folder.path() / "out");
  ASSERT_FALSE(report.notes.empty());
  EXPECT_NE(report.notes.back().find("of a text beyond 24 tokens"), std::string::npos);
  EXPECT_EQ(read_config(folder.path() / "out").truncation, KeptPart::head_tail)
      << "headroom reads it as before";
}

// Scores that were calibrated at two budgets; halfway the temperature is 3 and the offset 0.5.
std::filesystem::path write_calibrated(const TemporaryFolder& folder, Task task) {
  ModelConfig config;
  config.task = task;
  config.method = Method::nested;
  config.order = uniform_order(exported_shape(), 8);
  if (task == Task::multilabel) config.output.thresholds = {0.2, 0.3, 0.4};
  config.output.calibration = {{0.25, 4, 0.75, 0}, {0.75, 2, 0.25, 0}};
  if (task == Task::rerank) {
    config.output.lexical = TokenBm25{2, 8, std::vector<uint8_t>(letters().size(), 16)};
    for (ScoreCalibration& each : config.output.calibration) each.lexical = 0.5;
  }
  return write_exported(folder, config);
}

bool any_holds(const std::vector<std::string>& notes, std::string_view fragment) {
  return std::any_of(notes.begin(), notes.end(), [&](const std::string& note) {
    return note.find(fragment) != std::string::npos;
  });
}

TEST(HfExport, TransformersLogitsAreCalibratedByTheLastLayer) {
  const TemporaryFolder folder;
  const auto path = write_calibrated(folder, Task::multilabel);
  const auto out = folder.path() / "out";
  const HfExportReport report = export_hf_folder(path, 0.5, HfForm::dense_equivalent, out);
  const SafetensorsFile before(path / "model.safetensors");
  const SafetensorsFile after(out / "model.safetensors");
  for (const char* name : {"classifier.weight", "classifier.bias"}) {
    const bool bias = std::string_view(name).ends_with("bias");
    const std::vector<float> raw = before.read_f32(name);
    const std::vector<float> folded = after.read_f32(name);
    for (size_t i = 0; i < raw.size(); ++i) {
      EXPECT_FLOAT_EQ(folded[i], raw[i] / 3 + (bias ? 0.5F : 0.0F)) << name;
    }
  }
  const ModelConfig config = read_config(out);
  EXPECT_TRUE(config.output.calibration.empty()) << "headroom must not do it twice";
  EXPECT_EQ(config.output.thresholds, (std::vector<double>{0.2, 0.3, 0.4}));
  EXPECT_TRUE(any_holds(report.notes, "headroom.thresholds"));
}

TEST(HfExport, ACompactFolderKeepsCalibrationAndBm25InItsConfig) {
  const TemporaryFolder folder;
  const auto path = write_calibrated(folder, Task::rerank);
  const auto out = folder.path() / "out";
  const HfExportReport report = export_hf_folder(path, 0.5, HfForm::compact, out);
  const ModelConfig config = read_config(out);
  EXPECT_EQ(config.output.calibration, (std::vector<ScoreCalibration>{{1, 3, 0.5, 0.5}}));
  EXPECT_EQ(config.output.lexical, read_config(path).output.lexical);
  EXPECT_FALSE(any_holds(report.notes, "BM25"));
}

TEST(HfExport, SaysThatTransformersScoresWithoutBm25) {
  const TemporaryFolder folder;
  const auto path = write_calibrated(folder, Task::rerank);
  const auto out = folder.path() / "out";
  const HfExportReport report = export_hf_folder(path, 0.5, HfForm::dense_equivalent, out);
  EXPECT_TRUE(any_holds(report.notes, "adds 0.5 times the pair's BM25"));
  EXPECT_EQ(read_config(out).output.calibration, (std::vector<ScoreCalibration>{{1, 1, 0, 0.5}}))
      << "headroom goes on adding it";
}

TEST(HfExport, ABareModelStaysOne) {
  HfFixture fixture;
  fixture.make_bare();
  fixture.imported();
  const auto out = fixture.folder().path() / "out";
  export_hf_folder(fixture.out(), 1.0, HfForm::dense_equivalent, out);
  EXPECT_EQ(exported_config(out)["architectures"], Json({"BertModel"}));
}

TEST(HfExport, ASkippedLayerCannotBeImitated) {
  const TemporaryFolder folder;
  const auto path = write_nested(folder, /*by_depth=*/true);
  expect_error(ErrorCode::usage, "skips the attention of layer 1, residual and norm included", [&] {
    export_hf_folder(path, 0.25, HfForm::dense_equivalent, folder.path() / "out");
  });
}

TEST(HfExport, TheCheckpointItselfIsNotReplaced) {
  const TemporaryFolder folder;
  const auto path = write_nested(folder);
  expect_error(ErrorCode::usage, "would lose its other budgets",
               [&] { export_hf_folder(path, 0.5, HfForm::dense_equivalent, path); });
}

TEST(HfExport, WhatIsNoCheckpointIsNotReplaced) {
  const TemporaryFolder folder;
  const auto path = write_nested(folder);
  const auto notes = folder.write("notes.txt", "my notes");
  expect_error(ErrorCode::usage, "is not a checkpoint",
               [&] { export_hf_folder(path, 0.5, HfForm::dense_equivalent, notes); });
  EXPECT_EQ(read_file(notes, ErrorCode::bad_data), "my notes");
}

Policy policy_of(const std::vector<double>& budgets) {
  Policy policy;
  for (const double budget : budgets) {
    policy.rungs.push_back({budget, {}});
    policy.temperatures.push_back({budget, 1 + budget});
  }
  policy.levels = {{std::vector<double>(budgets.size() - 1, 0.9),
                    std::vector<double>(budgets.size(), 1),
                    1,
                    {},
                    1}};
  policy.precision = "fp32";
  policy.date = "2026-01-02";
  return policy;
}

NgramBag empty_bag() {
  const NgramTable table{letters().size(), 4, 2, 3};
  const auto rows = static_cast<size_t>(table.rows());
  return {table, std::vector<int8_t>(3 * rows, 1), std::vector<float>(rows, 0.5F)};
}

bool says_that_the_policy_stays(const HfExportReport& report) {
  return std::find(report.notes.begin(), report.notes.end(), policy_stays_behind) !=
         report.notes.end();
}

TEST(HfExport, ABudgetsCalibrationComesAlongWithoutTheOthers) {
  const TemporaryFolder folder;
  ModelConfig config;
  config.method = Method::nested;
  config.order = uniform_order(exported_shape(), 8);
  config.output.calibration = {{0.5, 3, 0.25}, {1, 1, 0}};
  const auto path = write_exported(folder, config);
  export_hf_folder(path, 0.5, HfForm::compact, folder.path() / "half");
  EXPECT_EQ(read_config(folder.path() / "half").output.calibration,
            (std::vector<ScoreCalibration>{{1, 3, 0.25}}));
  export_hf_folder(path, 1, HfForm::compact, folder.path() / "whole");
  EXPECT_TRUE(read_config(folder.path() / "whole").output.calibration.empty());
}

TEST(HfExport, ALadderOfOtherBudgetsStaysBehindAndItsTemperatureDoesNot) {
  const TemporaryFolder folder;
  const auto path = write_nested(folder);
  const auto out = folder.path() / "out";
  write_policy(path, policy_of({0.5, 1}), std::nullopt);
  for (const HfForm form : {HfForm::compact, HfForm::dense_equivalent}) {
    EXPECT_TRUE(says_that_the_policy_stays(export_hf_folder(path, 0.5, form, out)));
    const ModelConfig config = read_config(out);
    EXPECT_FALSE(read_policy(out, config).policy);
    const bool folded = form == HfForm::dense_equivalent;  // into the last layer
    EXPECT_EQ(config.output.calibration,
              folded ? std::vector<ScoreCalibration>{} : (std::vector<ScoreCalibration>{{1, 1.5}}));
  }
}

TEST(HfExport, ALadderOfRungZeroAndTheWholeModelComesAlong) {
  const TemporaryFolder folder;
  const auto path = write_nested(folder);
  const auto out = folder.path() / "out";
  Policy policy = policy_of({0, 1});
  policy.temperatures.insert(policy.temperatures.begin() + 1, {0.5, 1.5});
  write_policy(path, policy, empty_bag());
  EXPECT_FALSE(says_that_the_policy_stays(export_hf_folder(path, 1, HfForm::compact, out)));
  const ModelConfig config = read_config(out);
  const StoredPolicy stored = read_policy(out, config);
  ASSERT_TRUE(stored.policy && stored.rung_zero);
  EXPECT_EQ(stored.policy->temperature_of(1), 2);
  EXPECT_TRUE(config.output.calibration.empty()) << "it would count twice";
  EXPECT_TRUE(says_that_the_policy_stays(export_hf_folder(path, 0.5, HfForm::compact, out)));
}

}  // namespace
}  // namespace headroom
