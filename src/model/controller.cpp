#include "model/controller.h"

#include <cmath>

namespace headroom {
namespace {

// (B, D): padding counts neither in the sum nor in the number of tokens.
torch::Tensor mean_over_tokens(const torch::Tensor& x, const torch::Tensor& key_bias) {
  if (!key_bias.defined()) return x.mean(1);
  const torch::Tensor real = (key_bias == 0).reshape({-1, x.size(1), 1}).to(x.scalar_type());
  return (x * real).sum(1) / real.sum(1);
}

torch::Tensor apply(const torch::Tensor& x, const Linear& linear) {
  return torch::linear(x, linear.weight, linear.bias);
}

torch::Tensor layer_gates(const HeadLimit& limit, size_t layer, const torch::Tensor& like) {
  const auto H = static_cast<size_t>(limit.heads);
  const auto* first = limit.log_gates.data() + layer * H;
  return torch::tensor(std::vector<double>(first, first + H), torch::kFloat64).to(like.device());
}

}  // namespace

HeadRequest ask_controller(const ControllerWeights& controller, const torch::Tensor& x,
                           const torch::Tensor& key_bias) {
  const torch::Tensor mean = mean_over_tokens(x, key_bias);
  const torch::Tensor hidden = torch::relu(apply(mean, controller.hidden));
  return {torch::sigmoid(apply(hidden, controller.budget)).squeeze(-1),
          apply(mean, controller.relevance)};
}

torch::Tensor heads_needed(const torch::Tensor& share, int64_t heads) {
  // In doubles, as on plain numbers: share * heads may fall on either side of a whole number.
  return (share.detach().to(torch::kFloat64) * static_cast<double>(heads))
      .ceil()
      .clamp(1, heads)
      .to(torch::kInt64);
}

torch::Tensor mask_of_best(const torch::Tensor& scores, const torch::Tensor& counts) {
  // Counting who is ahead takes fewer kernels than sorting twice: a GPU waits for their launches.
  const torch::Tensor own = scores.detach().unsqueeze(-1);
  const torch::Tensor other = scores.detach().unsqueeze(-2);
  const int64_t H = scores.size(-1);
  const torch::Tensor earlier =
      torch::ones({H, H}, scores.options().dtype(torch::kBool)).tril(/*diagonal=*/-1);
  const torch::Tensor ahead = (other > own).logical_or((other == own).logical_and(earlier));
  return (ahead.sum(-1) < counts.unsqueeze(-1)).to(torch::kFloat32);
}

HeadRequest overruled(HeadRequest request, const ChoiceOverride& override, size_t layer) {
  if (override.share) request.share = torch::full_like(request.share, *override.share);
  if (!override.heads.empty()) {
    const auto H = static_cast<double>(request.relevance.size(-1));
    const double below = std::floor(override.heads.at(layer));
    const torch::Tensor drawn = torch::rand_like(request.share) < override.heads.at(layer) - below;
    // The middle of the interval of s that heads_needed() rounds up to this number.
    request.share = (drawn.to(request.share.scalar_type()) + below - 0.5) / H;
  }
  if (override.random_heads) request.relevance = torch::rand_like(request.relevance);
  return request;
}

HeadChooser choose_by_controller(const ModelWeights& weights, const HeadLimit& limit,
                                 const ChoiceOverride& override, ChoiceTrace* trace) {
  return [&weights, &limit, override, trace](size_t layer, const torch::Tensor& x,
                                             const torch::Tensor& key_bias) {
    const HeadRequest request =
        overruled(ask_controller(*weights.layers[layer].controller, x, key_bias), override, layer);
    const torch::Tensor counts =
        heads_needed(request.share, limit.heads).clamp_max(limit.most[layer]);
    torch::Tensor scores = request.relevance.detach().to(torch::kFloat64);
    if (!limit.log_gates.empty()) {
      scores = scores / limit.temperature + layer_gates(limit, layer, scores);
    }
    const torch::Tensor chosen = mask_of_best(scores, counts);
    if (trace != nullptr) {
      trace->requests.push_back(request);
      trace->chosen.push_back(chosen);
    }
    return chosen;
  };
}

}  // namespace headroom
