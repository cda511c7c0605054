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

class SlicedTensors {
 public:
  // All tensors as they are stored. Throws ErrorCode::bad_model when the file is damaged or not the
  // one that `config` describes.
  SlicedTensors(const std::filesystem::path& safetensors, const ModelConfig& config);

  // Leaves only what `kept` has: the tensors of a model whose config says stored = kept.
  void shrink(const Selection& kept);

  // Gives every tensor its full size. Where a unit that is not in `kept` leaves its layer
  // (attention.output.dense and output.dense) its columns are zero, so that it adds nothing.
  void fill_up(const Selection& kept);

  // Makes the outputs y of a layer y / divisor + offset. False, and nothing is changed, where its
  // numbers are not fp32: they would be rounded.
  bool rescale(const std::string& layer, double divisor, double offset);

  // Valid as long as this object and until the next change.
  const std::vector<TensorView>& views() const { return views_; }

 private:
  using Sources = std::vector<int64_t>;  // of each row or column: its index in the file; -1: zeros

  struct LayerSources {
    Sources into_heads, out_of_heads;  // rows of query, key and value; columns of the projection
    Sources into_neurons, out_of_neurons;  // rows of the FFN's first matrix; columns of its second
  };

  void gather_layer(int64_t layer, const LayerSources& sources);
  TensorView* find_fp32(const std::string& name);
  void gather(TensorView& view, const Sources* rows, const Sources* columns);

  ModelShape shape_;
  Selection stored_;
  SafetensorsFile file_;
  std::vector<TensorSpec> specs_;
  std::vector<TensorView> views_;             // one for each of specs_
  std::list<std::vector<std::byte>> copies_;  // a list: views point into them
};

}  // namespace headroom
