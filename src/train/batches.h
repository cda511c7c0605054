// Where training batches come from. A source is a function of the step number, so a resumed run
// needs no position to be stored.
#pragma once

#include <memory>
#include <span>

#include "data/encoded.h"
#include "data/synthetic.h"
#include "model/batch.h"

namespace headroom {

// Rows of an encoded data set; texts are padded to the longest of them with id 0.
Batch make_batch(const EncodedDataset& data, std::span<const int32_t> rows, torch::Device device);

class BatchSource {
 public:
  virtual ~BatchSource() = default;
  virtual Batch batch(int64_t step) = 0;  // steps are asked for in ascending order
  virtual int64_t steps_per_epoch() const = 0;
  virtual int64_t batch_size() const = 0;
};

// Epochs over stored rows; `seed` fixes the order of every epoch.
std::unique_ptr<BatchSource> epoch_source(const EncodedDataset& data, int batch_size, uint64_t seed,
                                          torch::Device device);

// Fresh synthetic rows at every step; an "epoch" is `epoch_rows` of them. Half of the steps have
// rows of full length, the others of 16, 32, ... tokens with fewer decoys: the short ones teach
// "look one back" within hundreds of steps, where full length alone sat at chance for thousands.
std::unique_ptr<BatchSource> synthetic_source(const SyntheticTask& task, int batch_size,
                                              int64_t epoch_rows, uint64_t seed,
                                              torch::Device device);

}  // namespace headroom
