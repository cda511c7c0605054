#include "train/task_data.h"

#include <algorithm>

#include "base/random.h"
#include "data/load.h"
#include "data/split.h"
#include "text/word_tokenizer.h"

namespace headroom {
namespace {

// Rows of the synthetic task are pure functions of (seed, index): three seeds, three disjoint
// parts.
constexpr uint64_t synthetic_validation_seed = 0x76616c6964;
constexpr uint64_t synthetic_test_seed = 0x74657374;
constexpr int64_t synthetic_validation_rows = 2000;
constexpr int64_t synthetic_test_rows = 5000;
constexpr int64_t synthetic_epoch_rows = 20000;

TextDataset pick(const TextDataset& dataset, const std::vector<int32_t>& rows) {
  TextDataset part{dataset.name, {}, dataset.labels, dataset.pairs};
  part.rows.reserve(rows.size());
  for (const int32_t row : rows) part.rows.push_back(dataset.rows[static_cast<size_t>(row)]);
  return part;
}

Vocabulary build_vocabulary(const TextDataset& rows, const TaskRequest& request) {
  VocabularyBuilder builder;
  for (const TextRow& row : rows.rows) {
    builder.add(row.text);
    if (rows.pairs) builder.add(row.text_pair);
  }
  return builder.build(request.vocabulary_size, request.min_count);
}

TaskData load_synthetic(const TaskRequest& request) {
  TaskData data;
  data.task = Task::synthetic;
  const std::string spec = request.data.empty() ? "synthetic" : request.data;
  const DataSpec parsed = parse_data_spec(spec);
  if (parsed.sources.size() != 1 || parsed.sources[0].kind != SourceKind::synthetic) {
    throw Error(
        ErrorCode::usage, "load data",
        "--task synthetic makes its own rows: --data may only be synthetic?tokens=N&decoys=N");
  }
  data.name = spec;
  data.synthetic = parsed.sources[0].synthetic;
  data.labels = synthetic_labels(data.synthetic);
  data.vocabulary = synthetic_vocabulary(data.synthetic);
  data.max_tokens = data.synthetic.tokens + 2;
  data.validation =
      encode_synthetic(data.synthetic, synthetic_validation_seed, 0, synthetic_validation_rows);
  data.test = encode_synthetic(data.synthetic, synthetic_test_seed, 0, synthetic_test_rows);
  return data;
}

}  // namespace

TaskData load_task(const TaskRequest& request, const Vocabulary* fixed) {
  if (request.task == Task::synthetic) return load_synthetic(request);
  if (request.data.empty()) {
    throw Error(ErrorCode::usage, "train",
                "--data is required: csv:FILE, tsv:FILE, jsonl:FILE or a known name");
  }
  TextDataset all = load_text_dataset(request.data, request.data_dir);
  if (request.train_rows > 0) {
    all = pick(all, sample_stratified(all.row_labels(), request.train_rows, request.split_seed));
  }
  const auto rows = static_cast<int64_t>(all.rows.size());
  const int64_t wanted = request.validation_rows > 0 ? request.validation_rows
                                                     : std::clamp<int64_t>(rows / 10, 1, 2000);
  const SplitIndices split = split_stratified(all.row_labels(), wanted, request.split_seed);
  const TextDataset train = pick(all, split.train);

  TaskData data;
  data.name = all.name;
  data.labels = all.labels;
  data.max_tokens = request.max_tokens;
  data.vocabulary = fixed != nullptr ? *fixed : build_vocabulary(train, request);
  const WordTokenizer tokenizer(*data.vocabulary);
  data.train = encode_dataset(train, tokenizer, request.max_tokens);
  data.validation = encode_dataset(pick(all, split.validation), tokenizer, request.max_tokens);
  if (!request.eval_data.empty()) {
    data.test = encode_dataset(load_text_dataset(request.eval_data, request.data_dir, &data.labels),
                               tokenizer, request.max_tokens);
  }
  return data;
}

std::unique_ptr<BatchSource> training_source(const TaskData& data, int batch_size, uint64_t seed,
                                             torch::Device device) {
  if (data.task == Task::synthetic) {
    return synthetic_source(data.synthetic, batch_size, synthetic_epoch_rows,
                            mix_key({seed, 0x726f7773}), device);
  }
  return epoch_source(data.train, batch_size, seed, device);
}

}  // namespace headroom
