// Folders for Transformers: what is zero in them, what is beside the weights, what is refused.
#include "checkpoint/hf/export.h"

#include <gtest/gtest.h>

#include "base/files/file.h"
#include "checkpoint/exported_model.h"
#include "checkpoint/hf_fixture.h"
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

}  // namespace
}  // namespace headroom
