#include "data/eval_rows.h"

#include <fmt/format.h>

#include "base/error.h"
#include "data/formats/tagged.h"
#include "data/load.h"
#include "data/targets.h"

namespace headroom {
namespace {

constexpr uint64_t validation_seed = 0x76616c6964;
constexpr uint64_t test_seed = 0x74657374;
constexpr int64_t validation_count = 2000;
constexpr int64_t test_count = 5000;

}  // namespace

EncodedDataset eval_rows(const std::string& spec, const std::filesystem::path& data_dir,
                         const std::vector<std::string>& labels, const Tokenizer& tokenizer,
                         int max_tokens, Task task) {
  if (spec.empty()) throw Error(ErrorCode::usage, "eval", "--data is required for this model");
  if (task == Task::tag) {
    return encode_tagged(load_tagged(spec, data_dir, &labels), tokenizer, max_tokens);
  }
  if (!classifies_text(task)) {
    return encode_targets(load_targets(spec, data_dir, task, TargetUse::score, &labels), task,
                          tokenizer, max_tokens);
  }
  return encode_dataset(load_text_dataset(spec, data_dir, &labels), tokenizer, max_tokens);
}

SyntheticTask parse_synthetic(const std::string& spec) {
  const DataSpec parsed = parse_data_spec(spec.empty() ? "synthetic" : spec);
  if (parsed.sources.size() != 1 || parsed.sources[0].kind != SourceKind::synthetic) {
    throw Error(
        ErrorCode::usage, "load data",
        "--task synthetic makes its own rows: --data may only be synthetic?tokens=N&decoys=N");
  }
  return parsed.sources[0].synthetic;
}

EncodedDataset synthetic_eval_rows(const std::string& spec, int max_tokens) {
  const SyntheticTask task = parse_synthetic(spec);
  const int tokens = task.tokens + 2;
  if (tokens > max_tokens) {
    throw Error(ErrorCode::usage, "eval",
                fmt::format("{} has rows of {} tokens, this model reads {}: give --data "
                            "'synthetic?tokens={}&decoys=N'",
                            spec.empty() ? "synthetic" : spec, tokens, max_tokens, max_tokens - 2));
  }
  return synthetic_test_rows(task);
}

EncodedDataset synthetic_validation_rows(const SyntheticTask& task) {
  return encode_synthetic(task, validation_seed, 0, validation_count);
}

EncodedDataset synthetic_test_rows(const SyntheticTask& task) {
  return encode_synthetic(task, test_seed, 0, test_count);
}

}  // namespace headroom
