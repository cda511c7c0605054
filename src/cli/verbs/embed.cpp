// headroom embed: a vector for every line of text, or JSON line, at a budget.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

#include "base/files/file.h"
#include "base/files/scratch_folder.h"
#include "base/precision.h"
#include "checkpoint/checkpoint.h"
#include "cli/app.h"
#include "cli/bulk/predict.h"
#include "cli/engines/engine.h"
#include "cli/inputs/inputs.h"
#include "cli/inputs/spending.h"
#include "cli/options.h"
#include "cli/outputs/npy.h"
#include "cli/verb.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

void require_vectors(const ModelConfig& config) {
  if (config.task == Task::embed) return;
  throw Error(ErrorCode::usage, "embed",
              fmt::format("this is a model of task {}, which has no vectors: headroom predict "
                          "answers with it",
                          task_name(config.task)));
}

using File = std::unique_ptr<FILE, int (*)(FILE*)>;

void copy_to(FILE* out, const std::string& header, const fs::path& floats) {
  const auto write = [&](const char* data, size_t size) {
    if (std::fwrite(data, 1, size, out) == size) return;
    throw Error(ErrorCode::runtime, "write vectors", std::strerror(errno));
  };
  write(header.data(), header.size());
  std::ifstream in(floats, std::ios::binary);
  std::string part(size_t{1} << 20, '\0');
  while (in) {
    in.read(part.data(), static_cast<std::streamsize>(part.size()));
    write(part.data(), static_cast<size_t>(in.gcount()));
  }
  if (std::fflush(out) != 0) {
    throw Error(ErrorCode::runtime, "write vectors", std::strerror(errno));
  }
}

// The rows are counted when they are all there, and the header comes first: so the numbers go to a
// file of their own before.
void write_npy(const TextEngine& engine, const ModelConfig& config, BulkRequest bulk,
               int64_t dimensions) {
  const ScratchFolder scratch;
  const std::string out = bulk.out;
  const fs::path floats = scratch.path() / "floats";
  bulk.form.floats = true;
  bulk.out = floats.string();
  predict_bulk(engine, config, bulk);
  const auto columns = static_cast<uint64_t>(dimensions);
  const std::string header = npy_header(fs::file_size(floats) / (columns * sizeof(float)), columns);
  if (out.empty()) {
    copy_to(stdout, header, floats);
    return;
  }
  const fs::path unfinished = out + ".part";
  const File file(std::fopen(unfinished.c_str(), "wb"), std::fclose);
  if (!file) throw Error(ErrorCode::runtime, "write vectors", out + ": " + std::strerror(errno));
  copy_to(file.get(), header, floats);
  fs::rename(unfinished, out);
}

}  // namespace

int run_embed(int argc, char** argv) {
  CLI::App app(
      "A vector for every text, a text a line, from files or standard input: JSON lines, or one "
      "matrix for NumPy.",
      "headroom embed");
  EngineRequest request;
  std::optional<Precision> precision;
  SpendingOptions spending;
  TextInputs inputs;
  std::string model;
  std::string data_dir = default_data_dir();
  std::string format = "jsonl";
  int64_t dimensions = 0;
  std::string prompt;
  BulkRequest bulk;
  add_text_inputs(app, inputs);
  app.add_option("--model", model, "checkpoint directory")->required();
  add_spending(app, spending);
  app.add_option("--format", format,
                 "jsonl (embedding, dimensions, budget, tokens) or npy (a float32 matrix, a row a "
                 "text)")
      ->check(CLI::IsMember({"jsonl", "npy"}));
  CLI::Option* dimensions_option =
      app.add_option("--dimensions", dimensions, "only the first so many, of length 1 again");
  CLI::Option* prompt_option = app.add_option(
      "--prompt", prompt, "the name of one of the model's prompts, put in front of every text");
  app.add_option("--out", bulk.out, "a file for the vectors; none: standard output");
  app.add_flag(
      "--no-timing", [&](int64_t) { bulk.form.timing = false; },
      "leave ms and predicted_ms out, so that equal runs write equal bytes");
  add_data_dir(app, data_dir);
  add_precision(app, precision);
  add_threads(app, request.threads);
  add_packed_cache(app, request.packed_cache);
  return run_app(app, argc, argv, [&](bool) {
    const ModelConfig config = read_config(model);
    require_vectors(config);
    request.model = model;
    request.precision = asked_precision(model, config, precision);
    if (*dimensions_option) request.answer.dimensions = dimensions;
    if (*prompt_option) request.answer.prompt = prompt;
    check_text_inputs(inputs);
    bulk.inputs = inputs;
    bulk.data_dir = data_dir;
    bulk.form.json = true;
    bulk.job = {{"model", model}, {"precision", precision_table.name(request.precision)}};
    const TextEngine engine = open_text_engine(request, config, asked_spending(config, spending));
    if (format == "npy") {
      write_npy(engine, config, bulk,
                request.answer.dimensions.value_or(config.shape.vector_width()));
    } else {
      predict_bulk(engine, config, bulk);
    }
  });
}

}  // namespace headroom
