// headroom export: a checkpoint at one budget in a form that other tools load.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "base/file.h"
#include "budget/fraction.h"
#include "checkpoint/onnx_writer.h"
#include "cli/app.h"
#include "cli/verb.h"

namespace headroom {
namespace {

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

}  // namespace

int run_export(int argc, char** argv) {
  CLI::App app(
      "Writes a checkpoint at one budget as a file for other tools, with only the heads and "
      "neurons that the budget keeps.",
      "headroom export");
  std::string model;
  std::string format = "onnx";
  std::string budget = "1";
  std::string precision = "fp32";
  std::string out;
  app.add_option("--model", model, "checkpoint directory")->required();
  app.add_option("--format", format, "onnx");
  app.add_option("--budget", budget, "fraction in (0, 1]");
  app.add_option("--precision", precision, "of linear layers: fp32 or int8");
  app.add_option("--out", out, "file to write; an ONNX file there is replaced")->required();
  return run_app(app, argc, argv, [&](bool json) {
    require_supported("--format", format, {"onnx"});
    require_supported("--precision", precision, {"fp32", "int8"});
    const double fraction = parse_budget(budget);
    check_target(out);
    const std::string content = onnx_model(
        model, fraction, precision == "int8" ? OnnxPrecision::int8 : OnnxPrecision::fp32);
    write_file_atomically(out, content);
    if (json) {
      print_json_line({{"out", out},
                       {"format", format},
                       {"budget", fraction},
                       {"precision", precision},
                       {"bytes", content.size()}});
    } else {
      fmt::print("{}: {:.1f} MB, budget {}\n", out, static_cast<double>(content.size()) / 1e6,
                 fraction);
    }
  });
}

}  // namespace headroom
