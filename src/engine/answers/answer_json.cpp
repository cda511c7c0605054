#include "engine/answers/answer_json.h"

#include <array>
#include <charconv>
#include <utility>

namespace headroom {
namespace {

Json by_label(const ModelConfig& config, const std::vector<double>& scores) {
  Json json = Json::object();
  for (size_t i = 0; i < config.labels.size(); ++i) json[config.labels[i]] = scores[i];
  return json;
}

void add_label(const ModelConfig& config, const Answer& answer, Json& json) {
  json["label"] = config.labels[answer.label];
  json["scores"] = by_label(config, answer.scores);
}

void add_labels(const ModelConfig& config, const Answer& answer, Json& json) {
  json["labels"] = Json::array();
  for (const size_t label : answer.labels) json["labels"].push_back(config.labels[label]);
  json["scores"] = by_label(config, answer.scores);
}

void add_tags(const ModelConfig& config, const Answer& answer, Json& json) {
  json["entities"] = Json::array();
  for (const Entity& entity : answer.entities) {
    json["entities"].push_back({{"text", entity.text},
                                {"label", entity.label},
                                {"score", entity.score},
                                {"start", entity.start},
                                {"end", entity.end}});
  }
  for (const TaggedToken& token : answer.token_tags) {
    json["tokens"].push_back({{"token", token.token},
                              {"start", token.start},
                              {"end", token.end},
                              {"label", config.labels[token.label]},
                              {"scores", by_label(config, token.scores)}});
  }
}

// The double that has a float's shortest spelling: half the digits, and the same float when read.
double spelled(float value) {
  std::array<char, 32> text{};
  const auto written = std::to_chars(text.data(), text.data() + text.size(), value);
  double read = value;
  std::from_chars(text.data(), written.ptr, read);
  return read;
}

void add_vector(const Answer& answer, Json& json) {
  json["embedding"] = Json::array();
  for (const float x : answer.embedding) json["embedding"].push_back(spelled(x));
  json["dimensions"] = answer.embedding.size();
}

void add_output(const ModelConfig& config, const Answer& answer, bool raw_scores, Json& json) {
  switch (traits(config.task).output) {
    case OutputForm::label:
      return add_label(config, answer, json);
    case OutputForm::labels:
      return add_labels(config, answer, json);
    case OutputForm::score:
      json["score"] = raw_scores ? answer.logit : answer.score;
      return;
    case OutputForm::tags:
      return add_tags(config, answer, json);
    case OutputForm::vector:
      return add_vector(answer, json);
    case OutputForm::tokens:
    case OutputForm::states:
      return;
  }
}

}  // namespace

void add_answer(const ModelConfig& config, const Answer& answer, bool raw_scores, Json& json) {
  add_output(config, answer, raw_scores, json);
  if (answer.truncated) json["truncated"] = true;
}

}  // namespace headroom
