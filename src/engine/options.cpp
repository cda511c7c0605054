#include "engine/options.h"

#include <fmt/format.h>

#include <vector>

#include "base/error.h"
#include "base/join.h"
#include "engine/answers/vectors.h"

namespace headroom {
namespace {

void require_task(const ModelConfig& config, Task wanted, bool asked, const char* option) {
  if (!asked || config.task == wanted) return;
  throw Error(ErrorCode::usage, "read options",
              fmt::format("{} is for models of task {}, this one is of task {}", option,
                          task_name(wanted), task_name(config.task)));
}

}  // namespace

void check_options(const ModelConfig& config, const AnswerOptions& options) {
  require_task(config, Task::tag, options.aggregation != Aggregation::simple, "aggregation");
  require_task(config, Task::tag, options.token_tags, "all tokens");
  require_task(config, Task::embed, options.dimensions.has_value(), "dimensions");
  require_task(config, Task::embed, options.prompt.has_value(), "prompt");
  if (options.dimensions) check_dimensions(config, *options.dimensions);
  prompt_of(config, options.prompt);
}

std::string_view prompt_of(const ModelConfig& config, const std::optional<std::string>& name) {
  const VectorConfig& vector = config.output.vector;
  const std::string& wanted = name ? *name : vector.default_prompt;
  if (wanted.empty()) return {};
  const auto found = vector.prompts.find(wanted);
  if (found != vector.prompts.end()) return found->second;
  std::vector<std::string_view> known;
  for (const auto& [each, text] : vector.prompts) known.push_back(each);
  throw Error(ErrorCode::usage, "read options",
              known.empty()
                  ? fmt::format("prompt \"{}\": this model has no prompts", wanted)
                  : fmt::format("prompt \"{}\" is not one of {}", wanted, join(known, ", ")));
}

}  // namespace headroom
