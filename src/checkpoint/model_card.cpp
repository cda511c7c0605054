#include "checkpoint/model_card.h"

#include <fmt/format.h>

#include "base/machine.h"
#include "base/table.h"

namespace headroom {

std::string write_model_card(const ModelConfig& config, const ModelCard& card) {
  Table table{{"budget", "accuracy", "active heads", "MACs of dense"}, {}};
  for (const ModelCard::Row& row : card.rows) {
    table.rows.push_back({fmt::format("{}", row.budget),
                          fmt::format("{:.2f} %", 100 * row.accuracy),
                          fmt::format("{:.0f} %", 100 * row.active_heads),
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
  return fmt::format(
      "---\nlibrary_name: headroom\npipeline_tag: text-classification\n---\n\n"
      "# A text classifier that runs at any compute budget\n\n"
      "One checkpoint; every request says how much it may spend:\n\n"
      "```\necho \"some text\" | headroom predict --model . --budget 0.5\n```\n\n"
      "Accuracy on the {} rows:\n\n{}\n"
      "- Labels: {}\n"
      "- Trained on: `{}`, method `{}`, seed {}, {} steps, {}\n"
      "- Shape: {} layers, width {}, {} heads, FFN {}, up to {} tokens, {} words\n",
      card.scored_on, markdown(table), labels, card.data, method_name(config.method), card.seed,
      card.steps, today(), shape.layers, shape.width, shape.heads, shape.ffn, shape.positions,
      shape.vocabulary);
}

}  // namespace headroom
