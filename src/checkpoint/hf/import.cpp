#include "checkpoint/hf/import.h"

#include <fmt/format.h>

#include <set>

#include "base/error.h"
#include "base/join.h"
#include "base/measure/machine.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/hf/card.h"
#include "checkpoint/hf/config.h"
#include "checkpoint/hf/sentence.h"
#include "checkpoint/hf/tensors.h"
#include "checkpoint/hf/tokenizer.h"
#include "checkpoint/make_tokenizer.h"

namespace headroom {
namespace {

constexpr uint64_t companion_limit = 4ULL << 20;

void append(std::vector<std::string>& notes, const std::vector<std::string>& more) {
  notes.insert(notes.end(), more.begin(), more.end());
}

std::string text_or_nothing(const HfFolder& folder, const std::string& name) {
  return folder.has(name) ? folder.text(name, companion_limit) : "";
}

std::map<std::string, std::string> licence_files(const HfFolder& folder) {
  std::map<std::string, std::string> files;
  for (const char* name : licence_names) {
    if (folder.has(name)) files[name] = folder.text(name, companion_limit);
  }
  return files;
}

std::string card_for(const HfFolder& folder, const ImportReport& report) {
  std::vector<std::string> lines = {fmt::format("From the Hugging Face folder `{}` ({}), {}",
                                                folder.name(), report.architecture, today())};
  append(lines, report.notes);
  return card_with_section(text_or_nothing(folder, "README.md"), "Imported by headroom", lines);
}

void rename_labels(const std::vector<std::string>& labels, ModelConfig& config) {
  const auto refuse = [](const std::string& why) { throw Error(ErrorCode::usage, "import", why); };
  if (config.labels.empty()) refuse("--labels is for classifiers, and this model has no labels");
  if (labels.size() != config.labels.size()) {
    refuse(fmt::format("--labels has {} names, the model has {} labels: {}", labels.size(),
                       config.labels.size(), join(config.labels, ", ")));
  }
  const std::set<std::string> distinct(labels.begin(), labels.end());
  if (distinct.size() != labels.size() || distinct.contains("")) {
    refuse("--labels has a name twice, or an empty one");
  }
  config.labels = labels;
}

}  // namespace

ImportReport import_hf_folder(const std::filesystem::path& from, const std::filesystem::path& out,
                              const ImportOptions& options) {
  require_replaceable(out, "import");
  const HfFolder root(from, options.follow_links ? FolderLinks::outside : FolderLinks::inside);
  const std::optional<SentenceFolder> sentence = find_sentence_folder(root);
  const HfFolder folder = sentence ? sentence->transformer : root;
  const HfConfig config = read_hf_config(folder.json_with_nulls("config.json"));
  ImportReport report;
  report.config = config.config;
  if (!options.labels.empty()) rename_labels(options.labels, report.config);
  report.architecture =
      config.architecture.empty() ? config.config.architecture() : config.architecture;
  report.notes = config.notes;
  if (sentence) set_vector_output(*sentence, report.config, report.notes);
  const HfTokenizer tokenizer = read_hf_tokenizer(folder, report.config.shape);
  report.config.tokenizer = tokenizer.kind;
  report.config.lower_case = tokenizer.lower_case;
  if (!report.config.max_tokens && tokenizer.max_tokens < report.config.shape.positions) {
    report.config.max_tokens = tokenizer.max_tokens;
  }
  const HfWeights weights(folder);
  HfTensors tensors = map_hf_tensors(weights, report.config);
  const std::optional<DenseWeights> dense =
      sentence && sentence->dense ? std::optional<DenseWeights>(*sentence->dense) : std::nullopt;
  if (dense)
    tensors.tensors.insert(tensors.tensors.end(), dense->views().begin(), dense->views().end());
  report.config.pooler = tensors.pooler;
  append(report.notes, tensors.notes);
  for (const TensorView& tensor : tensors.tensors) {
    report.parameters += static_cast<int64_t>(tensor.bytes.size()) * 8 / dtype_bits(tensor.dtype);
  }
  std::map<std::string, std::string> files = licence_files(root);
  files.merge(named_files(tokenizer.files));
  write_checkpoint(out, {report.config, tokenizer.vocabulary, card_for(root, report), "",
                         tensors.tensors, files});
  return report;
}

}  // namespace headroom
