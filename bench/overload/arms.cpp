#include "overload/arms.h"

#include <fmt/format.h>

namespace headroom::overload {
namespace {

std::vector<std::string> served(const ArmOptions& options, const std::string& model,
                                const std::vector<std::string>& more) {
  std::vector<std::string> words = {options.server,  "serve",     "--json",
                                    "--port",        "0",         "--model",
                                    "news=" + model, "--threads", std::to_string(options.threads)};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Arm onnx_runtime(const ArmOptions& options, const std::vector<std::string>& labels) {
  Arm peer{
      "onnxruntime",
      "ONNX Runtime behind a queue",
      fmt::format("The same model at budget 1 in ONNX Runtime (fp32), {} sessions of one thread "
                  "behind a FIFO queue in Node "
                  "(`scripts/onnxruntime-server.js`). It gets token ids: its times have no "
                  "tokeniser in them.",
                  options.threads),
      {"/usr/bin/env", "node", options.peer_server, options.onnx, std::to_string(options.threads)},
      true};
  peer.words.insert(peer.words.end(), labels.begin(), labels.end());
  return peer;
}

}  // namespace

std::vector<Arm> arms_of(const ArmOptions& options, const std::vector<std::string>& labels) {
  const std::string deadline = fmt::format("{}", options.deadline_ms);
  const auto with_deadline = [&](const std::string& model, std::vector<std::string> more) {
    more.insert(more.end(), {"--slo-ms", deadline});
    return served(options, model, more);
  };
  std::vector<Arm> arms;
  if (!options.tuned.empty()) {
    arms.push_back({"auto", "headroom, each text what it needs",
                    fmt::format("`headroom serve --budget auto --slo-ms {} --min-budget 0.125` "
                                "with a ladder that `{}` fitted: thresholds give way before "
                                "budgets, and those before anything is refused. A text that rung "
                                "zero settles counts as budget 0, so the mean may be below "
                                "`--min-budget`.",
                                deadline, options.tuning),
                    with_deadline(options.tuned, {"--budget", "auto", "--min-budget", "0.125"})});
  }
  arms.push_back({"controller", "headroom",
                  fmt::format("`headroom serve --slo-ms {} --min-budget 0.125`: budgets give way "
                              "before anything is refused.",
                              deadline),
                  with_deadline(options.model, {"--min-budget", "0.125"})});
  arms.push_back({"fixed", "Without the controller",
                  "`headroom serve`: budget 1 for everybody, first come, first served, 512 texts "
                  "may wait.",
                  served(options, options.model, {})});
  arms.push_back({"refusing", "Refusing alone",
                  fmt::format("`headroom serve --slo-ms {} --min-budget 1`: what would be late is "
                              "refused, budgets stay at 1.",
                              deadline),
                  with_deadline(options.model, {"--min-budget", "1"})});
  if (!options.peer_server.empty()) arms.push_back(onnx_runtime(options, labels));
  return arms;
}

}  // namespace headroom::overload
