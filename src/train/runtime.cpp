#include "train/runtime.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <torch/version.h>

#include <thread>

#include "base/machine.h"

namespace headroom {

torch::Device open_device(const std::string& name) {
  if (name == "cpu") return torch::kCPU;
  if (name != "cuda") {
    throw Error(ErrorCode::usage, "open device",
                fmt::format("\"{}\" is neither cpu nor cuda", name));
  }
  if (!torch::cuda::is_available()) {
    throw Error(ErrorCode::usage, "open device",
                "no CUDA device: this needs an NVIDIA GPU and a build against a CUDA libtorch");
  }
  at::globalContext().setAllowTF32CuBLAS(true);  // 8x the fp32 matrix rate for 10 bits of mantissa
  return torch::Device(torch::kCUDA, 0);
}

void use_threads(int threads) {
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  at::set_num_threads(threads > 0 ? threads : std::max(1, cores));
}

Json describe_runtime(torch::Device device) {
  Json json = describe_machine();
  json["device"] = device.is_cuda() ? "cuda" : "cpu";
  json["threads"] = at::get_num_threads();
  json["torch"] = TORCH_VERSION;
  return json;
}

}  // namespace headroom
