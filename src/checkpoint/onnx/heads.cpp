#include "checkpoint/onnx/heads.h"

namespace headroom {
namespace {

class HeadGraph {
 public:
  HeadGraph(OnnxLayers& layers, const ScoreCalibration& calibration)
      : layers_(layers),
        calibration_(calibration),
        graph_(layers.graph()),
        config_(layers.config()),
        shape_(config_.shape),
        schema_(layers.schema()) {}

  void classify(const std::string& x) {
    const std::string row = shape_.mean_pooling ? mean_token(x) : first_token(x);
    std::string pooled =
        layers_.dense(schema_.name_of({Role::pooler}), "pooled", row, shape_.width);
    pooled = layers_.activation("pooled_activation", pooled, schema_.pooler_activation);
    if (shape_.form.pooler_norm) {
      pooled = layers_.norm(schema_.name_of({Role::pooler_norm}), pooled, shape_.width);
    }
    layers_.dense(schema_.name_of({Role::classifier}), "logits", pooled, shape_.labels,
                  calibration_);
    graph_.output("logits", {"batch"}, shape_.labels);
  }

  void tag(const std::string& x) {
    const std::string logits =
        layers_.linear(schema_.name_of({Role::tagger}), x, shape_.width, shape_.labels,
                       first(shape_.width), first(shape_.labels));
    if (calibration_.temperature == 1) {
      graph_.make("Identity", "logits", {logits});
    } else {
      const auto temperature = static_cast<float>(calibration_.temperature);
      graph_.make("Div", "logits", {logits, graph_.scalar("temperature", temperature)});
    }
    graph_.output("logits", {"batch", "sequence"}, shape_.labels);
  }

  void pool(const std::string& x) {
    const VectorConfig& vector = config_.output.vector;
    std::string row = vector.pooling == Pooling::mean  ? mean_token(x)
                      : vector.pooling == Pooling::cls ? first_token(x)
                                                       : largest_token(x);
    if (shape_.dense > 0) {
      row = layers_.dense(schema_.name_of({Role::dense}), "projected", row, shape_.dense);
      if (vector.activation == DenseActivation::tanh) {
        row = graph_.make("Tanh", "projected_tanh", {row});
      }
    }
    if (vector.normalize) {
      onnx::NodeProto& length = graph_.node("ReduceL2", "vector_length", {row});
      set_attribute(length, "axes", std::vector<int64_t>{1});
      row = graph_.make("Div", "normalised", {row, length.output(0)});
    }
    graph_.make("Identity", "sentence_embedding", {row});
    graph_.output("sentence_embedding", {"batch"}, shape_.vector_width());
  }

 private:
  std::string first_token(const std::string& x) {
    onnx::NodeProto& row = graph_.node("Gather", "first_token", {x, layers_.index_zero()});
    set_attribute(row, "axis", int64_t{1});
    return row.output(0);
  }

  // Over the tokens that are no padding.
  std::string mean_token(const std::string& x) {
    onnx::NodeProto& real = graph_.node("Cast", "real_tokens", {"attention_mask"});
    set_attribute(real, "to", int64_t{onnx::TensorProto::FLOAT});
    const std::string weights = graph_.make(
        "Unsqueeze", "token_weights", {"real_tokens", graph_.whole("token_weight_axis", {2})});
    const std::string axis = graph_.whole("token_axis", {1});
    const auto sum = [&](const std::string& name, const std::string& of) {
      onnx::NodeProto& made = graph_.node("ReduceSum", name, {of, axis});
      set_attribute(made, "keepdims", int64_t{0});
      return made.output(0);
    };
    const std::string rows = graph_.make("Mul", "weighted_tokens", {x, weights});
    return graph_.make("Div", "mean_token", {sum("token_sum", rows), sum("token_count", weights)});
  }

  // The largest value of each dimension, over the tokens that are no padding.
  std::string largest_token(const std::string& x) {
    const std::string row =
        graph_.make("Squeeze", "padding_row", {"key_bias", graph_.whole("padding_axis", {1})});
    onnx::NodeProto& padding = graph_.node("Transpose", "padding_tokens", {row});
    set_attribute(padding, "perm", std::vector<int64_t>{0, 2, 1});
    onnx::NodeProto& largest =
        graph_.node("ReduceMax", "largest_token",
                    {graph_.make("Add", "tokens_or_least", {x, "padding_tokens"})});
    set_attribute(largest, "axes", std::vector<int64_t>{1});
    set_attribute(largest, "keepdims", int64_t{0});
    return largest.output(0);
  }

  OnnxLayers& layers_;
  const ScoreCalibration& calibration_;
  OnnxGraph& graph_;
  const ModelConfig& config_;
  const ModelShape& shape_;
  const ModelSchema& schema_;
};

}  // namespace

void add_head(OnnxLayers& layers, const std::string& rows, const ScoreCalibration& calibration) {
  layers.use_fp32();
  HeadGraph head(layers, calibration);
  switch (layers.config().output_head()) {
    case OutputHead::tagger:
      return head.tag(rows);
    case OutputHead::vector:
      return head.pool(rows);
    default:
      return head.classify(rows);
  }
}

}  // namespace headroom
