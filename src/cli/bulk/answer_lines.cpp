#include "cli/bulk/answer_lines.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "cli/app.h"
#include "data/formats/json_lines.h"
#include "engine/answers/answer_json.h"
#include "engine/answers/rank.h"

namespace headroom {
namespace {

// `texts` were answered by the same call.
std::string answer_text(const ModelConfig& config, const Answer& answer, size_t texts,
                        const Json& id, const AnswerForm& form) {
  if (form.floats) {
    return {reinterpret_cast<const char*>(answer.embedding.data()),
            answer.embedding.size() * sizeof(float)};
  }
  if (!form.json) return output_of(config.task)(config, answer, form.text) + "\n";
  Json line;
  if (!id.is_null()) line["id"] = id;
  add_answer(config, answer, form.text.raw_scores, line);
  if (form.text.token_tags && answer.token_tags.empty()) line["tokens"] = Json::array();
  if (form.text.top_k > 0 && line.contains("scores")) {
    line["scores"] = Json::object();
    for (const size_t label : best_labels(answer, form.text.top_k)) {
      line["scores"][config.labels[label]] = answer.scores[label];
    }
  }
  line["budget"] = answer.budget;
  if (!answer.rungs.empty()) line["rungs"] = answer.rungs;
  line["active_heads"] = answer.active_heads;
  if (!line.contains("tokens")) line["tokens"] = answer.tokens;
  if (form.timing && answer.predicted_milliseconds) {
    line["predicted_ms"] = *answer.predicted_milliseconds;
  }
  if (form.timing) line["ms"] = answer.milliseconds / static_cast<double>(texts);
  return json_line(line);
}

// The position is a byte and not a line's number, which nobody knows in the middle of a file:
// shards and resumed runs must write what one run writes.
std::string marked_text(const Error& problem, const Json& id, InputKind kind, uint64_t begin,
                        bool json) {
  if (!json) return fmt::format("\t{}\n", problem.message());
  Json line;
  if (!id.is_null()) line["id"] = id;
  line.update(error_json(problem));
  line[kind == InputKind::rows ? "row" : "byte"] = begin;
  return json_line(line);
}

// A line of a model that reads pairs: both texts with a tab between them.
Text split_pair(std::string_view line) {
  const size_t tab = line.find('\t');
  if (tab == std::string_view::npos) {
    throw Error(ErrorCode::bad_data, "read row",
                "no tab, but this model reads two texts a line, separated by one; --input jsonl "
                "takes text and text_pair");
  }
  return {line.substr(0, tab), line.substr(tab + 1)};
}

Text text_of_row(const InputLine& row, Task task) {
  if (row.pair || !traits(task).pairs) return {row.text, row.pair};
  throw Error(ErrorCode::bad_data, "read row",
              "one text, but this model reads two: name both columns, "
              "FILE.csv?text=COLUMN&text_pair=COLUMN");
}

// The text is made of `line` and `row`, which must outlive it.
Text parse_line(const InputLine& line, InputKind kind, Task task, JsonRow& row) {
  if (kind == InputKind::rows) return text_of_row(line, task);
  if (kind == InputKind::lines) return traits(task).pairs ? split_pair(line.text) : Text{line.text};
  parse_json_row(line.text, {}, "row", row);
  return {row.text, row.text_pair};
}

}  // namespace

void answer_lines(const TextEngine& engine, const ModelConfig& config, const AnswerForm& form,
                  InputKind kind, std::span<const InputLine> lines,
                  std::span<LineOutcome> outcomes) {
  const auto refuse = [&](size_t index, const Error& problem, const Json& id) {
    outcomes[index].problem = problem;
    if (form.mark_bad) {
      outcomes[index].text = marked_text(problem, id, kind, lines[index].begin, form.json);
    }
  };
  std::vector<JsonRow> rows(lines.size());
  std::vector<Text> texts;
  std::vector<size_t> indices;  // of the texts' lines
  for (size_t i = 0; i < lines.size(); ++i) {
    if (kind == InputKind::json_lines && is_blank(lines[i].text)) {
      outcomes[i].text = "";
      continue;
    }
    try {
      texts.push_back(parse_line(lines[i], kind, config.task, rows[i]));
      indices.push_back(i);
    } catch (const Error& problem) {
      refuse(i, problem, rows[i].id);
    }
  }
  const auto answer = [&](size_t begin, size_t count) {
    const auto answers = engine.run(std::span(texts).subspan(begin, count));
    for (size_t i = 0; i < count; ++i) {
      const size_t index = indices[begin + i];
      outcomes[index].text = answer_text(config, answers[i], count, rows[index].id, form);
      outcomes[index].truncated = answers[i].truncated;
    }
  };
  try {
    if (!texts.empty()) answer(0, texts.size());
  } catch (const Error&) {  // of one text; which one, and what the others get, shows one by one
    for (size_t i = 0; i < texts.size(); ++i) {
      try {
        answer(i, 1);
      } catch (const Error& problem) {
        refuse(indices[i], problem, rows[indices[i]].id);
      }
    }
  }
}

}  // namespace headroom
