#include "train/evaluate/choice.h"

namespace headroom {
inline namespace train {
namespace {

torch::Tensor entropy_of(const torch::Tensor& scores) {
  const torch::Tensor logarithm = torch::log_softmax(scores, -1);
  return -(logarithm.exp() * logarithm).sum(-1);
}

torch::Tensor lengths_of(const Batch& batch) {
  if (!batch.key_bias.defined()) {
    return torch::full({batch.size()}, batch.length(), torch::kInt64);
  }
  return (batch.key_bias == 0).reshape({batch.size(), -1}).sum(-1).to(torch::kCPU);
}

// Columns of batches, put together at the end: a GPU is waited for once.
class Columns {
 public:
  void add(const torch::Tensor& part) { parts_.push_back(part); }
  torch::Tensor joined() const { return torch::cat(parts_).to(torch::kCPU); }

 private:
  std::vector<torch::Tensor> parts_;
};

std::vector<int64_t> numbers(const torch::Tensor& tensor) {
  const torch::Tensor flat = tensor.to(torch::kInt64).contiguous();
  return {flat.data_ptr<int64_t>(), flat.data_ptr<int64_t>() + flat.numel()};
}

}  // namespace

std::vector<int64_t> ChoiceEvaluation::lengths() const {
  return numbers(tokens);
}

std::vector<int64_t> ChoiceEvaluation::heads_per_row() const {
  return numbers(heads.sum(-1));
}

ChoiceEvaluation evaluate_choice(const ElasticModel& model, const std::vector<Batch>& batches,
                                 const ChoiceOptions& options) {
  const torch::InferenceMode inference;
  const HeadLimit limit = model.head_limit(options.budget);
  const double temperature = options.temperature.value_or(model.relevance_temperature);
  Columns tokens, labels, correct, loss, share, heads, entropy, raw_entropy;
  for (const Batch& batch : batches) {
    ChoiceTrace trace;
    ForwardOptions forward_options = model.evaluation();
    forward_options.choose = choose_by_controller(model.weights, limit, options.override, &trace);
    forward_options.skip = options.execution == Execution::skipped;
    const torch::Tensor logits = forward(model.weights, batch, forward_options);
    tokens.add(lengths_of(batch));
    labels.add(batch.labels);
    correct.add(logits.argmax(-1) == batch.labels);
    loss.add(torch::cross_entropy_loss(logits, batch.labels, {}, torch::Reduction::None));
    std::vector<torch::Tensor> shares, counts, entropies, raw;
    for (size_t i = 0; i < trace.requests.size(); ++i) {
      shares.push_back(trace.requests[i].share);
      counts.push_back(trace.chosen[i].sum(-1).to(torch::kInt64));
      entropies.push_back(entropy_of(trace.requests[i].relevance / temperature));
      raw.push_back(entropy_of(trace.requests[i].relevance));
    }
    share.add(torch::stack(shares, -1));
    heads.add(torch::stack(counts, -1));
    entropy.add(torch::stack(entropies, -1));
    raw_entropy.add(torch::stack(raw, -1));
  }
  ChoiceEvaluation result{{},
                          tokens.joined(),
                          labels.joined(),
                          correct.joined(),
                          loss.joined(),
                          share.joined(),
                          heads.joined(),
                          entropy.joined(),
                          raw_entropy.joined()};
  result.total.examples = result.tokens.size(0);
  result.total.accuracy = result.correct.to(torch::kFloat64).mean().item<double>();
  result.total.correct = truths(result.correct);
  result.total.loss = result.loss.to(torch::kFloat64).mean().item<double>();
  return result;
}

}  // namespace train
}  // namespace headroom
