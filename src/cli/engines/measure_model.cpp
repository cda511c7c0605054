#include "cli/engines/measure_model.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <numeric>

#include "base/error.h"
#include "base/files/file.h"
#include "base/join.h"
#include "base/measure/machine.h"
#include "base/precision.h"
#include "cli/engines/engine.h"
#include "cli/engines/native_measures.h"
#include "cli/engines/native_model.h"
#include "cli/engines/native_scoring.h"
#include "data/catalog/spec_name.h"
#include "data/load.h"
#include "data/measures.h"
#include "engine/answers/rank_rounds.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

// Rows with the texts they came from: examples are shown as people wrote them.
struct ShownRows {
  EncodedDataset encoded;
  std::function<std::string(size_t)> text;
};

ShownRows synthetic_rows(const std::shared_ptr<const EngineModel>& model,
                         const MeasureRequest& request) {
  ShownRows rows{eval_rows_of(*model, request.data, request.data_dir), {}};
  const auto kept = std::make_shared<const EncodedDataset>(rows.encoded);
  rows.text = [model, kept](size_t row) {
    std::vector<std::string> words;
    for (const int32_t id : kept->row(static_cast<int64_t>(row))) {
      words.push_back(model->tokenizer().vocabulary().token(id));
    }
    return join(words, " ");
  };
  return rows;
}

ShownRows read_rows(const std::shared_ptr<const EngineModel>& model,
                    const MeasureRequest& request) {
  const ModelConfig& config = model->config();
  if (config.task == Task::synthetic) return synthetic_rows(model, request);
  if (request.data.empty()) {
    throw Error(ErrorCode::usage, "report",
                "--model needs --data, the labelled rows to score it on");
  }
  if (!classifies_text(config.task)) {  // none of its rows is quoted
    return {eval_rows_of(*model, request.data, request.data_dir), {}};
  }
  const auto texts = std::make_shared<const TextDataset>(
      load_text_dataset(request.data, request.data_dir, &config.labels));
  const auto longest = static_cast<int>(config.longest_input());
  return {encode_dataset(*texts, model->tokenizer(), longest), [texts](size_t row) {
            const TextRow& shown = texts->rows[row];
            return texts->pairs ? fmt::format("{} | {}", shown.text, shown.text_pair) : shown.text;
          }};
}

int64_t mean_length(const EncodedDataset& rows) {
  const std::vector<int64_t> lengths = text_lengths(rows);
  const auto sum = std::accumulate(lengths.begin(), lengths.end(), int64_t{0});
  return std::lround(static_cast<double>(sum) /
                     static_cast<double>(std::max<size_t>(1, lengths.size())));
}

Json measure_times(const MeasureRequest& request, const ModelConfig& config, int64_t usual_length,
                   ProgressSink& progress) {
  if (request.rounds == 0) return Json::object();
  BenchSettings settings;
  settings.budgets = request.budgets;
  settings.batches = request.batches;
  settings.tokens = request.tokens.empty() ? std::vector<int64_t>{usual_length} : request.tokens;
  settings.precisions = {request.precision};
  settings.rounds = request.rounds;
  Json timing = {{"date", today()},
                 {"threads", settings.threads},
                 {"rounds", settings.rounds},
                 {"machine", describe_machine()},
                 {"cells", Json::array()}};
  for (const BenchCell& cell : bench_model(request.model, config, settings, progress)) {
    timing["cells"].push_back(to_json(cell));
  }
  return timing;
}

// What budgets 0 and auto mean is in the policy; a ranker's rounds need none.
std::vector<Budget> ladder_of(const EngineModel& model) {
  std::vector<Budget> ladder;
  if (model.policy().rung_zero) ladder.push_back(Budget{0});
  if (model.policy().policy || ranks_in_rounds(model.config()))
    ladder.push_back({.automatic = true});
  return ladder;
}

// Of the budgets at the end of the list only the scores are shown.
void split_scores(std::vector<report::BudgetAnswers> answers, size_t budgets,
                  report::MeasuredModel& measured) {
  for (size_t i = budgets; i < answers.size(); ++i) measured.ladder.push_back(answers[i].score);
  answers.resize(budgets);
  measured.answers.budgets = std::move(answers);
}

void score_rows(Session& session, const ShownRows& rows, const std::vector<Budget>& budgets,
                size_t flat, report::MeasuredModel& measured, ProgressSink& progress) {
  const ModelConfig& config = session.model().config();
  if (classifies_text(config.task)) {
    measured.answers = {config.labels, rows.encoded.labels, {}, rows.text};
    split_scores(answer_rows(session, rows.encoded, budgets, progress), flat, measured);
    return;
  }
  std::vector<report::BudgetAnswers> answers;
  for (BudgetScore& score : measure_rows(session, rows.encoded, budgets, progress)) {
    answers.push_back({std::move(score)});
  }
  split_scores(std::move(answers), flat, measured);
}

std::string output_count(const ModelConfig& config) {
  if (names_labels(config.task)) return fmt::format("{}", config.shape.labels);
  return traits(config.task).output == OutputForm::vector ? "none: a vector" : "none: a number";
}

Table describe_model(const ModelConfig& config, const std::string& precision) {
  const ModelShape& shape = config.shape;
  return {
      {"model", ""},
      {{"task", fmt::format("{}: {}", task_name(config.task), traits(config.task).help)},
       {"family", std::string(shape.family)},
       {"method", std::string(method_name(config.method))},
       {"a budget governs", config.elastic() ? config.scope() : "nothing"},
       {"attention", std::string(attention_name(shape.attention))},
       {"shape", fmt::format("{} layers, width {}, {} heads, FFN {}, up to {} tokens", shape.layers,
                             shape.width, shape.heads, shape.ffn, config.longest_input())},
       {"vocabulary", fmt::format("{} ({})", report::with_commas(shape.vocabulary),
                                  tokenizer_name(config.tokenizer))},
       {"labels", output_count(config)},
       {"measured", fmt::format("{} on {}, {}", precision, cpu_name(), today())}}};
}

}  // namespace

report::MeasuredModel measure_model(const MeasureRequest& request, ProgressSink& progress) {
  report::MeasuredModel measured;
  const int64_t before = resident_memory_bytes();
  const auto model =
      EngineModel::load(request.model, {precision_table.parse(request.precision), {}});
  measured.loaded_bytes = resident_memory_bytes() - before;
  const ModelConfig& config = model->config();
  std::vector<Budget> budgets;
  for (const double budget : request.budgets) budgets.push_back(Budget{budget});
  const std::vector<Budget> ladder = request.ladder ? *request.ladder : ladder_of(*model);
  budgets.insert(budgets.end(), ladder.begin(), ladder.end());
  measured.threads = thread_count(request.threads);
  Session session(model, measured.threads);
  require_budgets(session, budgets);
  const ShownRows rows = read_rows(model, request);
  score_rows(session, rows, budgets, request.budgets.size(), measured, progress);
  measured.peak_bytes = peak_memory_bytes();
  measured.timing = measure_times(request, config, mean_length(rows.encoded), progress);
  measured.name = folder_name(request.model);
  measured.data = request.data.empty() ? "synthetic" : data_name(request.data);
  measured.precision = request.precision;
  measured.description = describe_model(config, request.precision);
  measured.shape = config.shape;
  measured.selections = {[config](double budget) { return config.selection(budget); },
                         config.order ? config.order->group_width : 0,
                         config.order && config.shape.heads_can_move()};
  measured.ordered = config.ordered();
  measured.file_bytes = static_cast<int64_t>(fs::file_size(request.model / "model.safetensors"));
  return measured;
}

}  // namespace headroom
