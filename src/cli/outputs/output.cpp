#include "cli/outputs/output.h"

#include <fmt/format.h>

#include "base/error.h"

namespace headroom {
namespace {

struct FormText {
  OutputForm form;
  OutputText text;
};

constexpr FormText form_texts[] = {
    {OutputForm::label, classify_text}, {OutputForm::labels, multilabel_text},
    {OutputForm::score, score_text},    {OutputForm::tags, tag_text},
    {OutputForm::vector, embed_text},
};

}  // namespace

std::string scored_labels(const ModelConfig& config, const Answer& answer,
                          const std::vector<size_t>& labels) {
  std::string text;
  for (const size_t label : labels) {
    text += fmt::format("{}{}\t{:.4f}", text.empty() ? "" : "\t", config.labels[label],
                        answer.scores[label]);
  }
  return text;
}

OutputText output_of(Task task) {
  for (const FormText& entry : form_texts) {
    if (answers_text(task) && entry.form == traits(task).output) return entry.text;
  }
  throw Error(ErrorCode::usage, "predict",
              fmt::format("task {} has no answers to write", task_name(task)));
}

}  // namespace headroom
