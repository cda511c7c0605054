#include "train/tasks/tasks.h"

#include <fmt/format.h>

#include "base/error.h"

namespace headroom {
inline namespace train {

namespace {

struct Entry {
  Task task;
  const TaskDefinition& definition;
};

constexpr Entry definitions[] = {
    {Task::classify, text_task},         {Task::pair, text_task},
    {Task::image, image_task},           {Task::lm, language_task},
    {Task::translate, translation_task}, {Task::synthetic, synthetic_task},
    {Task::multilabel, target_task},     {Task::regress, target_task},
    {Task::rerank, rerank_task},         {Task::tag, tag_task},
    {Task::embed, embed_task},
};

}  // namespace

const TaskDefinition& definition(Task task) {
  for (const Entry& entry : definitions) {
    if (entry.task == task) return entry.definition;
  }
  throw Error(ErrorCode::usage, "train",
              fmt::format("a model of task {} is one to start from", task_name(task)));
}

TaskData load_task(const TaskRequest& request, const TextCoding* fixed) {
  return definition(request.task).load(request, fixed);
}

TrainRequest default_request(Task task, bool fine_tune) {
  TrainRequest request;
  request.task.task = task;
  request.task.validation_data.clear();
  definition(task).set_defaults(request);
  if (fine_tune) {
    request.recipe = open_recipe(request.recipe);
    request.method = Method::nested;
    request.task.max_tokens = most_tokens;
    if (answers_whole_text(task)) request.task.truncation = TruncationChoice::automatic;
  }
  return request;
}

Recipe default_recipe(Task task) {
  return default_request(task, false).recipe;
}

ModelShape default_shape(Task task) {
  return default_request(task, false).shape;
}

void require_data(const TaskRequest& request, std::string_view forms) {
  if (!request.data.empty()) return;
  throw Error(ErrorCode::usage, "train", fmt::format("--data is required: {}", forms));
}

void require_scored_data(const EvaluationData& rows) {
  if (!rows.data.empty()) return;
  throw Error(ErrorCode::usage, "eval", "--data is required for this model");
}

}  // namespace train
}  // namespace headroom
