#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "report/html_parts.h"
#include "report/model_answers.h"
#include "report/plot/heat_map.h"

namespace headroom::report {
namespace {

constexpr size_t most_mapped_labels = 30;  // beyond that cells are too small to be told apart
constexpr size_t most_listed_labels = 30;
constexpr size_t most_listed_mistakes = 8;
constexpr size_t longest_row_label = 28;

int64_t sum_of(const std::vector<int64_t>& counts) {
  int64_t sum = 0;
  for (const int64_t count : counts) sum += count;
  return sum;
}

// Shares of a label's rows; a label without rows has a blank line.
HeatMap confusion_map(const ModelAnswers& answers, const BudgetAnswers& at) {
  HeatMap map;
  map.title = fmt::format("budget {}", at.score.budget);
  map.x_label = "answer";
  map.y_label = "true label";
  map.value_format = ValueFormat::percent;
  const Confusion counts = confusion(answers, at);
  for (size_t label = 0; label < counts.size(); ++label) {
    map.row_labels.push_back(
        fmt::format("{} {}", shortened_text(answers.labels[label], longest_row_label), label + 1));
    map.column_labels.push_back(fmt::format("{}", label + 1));
    const auto rows = static_cast<double>(sum_of(counts[label]));
    std::vector<double> shares;
    for (const int64_t count : counts[label]) {
      shares.push_back(rows > 0 ? static_cast<double>(count) / rows : std::nan(""));
    }
    map.values.push_back(shares);
  }
  return map;
}

std::string draw_confusion(const ModelAnswers& answers) {
  if (answers.labels.size() > most_mapped_labels) return "";
  HeatMapPanels figure;
  figure.title = "What is taken for what";
  figure.subtitle = "share of a label's rows that got this answer";
  figure.bar_label = "share";
  figure.panels.push_back(confusion_map(answers, answers.full()));
  if (answers.budgets.size() > 1) {
    figure.panels.push_back(confusion_map(answers, answers.smallest()));
  }
  return draw(figure);
}

Table recall_table(const ModelAnswers& answers) {
  Table table{{"label", "rows"}, {}};
  std::vector<Confusion> counts;
  for (const BudgetAnswers& at : answers.budgets) {
    table.header.push_back(fmt::format("found at {}", at.score.budget));
    counts.push_back(confusion(answers, at));
  }
  for (size_t label = 0; label < answers.labels.size(); ++label) {
    const int64_t rows = sum_of(counts[0][label]);
    if (rows == 0) continue;
    std::vector<std::string> cells = {answers.labels[label], with_commas(rows)};
    for (const Confusion& at : counts) {
      cells.push_back(fmt::format(
          "{:.1f} %", 100 * static_cast<double>(at[label][label]) / static_cast<double>(rows)));
    }
    table.rows.push_back(cells);
  }
  return table;
}

Table mistake_table(const ModelAnswers& answers) {
  const Confusion full = confusion(answers, answers.full());
  const Confusion smallest = confusion(answers, answers.smallest());
  std::vector<std::tuple<int64_t, size_t, size_t>> mistakes;  // minus the rows, so that most first
  for (size_t truth = 0; truth < full.size(); ++truth) {
    for (size_t answer = 0; answer < full.size(); ++answer) {
      if (truth == answer || full[truth][answer] == 0) continue;
      mistakes.emplace_back(-full[truth][answer], truth, answer);
    }
  }
  std::sort(mistakes.begin(), mistakes.end());
  mistakes.resize(std::min(mistakes.size(), most_listed_mistakes));
  Table table{{"true label", "answer", fmt::format("rows at {}", answers.full().score.budget),
               fmt::format("rows at {}", answers.smallest().score.budget)},
              {}};
  for (const auto& [rows, truth, answer] : mistakes) {
    table.rows.push_back({answers.labels[truth], answers.labels[answer], with_commas(-rows),
                          with_commas(smallest[truth][answer])});
  }
  return table;
}

}  // namespace

Confusion confusion(const ModelAnswers& answers, const BudgetAnswers& at) {
  Confusion counts(answers.labels.size(), std::vector<int64_t>(answers.labels.size()));
  for (size_t row = 0; row < answers.truth.size(); ++row) {
    ++counts[static_cast<size_t>(answers.truth[row])][static_cast<size_t>(at.labels[row])];
  }
  return counts;
}

std::string confusion_section(const ModelAnswers& answers) {
  if (answers.truth.empty()) return "";
  std::string html = html_figure(draw_confusion(answers),
                                 "A column has the number that stands after the label in its row.");
  const Table recall = recall_table(answers);
  if (recall.rows.size() <= most_listed_labels) html += html_table(recall);
  const Table mistakes = mistake_table(answers);
  if (!mistakes.rows.empty()) {
    html += paragraph("The most frequent mistakes:") + html_table(mistakes);
  }
  return html;
}

}  // namespace headroom::report
