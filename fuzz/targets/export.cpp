// Exports of a small checkpoint whose config.json is the input: the budget, gates, order and stored
// sizes that the ONNX writer and the cutting of tensors are given.
#include "base/files/scratch_folder.h"
#include "checkpoint/onnx/writer.h"
#include "checkpoint/sliced_tensors.h"
#include "checkpoint/small_checkpoint.h"
#include "input.h"
#include "target.h"

namespace headroom::fuzz {
namespace {

const Target export_target("export", [](std::string_view input) {
  static const ScratchFolder folder;
  static const std::filesystem::path checkpoint = [] {
    testing::write_small_checkpoint(folder.path() / "model");
    return folder.path() / "model";
  }();
  Numbers numbers(input);
  const double budget = numbers.fraction();
  overwrite(checkpoint / "config.json", numbers.rest());
  accepts({ErrorCode::bad_model, ErrorCode::usage}, [&] {
    const ModelConfig config = read_config(checkpoint);
    const Selection kept = config.selection(budget);
    SlicedTensors cut(checkpoint / "model.safetensors", config);
    cut.shrink(kept);
    for (const OnnxPrecision precision : {OnnxPrecision::fp32, OnnxPrecision::int8}) {
      require(!onnx_model(checkpoint, budget, precision).empty(), "a model has bytes");
    }
  });
});

}  // namespace
}  // namespace headroom::fuzz
