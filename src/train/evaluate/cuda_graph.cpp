#include "train/evaluate/cuda_graph.h"

#include <memory>

#include "base/error.h"
#include "model/torch.h"

#if __has_include(<ATen/cuda/CUDAGraph.h>) && __has_include(<cuda_runtime_api.h>)
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAGuard.h>

namespace headroom {
inline namespace train {

std::function<void()> recorded(const std::function<void()>& work) {
  const auto graph = std::make_shared<at::cuda::CUDAGraph>();
  const auto stream = at::cuda::getStreamFromPool();  // the default stream cannot be recorded
  const c10::cuda::CUDAStreamGuard guard(stream);
  for (int i = 0; i < 3; ++i) work();  // libraries choose their kernels and take their memory
  torch::cuda::synchronize();
  graph->capture_begin();
  work();
  graph->capture_end();
  return [graph] { graph->replay(); };
}

}  // namespace train
}  // namespace headroom
#else
namespace headroom {
inline namespace train {

std::function<void()> recorded(const std::function<void()>& /*work*/) {
  throw Error(ErrorCode::usage, "record a CUDA graph", "this build has no CUDA");
}

}  // namespace train
}  // namespace headroom
#endif
