#include "train/fingerprint.h"

#include <fmt/format.h>

#include <span>

#include "base/files/file.h"
#include "checkpoint/tensors/checksum.h"
#include "train/rows/task_data.h"
#include "train/settings.h"

namespace headroom {
inline namespace train {
namespace {

constexpr int course_version = 8;  // changes when a run saved by an earlier program cannot go on

// Each value with its length, so that parts cannot move from one to the next.
class Digest {
 public:
  template <typename T>
  void add(const std::vector<T>& values) {
    add(std::as_bytes(std::span(values)));
  }
  void add(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) add(std::as_bytes(std::span(text)));
  }
  std::string text() const { return fmt::format("{:016x}", hash_.digest()); }

 private:
  void add(std::span<const std::byte> bytes) {
    const uint64_t size = bytes.size();
    hash_.update(std::as_bytes(std::span(&size, 1)));
    hash_.update(bytes);
  }

  Xxh64 hash_;
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
