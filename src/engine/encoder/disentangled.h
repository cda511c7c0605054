// Disentangled attention's scores between contents and relative positions (2006.03654), of one head
// at a time. Positions are projected at load (PackedLayer::relative_keys and relative_queries).
//
// T tokens, Q queries, W padded head width, R rows of the table, of which only those are computed
// with that a block of queries or keys can reach. A row of products is indexed by distance, so
// neighbouring keys read neighbouring numbers, except where distant ones share a bucket.
#pragma once

#include <cstdint>

#include "engine/encoder/workspace.h"
#include "engine/kernels/kernels.h"
#include "engine/weights.h"

namespace headroom {

class PositionScores {
 public:
  PositionScores(const EngineWeights& weights, const PackedLayer& layer, const Kernels& kernels,
                 const Workspace& work, int64_t tokens, int64_t queries);

  // Between the head's keys, T x W, and the positions of all queries: work.key_positions.
  void prepare(int64_t slot, const Activation& keys) const;

  // Fills rows of work.scores for queries [row, row + rows), whose first is `queries`: the sum of
  // both kinds.
  void start(int64_t slot, const Activation& queries, int64_t row, int64_t rows) const;

 private:
  // Rows of `in` times the columns of `matrix` that `first` to `last` are among, in
  // work.position_products. Returns the first column computed.
  int64_t multiply_columns(const PackedMatrix& matrix, const Activation& in, int64_t rows,
                           int64_t first, int64_t last) const;
  int64_t row_of(int64_t distance) const { return rows_by_distance_[distance]; }

  const EngineWeights& weights_;
  const PackedLayer& layer_;
  const Kernels& kernels_;
  const Workspace& work_;
  const int32_t* rows_by_distance_;  // of distance 0
  int64_t T_;
  int64_t Q_;
  int64_t last_row_;  // R - 1
};

}  // namespace headroom
