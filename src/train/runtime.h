// Threads and devices of the training half.
#pragma once

#include <string>

#include "base/json.h"
#include "model/torch.h"

namespace headroom {
inline namespace train {

// "cpu" or "cuda"; throws ErrorCode::usage when this build or machine has no such device. Of
// several GPUs the one with number `local_rank` is taken.
torch::Device open_device(const std::string& name, int local_rank = 0);

// Intra-operation threads; 0 means one per core, shared by the `processes` of this machine. (torch
// may start with one.)
void use_threads(int threads, int processes = 1);

// What results say about where they were made: machine, device, threads, torch version.
Json describe_runtime(torch::Device device);

}  // namespace train
}  // namespace headroom
