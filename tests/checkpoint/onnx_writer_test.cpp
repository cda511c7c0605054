#include "checkpoint/onnx/writer.h"

#include <gtest/gtest.h>
#include <onnx/checker.h>
#include <onnx/onnx_pb.h>
#include <onnx/shape_inference/implementation.h>

#include <cstring>

#include "base/version.h"
#include "checkpoint/exported_model.h"
#include "checkpoint/hf/export.h"
#include "checkpoint/hf/import.h"
#include "hf_model.h"

namespace headroom {
namespace {
using namespace testing;

using Dims = std::vector<int64_t>;

onnx::ModelProto parsed(const std::string& bytes) {
  onnx::ModelProto model;
  EXPECT_TRUE(model.ParseFromString(bytes));
  return model;
}

const onnx::TensorProto* find_constant(const onnx::ModelProto& model, const std::string& name) {
  for (const onnx::TensorProto& tensor : model.graph().initializer()) {
    if (tensor.name() == name) return &tensor;
  }
  return nullptr;
}

Dims dims_of(const onnx::ModelProto& model, const std::string& name) {
  const onnx::TensorProto* tensor = find_constant(model, name);
  return tensor == nullptr ? Dims{} : Dims(tensor->dims().begin(), tensor->dims().end());
}

std::vector<float> values_of(const onnx::ModelProto& model, const std::string& name) {
  const std::string& bytes = find_constant(model, name)->raw_data();
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

int64_t count_nodes(const onnx::ModelProto& model, const std::string& type) {
  const auto& nodes = model.graph().node();
  return std::count_if(nodes.begin(), nodes.end(),
                       [&](const onnx::NodeProto& node) { return node.op_type() == type; });
}

std::string metadata(const onnx::ModelProto& model, const std::string& key) {
  for (const onnx::StringStringEntryProto& entry : model.metadata_props()) {
    if (entry.key() == key) return entry.value();
  }
  return "missing";
}

TEST(OnnxWriter, LogitsAreCalibratedAndThresholdsAreMetadata) {
  const TemporaryFolder folder;
  ModelConfig config;
  config.task = Task::multilabel;
  config.method = Method::nested;
  config.order = uniform_order(exported_shape(), 8);
  const TemporaryFolder plain;
  const onnx::ModelProto raw = parsed(onnx_model(write_exported(plain, config), 0.5));
  EXPECT_EQ(metadata(raw, "thresholds"), "missing");
  config.output.thresholds = {0.25, 0.5, 0.75};
  config.output.calibration = {{0.25, 4, 0.75, 0}, {0.75, 2, 0.25, 0}};
  const onnx::ModelProto model = parsed(onnx_model(write_exported(folder, config), 0.5));
  EXPECT_EQ(metadata(model, "thresholds"), "[0.25,0.5,0.75]");
  for (const char* name : {"classifier.weight", "classifier.bias"}) {
    const bool bias = std::string_view(name).ends_with("bias");
    const std::vector<float> before = values_of(raw, name);
    const std::vector<float> after = values_of(model, name);
    for (size_t i = 0; i < before.size(); ++i) {
      EXPECT_FLOAT_EQ(after[i], before[i] / 3 + (bias ? 0.5F : 0.0F)) << name;
    }
  }
}

class EveryPrecision : public ::testing::TestWithParam<OnnxPrecision> {};

TEST_P(EveryPrecision, PassesTheCheckerAtEveryBudget) {
  const OnnxPrecision precision = GetParam();
  const TemporaryFolder folder;
  for (const bool by_depth : {false, true}) {
    const auto path = write_nested(folder, by_depth);
    for (const double budget : {0.25, 0.5, 1.0}) {
      onnx::ModelProto model = parsed(onnx_model(path, budget, precision));
      EXPECT_NO_THROW(onnx::checker::check_model(model)) << budget;
      const onnx::ShapeInferenceOptions strict(/*check_type=*/true, /*strict_mode=*/1);
      EXPECT_NO_THROW(
          onnx::shape_inference::InferShapes(model, onnx::OpSchemaRegistry::Instance(), strict))
          << budget;
    }
  }
}

// Norms first, gates, windows and rotary positions; scores of relative positions.
TEST_P(EveryPrecision, PassesTheCheckerForNetworksUnlikeBert) {
  for (const char* name : {"modernbert-cls", "deberta-v2-cls", "roberta-ner", "mpnet-embed"}) {
    const TemporaryFolder folder;
    import_hf_folder(hf_model_folder(name), folder.path() / "model");
    onnx::ModelProto model = parsed(onnx_model(folder.path() / "model", 1, GetParam()));
    EXPECT_NO_THROW(onnx::checker::check_model(model)) << name;
    const onnx::ShapeInferenceOptions strict(/*check_type=*/true, /*strict_mode=*/1);
    EXPECT_NO_THROW(
        onnx::shape_inference::InferShapes(model, onnx::OpSchemaRegistry::Instance(), strict))
        << name;
  }
}

INSTANTIATE_TEST_SUITE_P(OnnxWriter, EveryPrecision,
                         ::testing::Values(OnnxPrecision::fp32, OnnxPrecision::int8));

TEST(OnnxWriter, WritesTheNetworkOfTheFamily) {
  const TemporaryFolder folder;
  import_hf_folder(hf_model_folder("distilbert-tiny"), folder.path() / "model");
  const onnx::ModelProto model = parsed(onnx_model(folder.path() / "model", 1));
  EXPECT_NO_THROW(onnx::checker::check_model(model));
  EXPECT_EQ(model.graph().input_size(), 2) << "no token types";
  EXPECT_EQ(count_nodes(model, "Relu"), 1);
  EXPECT_EQ(count_nodes(model, "Tanh"), 0);
  EXPECT_EQ(dims_of(model, "distilbert.transformer.layer.2.ffn.lin1.weight"), (Dims{32, 64}));
}

onnx::ModelProto written(const std::string& name) {
  const TemporaryFolder folder;
  import_hf_folder(hf_model_folder(name), folder.path() / "model");
  onnx::ModelProto model = parsed(onnx_model(folder.path() / "model", 1));
  EXPECT_NO_THROW(onnx::checker::check_model(model)) << name;
  const onnx::ShapeInferenceOptions strict(/*check_type=*/true, /*strict_mode=*/1);
  EXPECT_NO_THROW(
      onnx::shape_inference::InferShapes(model, onnx::OpSchemaRegistry::Instance(), strict))
      << name;
  return model;
}

TEST(OnnxWriter, CountsThePositionsOfRoberta) {
  const onnx::ModelProto model = written("roberta-cls");
  EXPECT_EQ(count_nodes(model, "CumSum"), 1);
  EXPECT_EQ(dims_of(model, "roberta.embeddings.position_embeddings.weight"), (Dims{130, 32}));
  EXPECT_EQ(count_nodes(model, "Tanh"), 1);
}

TEST(OnnxWriter, WidensTheEmbeddingsOfElectra) {
  const onnx::ModelProto model = written("electra-cls");
  EXPECT_EQ(dims_of(model, "electra.embeddings_project.weight"), (Dims{16, 32}));
  EXPECT_EQ(count_nodes(model, "Erf"), 4) << "three layers and the head";
}

TEST(OnnxWriter, AddsTheRelativeBiasOfMpnet) {
  const onnx::ModelProto model = written("mpnet-embed");
  EXPECT_EQ(dims_of(model, "mpnet.encoder.relative_attention_bias"), (Dims{255, 4}));
  EXPECT_EQ(count_nodes(model, "Range"), 1);
}

TEST(OnnxWriter, InputsHaveFreeBatchAndLength) {
  const TemporaryFolder folder;
  const onnx::ModelProto model = parsed(onnx_model(write_nested(folder), 1));
  std::vector<std::string> names;
  for (const onnx::ValueInfoProto& input : model.graph().input()) {
    names.push_back(input.name());
    const auto& type = input.type().tensor_type();
    EXPECT_EQ(type.elem_type(), onnx::TensorProto::INT64);
    EXPECT_EQ(type.shape().dim(0).dim_param(), "batch");
    EXPECT_EQ(type.shape().dim(1).dim_param(), "sequence");
  }
  EXPECT_EQ(names, (std::vector<std::string>{"input_ids", "attention_mask", "token_type_ids"}));
  ASSERT_EQ(model.graph().output_size(), 1);
  EXPECT_EQ(model.graph().output(0).name(), "logits");
  EXPECT_EQ(model.graph().output(0).type().tensor_type().shape().dim(1).dim_value(), 3);
}

TEST(OnnxWriter, ABudgetCutsTheMatrices) {
  const TemporaryFolder folder;
  const auto path = write_nested(folder);
  const std::string layer = "bert.encoder.layer.1.";
  const onnx::ModelProto dense = parsed(onnx_model(path, 1));
  EXPECT_EQ(dims_of(dense, layer + "attention.self.query.weight"), (Dims{32, 32}));
  EXPECT_EQ(dims_of(dense, layer + "intermediate.dense.weight"), (Dims{32, 64}));
  const onnx::ModelProto half = parsed(onnx_model(path, 0.5));
  EXPECT_EQ(dims_of(half, layer + "attention.self.query.weight"), (Dims{32, 16}));
  EXPECT_EQ(dims_of(half, layer + "attention.self.value.bias"), (Dims{16}));
  EXPECT_EQ(dims_of(half, layer + "attention.output.dense.weight"), (Dims{16, 32}));
  EXPECT_EQ(dims_of(half, layer + "intermediate.dense.weight"), (Dims{32, 32}));
  EXPECT_EQ(dims_of(half, layer + "output.dense.weight"), (Dims{32, 32}));
}

TEST(OnnxWriter, MatricesAreStoredTransposed) {
  const TemporaryFolder folder;
  const auto path = write_nested(folder);
  const std::string name = "bert.encoder.layer.0.intermediate.dense.weight";  // (64, 32)
  const std::vector<float> stored = random_tensors(exported_shape(), 7).at(name);
  const std::vector<float> written = values_of(parsed(onnx_model(path, 1)), name);  // (32, 64)
  EXPECT_EQ(written[5 * 64 + 9], stored[9 * 32 + 5]);
}

TEST(OnnxWriter, Int8WeightsTimesTheirScalesAreTheWeights) {
  const TemporaryFolder folder;
  const auto path = write_nested(folder);
  const std::string name = "bert.encoder.layer.0.intermediate.dense.weight";  // (32, 64)
  const std::vector<float> weights = values_of(parsed(onnx_model(path, 1)), name);
  const onnx::ModelProto model = parsed(onnx_model(path, 1, OnnxPrecision::int8));
  EXPECT_EQ(find_constant(model, name)->data_type(), onnx::TensorProto::INT8);
  const std::string& bytes = find_constant(model, name)->raw_data();
  const std::vector<float> scales = values_of(model, name + "_scales");
  for (size_t i = 0; i < weights.size(); ++i) {
    const float scale = scales[i % 64];
    EXPECT_NEAR(static_cast<float>(static_cast<int8_t>(bytes[i])) * scale, weights[i],
                0.501F * scale);
  }
}

TEST(OnnxWriter, TheProjectionsOfALayerShareTheirInt8Input) {
  const TemporaryFolder folder;
  const onnx::ModelProto model = parsed(onnx_model(write_nested(folder), 1, OnnxPrecision::int8));
  EXPECT_EQ(count_nodes(model, "MatMulInteger"), 12) << "two layers of six";
  EXPECT_EQ(count_nodes(model, "DynamicQuantizeLinear"), 8) << "two layers of four";
}

TEST(OnnxWriter, ALayerWithoutUnitsIsLeftOut) {
  const TemporaryFolder folder;
  const auto path = write_nested(folder, /*by_depth=*/true);
  const onnx::ModelProto model = parsed(onnx_model(path, 0.5));
  EXPECT_EQ(dims_of(model, "bert.encoder.layer.0.attention.self.key.weight"), (Dims{32, 32}));
  EXPECT_EQ(dims_of(model, "bert.encoder.layer.1.attention.self.key.weight"), Dims{});
  EXPECT_EQ(count_nodes(model, "Softmax"), 1);
  EXPECT_EQ(count_nodes(model, "Erf"), 1);
  EXPECT_EQ(count_nodes(model, "LayerNormalization"), 3) << "embeddings and one layer";
}

TEST(OnnxWriter, MetadataTellsLabelsAndBudget) {
  const TemporaryFolder folder;
  const onnx::ModelProto model = parsed(onnx_model(write_nested(folder), 0.25));
  EXPECT_EQ(metadata(model, "budget"), "0.25");
  EXPECT_EQ(metadata(model, "labels"), R"(["a","b","c \"quoted\""])");
  EXPECT_EQ(metadata(model, "headroom_version"), version());
}

// What a compact model makes at budget 1 is what the whole one makes at its budget.
TEST(OnnxWriter, ACompactModelGivesTheSameGraph) {
  const TemporaryFolder folder;
  for (const auto& path : {write_nested(folder), write_gated(folder)}) {
    const auto compact = folder.path() / "compact";
    export_hf_folder(path, 0.5, HfForm::compact, compact);
    EXPECT_EQ(parsed(onnx_model(compact, 1)).graph().SerializeAsString(),
              parsed(onnx_model(path, 0.5)).graph().SerializeAsString());
  }
}

TEST(OnnxWriter, AnotherAttentionIsRefused) {
  const TemporaryFolder folder;
  const auto path = write_config_alone(folder, AttentionKind::optimized);
  expect_error(ErrorCode::usage, "its attention is optimized", [&] { onnx_model(path, 1); });
}

TEST(OnnxWriter, AFolderThatIsNoCheckpointIsRefused) {
  const TemporaryFolder folder;
  expect_error(ErrorCode::bad_model, "config.json", [&] { onnx_model(folder.path(), 1); });
}

TEST(OnnxWriter, APretrainedEncoderHasNoLogits) {
  const TemporaryFolder folder;
  ModelConfig config;
  config.shape = exported_shape();
  config.task = Task::masked_lm;
  write_checkpoint(folder.path() / "model", {config, letters().to_text(), "", "", {}});
  expect_error(ErrorCode::bad_model, "has no labels",
               [&] { onnx_model(folder.path() / "model", 1); });
}

TEST(OnnxWriter, AMissingTensorIsNamed) {
  const TemporaryFolder folder;
  const auto path = write_config_alone(folder);
  expect_error(ErrorCode::bad_model, "bert.embeddings.word_embeddings.weight",
               [&] { onnx_model(path, 1); });
}

TEST(OnnxWriter, ADenseModelHasNoSmallerBudget) {
  const TemporaryFolder folder;
  const auto path = write_config_alone(folder);
  expect_error(ErrorCode::usage, "budget 1 only", [&] { onnx_model(path, 0.5); });
}

}  // namespace
}  // namespace headroom
