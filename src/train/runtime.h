// Threads and devices of the training half.
#pragma once

#include <string>

#include "base/json.h"
#include "model/torch.h"

namespace headroom {

// "cpu" or "cuda"; throws ErrorCode::usage when this build or machine has no such device.
torch::Device open_device(const std::string& name);

// Intra-operation threads; 0 means one per core. (torch may start with one.)
void use_threads(int threads);

// What results say about where they were made: machine, device, threads, torch version.
Json describe_runtime(torch::Device device);

}  // namespace headroom
