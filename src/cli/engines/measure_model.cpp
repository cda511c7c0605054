#include "cli/engines/measure_model.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "base/error.h"
#include "base/files/file.h"
#include "base/join.h"
#include "base/measure/machine.h"
#include "base/precision.h"
#include "cli/engines/engine.h"
#include "cli/engines/native_model.h"
#include "cli/engines/native_scoring.h"
#include "data/catalog/spec_name.h"
#include "data/load.h"

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
  const auto texts = std::make_shared<const TextDataset>(
      load_text_dataset(request.data, request.data_dir, &config.labels));
  const auto longest = static_cast<int>(config.shape.positions);
  return {encode_dataset(*texts, model->tokenizer(), longest), [texts](size_t row) {
            const TextRow& shown = texts->rows[row];
            return texts->pairs ? fmt::format("{} | {}", shown.text, shown.text_pair) : shown.text;
          }};
}

int64_t mean_length(const EncodedDataset& rows) {
  const auto count = static_cast<double>(rows.size());
  return std::lround(static_cast<double>(rows.tokens.size()) / std::max(1.0, count));
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

Table describe_model(const ModelConfig& config, const std::string& precision) {
  const ModelShape& shape = config.shape;
  return {
      {"model", ""},
      {{"family", std::string(shape.family)},
       {"method", std::string(method_name(config.method))},
       {"a budget governs", config.elastic() ? config.scope() : "nothing"},
       {"attention", std::string(attention_name(shape.attention))},
       {"shape", fmt::format("{} layers, width {}, {} heads, FFN {}, up to {} tokens", shape.layers,
                             shape.width, shape.heads, shape.ffn, shape.positions)},
       {"vocabulary", fmt::format("{} ({})", report::with_commas(shape.vocabulary),
                                  tokenizer_name(config.tokenizer))},
       {"labels", fmt::format("{}", shape.labels)},
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
  check_budgets(config, request.budgets);
  std::vector<Budget> budgets;
  for (const double budget : request.budgets) budgets.push_back(Budget{budget});
  const ShownRows rows = read_rows(model, request);
  measured.threads = thread_count(request.threads);
  Session session(model, measured.threads);
  measured.answers = {config.labels, rows.encoded.labels,
                      answer_rows(session, rows.encoded, budgets, progress), rows.text};
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
