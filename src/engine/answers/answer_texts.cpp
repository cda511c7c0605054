#include "engine/answers/answer_texts.h"

#include <fmt/format.h>

#include <string>

#include "base/error.h"
#include "engine/answers/rank.h"
#include "engine/answers/rank_rounds.h"
#include "engine/answers/vectors.h"
#include "engine/options.h"
#include "engine/tags/tag.h"

namespace headroom {
namespace {

std::vector<Answer> vectors_of(Session& session, std::span<const Text> texts,
                               std::span<const Budget> budgets, const AnswerOptions& options) {
  const ModelConfig& config = session.model().config();
  const std::string prompt(prompt_of(config, options.prompt));
  std::vector<Tokens> inputs;
  inputs.reserve(texts.size());
  for (const Text& text : texts) {
    const std::string whole = prompt + std::string(text.text);
    inputs.push_back(tokenise(session.model(), {whole, text.pair}));
  }
  std::vector<Answer> answers = session.run(inputs, budgets);
  for (Answer& answer : answers) {
    if (options.dimensions) shorten_vector(config, *options.dimensions, answer.embedding);
  }
  return answers;
}

// Windows of all texts in one run. A latency is a text's, whatever number of windows it has.
std::vector<Answer> tags_of(Session& session, std::span<const Text> texts,
                            std::span<const Budget> budgets, const AnswerOptions& options) {
  const EngineModel& model = session.model();
  std::vector<TextWindows> windows;
  std::vector<Tokens> inputs;
  std::vector<Budget> spend;
  windows.reserve(texts.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto& all = windows.emplace_back(windows_of(model, texts[i])).inputs();
    inputs.insert(inputs.end(), all.begin(), all.end());
    Budget each = budgets[budgets.size() == 1 ? 0 : i];
    if (each.latency_ms) *each.latency_ms /= static_cast<double>(all.size());
    spend.insert(spend.end(), all.size(), each);
  }
  const std::vector<Answer> found = session.run(inputs, spend);
  std::span<const Answer> rest = found;
  std::vector<Answer> answers;
  for (size_t i = 0; i < texts.size(); ++i) {
    const size_t count = windows[i].inputs().size();
    answers.push_back(tagged_answer(model.tokenizer(), model.config(), texts[i].text, windows[i],
                                    rest.first(count), options));
    rest = rest.subspan(count);
  }
  return answers;
}

}  // namespace

std::vector<Answer> answer_texts(Session& session, std::span<const Text> texts,
                                 std::span<const Budget> budgets, const AnswerOptions& options) {
  const ModelConfig& config = session.model().config();
  check_options(config, options);
  if (budgets.size() != 1 && budgets.size() != texts.size()) {
    throw Error(ErrorCode::usage, "answer texts",
                fmt::format("{} budgets for {} texts", budgets.size(), texts.size()));
  }
  if (config.task == Task::embed) return vectors_of(session, texts, budgets, options);
  if (config.task == Task::tag) return tags_of(session, texts, budgets, options);
  return session.run(texts, budgets);
}

std::vector<Answer> rank_passages(Session& session, std::string_view query,
                                  std::span<const std::string_view> passages,
                                  const Budget& budget) {
  return rank_pairs(session, query_pairs(session.model(), query, passages), budget);
}

}  // namespace headroom
