// Where training batches come from. A source is a function of the step number, so a resumed run
// needs no position to be stored.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "data/encoded.h"
#include "data/formats/synthetic.h"
#include "model/batch.h"

namespace headroom {
inline namespace train {

// Rows of an encoded data set; texts are padded to the longest of them with id 0.
Batch make_batch(const EncodedDataset& data, std::span<const int32_t> rows, torch::Device device);

Batch no_rows();  // an empty piece

// One of `count` pieces of a batch: every count-th row from the index-th on, so that rows sorted by
// length spread evenly. May be empty when there are more pieces than rows.
struct BatchPiece {
  int64_t index = 0;
  int64_t count = 1;

  template <typename T>
  std::vector<T> rows_of(std::span<const T> rows) const {
    std::vector<T> taken;
    for (auto i = static_cast<size_t>(index); i < rows.size(); i += static_cast<size_t>(count)) {
      taken.push_back(rows[i]);
    }
    return taken;
  }
  torch::Tensor rows_of(const torch::Tensor& rows) const {
    return count == 1 ? rows : rows.slice(0, index, rows.size(0), count);
  }
};

class BatchSource {
 public:
  virtual ~BatchSource() = default;
  // Steps are asked for in ascending order. The rows of a step do not depend on the pieces.
  virtual Batch batch(int64_t step, BatchPiece piece = {}) = 0;
  virtual int64_t steps_per_epoch() const = 0;
  virtual int64_t batch_size() const = 0;
};

// Epochs over stored rows other than images (form_batches.h); `seed` fixes the order of every
// epoch.
std::unique_ptr<BatchSource> epoch_source(const EncodedDataset& data, int batch_size, uint64_t seed,
                                          torch::Device device);

// Fresh synthetic rows at every step; an "epoch" is `epoch_rows` of them. Half of the steps have
// rows of full length, the others of 16, 32, ... tokens with fewer decoys: the short ones teach
// "look one back" within hundreds of steps, where full length alone sat at chance for thousands.
std::unique_ptr<BatchSource> synthetic_source(const SyntheticTask& task, int batch_size,
                                              int64_t epoch_rows, uint64_t seed,
                                              torch::Device device);

}  // namespace train
}  // namespace headroom
