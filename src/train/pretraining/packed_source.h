// Packed rows as batches: epochs over all of them for training, all of them in order for
// validation, and rows cut into shorter ones.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "data/formats/documents.h"
#include "train/rows/batches.h"

namespace headroom {
inline namespace train {

// Epochs over packed rows, which are kept on the device.
std::unique_ptr<BatchSource> packed_source(const PackedRows& rows, int batch_size, uint64_t seed,
                                           torch::Device device);
std::vector<Batch> packed_batches(const PackedRows& rows, int batch_size, torch::Device device);

// Rows of `tokens` tokens, of which the batch's rows have a multiple: as many tokens in all. Each
// begins with the [CLS] of the row that it was a part of, in the place of a token of the text.
Batch cut_rows(const Batch& batch, int64_t tokens);

}  // namespace train
}  // namespace headroom
