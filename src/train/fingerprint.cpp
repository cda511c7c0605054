#include "train/fingerprint.h"

#include <fmt/format.h>

#include <cstring>
#include <string_view>

#include "base/files/file.h"
#include "train/rows/task_data.h"
#include "train/settings.h"

namespace headroom {
inline namespace train {
namespace {

constexpr int course_version = 6;  // changes when a run saved by an earlier program cannot go on

// FNV-1a over eight bytes at a time: against mistakes, not against people who forge rows.
class Digest {
 public:
  template <typename T>
  void add(const std::vector<T>& values) {
    add(std::string_view(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)));
  }
  void add(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) add(std::string_view(text));
  }
  void add(std::string_view bytes) {
    mix(bytes.size());
    for (; bytes.size() >= sizeof(uint64_t); bytes.remove_prefix(sizeof(uint64_t))) {
      mix_bytes(bytes.data(), sizeof(uint64_t));
    }
    mix_bytes(bytes.data(), bytes.size());
  }
  std::string text() const { return fmt::format("{:016x}", sum_); }

 private:
  void mix_bytes(const char* bytes, size_t count) {
    uint64_t word = 0;
    if (count > 0) std::memcpy(&word, bytes, count);
    mix(word);
  }
  void mix(uint64_t word) {
    sum_ = (sum_ ^ word) * 0x100000001b3;
    sum_ ^= sum_ >> 32;
  }

  uint64_t sum_ = 0xcbf29ce484222325;
};

std::string digest(const EncodedDataset& rows) {
  Digest sum;
  sum.add(rows.tokens);
  sum.add(rows.offsets);
  sum.add(rows.labels);
  sum.add(rows.types);
  sum.add(rows.pixels);
  sum.add(rows.targets);
  sum.add(rows.target_offsets);
  sum.add(rows.references);
  if (!rows.tags.empty()) sum.add(rows.tags);
  if (!rows.groups.empty()) sum.add(rows.groups);
  if (!rows.values.empty()) sum.add(rows.values);
  std::vector<std::string> partners;
  for (const EncodedDataset& partner : rows.partners) partners.push_back(digest(partner));
  if (!partners.empty()) sum.add(partners);
  return sum.text();
}

std::string digest(const std::vector<std::string>& texts) {
  Digest sum;
  sum.add(texts);
  return sum.text();
}

std::string digest_of_checkpoint(const std::filesystem::path& checkpoint) {
  if (checkpoint.empty()) return "";
  return digest({read_file(checkpoint / "config.json", ErrorCode::bad_model),
                 read_file(checkpoint / "model.safetensors", ErrorCode::bad_model)});
}

// A vocabulary that is a part of a tokenizer has no text of its own.
std::string digest(const Vocabulary& vocabulary) {
  const TokenizerFiles* files = vocabulary.files();
  if (files == nullptr) return digest({vocabulary.to_text()});
  return digest({files->tokenizer_json, files->tokenizer_config});
}

}  // namespace

Json fingerprint(const TrainRequest& request, const TaskData& data) {
  Json json = settings_to_json(request);
  json["version"] = course_version;
  json["checkpoint to start from"] = digest_of_checkpoint(request.init);
  json["training rows"] = digest(data.train);
  json["validation rows"] = digest(data.validation);
  json["test rows"] = digest(data.test);
  json["vocabulary"] = digest(*data.vocabulary);
  json["labels"] = digest(data.labels);
  return json;
}

}  // namespace train
}  // namespace headroom
