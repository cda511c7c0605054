#include "families/equality.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/files/file.h"
#include "base/files/scratch_folder.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/hf/export.h"
#include "checkpoint/hf/import.h"
#include "checkpoint/make_tokenizer.h"
#include "cli/engines/peer.h"
#include "engine/model.h"
#include "families/run_command.h"
#include "model/forward.h"
#include "model/weights_io.h"

namespace headroom {
namespace {
namespace fs = std::filesystem;

// A text or pair, and what Transformers made of it.
struct Case {
  std::string text;
  std::optional<std::string> pair;
  Tokens tokens;
  Json offsets;                 // null: not given
  std::vector<double> outputs;  // of a tagger token by token
  bool unit_length = false;     // outputs are a vector
};

void append_numbers(const Json& json, std::vector<double>& numbers) {
  if (json.is_number()) {
    numbers.push_back(json.get<double>());
  } else {
    for (const Json& each : json) append_numbers(each, numbers);
  }
}

std::vector<Case> read_cases(const fs::path& folder) {
  const Json json = parse_json(read_file(folder / "expected.json", ErrorCode::bad_data),
                               ErrorCode::bad_data, "expected.json");
  std::vector<Case> cases;
  for (const Json& entry : json.at("cases")) {
    Case read;
    read.text = entry.at("text").get<std::string>();
    if (!entry.at("text_pair").is_null()) read.pair = entry.at("text_pair").get<std::string>();
    read.tokens.ids = entry.at("input_ids").get<std::vector<int32_t>>();
    if (entry.contains("token_type_ids")) {
      read.tokens.types = entry.at("token_type_ids").get<std::vector<int32_t>>();
    }
    if (entry.contains("offsets")) read.offsets = entry.at("offsets");
    read.unit_length = entry.contains("embedding");
    append_numbers(entry.at(read.unit_length ? "embedding" : "logits"), read.outputs);
    cases.push_back(std::move(read));
  }
  return cases;
}

// Texts whose ids, types or offsets are not Transformers'.
int64_t other_tokens(const fs::path& checkpoint, const std::vector<Case>& cases) {
  const ModelConfig config = read_config(checkpoint);
  const auto tokenizer = load_tokenizer(checkpoint, config);
  return std::count_if(cases.begin(), cases.end(), [&](const Case& each) {
    Text text{each.text};
    if (each.pair) text.pair = *each.pair;
    const Encoding found =
        tokenizer->encode_with_offsets(text, static_cast<int>(config.longest_input()));
    Json offsets = Json::array();
    for (const TextSpan& span : found.offsets) offsets.push_back({span.begin, span.end});
    return found.ids != each.tokens.ids ||
           (!each.tokens.types.empty() && found.types != each.tokens.types) ||
           (!each.offsets.is_null() && offsets != each.offsets);
  });
}

using Run = std::function<std::vector<float>(const Tokens&)>;

// The largest difference over all texts.
double difference(const std::vector<Case>& cases, const Run& run) {
  double most = 0;
  for (const Case& each : cases) {
    const std::vector<float> found = run(each.tokens);
    if (found.size() != each.outputs.size()) {
      throw Error(ErrorCode::runtime, "compare",
                  fmt::format("{} outputs, expected {}", found.size(), each.outputs.size()));
    }
    double square = 0;
    for (const float value : found) square += double{value} * value;
    const double length = each.unit_length ? std::sqrt(square) : 1.0;
    for (size_t i = 0; i < found.size(); ++i) {
      most = std::max(most, std::abs(found[i] / length - each.outputs[i]));
    }
  }
  return most;
}

Run engine_run(const fs::path& checkpoint, Isa isa) {
  EngineOptions options;
  options.isa = isa;
  return [model = EngineModel::load(checkpoint, options)](const Tokens& tokens) {
    Arena arena;
    const Encoder encoder = model->encoder();
    std::vector<float> outputs(encoder.outputs_of(tokens));
    encoder.run({&tokens, 1}, model->plan(1.0), outputs, arena);
    return outputs;
  };
}

Run torch_run(const fs::path& checkpoint) {
  const ModelConfig config = read_config(checkpoint);
  ForwardOptions options;
  options.layer_norm_eps = config.layer_norm_eps;
  options.mean_pooling =
      config.shape.mean_pooling ||
      (config.task == Task::embed && config.output.vector.pooling == Pooling::mean);
  return [options, weights = load_weights(checkpoint, config)](const Tokens& tokens) {
    const torch::InferenceMode inference;
    Batch batch;
    batch.tokens = torch::tensor(tokens.ids, torch::kInt64).unsqueeze(0);
    if (!tokens.types.empty()) {
      batch.types = torch::tensor(tokens.types, torch::kInt64).unsqueeze(0);
    }
    const torch::Tensor outputs = forward(weights, batch, options).flatten().contiguous();
    const auto* values = outputs.data_ptr<float>();
    return std::vector<float>(values, values + outputs.numel());
  };
}

Run onnx_run(const fs::path& checkpoint, const fs::path& program, OnnxRuntimePeer& peer) {
  const fs::path file = checkpoint.parent_path() / "model.onnx";
  run_command({program.string(), "export", "--model", checkpoint.string(), "--out", file.string()});
  const int session = peer.load(file, 1);
  return [session, &peer](const Tokens& tokens) {
    return peer.run(session, peer.add_batch({&tokens, 1})).logits;
  };
}

Json compare(const fs::path& folder, const fs::path& program, OnnxRuntimePeer& peer) {
  const ScratchFolder scratch;
  const fs::path imported = scratch.path() / "imported";
  const fs::path exported = scratch.path() / "exported";
  const fs::path again = scratch.path() / "again";
  const ImportReport report = import_hf_folder(folder, imported);
  export_hf_folder(imported, 1.0, HfForm::dense_equivalent, exported);
  import_hf_folder(exported, again);
  const std::vector<Case> cases = read_cases(folder);
  Json row = {{"model", folder.filename().string()},
              {"class", report.architecture},
              {"texts", cases.size()},
              {"texts_with_other_tokens", other_tokens(imported, cases)},
              {"other_tokens_after_export", other_tokens(again, cases)}};
  for (const Isa isa : usable_isas()) {
    row["difference"][std::string(isa_name(isa))] = difference(cases, engine_run(imported, isa));
  }
  row["difference"]["libtorch"] = difference(cases, torch_run(imported));
  row["difference"]["exported, imported"] =
      difference(cases, engine_run(again, usable_isas().back()));
  row["difference"]["ONNX Runtime"] = difference(cases, onnx_run(imported, program, peer));
  return row;
}

}  // namespace

Json compare_with_transformers(const fs::path& models, const fs::path& program,
                               const fs::path& peers) {
  OnnxRuntimePeer peer(peers);
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(models)) {
    if (fs::exists(entry.path() / "expected.json")) folders.push_back(entry.path());
  }
  std::sort(folders.begin(), folders.end());
  Json rows = Json::array();
  for (const fs::path& folder : folders) {
    fmt::print(stderr, "equality: {}\n", folder.filename().string());
    rows.push_back(compare(folder, program, peer));
  }
  return rows;
}

}  // namespace headroom
