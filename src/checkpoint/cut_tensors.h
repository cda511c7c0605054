// The tensors of a checkpoint with other heads and neurons in them than its file holds: fewer, for
// a compact model, or all of them with zeros for what is gone.
#pragma once

#include <cstddef>
#include <filesystem>
#include <list>
#include <string>
#include <vector>

#include "checkpoint/config.h"
#include "checkpoint/tensors/safetensors.h"
#include "checkpoint/tensors/tensor.h"

namespace headroom {

class CutTensors {
 public:
  // All tensors as they are stored. Throws ErrorCode::bad_model when the file is damaged or not the
  // one that `config` describes.
  CutTensors(const std::filesystem::path& safetensors, const ModelConfig& config);

  // Leaves only what `kept` has: the tensors of a model whose config says stored = kept.
  void shrink(const Selection& kept);

  // Gives every tensor its full size. Where a unit that is not in `kept` leaves its layer
  // (attention.output.dense and output.dense) its columns are zero, so that it adds nothing.
  void fill_up(const Selection& kept);

  // Valid as long as this object and until the next change.
  const std::vector<TensorView>& views() const { return views_; }

 private:
  using Places = std::vector<int64_t>;  // where in the file each row or column lies; -1: zeros

  struct LayerPlaces {
    Places into_heads, out_of_heads;      // rows of query, key and value; columns of the projection
    Places into_neurons, out_of_neurons;  // rows of the FFN's first matrix; columns of its second
  };

  void place_layer(int64_t layer, const LayerPlaces& places);
  void place(const std::string& name, const Places* rows, const Places* columns);

  ModelShape shape_;
  Selection stored_;
  SafetensorsFile file_;
  std::vector<TensorView> views_;
  std::list<std::vector<std::byte>> copies_;  // a list: views point into them
};

}  // namespace headroom
