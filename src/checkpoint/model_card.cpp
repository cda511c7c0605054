#include "checkpoint/model_card.h"

#include <fmt/format.h>

#include "base/measure/machine.h"
#include "base/table.h"

namespace headroom {
namespace {

// How a model of a task is introduced.
struct Purpose {
  const char* tag;  // Hugging Face's
  const char* title;
  const char* command;
  bool budgets = true;
};

Purpose purpose_of(Task task) {
  switch (task) {
    case Task::image:
      return {"image-classification", "An image classifier that runs at any compute budget",
              "headroom predict --model . --budget 0.5 mnist:test"};
    case Task::lm:
      return {"text-generation", "A language model that runs at any compute budget",
              "echo \"Once\" | headroom predict --model . --budget 0.5"};
    case Task::translate:
      return {"translation", "A translator", "echo \"A dog runs.\" | headroom predict --model .",
              /*budgets=*/false};
    case Task::pair:
      return {"text-classification", "A classifier of text pairs that runs at any compute budget",
              "printf 'first\\tsecond\\n' | headroom predict --model . --budget 0.5"};
    case Task::multilabel:
      return {"text-classification", "A classifier for several labels at any compute budget",
              "echo \"some text\" | headroom predict --model . --budget 0.5"};
    case Task::regress:
      return {"text-classification", "A number for a text at any compute budget",
              "echo \"some text\" | headroom predict --model . --budget 0.5"};
    case Task::rerank:
      return {"text-ranking", "A reranker that runs at any compute budget",
              "headroom rerank --model . --budget 0.5 --query \"a question\" passages.txt"};
    case Task::tag:
      return {"token-classification", "A tagger that runs at any compute budget",
              "echo \"some text\" | headroom predict --model . --budget 0.5"};
    case Task::embed:
      return {"sentence-similarity", "Vectors of texts at any compute budget",
              "echo \"some text\" | headroom embed --model . --budget 0.5"};
    default:
      return {"text-classification", "A text classifier that runs at any compute budget",
              "echo \"some text\" | headroom predict --model . --budget 0.5"};
  }
}

std::string title_case(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] -= 'a' - 'A';
  return text;
}

std::string policy_lines(const Policy& policy) {
  std::string lines = "- Scores are calibrated on validation rows";
  if (policy.blends()) lines += " and contain those of rung zero, a bag of n-grams";
  lines += " (`policy.json`)\n";
  if (policy.rungs.size() == 1) return lines;
  return lines +
         fmt::format(
             "- `--budget auto` promises {} {} with certainty {}, at a mean budget of {:.3f}\n",
             promise_table.name(policy.promise), policy.promised, policy.certainty,
             policy.levels.back().mean_budget);
}

}  // namespace

std::string write_model_card(const ModelConfig& config, const ModelCard& card) {
  Table table{{"budget", card.measure, "active heads", "active FFN", "MACs of dense"}, {}};
  for (const ModelCard::Row& row : card.rows) {
    table.rows.push_back({fmt::format("{}", row.budget), row.result,
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
  const Purpose purpose = purpose_of(config.task);
  std::string more;
  if (!card.start.empty()) more += fmt::format("- Started from: `{}`\n", card.start);
  if (!card.recipe.empty()) more += fmt::format("- Recipe: {}\n", card.recipe);
  if (config.output.lexical) {
    more +=
        "- Scores contain BM25 over the tokens of query and passage, beside the network's logit\n";
  }
  if (card.policy) more += policy_lines(*card.policy);
  for (const std::string& licence : card.licences) {
    more += fmt::format("- Licence of the data, {}\n", licence);
  }
  return fmt::format(
      "---\nlibrary_name: headroom\npipeline_tag: {}\n---\n\n"
      "# {}\n\n{}"
      "```\n{}\n```\n\n"
      "{} on the {} rows:\n\n{}\n"
      "{}"
      "- Trained on: `{}`, method `{}`, seed {}, {} steps, {}\n"
      "- Shape: {} layers, width {}, {} heads, FFN {}, up to {} tokens, {} {}\n{}",
      purpose.tag, purpose.title,
      purpose.budgets ? "One checkpoint; every request says how much it may spend:\n\n" : "",
      purpose.command, title_case(card.measure), card.scored_on, markdown(table),
      labels.empty() ? "" : fmt::format("- Labels: {}\n", labels), card.data,
      method_name(config.method), card.seed, card.steps, today(), shape.layers, shape.width,
      shape.heads, shape.ffn, shape.positions, shape.vocabulary, token_word(config.tokenizer),
      more);
}

}  // namespace headroom
