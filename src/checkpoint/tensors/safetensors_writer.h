// Writes safetensors files in one step: a reader sees the former file or the new one, never half.
#pragma once

#include <filesystem>
#include <span>

#include "checkpoint/tensors/safetensors_header.h"
#include "checkpoint/tensors/tensor.h"

namespace headroom {

// Streams the tensors into a temporary sibling of `path`, makes it durable and renames it. Tensors
// are laid out by descending alignment, then by name, as the reference implementation does, so the
// same input always gives the same bytes. Nothing is copied: peak memory is the header. Returns the
// file's XXH64.
//
// Throws ErrorCode::runtime when a tensor contradicts itself (shape against bytes), a name is taken
// twice or reserved, or the disk is full or not writable; the former file is then untouched.
uint64_t write_safetensors(const std::filesystem::path& path, std::span<const TensorView> tensors,
                           const SafetensorsMetadata& metadata = {});

}  // namespace headroom
