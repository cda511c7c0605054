#include "checkpoint/policy_file.h"

#include <fmt/format.h>

#include <charconv>
#include <cstring>

#include "base/error.h"
#include "base/files/file.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/tensors/safetensors_writer.h"

namespace headroom {
namespace fs = std::filesystem;
namespace {

constexpr const char* policy_name = "policy.json";
constexpr const char* rung_zero_name = "rung_zero.safetensors";
constexpr uint64_t policy_limit = 1ULL << 20;
constexpr int64_t most_rows = int64_t{1} << 32;

[[noreturn]] void fail_policy(const std::string& message) {
  throw Error(
      ErrorCode::bad_model, "read policy.json",
      message + "; headroom tune writes a new one, without the file the model runs as before");
}

int64_t number_of(const SafetensorsFile& file, const char* key) {
  const auto found = file.metadata().find(key);
  int64_t number = 0;
  if (found != file.metadata().end()) {
    const std::string& text = found->second;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size() && number >= 0 &&
        number <= most_rows) {
      return number;
    }
  }
  throw Error(ErrorCode::bad_model, "read rung_zero.safetensors",
              fmt::format("its metadata gives no number of {}", key));
}

template <typename Number>
std::vector<Number> numbers_of(const SafetensorsFile& file, const char* name, DType dtype) {
  const TensorInfo& info = file.at(name);
  if (info.dtype != dtype) {
    throw Error(
        ErrorCode::bad_model, "read rung_zero.safetensors",
        fmt::format("{} is {}, expected {}", name, dtype_name(info.dtype), dtype_name(dtype)));
  }
  const auto bytes = file.bytes(name);
  std::vector<Number> numbers(bytes.size() / sizeof(Number));
  if (!bytes.empty()) std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

// Every budget that the policy names is one of the model's, and the bag speaks of its tokens and
// labels.
void require_fit(const StoredPolicy& stored, const ModelConfig& config) {
  const auto require_budget = [&](double budget) {
    if (budget == 0) return;
    try {
      config.selection(budget);
    } catch (const Error&) {
      fail_policy(fmt::format("it names the budget {}, which this model does not have", budget));
    }
  };
  for (const Rung& rung : stored.policy->rungs) require_budget(rung.budget);
  for (const ScoreCalibration& entry : stored.policy->temperatures) require_budget(entry.budget);
  if (!stored.rung_zero) return;
  const NgramTable& table = stored.rung_zero->table;
  if (table.labels != config.shape.labels || table.vocabulary != config.shape.vocabulary) {
    fail_policy(fmt::format("{} has {} labels and {} tokens, the model {} and {}", rung_zero_name,
                            table.labels, table.vocabulary, config.shape.labels,
                            config.shape.vocabulary));
  }
}

}  // namespace

uint64_t weights_checksum(const fs::path& checkpoint, const ModelConfig& config) {
  if (config.weights_checksum) return *config.weights_checksum;
  return SafetensorsFile(checkpoint / "model.safetensors").checksum();
}

NgramBag read_rung_zero(const fs::path& path) {
  const SafetensorsFile file(path);
  NgramBag bag;
  bag.table.orders = number_of(file, "orders");
  bag.table.vocabulary = number_of(file, "vocabulary");
  bag.weights = numbers_of<int8_t>(file, "weights", DType::i8);
  bag.scales = numbers_of<float>(file, "scales", DType::f32);
  const std::vector<int64_t>& shape = file.shape("weights");
  if (shape.size() != 2) {
    throw Error(
        ErrorCode::bad_model, "read rung_zero.safetensors",
        fmt::format("weights have the shape {}, expected rows and labels", shape_text(shape)));
  }
  bag.table.buckets = shape[0] - bag.table.vocabulary;
  bag.table.labels = shape[1];
  check(bag);
  return bag;
}

StoredPolicy read_policy(const fs::path& checkpoint, const ModelConfig& config) {
  StoredPolicy stored;
  const fs::path file = checkpoint / policy_name;
  if (!fs::exists(file)) return stored;
  if (!classifies_text(config.task)) {
    stored.note = fmt::format("{} is ignored: only models that give texts one label have a policy",
                              file.string());
    return stored;
  }
  stored.policy = policy_from_json(
      parse_json(read_checkpoint_file(file, policy_limit), ErrorCode::bad_model, policy_name));
  const uint64_t weights = weights_checksum(checkpoint, config);
  if (stored.policy->weights_checksum != weights) {
    stored.note = fmt::format(
        "{} was made for weights with the checksum {}, these have {}: it is ignored; headroom tune "
        "makes a new one",
        file.string(), checksum_text(stored.policy->weights_checksum), checksum_text(weights));
    stored.policy.reset();
    return stored;
  }
  if (stored.policy->rung_zero_checksum) {
    const fs::path path = checkpoint / rung_zero_name;
    if (!fs::exists(path)) fail_policy(fmt::format("{} is missing", path.string()));
    const uint64_t found = SafetensorsFile(path).checksum();
    if (found != *stored.policy->rung_zero_checksum) {
      fail_policy(fmt::format(
          "{} has the checksum {}, expected {}: a damaged copy, or of another policy?",
          path.string(), checksum_text(found), checksum_text(*stored.policy->rung_zero_checksum)));
    }
    stored.rung_zero = read_rung_zero(path);
  }
  require_fit(stored, config);
  return stored;
}

void write_policy(const fs::path& checkpoint, Policy policy,
                  const std::optional<NgramBag>& rung_zero) {
  policy.weights_checksum = weights_checksum(checkpoint, read_config(checkpoint));
  policy.rung_zero_checksum.reset();
  // Between the two files there is none, not one that does not fit.
  remove_tree(checkpoint / policy_name);
  if (rung_zero) {
    const NgramTable& table = rung_zero->table;
    const TensorView tensors[] = {
        {"weights",
         DType::i8,
         {table.rows(), table.labels},
         std::as_bytes(std::span(rung_zero->weights))},
        {"scales", DType::f32, {table.rows()}, std::as_bytes(std::span(rung_zero->scales))}};
    policy.rung_zero_checksum =
        write_safetensors(checkpoint / rung_zero_name, tensors,
                          {{"orders", std::to_string(table.orders)},
                           {"vocabulary", std::to_string(table.vocabulary)}});
  } else {
    remove_tree(checkpoint / rung_zero_name);
  }
  write_file_atomically(checkpoint / policy_name, to_json(policy).dump(1) + "\n");
}

}  // namespace headroom
