// The tensors of a Hugging Face folder: one model.safetensors, or the shards that
// model.safetensors.index.json lists.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/hf/folder.h"
#include "checkpoint/tensors/safetensors.h"

namespace headroom {

class HfWeights {
 public:
  // Throws ErrorCode::bad_model when weights are missing, damaged or pickled, or when the index and
  // its shards do not hold exactly the same tensors, each once.
  explicit HfWeights(const HfFolder& folder);

  std::vector<std::string> names() const;  // sorted
  bool has(std::string_view name) const { return owner_.find(name) != owner_.end(); }

  // The file that holds a tensor; throws ErrorCode::bad_model when none does.
  const SafetensorsFile& file_of(std::string_view name) const;

 private:
  void open_shards(const HfFolder& folder);

  std::vector<SafetensorsFile> files_;
  std::map<std::string, size_t, std::less<>> owner_;  // name to position in files_
};

}  // namespace headroom
