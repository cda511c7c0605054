#include "cli/outputs/output.h"

#include <fmt/format.h>

#include "base/error.h"
#include "cli/outputs/classify.h"

namespace headroom {
namespace {

struct TaskOutput {
  Task task;
  Output output;
};

constexpr TaskOutput task_outputs[] = {
    {Task::classify, classify_output},
    {Task::pair, classify_output},
    {Task::synthetic, classify_output},
};

}  // namespace

const Output& output_of(Task task) {
  for (const TaskOutput& entry : task_outputs) {
    if (entry.task == task) return entry.output;
  }
  throw Error(ErrorCode::usage, "predict",
              fmt::format("task {} has no answers to write", task_name(task)));
}

}  // namespace headroom
