#include "checkpoint/onnx/writer.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/json.h"
#include "base/version.h"
#include "budget/cost.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/exported_scores.h"
#include "checkpoint/onnx/encoder.h"
#include "checkpoint/onnx/heads.h"

namespace headroom {
namespace {

constexpr int64_t ir_version = 8;      // what opset 17 came with
constexpr int64_t opset_version = 17;  // LayerNormalization is one node

void add_metadata(onnx::ModelProto& model, const std::string& key, const std::string& value) {
  onnx::StringStringEntryProto& entry = *model.add_metadata_props();
  entry.set_key(key);
  entry.set_value(value);
}

}  // namespace

std::string onnx_model(const std::filesystem::path& checkpoint, double budget,
                       OnnxPrecision precision) {
  const ModelConfig config = read_config(checkpoint);
  require_answers(config, checkpoint);
  if (config.shape.attention != AttentionKind::standard) {
    throw Error(ErrorCode::usage, "write ONNX",
                fmt::format("its attention is {}, only standard attention is exported",
                            attention_name(config.shape.attention)));
  }
  require_fixed_heads(config, "write ONNX");
  require_plain_types(config, "write ONNX");
  const Selection selection = config.selection(budget);
  const int64_t bytes = parameter_count(config.shape, selection) * int64_t{sizeof(float)};
  constexpr int64_t most_bytes = int64_t{2000} << 20;  // protobuf ends at 2 GiB, names included
  if (bytes > most_bytes) {
    throw Error(ErrorCode::usage, "write ONNX",
                fmt::format("the weights take {} MiB, an ONNX file holds {} at most", bytes >> 20,
                            most_bytes >> 20));
  }
  onnx::ModelProto model;
  model.set_ir_version(ir_version);
  model.set_producer_name("headroom");
  model.set_producer_version(version());
  onnx::OperatorSetIdProto& opset = *model.add_opset_import();
  opset.set_domain("");
  opset.set_version(opset_version);
  add_metadata(model, "headroom_version", version());
  add_metadata(model, "budget", fmt::format("{}", budget));
  add_metadata(model, "precision", precision == OnnxPrecision::int8 ? "int8" : "fp32");
  add_metadata(model, "labels", Json(config.labels).dump());
  if (!config.output.thresholds.empty()) {
    add_metadata(model, "thresholds", Json(config.output.thresholds).dump());
  }
  onnx::GraphProto& graph = *model.mutable_graph();
  graph.set_name(fmt::format("{}_classifier", config.shape.family));
  OnnxLayers layers(graph, config, checkpoint / "model.safetensors", precision);
  for (const char* name : {"input_ids", "attention_mask"}) layers.graph().input(name);
  if (config.shape.token_types > 0) layers.graph().input("token_type_ids");
  const ScoreCalibration calibration =
      exported_calibration(config, read_policy(checkpoint, config), budget);
  add_head(layers, add_encoder(layers, selection), calibration);
  return model.SerializeAsString();
}

}  // namespace headroom
