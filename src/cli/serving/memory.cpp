#include "cli/serving/memory.h"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <thread>

#include "base/error.h"
#include "base/measure/machine.h"
#include "base/memory_allowance.h"
#include "checkpoint/weights_memory.h"

namespace headroom {

using namespace server;

uint64_t memory_left(const ServeOptions& options) {
  if (options.max_memory == 0) return 0;
  const uint64_t used = static_cast<uint64_t>(resident_memory_bytes()) + options.reserved_memory;
  return std::max<uint64_t>(1, options.max_memory - std::min(options.max_memory, used));
}

namespace {

uint64_t worker_count(const ServeOptions& options) {
  const int asked = options.service.workers;
  return asked > 0 ? static_cast<uint64_t>(asked)
                   : std::max(1U, std::thread::hardware_concurrency());
}

// Of the workers, each with a full batch.
uint64_t activation_bytes(const ServeOptions& options, const ModelShape& shape) {
  const int64_t of_a_token = 8 * shape.width + 2 * shape.ffn;  // floats alive in one layer
  const auto tokens = static_cast<uint64_t>(options.service.max_batch_tokens);
  return worker_count(options) * tokens * static_cast<uint64_t>(of_a_token) * sizeof(float);
}

// What the threads take beyond what is resident before the first request: each the activations of a
// full batch, and a body with its parsed value, its texts and their tokens; of gRPC the message,
// its binary part and the body that they become.
uint64_t memory_of_threads(const ServeOptions& options, const std::vector<ServedModel>& models) {
  uint64_t activations = 0;
  for (const ServedModel& model : models) {
    activations = std::max(activations, activation_bytes(options, model.config.shape));
  }
  // At least as many as the pool has.
  const uint64_t parsers = std::max<uint64_t>(2, worker_count(options));
  const uint64_t bodies = options.grpc_port ? 5 + 3 : 5;
  return activations + parsers * bodies * options.http.body_bytes;
}

}  // namespace

void require_room(const ServeOptions& options, const ModelSource& model, const ModelConfig& config,
                  Precision precision, const std::vector<ServedModel>& beside) {
  if (options.reserved_memory == 0) return;
  const auto number_bytes = static_cast<uint64_t>(4 / elements_per_lane(precision));
  const uint64_t weights = weights_bytes(config, number_bytes);
  // The former generation's are in use or kept until its last request is answered.
  uint64_t activations = activation_bytes(options, config.shape);
  for (const ServedModel& other : beside) {
    activations += activation_bytes(options, other.config.shape);
  }
  if (weights + activations <= memory_left(options)) return;
  throw Error(ErrorCode::runtime, "load model",
              fmt::format("{} takes {} ({} of weights, {} in the workers), but of --max-memory {} "
                          "only {} are left: {} are in use, {} are kept for requests",
                          model.name, shown_bytes(weights + activations), shown_bytes(weights),
                          shown_bytes(activations), shown_bytes(options.max_memory),
                          shown_bytes(memory_left(options)),
                          shown_bytes(static_cast<uint64_t>(resident_memory_bytes())),
                          shown_bytes(options.reserved_memory)));
}

// A body that comes in chunks is copied when it has outgrown its memory, and is there twice for
// that moment; one of gRPC is there as its message's bytes too until it is answered. Each port
// counts its own.
void share_memory(ServeOptions& options, const std::vector<ServedModel>& models) {
  if (options.max_memory == 0) return;
  const uint64_t threads = memory_of_threads(options, models);
  HttpLimits& http = options.http;
  // Two buffers, the session, its socket, and the part of a body that is not counted.
  const size_t tls = options.tls.certificate.empty() ? 0 : 48'000;
  const size_t a_connection = http.header_bytes + 48'000 + http.small_body_bytes + tls;
  const uint64_t fixed = http.connections * a_connection + threads + options.cache_memory;
  const uint64_t left = memory_left(options);
  const uint64_t copies = options.grpc_port ? 2 * 2 : 2;
  if (left < fixed + copies * http.body_bytes) {
    throw Error(
        ErrorCode::runtime, "serve",
        fmt::format("--max-memory {}: the models leave {}, but {} connections, a request of "
                    "{} bytes at each port and the cache need {}; lower --max-connections, "
                    "--payload-limit or "
                    "--cache-memory",
                    shown_bytes(options.max_memory), shown_bytes(left), http.connections,
                    http.body_bytes, shown_bytes(fixed + copies * http.body_bytes)));
  }
  http.held_bytes = std::min<size_t>(http.held_bytes, (left - fixed) / copies);
  options.reserved_memory = fixed + copies * http.held_bytes;
}

// glibc keeps what is freed, and more of it the larger it was: 300 half-sent bodies held 600 MB
// after their clients had left. With a fixed threshold such blocks go back to the system at once.
void return_freed_memory(bool few_arenas) {
  mallopt(M_MMAP_THRESHOLD, 128 * 1024);
  mallopt(M_TRIM_THRESHOLD, 1024 * 1024);
  if (few_arenas) mallopt(M_ARENA_MAX, 2);  // each keeps some of its own
}

}  // namespace headroom
