#include "train/parallel/ranks.h"

#include <fmt/format.h>
#include <torch/version.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/error.h"
#include "train/parallel/lifelines.h"
#include "train/runtime.h"

// PyTorch's own packages bring a libtorch with Gloo, but not Gloo's headers.
#if __has_include(<gloo/algorithm.h>)
#ifndef USE_C10D_GLOO
#define USE_C10D_GLOO
#endif
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#define HEADROOM_GLOO
#endif
#if __has_include(<nccl.h>) && __has_include(<ATen/cuda/CUDAEvent.h>)
#ifndef USE_C10D_NCCL
#define USE_C10D_NCCL
#endif
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#define HEADROOM_NCCL
#endif
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

namespace headroom {
inline namespace train {
namespace {

#if TORCH_VERSION_MAJOR >= 2
using Backend = c10d::Backend;
#else
using Backend = c10d::ProcessGroup;
#endif
using Store = c10::intrusive_ptr<c10d::Store>;

std::chrono::milliseconds milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<int64_t>(seconds * 1e3));
}

Store open_store(const World& world, double timeout_seconds) {
  c10d::TCPStoreOptions options;
  options.port = static_cast<uint16_t>(world.port);
  options.isServer = world.rank == 0;
  options.numWorkers = static_cast<size_t>(world.size);
  options.timeout = milliseconds(timeout_seconds);
  return c10::make_intrusive<c10d::TCPStore>(world.address, options);
}

c10::intrusive_ptr<Backend> open_gloo([[maybe_unused]] const Store& store,
                                      [[maybe_unused]] const World& world,
                                      [[maybe_unused]] double timeout_seconds) {
#ifdef HEADROOM_GLOO
  auto options = c10d::ProcessGroupGloo::Options::create();
  options->timeout = milliseconds(timeout_seconds);
  // A machine whose name does not resolve can still talk to itself.
  const bool here = world.local_size == world.size;
  options->devices.push_back(here ? c10d::ProcessGroupGloo::createDeviceForHostname("127.0.0.1")
                                  : c10d::ProcessGroupGloo::createDefaultDevice());
  return c10::make_intrusive<c10d::ProcessGroupGloo>(store, world.rank, world.size, options);
#else
  throw Error(ErrorCode::usage, "find the other processes",
              "this build has no Gloo: install its headers (libgloo-dev) and build anew");
#endif
}

std::unique_ptr<Lifelines> open_lifelines(const Store& store, const World& world,
                                          double timeout_seconds) {
  const std::string key = "lifelines";
  return std::make_unique<Lifelines>(
      world, timeout_seconds,
      [&](const std::string& port) {
        store->set(key, std::vector<uint8_t>(port.begin(), port.end()));
      },
      [&] {
        const std::vector<uint8_t> port = store->get(key);
        return std::string(port.begin(), port.end());
      });
}

c10::intrusive_ptr<Backend> open_nccl([[maybe_unused]] const Store& store,
                                      [[maybe_unused]] const World& world,
                                      [[maybe_unused]] double timeout_seconds) {
#ifdef HEADROOM_NCCL
  auto options = c10d::ProcessGroupNCCL::Options::create();
  options->timeout = milliseconds(timeout_seconds);
  return c10::make_intrusive<c10d::ProcessGroupNCCL>(store, world.rank, world.size, options);
#else
  throw Error(ErrorCode::usage, "find the other processes",
              "this build has no NCCL: install its headers and build anew");
#endif
}

}  // namespace

struct Ranks::Group {
  c10::intrusive_ptr<Backend> backend;
  std::unique_ptr<Lifelines> lifelines;  // NCCL has a watch of its own
  std::vector<c10::intrusive_ptr<c10d::Work>> begun = {};

  void wait_for(c10d::Work& work) const;
};

// Another rank may have ended because it was done: what it gave to this exchange then still comes.
void Ranks::Group::wait_for(c10d::Work& work) const {
  if (lifelines == nullptr) {
    work.wait();
    return;
  }
  for (auto grace = std::chrono::milliseconds(3000); grace.count() > 0;) {
    constexpr auto slice = std::chrono::milliseconds(300);
    try {
      work.wait(slice);
      return;
    } catch (const std::exception&) {
      if (work.isCompleted()) throw;
    }
    if (lifelines->broken()) grace -= slice;
  }
  throw std::runtime_error("its connection closed");
}

// A group that is destroyed waits for the exchanges that it began. After a failure nobody answers
// them any more, and ranks would wait for each other's ends: the group is left to the process's
// end.
Ranks::~Ranks() {
  if (group_ != nullptr && !group_->begun.empty()) static_cast<void>(group_.release());
}

Ranks::Ranks(const World& world, torch::Device device, double timeout_seconds)
    : device_(device), rank_(world.rank), size_(world.size) {
  if (alone()) return;
  try {
    const Store store = open_store(world, timeout_seconds);
    group_ = device.is_cuda()
                 ? std::make_unique<Group>(Group{open_nccl(store, world, timeout_seconds), {}})
                 : std::make_unique<Group>(Group{open_gloo(store, world, timeout_seconds),
                                                 open_lifelines(store, world, timeout_seconds)});
  } catch (const Error&) {
    throw;
  } catch (const std::exception& problem) {
    throw Error(ErrorCode::runtime, "find the other processes",
                fmt::format("rank {} of {} found no job at {} port {} within {} s: {}", rank_,
                            size_, world.address, world.port, timeout_seconds, problem.what()));
  }
}

// Only the first line: what follows in libtorch's messages is a list of its own functions.
void Ranks::fail(const std::string& reason) const {
  throw Error(ErrorCode::runtime, "train with others",
              fmt::format("rank {} of {} lost the others, one of them has ended or cannot be "
                          "reached ({}); --resume goes on from what was saved last",
                          rank_, size_, reason.substr(0, reason.find('\n'))));
}

void Ranks::start_sum(const torch::Tensor& tensor) {
  if (alone()) return;
  std::vector<torch::Tensor> tensors = {tensor};
  try {
    group_->begun.push_back(group_->backend->allreduce(tensors));
  } catch (const std::exception& problem) {
    fail(problem.what());
  }
}

void Ranks::finish_sums() {
  if (alone()) return;
  try {
    for (const auto& work : group_->begun) group_->wait_for(*work);
  } catch (const std::exception& problem) {
    fail(problem.what());
  }
  group_->begun.clear();
}

void Ranks::copy_from_first(const torch::Tensor& tensor) {
  if (alone()) return;
  const torch::NoGradGuard no_gradients;
  std::vector<torch::Tensor> tensors = {tensor};
  try {
    group_->begun.push_back(group_->backend->broadcast(tensors));
  } catch (const std::exception& problem) {
    fail(problem.what());
  }
  finish_sums();
}

std::string Ranks::text_from_first(const std::string& text) {
  if (alone()) return text;
  const auto bytes = static_cast<int64_t>(from_first(static_cast<double>(text.size())));
  torch::Tensor letters = torch::zeros({bytes}, torch::kUInt8);
  if (first()) std::copy(text.begin(), text.end(), letters.data_ptr<uint8_t>());
  letters = letters.to(device_);
  if (bytes > 0) copy_from_first(letters);
  letters = letters.cpu();
  return {reinterpret_cast<const char*>(letters.data_ptr<uint8_t>()), static_cast<size_t>(bytes)};
}

torch::Tensor Ranks::number(double value) const {
  return torch::full({1}, value, torch::dtype(torch::kFloat64).device(device_));
}

double Ranks::from_first(double value) {
  if (alone()) return value;
  const torch::Tensor shared = number(value);
  copy_from_first(shared);
  return shared.item<double>();
}

double Ranks::sum(double value) {
  if (alone()) return value;
  const torch::Tensor shared = number(value);
  start_sum(shared);
  finish_sums();
  return shared.item<double>();
}

std::shared_ptr<Ranks> join_ranks(const ParallelSettings& settings, const std::string& device,
                                  int threads) {
  const World& world = settings.world;
  use_threads(threads, world.local_size);
  return std::make_shared<Ranks>(world, open_device(device, world.local_rank),
                                 settings.timeout_seconds);
}

}  // namespace train
}  // namespace headroom
