// headroom inspect: what a checkpoint holds, and what each budget costs. Needs no libtorch.
#include <fmt/format.h>

#include "base/join.h"
#include "budget/cost.h"
#include "budget/fraction.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/make_tokenizer.h"
#include "checkpoint/policy_file.h"
#include "checkpoint/tensors/safetensors.h"
#include "cli/app.h"
#include "cli/outputs/policy_text.h"
#include "cli/verb.h"
#include "families/schema.h"

namespace headroom {
namespace {

struct BudgetLine {
  double budget;
  Selection selection;
  double macs_fraction;
};

std::vector<BudgetLine> budget_lines(const ModelConfig& config, const std::vector<double>& budgets,
                                     int64_t tokens) {
  std::vector<BudgetLine> lines;
  for (const double budget : budgets) {
    const Selection selection = config.selection(budget);
    lines.push_back({budget, selection, 1.0 / speedup_cap(config.shape, selection, tokens)});
  }
  return lines;
}

std::string heads_per_layer(const Selection& selection) {
  std::vector<std::string> counts;
  for (const auto& layer : selection.kept) counts.push_back(std::to_string(layer.size()));
  return join(counts, " ");
}

std::string ffn_per_layer(const Selection& selection, int64_t ffn) {
  std::vector<std::string> counts;
  for (int64_t layer = 0; layer < selection.layers(); ++layer) {
    counts.push_back(std::to_string(selection.ffn_of(layer, ffn)));
  }
  return join(counts, " ");
}

// What the file holds; a pretrained encoder has a vocabulary head instead of a classifier.
int64_t stored_parameters(const ModelConfig& config) {
  int64_t count = 0;
  for (const TensorSpec& tensor : config.tensors()) {
    int64_t size = 1;
    for (const int64_t side : tensor.shape) size *= side;
    count += size;
  }
  return count;
}

// What remains at a budget when the rest is removed. Nothing can be where heads are chosen per
// text.
int64_t parameters_at(const ModelConfig& config, const Selection& selection) {
  return parameter_count(config.shape, config.adaptive() ? config.everything() : selection);
}

Json describe(const ModelConfig& config, const std::vector<BudgetLine>& lines, int64_t tokens) {
  const ModelShape& shape = config.shape;
  Json json;
  json["task"] = task_name(config.task);
  json["family"] = shape.family;
  json["attention"] = attention_name(shape.attention);
  json["method"] = method_name(config.method);
  json["scope"] = config.scope();
  json["layers"] = shape.layers;
  json["width"] = shape.width;
  json["heads"] = shape.heads;
  json["ffn"] = shape.ffn;
  json["max_tokens"] = config.longest_input();
  if (config.truncation) json["truncation"] = kept_part_table.name(*config.truncation);
  json["vocab_size"] = shape.vocabulary;
  json["labels"] = config.labels;
  if (config.task == Task::embed) json["dimensions"] = shape.vector_width();
  output_to_json(config.output, config.task, shape, json);
  json["tokenizer"] = tokenizer_name(config.tokenizer);
  json["parameters"] = stored_parameters(config);
  json["attention_parameters"] = attention_parameter_count(shape, config.everything());
  if (config.gates) {
    json["nested"] = config.gates->shared_slope();
    json["nestedness"] = nestedness(*config.gates, {0.1, 0.25, 0.5, 0.75, 0.9});
    json["order"] = Json::array();
    for (const HeadUnit unit : config.gates->order(0.5).units) {
      json["order"].push_back({unit.layer, unit.head});
    }
  }
  if (config.order) {
    json["nested"] = true;
    json["ffn_group"] = config.order->group_width;
    json["order"] = unit_names(*config.order);
  }
  if (config.adaptive()) {
    json["controller"] = {{"hidden", shape.controller},
                          {"temperature", config.relevance_temperature}};
  }
  json["budgets"] = Json::array();
  for (const BudgetLine& line : lines) {
    Json entry;
    entry["budget"] = line.budget;
    entry["active_heads"] = line.selection.active_fraction();
    entry["active_ffn"] = line.selection.active_ffn(shape.ffn);
    entry["model_macs_fraction"] = line.macs_fraction;
    entry["parameters"] = parameters_at(config, line.selection);
    entry["tokens"] = tokens;
    if (config.gates) entry["gate_mass"] = config.gates->mass(line.budget);
    json["budgets"].push_back(entry);
  }
  return json;
}

Json checksum(const ModelConfig& config) {
  return config.weights_checksum ? Json(checksum_text(*config.weights_checksum)) : Json();
}

void print_for_people(const ModelConfig& config, const std::vector<BudgetLine>& lines,
                      int64_t tokens) {
  const ModelShape& shape = config.shape;
  fmt::print("{}, {} attention, method {}, scope {}, task {}\n", shape.family,
             attention_name(shape.attention), method_name(config.method), config.scope(),
             task_name(config.task));
  fmt::print("{} layers, width {}, {} heads, FFN {}, up to {} tokens, {} {}, {} labels\n",
             shape.layers, shape.width, shape.heads, shape.ffn, config.longest_input(),
             shape.vocabulary, token_word(config.tokenizer), shape.labels);
  if (config.truncation) {
    fmt::print("of a longer text it reads {} (truncation {})\n",
               headroom::describe(*config.truncation), kept_part_table.name(*config.truncation));
  }
  if (config.task == Task::embed) {
    const VectorConfig& vector = config.output.vector;
    fmt::print("vectors of {} dimensions, {} pooling{}\n", shape.vector_width(),
               pooling_table.name(vector.pooling), vector.normalize ? ", of length 1" : "");
    for (const auto& [name, prompt] : vector.prompts) {
      fmt::print("prompt {}: \"{}\"{}\n", name, prompt,
                 name == vector.default_prompt ? ", the usual one" : "");
    }
  }
  fmt::print("{} parameters, {} of them in attention\n\n", stored_parameters(config),
             attention_parameter_count(shape, config.everything()));
  Table table{{"budget", "active heads", "heads per layer", "active FFN", "neurons per layer",
               fmt::format("MACs at {} tokens", tokens), "parameters"},
              {}};
  for (const BudgetLine& line : lines) {
    table.rows.push_back({fmt::format("{}", line.budget),
                          fmt::format("{:.1f} %", 100 * line.selection.active_fraction()),
                          heads_per_layer(line.selection),
                          fmt::format("{:.1f} %", 100 * line.selection.active_ffn(shape.ffn)),
                          ffn_per_layer(line.selection, shape.ffn),
                          fmt::format("{:.1f} %", 100 * line.macs_fraction),
                          fmt::format("{}", parameters_at(config, line.selection))});
  }
  print_table(table);
  if (config.adaptive()) {
    fmt::print("\nheads are chosen for each text: these are the most that it may get\n");
  }
}

}  // namespace

int run_inspect(int argc, char** argv) {
  CLI::App app("Shows what a checkpoint holds, and what each budget costs.", "headroom inspect");
  std::string model;
  std::string budgets = "0.125,0.25,0.5,0.75,1";
  int64_t tokens = 0;
  app.add_option("--model", model, "checkpoint directory")->required();
  app.add_option("--budgets", budgets, "comma-separated fractions");
  app.add_option("--tokens", tokens, "length at which MACs are counted; 0: the longest input");
  bool verify = false;
  app.add_flag("--verify", verify,
               "read every weight: all there, finite, and as the checksum in config.json says");
  return run_app(app, argc, argv, [&](bool json) {
    const ModelConfig config = read_config(model);
    load_tokenizer(model, config);  // both are opened to
    const SafetensorsFile weights(std::filesystem::path(model) /
                                  "model.safetensors");  // be checked
    const size_t tensors = verify ? verify_weights(model, config) : 0;
    const std::vector<double> asked =
        config.elastic() ? parse_budgets(budgets) : std::vector<double>{1.0};
    if (tokens < 0) throw Error(ErrorCode::usage, "read options", "--tokens must not be negative");
    const int64_t length = tokens > 0 ? tokens : config.shape.positions;
    const std::vector<BudgetLine> lines = budget_lines(config, asked, length);
    const StoredPolicy stored = read_policy(model, config);
    if (!stored.note.empty()) fmt::print(stderr, "note: {}\n", stored.note);
    if (json) {
      Json description = describe(config, lines, length);
      if (stored.policy) description["policy"] = to_json(*stored.policy);
      if (verify) description["verified"] = {{"tensors", tensors}, {"xxh64", checksum(config)}};
      print_json_line(description);
    } else {
      print_for_people(config, lines, length);
      if (stored.policy) fmt::print("\n{}", policy_text(*stored.policy));
      if (verify) {
        fmt::print("\nverified: {} tensors, all finite, checksum {}\n", tensors,
                   config.weights_checksum ? "correct" : "not stored in config.json");
      }
    }
  });
}

}  // namespace headroom
