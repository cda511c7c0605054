#include "cli/engines/other_tasks.h"

#include <fmt/format.h>

#include "base/interrupt.h"
#include "base/precision.h"
#include "cli/app.h"
#include "data/formats/json_lines.h"
#include "data/input/input_stream.h"
#include "data/input/line_reader.h"
#include "train/evaluate/generator.h"
#include "train/evaluate/image_predictor.h"

namespace headroom {
namespace {

void stop_if_interrupted() {
  if (interrupt_requested()) throw Error(ErrorCode::interrupted, "predict", "stopped");
}

// Lines of text, or the "text" of JSON lines with their ids.
template <typename Take>
void read_texts(const std::string& file, bool jsonl, const Take& take) {
  InputStream input(file);
  if (jsonl) {
    JsonLinesReader reader(input);
    for (JsonRow row; reader.next(row);) take(row.text, row.id);
    return;
  }
  LineReader reader(input);
  for (std::string line; reader.next(line);) take(line, Json(nullptr));
}

void generate_texts(const OtherTaskRequest& request, bool json) {
  const Generator generator(request.engine.model, request.budget, request.engine.threads,
                            request.engine.device);
  const GenerateSettings settings{request.max_new_tokens, request.temperature, request.top_k,
                                  request.beam, request.seed};
  const auto generate = [&](const std::string& text, const Json& id) {
    stop_if_interrupted();
    const Generated answer = generator.generate(text, settings);
    if (json) {
      Json line;
      if (!id.is_null()) line["id"] = id;
      line["text"] = answer.text;
      line["budget"] = request.budget;
      line["active_heads"] = generator.active_heads();
      line["tokens"] = answer.tokens;
      line["ms"] = answer.milliseconds;
      print_json_line(line);
    } else {
      const bool goes_on = generator.config().task == Task::lm;
      fmt::print("{}{}\n", goes_on ? text : "", answer.text);
    }
    std::fflush(stdout);
  };
  for (const std::string& text : request.texts) generate(text, {});
  for (const std::string& file : request.files) read_texts(file, request.jsonl, generate);
}

void classify_images(const OtherTaskRequest& request, bool json) {
  for (const std::string& spec : request.files) {
    predict_images({request.engine.model, request.budget, request.engine.threads,
                    request.engine.device, spec, request.data_dir},
                   [&](const ModelConfig& config, const ImagePrediction& answer) {
                     stop_if_interrupted();
                     const std::string& label = config.labels[static_cast<size_t>(answer.label)];
                     const double score = answer.scores[static_cast<size_t>(answer.label)];
                     if (!json) {
                       fmt::print("{}\t{:.4f}\n", label, score);
                       return;
                     }
                     Json line = {{"label", label}, {"scores", Json::object()}};
                     for (size_t i = 0; i < config.labels.size(); ++i) {
                       line["scores"][config.labels[i]] = answer.scores[i];
                     }
                     line["budget"] = request.budget;
                     line["active_heads"] = answer.active_heads;
                     line["tokens"] = config.shape.positions;
                     line["ms"] = answer.milliseconds;
                     print_json_line(line);
                   });
  }
}

}  // namespace

void predict_other_task(Task task, const OtherTaskRequest& request, bool json) {
  require_supported("--precision", std::string(precision_table.name(request.engine.precision)),
                    {"fp32"});
  if (task == Task::image) {
    classify_images(request, json);
  } else {
    generate_texts(request, json);
  }
}

}  // namespace headroom
