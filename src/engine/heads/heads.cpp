#include "engine/heads/heads.h"

#include <fmt/format.h>

#include "base/error.h"
#include "engine/heads/classify.h"

namespace headroom {
namespace {

struct TaskHead {
  Task task;
  std::unique_ptr<const Head> (*make)(const EngineWeights& weights);
};

constexpr TaskHead task_heads[] = {
    {Task::classify, make_classify_head},
    {Task::pair, make_classify_head},
    {Task::synthetic, make_classify_head},
};

}  // namespace

std::unique_ptr<const Head> make_head(const ModelConfig& config, const EngineWeights& weights) {
  for (const TaskHead& entry : task_heads) {
    if (entry.task == config.task) return entry.make(weights);
  }
  throw Error(ErrorCode::usage, "open checkpoint",
              fmt::format("the native engine has no head for task {}", task_name(config.task)));
}

}  // namespace headroom
