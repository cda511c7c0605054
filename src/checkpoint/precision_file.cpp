#include "checkpoint/precision_file.h"

#include <limits>

#include "base/error.h"
#include "base/files/file.h"
#include "base/measure/machine.h"
#include "base/precision.h"
#include "checkpoint/checkpoint.h"

namespace headroom {
namespace {

constexpr const char* precision_file_name = "precision.json";
constexpr uint64_t size_limit = 1ULL << 20;

std::string weights_of(const ModelConfig& config) {
  return config.weights_checksum ? checksum_text(*config.weights_checksum) : "";
}

Json read_choices(const std::filesystem::path& checkpoint) {
  const std::filesystem::path file = checkpoint / precision_file_name;
  if (!std::filesystem::exists(file)) return Json::array();
  const Json json =
      parse_json(read_checkpoint_file(file, size_limit), ErrorCode::bad_model, precision_file_name);
  return JsonFields(json, ErrorCode::bad_model, precision_file_name).array("choices");
}

}  // namespace

Json to_json(const PrecisionChoice& choice) {
  return {{"machine", choice.machine},
          {"date", choice.date},
          {"precision", precision_table.name(choice.precision)},
          {"inputs", choice.inputs},
          {"agreement", choice.agreement},
          {"difference", choice.difference},
          {"speedup", choice.speedup}};
}

std::optional<PrecisionChoice> find_precision_choice(const std::filesystem::path& checkpoint,
                                                     const ModelConfig& config,
                                                     const std::string& machine,
                                                     const std::string& kind) {
  for (const Json& json : read_choices(checkpoint)) {
    const JsonFields fields(json, ErrorCode::bad_model, precision_file_name);
    if (fields.text("machine") != machine || fields.text("weights") != weights_of(config)) continue;
    if (!same_cpu_kind(fields.text_or("cpu_kind", ""), kind)) continue;
    PrecisionChoice choice;
    choice.machine = machine;
    choice.date = fields.text("date");
    choice.precision =
        precision_table.parse(fields.text("precision"), ErrorCode::bad_model, precision_file_name);
    choice.inputs = fields.integer("inputs", 0, std::numeric_limits<int64_t>::max());
    choice.agreement = fields.number("agreement", 0, 1);
    choice.difference = fields.number("difference", 0, 1e9);
    choice.speedup = fields.number("speedup", 0, 1e9);
    return choice;
  }
  return std::nullopt;
}

Precision chosen_precision(const std::filesystem::path& checkpoint, const ModelConfig& config) {
  const auto choice = find_precision_choice(checkpoint, config, cpu_name());
  return choice ? choice->precision : Precision::fp32;
}

void store_precision_choice(const std::filesystem::path& checkpoint, const ModelConfig& config,
                            const PrecisionChoice& choice, const std::string& kind) {
  Json choices = Json::array();
  for (const Json& json : read_choices(checkpoint)) {
    const JsonFields fields(json, ErrorCode::bad_model, precision_file_name);
    const bool same = fields.text("machine") == choice.machine &&
                      same_cpu_kind(fields.text_or("cpu_kind", ""), kind);
    if (!same) choices.push_back(json);
  }
  choices.push_back(to_json(choice));
  choices.back()["weights"] = weights_of(config);
  if (!kind.empty()) choices.back()["cpu_kind"] = kind;
  write_file_atomically(checkpoint / precision_file_name,
                        Json{{"choices", choices}}.dump(1) + "\n");
}

}  // namespace headroom
