#include "engine/heads/heads.h"

#include <fmt/format.h>

#include "base/error.h"
#include "engine/heads/classify.h"
#include "engine/heads/embed.h"
#include "engine/heads/multilabel.h"
#include "engine/heads/score.h"
#include "engine/heads/tag.h"

namespace headroom {
namespace {

struct TaskHead {
  Task task;
  std::unique_ptr<const Head> (*make)(const ModelConfig& config, const EngineWeights& weights);
};

constexpr TaskHead task_heads[] = {
    {Task::classify, make_classify_head},
    {Task::pair, make_classify_head},
    {Task::synthetic, make_classify_head},
    {Task::multilabel, make_multilabel_head},
    {Task::regress, make_number_head},
    {Task::rerank, make_ranking_head},
    {Task::tag, make_tag_head},
    {Task::embed, make_embed_head},
};

}  // namespace

std::unique_ptr<const Head> make_head(const ModelConfig& config, const EngineWeights& weights) {
  for (const TaskHead& entry : task_heads) {
    if (entry.task == config.task) return entry.make(config, weights);
  }
  throw Error(ErrorCode::usage, "open checkpoint",
              fmt::format("the native engine has no head for task {}", task_name(config.task)));
}

}  // namespace headroom
