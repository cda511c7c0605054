#include "checkpoint/model_card.h"

#include <fmt/format.h>

#include "base/machine.h"
#include "base/table.h"

namespace headroom {

std::string write_model_card(const ModelConfig& config, const ModelCard& card) {
  Table table{{"budget", "accuracy", "active heads", "active FFN", "MACs of dense"}, {}};
  for (const ModelCard::Row& row : card.rows) {
    table.rows.push_back({fmt::format("{}", row.budget),
                          fmt::format("{:.2f} %", 100 * row.accuracy),
                          fmt::format("{:.1f} %", 100 * row.active_heads),
                          fmt::format("{:.1f} %", 100 * row.active_ffn),
                          fmt::format("{:.1f} %", 100 * row.macs_fraction)});
  }
  std::string labels;
  for (const std::string& label : config.labels) {
    if (labels.size() > 300) {
      labels += fmt::format(", ... ({} in all)", config.labels.size());
      break;
    }
    labels += labels.empty() ? label : ", " + label;
  }
  const ModelShape& shape = config.shape;
  std::string more;
  if (!card.start.empty()) more += fmt::format("- Started from: `{}`\n", card.start);
  if (!card.recipe.empty()) more += fmt::format("- Recipe: {}\n", card.recipe);
  for (const std::string& licence : card.licences) {
    more += fmt::format("- Licence of the data, {}\n", licence);
  }
  return fmt::format(
      "---\nlibrary_name: headroom\npipeline_tag: text-classification\n---\n\n"
      "# A text classifier that runs at any compute budget\n\n"
      "One checkpoint; every request says how much it may spend:\n\n"
      "```\necho \"some text\" | headroom predict --model . --budget 0.5\n```\n\n"
      "Accuracy on the {} rows:\n\n{}\n"
      "- Labels: {}\n"
      "- Trained on: `{}`, method `{}`, seed {}, {} steps, {}\n"
      "- Shape: {} layers, width {}, {} heads, FFN {}, up to {} tokens, {} {}\n{}",
      card.scored_on, markdown(table), labels, card.data, method_name(config.method), card.seed,
      card.steps, today(), shape.layers, shape.width, shape.heads, shape.ffn, shape.positions,
      shape.vocabulary, config.tokenizer == TokenizerKind::word ? "words" : "word pieces", more);
}

}  // namespace headroom
