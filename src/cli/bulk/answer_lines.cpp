#include "cli/bulk/answer_lines.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "cli/app.h"
#include "data/formats/json_lines.h"

namespace headroom {
namespace {

// The rows among some lines, side by side: what an engine takes, and what the answer needs.
struct Rows {
  std::vector<ClassifyInput> inputs;
  std::vector<Json> ids;
  std::vector<size_t> places;  // among the lines
};

std::string answer_text(const std::vector<std::string>& labels, const Classification& answer,
                        const Json& id, const AnswerForm& form) {
  const auto best = static_cast<size_t>(answer.label);
  if (!form.json) return fmt::format("{}\t{:.4f}\n", labels[best], answer.scores[best]);
  Json line;
  if (!id.is_null()) line["id"] = id;
  line["label"] = labels[best];
  Json& scores = line["scores"] = Json::object();
  for (size_t i = 0; i < labels.size(); ++i) scores[labels[i]] = answer.scores[i];
  line["budget"] = answer.budget;
  line["active_heads"] = answer.active_heads;
  line["tokens"] = answer.tokens;
  if (form.timing && answer.predicted_ms) line["predicted_ms"] = *answer.predicted_ms;
  if (form.timing) line["ms"] = answer.milliseconds;
  return json_line(line);
}

// The place is a byte and not a line's number, which nobody knows in the middle of a file: shards
// and resumed runs must write what one run writes.
std::string marked_text(const Error& problem, const Json& id, uint64_t begin, bool json) {
  if (!json) return fmt::format("\t{}\n", problem.message());
  Json line;
  if (!id.is_null()) line["id"] = id;
  line.update(error_json(problem));
  line["byte"] = begin;
  return json_line(line);
}

// A line of a model that reads pairs: both texts with a tab between them.
ClassifyInput split_pair(const std::string& line) {
  const size_t tab = line.find('\t');
  if (tab == std::string::npos) {
    throw Error(ErrorCode::bad_data, "read row",
                "no tab, but this model reads two texts a line, separated by one; --input jsonl "
                "takes text and text_pair");
  }
  return {line.substr(0, tab), line.substr(tab + 1), true};
}

ClassifyInput parse_line(const std::string& line, bool jsonl, Task task, Json& id) {
  if (!jsonl) return task == Task::pair ? split_pair(line) : ClassifyInput{line, "", false};
  JsonRow row;
  try {
    parse_json_row(line, {}, "row", row);
  } catch (...) {
    id = std::move(row.id);
    throw;
  }
  id = std::move(row.id);
  const bool is_pair = row.text_pair.has_value();
  return {std::move(row.text), std::move(row.text_pair).value_or(""), is_pair};
}

}  // namespace

void answer_lines(TextClassifier& classifier, const ModelConfig& config, const AnswerForm& form,
                  std::span<const InputLine> lines, std::span<LineOutcome> outcomes) {
  const auto refuse = [&](size_t place, const Error& problem, const Json& id) {
    outcomes[place].problem = problem;
    if (form.mark_bad) {
      outcomes[place].text = marked_text(problem, id, lines[place].begin, form.json);
    }
  };
  Rows rows;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (form.jsonl && is_blank(lines[i].text)) {
      outcomes[i].text = "";
      continue;
    }
    Json id;
    try {
      rows.inputs.push_back(parse_line(lines[i].text, form.jsonl, config.task, id));
      rows.ids.push_back(std::move(id));
      rows.places.push_back(i);
    } catch (const Error& problem) {
      refuse(i, problem, id);
    }
  }
  const std::span<const ClassifyInput> inputs = rows.inputs;
  const auto classify = [&](size_t begin, size_t count) {
    const auto answers = classifier.classify(inputs.subspan(begin, count));
    for (size_t i = 0; i < count; ++i) {
      outcomes[rows.places[begin + i]].text =
          answer_text(config.labels, answers[i], rows.ids[begin + i], form);
    }
  };
  try {
    if (!inputs.empty()) classify(0, inputs.size());
  } catch (const Error&) {  // of one text; which one, and what the others get, shows one by one
    for (size_t row = 0; row < inputs.size(); ++row) {
      try {
        classify(row, 1);
      } catch (const Error& problem) {
        refuse(rows.places[row], problem, rows.ids[row]);
      }
    }
  }
}

}  // namespace headroom
