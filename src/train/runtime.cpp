#include "train/runtime.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <torch/version.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "base/measure/machine.h"

namespace headroom {
inline namespace train {

torch::Device open_device(const std::string& name, int local_rank) {
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
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 5)
  // cuDNN's attention builds a kernel for every new length of a batch: with it, fine-tuning in
  // bf16 on an H200 took four times as long as in fp32.
  at::globalContext().setSDPUseCuDNN(false);
#endif
  const auto gpus = static_cast<int>(torch::cuda::device_count());
  if (local_rank >= gpus) {
    throw Error(
        ErrorCode::usage, "open device",
        fmt::format("process {} of this machine has no GPU: there are {}", local_rank, gpus));
  }
  return torch::Device(torch::kCUDA, static_cast<c10::DeviceIndex>(local_rank));
}

void use_threads(int threads, int processes) {
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  at::set_num_threads(threads > 0 ? threads : std::max(1, cores / processes));
}

namespace {

// The driver's own name for the first GPU ("NVIDIA H200"); torch's C++ interface does not tell it.
std::string gpu_name() {
  std::error_code ignored;
  for (const auto& gpu : std::filesystem::directory_iterator("/proc/driver/nvidia/gpus", ignored)) {
    std::ifstream file(gpu.path() / "information");
    for (std::string line; std::getline(file, line);) {
      if (line.rfind("Model:", 0) == 0) return line.substr(line.find_first_not_of(" \t", 6));
    }
  }
  return "CUDA device";
}

}  // namespace

Json describe_runtime(torch::Device device) {
  Json json = describe_machine();
  json["device"] = device.is_cuda() ? "cuda" : "cpu";
  if (device.is_cuda()) json["gpu"] = gpu_name();
  json["threads"] = at::get_num_threads();
  json["torch"] = TORCH_VERSION;
  return json;
}

}  // namespace train
}  // namespace headroom
