// Square images with labels: MNIST's idx files and CIFAR-10's binary batches, gzip or not.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/image_format.h"
#include "base/memory_allowance.h"

namespace headroom {

struct ImageDataset {
  std::string name;                // what the user called it
  ImageFormat format;              // patch is 0: cutting is the model's affair
  std::vector<uint8_t> pixels;     // image after image, channel after channel, row after row
  std::vector<int32_t> labels;     // one an image
  std::vector<std::string> names;  // of the labels

  int64_t size() const { return static_cast<int64_t>(labels.size()); }
};

// Adds the images of an idx pair (LeCun's format: magic numbers 2051 and 2049, big-endian sizes).
// Throws ErrorCode::bad_data naming the file for other magic numbers, images that are not square,
// labels above 9, counts that differ, and a file that ends early or goes on. Memory is asked for as
// pixels come: a header of 16 bytes can promise 168 TB.
void read_idx(const std::filesystem::path& images, const std::filesystem::path& labels,
              MemoryAllowance& memory, ImageDataset& into);

// Adds the images of a file in CIFAR-10's binary version: a label byte and 3,072 pixels each.
void read_cifar(const std::filesystem::path& file, MemoryAllowance& memory, ImageDataset& into);

// The images of a data SPEC: idx:IMAGES,LABELS, cifar:FILE,..., mnist, cifar10. All sources must
// have images of one size. Pixels that take more than `max_memory` bytes (0: what is available) are
// ErrorCode::runtime.
ImageDataset load_images(std::string_view spec, const std::filesystem::path& data_dir,
                         uint64_t max_memory = 0);

// Some of the images, in the given order.
ImageDataset pick_images(const ImageDataset& images, const std::vector<int32_t>& rows);

}  // namespace headroom
