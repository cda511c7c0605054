// Batches of rows that are not labelled texts: images, running text, translations.
#pragma once

#include <memory>
#include <span>

#include "train/rows/batches.h"

namespace headroom {
inline namespace train {

// (B, pixels) bytes on a device as (B, patches, numbers): each pixel from -1 (black) to 1.
torch::Tensor cut_patches(const torch::Tensor& pixels, const ImageFormat& format);

Batch image_batch(const EncodedDataset& data, std::span<const int32_t> rows, torch::Device device);

// Every token but a row's last is read, every token but its first predicted.
Batch stream_batch(const EncodedDataset& data, std::span<const int32_t> rows, torch::Device device);

// The decoder reads [CLS] words and predicts words [SEP].
Batch translation_batch(const EncodedDataset& data, std::span<const int32_t> rows,
                        torch::Device device);

// Epochs over images that are kept on the device, each moved by up to `augment` pixels either way;
// colour images are also mirrored half the time (digits are not: a mirrored 2 is no digit). With 0
// they stay as they are.
std::unique_ptr<BatchSource> image_source(const EncodedDataset& data, int batch_size,
                                          int64_t augment, uint64_t seed, torch::Device device);

// Rows that begin anywhere in the text, which is kept on the device: fixed ones would show the
// model the same beginnings every epoch.
std::unique_ptr<BatchSource> stream_source(const EncodedDataset& data, int batch_size,
                                           uint64_t seed, torch::Device device);

}  // namespace train
}  // namespace headroom
