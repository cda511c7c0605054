#include "engine/encoder/controller.h"

#include <algorithm>
#include <cmath>

#include "engine/encoder/linear.h"

namespace headroom {
namespace {

void apply(const Kernels& kernels, const PackedMatrix& matrix, const Activation& in,
           const Activation& out, const Workspace& work) {
  const GemmSegment all = {0, 0, matrix.lanes()};
  run_linear(kernels,
             {&matrix, matrix.panels(), in, 1, {&all, 1}, out, GemmStart::bias, GemmEpilogue::none},
             work.panels);
}

}  // namespace

HeadSet choose_heads(const EngineWeights& weights, int64_t layer, const HeadLimit& limit,
                     const Kernels& kernels, const Workspace& work, int64_t tokens) {
  const PackedController& controller = *weights.layers[static_cast<size_t>(layer)].controller;
  const ChoiceSpace& space = work.choice;
  const int64_t H = weights.shape.heads;
  mean_of_rows(work.stream.x, tokens, weights.shape.width, space.mean.floats());
  apply(kernels, controller.hidden, space.mean, space.hidden, work);
  float* hidden = space.hidden.floats();
  for (int64_t i = 0; i < weights.shape.controller; ++i) hidden[i] = std::max(hidden[i], 0.0F);
  apply(kernels, controller.budget, space.hidden, space.share, work);
  apply(kernels, controller.relevance, space.mean, space.relevance, work);

  const float share = 1.0F / (1.0F + std::exp(-space.share.floats()[0]));
  const int64_t count = std::min(heads_needed(share, H), limit.most[static_cast<size_t>(layer)]);
  for (int64_t head = 0; head < H; ++head) {
    space.scores[head] = limit.score(layer, head, space.relevance.floats()[head]);
  }
  const std::span<int32_t> heads(space.heads, static_cast<size_t>(count));
  best_heads({space.scores, static_cast<size_t>(H)}, heads);
  const int64_t head_lanes = weights.padded_head_width() / elements_per_lane(weights.precision);
  const int64_t segments = output_segments(heads, head_lanes, space.segments);
  return {heads, heads, {space.segments, static_cast<size_t>(segments)}};
}

}  // namespace headroom
