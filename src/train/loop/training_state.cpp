#include "train/loop/training_state.h"

#include <fmt/format.h>

#include <cstring>

#include "base/files/file.h"
#include "base/join.h"
#include "checkpoint/tensors/safetensors.h"
#include "checkpoint/tensors/safetensors_writer.h"

namespace headroom {
inline namespace train {
namespace {

constexpr const char* state_folder = "state";

struct NamedTensors {
  const char* name;
  std::vector<torch::Tensor> TrainingState::*member;
};

constexpr NamedTensors all_tensors[] = {{"values", &TrainingState::values},
                                        {"mean", &TrainingState::mean},
                                        {"square", &TrainingState::square},
                                        {"start", &TrainingState::start},
                                        {"best", &TrainingState::best}};

Json stage_to_json(const StageRecord& stage) {
  return {{"name", stage.name},
          {"steps", stage.steps},
          {"best_score", stage.best_score},
          {"best_step", stage.best_step},
          {"stale", stage.stale_validations},
          {"seconds", stage.seconds},
          {"finished", stage.finished}};
}

StageRecord stage_from_json(const Json& json) {
  const JsonFields fields(json, ErrorCode::bad_data, "training state");
  StageRecord stage;
  stage.name = fields.text("name");
  stage.steps = fields.integer("steps", 0, INT64_MAX);
  stage.best_score = fields.number("best_score", -1e9, 1e9);
  stage.best_step = fields.integer("best_step", 0, INT64_MAX);
  stage.stale_validations = fields.integer("stale", 0, INT64_MAX);
  stage.seconds = fields.number_or("seconds", 0, 0, 1e12);
  stage.finished = fields.boolean_or("finished", false);
  return stage;
}

}  // namespace

std::string differences(const Json& there, const Json& here) {
  if (!there.is_object() || !here.is_object()) {
    return fmt::format("{} there, {} here", shown(there), shown(here));
  }
  Json names = there;
  names.update(here);
  std::vector<std::string> parts;
  for (const auto& [name, value] : names.items()) {
    const Json left = there.value(name, Json());
    const Json right = here.value(name, Json());
    if (left == right) continue;
    parts.push_back(fmt::format("{}: {} there, {} here", name, shown(left), shown(right)));
  }
  return join(parts, "; ");
}

bool has_state(const std::filesystem::path& directory) {
  return std::filesystem::exists(directory / state_folder / "state.json");
}

void save_state(const std::filesystem::path& directory, const TrainingState& state) {
  std::error_code ignored;
  std::filesystem::create_directories(directory, ignored);
  StagedDirectory staged(directory / state_folder);
  std::vector<torch::Tensor> on_cpu;  // keeps the bytes alive until they are written
  std::vector<TensorView> views;
  for (const auto& [name, member] : all_tensors) {
    int group = 0;
    for (const torch::Tensor& tensor : state.*member) {
      on_cpu.push_back(tensor.detach().to(torch::kCPU).contiguous());
      const auto* bytes = reinterpret_cast<const std::byte*>(on_cpu.back().data_ptr<float>());
      views.push_back({fmt::format("{}.{}", name, group++),
                       DType::f32,
                       {on_cpu.back().numel()},
                       {bytes, static_cast<size_t>(on_cpu.back().numel()) * sizeof(float)}});
    }
  }
  write_safetensors(staged.path() / "tensors.safetensors", views);
  Json json = {{"fingerprint", state.fingerprint},
               {"total_steps", state.total_steps},
               {"stages", Json::array()},
               {"groups", state.values.size()},
               {"order", state.order},
               {"log", state.log}};
  for (const StageRecord& stage : state.stages) json["stages"].push_back(stage_to_json(stage));
  write_file_atomically(staged.path() / "state.json", json.dump());
  staged.commit();
}

std::optional<TrainingState> load_state(const std::filesystem::path& directory,
                                        const Json& fingerprint) {
  const auto folder = directory / state_folder;
  if (!has_state(directory)) return std::nullopt;
  const Json json = parse_json(read_file(folder / "state.json", ErrorCode::bad_data),
                               ErrorCode::bad_data, "training state");
  const JsonFields fields(json, ErrorCode::bad_data, "training state");
  TrainingState state;
  state.fingerprint = fields.has("fingerprint") ? json["fingerprint"] : Json();
  if (state.fingerprint != fingerprint) {
    throw Error(ErrorCode::usage, "resume training",
                fmt::format("{} was saved with other data or options ({}): repeat the command that "
                            "started it, or remove it to start anew",
                            directory.string(), differences(state.fingerprint, fingerprint)));
  }
  state.total_steps = fields.integer("total_steps", 0, INT64_MAX);
  state.log = fields.text("log");
  for (const Json& stage : fields.array("stages")) state.stages.push_back(stage_from_json(stage));
  if (fields.has("order")) {
    for (const Json& unit : fields.array("order")) {
      if (!unit.is_string()) fields.fail("order", "holds something else than names of units");
      state.order.push_back(unit.get<std::string>());
    }
  }
  const int64_t groups = fields.integer("groups", 1, 16);
  const SafetensorsFile file(folder / "tensors.safetensors");
  for (const auto& [name, member] : all_tensors) {
    for (int64_t group = 0; group < groups; ++group) {
      const std::vector<float> values = file.read_f32(fmt::format("{}.{}", name, group));
      torch::Tensor tensor = torch::empty({static_cast<int64_t>(values.size())});
      std::memcpy(tensor.data_ptr<float>(), values.data(), values.size() * sizeof(float));
      (state.*member).push_back(tensor);
    }
  }
  return state;
}

}  // namespace train
}  // namespace headroom
