// headroom export: a checkpoint at one budget in a form that other tools load.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "base/files/file.h"
#include "budget/fraction.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/exported_scores.h"
#include "checkpoint/hf/export.h"
#include "checkpoint/onnx/writer.h"
#include "checkpoint/policy_file.h"
#include "cli/app.h"
#include "cli/options.h"
#include "cli/verb.h"

namespace headroom {
namespace {

struct ExportRequest {
  std::string model;
  std::string format = "onnx";
  std::string budget = "1";
  std::string precision = "fp32";
  std::string out;
  bool dense_equivalent = false;
};

// An ONNX file starts with its format version: field 1, a number that is small for decades to come.
bool looks_like_onnx(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const int field = file.get();
  const int version = file.get();
  return field == 0x08 && version >= 1 && version < 0x40;
}

// A mistyped --out must not cost anybody a file.
void check_target(const std::filesystem::path& out) {
  std::error_code ignored;
  if (!std::filesystem::exists(out, ignored)) return;
  if (std::filesystem::is_regular_file(out, ignored) && looks_like_onnx(out)) return;
  throw Error(ErrorCode::usage, "export",
              fmt::format("{} exists and is no ONNX file; choose another --out", out.string()));
}

uint64_t export_onnx(const ExportRequest& request, double budget) {
  require_supported("--precision", request.precision, {"fp32", "int8"});
  check_target(request.out);
  const std::string content =
      onnx_model(request.model, budget,
                 request.precision == "int8" ? OnnxPrecision::int8 : OnnxPrecision::fp32);
  write_file_atomically(request.out, content);
  const ModelConfig config = read_config(request.model);
  if (const auto note = truncation_note(config)) fmt::print(stderr, "note: {}\n", *note);
  const StoredPolicy stored = read_policy(request.model, config);
  if (stored.policy) fmt::print(stderr, "note: {}\n", policy_stays_behind);
  for (const std::string& note : score_notes(config, exported_calibration(config, stored, budget),
                                             "\"thresholds\" of the file's metadata")) {
    fmt::print(stderr, "note: {}\n", note);
  }
  return content.size();
}

// Weights keep the type they are stored in; `precision` becomes its name.
uint64_t export_hf(ExportRequest& request, double budget) {
  require_supported("--precision", request.precision, {"fp32"});
  const HfForm form = request.dense_equivalent ? HfForm::dense_equivalent : HfForm::compact;
  const HfExportReport report = export_hf_folder(request.model, budget, form, request.out);
  for (const std::string& note : report.notes) fmt::print(stderr, "note: {}\n", note);
  request.precision = report.dtype == "float32"   ? "fp32"
                      : report.dtype == "float16" ? "fp16"
                                                  : "bf16";
  return report.bytes;
}

// Who can load it, and at what cost.
std::string_view purpose(const ExportRequest& request) {
  if (request.format == "onnx") {
    return "for ONNX Runtime and others that read ONNX: only what the budget keeps, and as fast";
  }
  return request.dense_equivalent
             ? "for Transformers: full size and full cost, what the budget leaves out is zero"
             : "for headroom: only what the budget keeps, and as fast";
}

}  // namespace

int run_export(int argc, char** argv) {
  CLI::App app(
      "Writes a checkpoint at one budget: as ONNX or as a folder for headroom, which hold only "
      "what "
      "the budget keeps, or as a folder of full size that any Transformers loads.",
      "headroom export");
  ExportRequest request;
  app.add_option("--model", request.model, "checkpoint directory")->required();
  app.add_option("--format", request.format,
                 "onnx (a file for ONNX Runtime) or hf (a Hugging Face folder, for headroom)")
      ->type_name(choice_type({"onnx", "hf"}));
  app.add_option("--budget", request.budget, "fraction in (0, 1]");
  app.add_option("--precision", request.precision, "of linear layers in ONNX: fp32 or int8")
      ->type_name(choice_type({"fp32", "int8"}));
  app.add_flag("--dense-equivalent", request.dense_equivalent,
               "hf: full-size tensors with removed units zero, for Transformers: not smaller, nor "
               "faster there");
  app.add_option("--out", request.out,
                 "file or folder to write; an ONNX file or a checkpoint there is replaced")
      ->required();
  return run_app(app, argc, argv, [&](bool json) {
    require_supported("--format", request.format, {"onnx", "hf"});
    const double budget = parse_budget(request.budget);
    if (request.dense_equivalent && request.format != "hf") {
      throw Error(ErrorCode::usage, "export", "--dense-equivalent is for --format hf");
    }
    const uint64_t bytes =
        request.format == "hf" ? export_hf(request, budget) : export_onnx(request, budget);
    if (json) {
      print_json_line({{"out", request.out},
                       {"format", request.format},
                       {"budget", budget},
                       {"precision", request.precision},
                       {"dense_equivalent", request.dense_equivalent},
                       {"bytes", bytes}});
    } else {
      const auto whole =
          std::filesystem::file_size(std::filesystem::path(request.model) / "model.safetensors");
      fmt::print("{}: {:.1f} MB, budget {} (the checkpoint: {:.1f} MB)\n{}\n", request.out,
                 static_cast<double>(bytes) / 1e6, budget, static_cast<double>(whole) / 1e6,
                 purpose(request));
    }
  });
}

}  // namespace headroom
