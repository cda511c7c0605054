#include "train/evaluate/generator.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "base/error.h"
#include "model/decoder.h"
#include "model/slice.h"
#include "train/checkpoint_model.h"
#include "train/evaluate/translate.h"
#include "train/rows/batches.h"
#include "train/runtime.h"

namespace headroom {
inline namespace train {
namespace {

// One token from (1, V) logits. Special tokens are not text, but [SEP] ends lines.
int64_t draw_token(torch::Tensor logits, const GenerateSettings& settings,
                   const Vocabulary& vocabulary) {
  constexpr double never_drawn = -std::numeric_limits<double>::infinity();
  for (const int32_t never :
       {vocabulary.pad_id(), vocabulary.cls_id(), vocabulary.unknown_id(), built_mask_id}) {
    logits.select(1, never).fill_(never_drawn);
  }
  if (settings.temperature <= 0) return logits.argmax(-1).item<int64_t>();
  if (settings.top_k > 0 && settings.top_k < logits.size(1)) {
    const torch::Tensor least = std::get<0>(logits.topk(settings.top_k, -1)).select(1, -1);
    logits.masked_fill_(logits < least.unsqueeze(1), never_drawn);
  }
  return torch::multinomial(torch::softmax(logits / settings.temperature, -1), 1).item<int64_t>();
}

}  // namespace

struct Generator::State {
  CheckpointModel checkpoint;
  Selection selection;
};

Generator::Generator(const std::filesystem::path& model, double budget, int threads,
                     const std::string& device) {
  use_threads(threads);
  CheckpointModel checkpoint = open_finished(model, open_device(device));
  Selection selection = checkpoint.config.selection(budget);
  checkpoint.model.weights = slice_model(checkpoint.model.weights, selection);
  state_.reset(new State{std::move(checkpoint), std::move(selection)});
}

Generator::~Generator() = default;

const ModelConfig& Generator::config() const {
  return state_->checkpoint.config;
}
double Generator::active_heads() const {
  return state_->selection.active_fraction();
}

Generated Generator::generate(const std::string& text, const GenerateSettings& settings) const {
  const auto started = std::chrono::steady_clock::now();
  const torch::InferenceMode inference;
  const CheckpointModel& checkpoint = state_->checkpoint;
  const ElasticModel& model = checkpoint.model;
  const Tokenizer& tokenizer = *checkpoint.tokenizer;
  const Vocabulary& vocabulary = tokenizer.vocabulary();
  const auto longest = checkpoint.config.shape.positions;
  std::vector<int32_t> made;
  if (checkpoint.config.task == Task::translate) {
    const EncodedDataset row =
        encode_translations({{text, ""}}, tokenizer, static_cast<int>(longest));
    const int32_t first = 0;
    const Batch batch = make_batch(row, {&first, 1}, model.device());
    made = translate(model, batch, vocabulary, settings.beam).front();
  } else {
    std::vector<int32_t> start = tokenizer.pieces(text);
    if (start.empty()) {
      throw Error(ErrorCode::bad_data, "generate text", "there is nothing to go on from");
    }
    const auto kept = std::min(static_cast<int64_t>(start.size()), longest - 1);
    start.erase(start.begin(), start.end() - kept);
    torch::manual_seed(settings.seed);
    GenerationCache cache = empty_cache(model.weights);
    torch::Tensor tokens = torch::tensor(start, torch::kInt64).unsqueeze(0).to(model.device());
    const int64_t room = std::min(settings.max_new_tokens, longest - kept);
    for (int64_t i = 0; i < room; ++i) {
      const int64_t token = draw_token(
          next_logits(model.weights, tokens, cache, model.layer_norm_eps), settings, vocabulary);
      made.push_back(static_cast<int32_t>(token));
      tokens = torch::full({1, 1}, token, tokens.options());
    }
  }
  const std::chrono::duration<double, std::milli> taken =
      std::chrono::steady_clock::now() - started;
  return {tokenizer.join(made), static_cast<int64_t>(made.size()), taken.count()};
}

}  // namespace train
}  // namespace headroom
