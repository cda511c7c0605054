// Networks of families that differ from BERT in more than names, with odd sizes drawn at random.
#pragma once

#include "model/random_models.h"

namespace headroom::testing {

// Windows and heads of any even width; inputs are longer than both.
inline ModelShape random_modernbert(Random& random) {
  ModelShape shape = random_shape(random);
  shape.family = "modernbert";
  shape.attention = AttentionKind::standard;
  shape.token_types = 0;
  shape.width = shape.heads * 2 * (3 + static_cast<int64_t>(random.below(12)));
  shape.form = {NormOrder::pre, /*gated_ffn=*/true, /*pooler_norm=*/true, /*biases=*/false};
  shape.positions = 90;
  shape.mean_pooling = random.below(2) == 0;
  shape.rotary = {.theta = 100.0 + static_cast<double>(random.below(200000)),
                  .local_theta = 100.0 + static_cast<double>(random.below(20000)),
                  .window = 1 + static_cast<int64_t>(random.below(40)),
                  .global_every = 1 + static_cast<int64_t>(random.below(4))};
  return shape;
}

// With and without buckets, shared projections, each kind of score, norm, positions and types.
inline ModelShape random_deberta(Random& random) {
  ModelShape shape = random_shape(random);
  const auto coin = [&] { return random.below(2) == 0; };
  shape.family = "deberta-v2";
  shape.attention = AttentionKind::standard;
  shape.token_types = coin() ? 2 : 0;
  shape.width = shape.heads * (5 + static_cast<int64_t>(random.below(30)));
  shape.positions = 90;
  DisentangledShape& relative = shape.disentangled;
  relative.farthest = 40 + static_cast<int64_t>(random.below(60));
  relative.buckets = coin() ? 2 + static_cast<int64_t>(random.below(60)) : 0;
  relative.content_to_position = random.below(4) > 0;
  relative.position_to_content = random.below(4) > 0;
  relative.shared_projections = coin();
  relative.norm = coin();
  relative.position_table = coin();
  return shape;
}

inline ModelShape random_family(uint64_t seed, Random& random) {
  return seed % 2 == 0 ? random_modernbert(random) : random_deberta(random);
}

}  // namespace headroom::testing
