#include <fmt/format.h>

#include <algorithm>

#include "report/html_parts.h"
#include "report/model_answers.h"
#include "report/plot/markup.h"

namespace headroom::report {
namespace {

constexpr size_t longest_shown_text = 280;

bool same_answer_everywhere(const ModelAnswers& answers, size_t row) {
  return std::all_of(answers.budgets.begin(), answers.budgets.end(), [&](const BudgetAnswers& at) {
    return at.labels[row] == answers.full().labels[row];
  });
}

Table agreement_table(const ModelAnswers& answers) {
  Table table{{"budget", "same answer as the largest", "spoiled", "mended"}, {}};
  const BudgetAnswers& full = answers.full();
  for (const BudgetAnswers& at : answers.budgets) {
    int64_t same = 0;
    int64_t spoiled = 0;
    int64_t mended = 0;
    for (size_t row = 0; row < answers.truth.size(); ++row) {
      const bool was_right = full.labels[row] == answers.truth[row];
      const bool is_right = at.labels[row] == answers.truth[row];
      same += full.labels[row] == at.labels[row] ? 1 : 0;
      spoiled += was_right && !is_right ? 1 : 0;
      mended += !was_right && is_right ? 1 : 0;
    }
    const double share = static_cast<double>(same) / static_cast<double>(answers.truth.size());
    table.rows.push_back({fmt::format("{}", at.score.budget), fmt::format("{:.2f} %", 100 * share),
                          with_commas(spoiled), with_commas(mended)});
  }
  return table;
}

// Spoiled and mended answers in turns, each kind with the surest answer of the largest budget
// first, then the rows that are right or wrong at both ends.
std::vector<LabelChange> choose_examples(const ModelAnswers& answers,
                                         std::vector<LabelChange> changes, size_t count) {
  std::stable_sort(changes.begin(), changes.end(), [&](const LabelChange& a, const LabelChange& b) {
    return answers.full().probabilities[a.row] > answers.full().probabilities[b.row];
  });
  std::vector<LabelChange> spoiled;
  std::vector<LabelChange> mended;
  std::vector<LabelChange> others;
  for (const LabelChange& change : changes) {
    if (change.right_at_full && !change.right_at_smallest) {
      spoiled.push_back(change);
    } else if (!change.right_at_full && change.right_at_smallest) {
      mended.push_back(change);
    } else {
      others.push_back(change);
    }
  }
  std::vector<LabelChange> chosen;
  for (size_t i = 0; i < std::max(spoiled.size(), mended.size()); ++i) {
    if (i < spoiled.size()) chosen.push_back(spoiled[i]);
    if (i < mended.size()) chosen.push_back(mended[i]);
  }
  chosen.insert(chosen.end(), others.begin(), others.end());
  chosen.resize(std::min(chosen.size(), count));
  return chosen;
}

// Neighbouring budgets with the same answer share a line.
void write_answers(MarkupWriter& html, const ModelAnswers& answers, size_t row) {
  html.open("ul");
  const auto& budgets = answers.budgets;
  for (size_t first = 0; first < budgets.size();) {
    const int32_t label = budgets[first].labels[row];
    size_t last = first;
    while (last + 1 < budgets.size() && budgets[last + 1].labels[row] == label) ++last;
    const std::string range = first == last ? fmt::format("at {}", budgets[first].score.budget)
                                            : fmt::format("{} to {}", budgets[first].score.budget,
                                                          budgets[last].score.budget);
    const bool right = label == answers.truth[row];
    html.text("li", {{"class", right ? "right" : "wrong"}},
              fmt::format("{} {}: {} ({:.0f} % sure at {})", right ? "✓" : "✗", range,
                          answers.labels[static_cast<size_t>(label)],
                          100 * budgets[last].probabilities[row], budgets[last].score.budget));
    first = last + 1;
  }
  html.close();
}

}  // namespace

std::vector<LabelChange> label_changes(const ModelAnswers& answers) {
  std::vector<LabelChange> changes;
  for (size_t row = 0; row < answers.truth.size(); ++row) {
    if (same_answer_everywhere(answers, row)) continue;
    changes.push_back({row, answers.full().labels[row] == answers.truth[row],
                       answers.smallest().labels[row] == answers.truth[row]});
  }
  return changes;
}

std::string changes_section(const ModelAnswers& answers, size_t examples) {
  if (answers.truth.empty() || answers.budgets.size() < 2) return "";
  const std::vector<LabelChange> changes = label_changes(answers);
  std::string html = paragraph(fmt::format(
      "{} of {} rows get another answer at some budget. Spoiled: right at the largest budget, "
      "wrong at this one; mended: the other way round.",
      with_commas(static_cast<int64_t>(changes.size())),
      with_commas(static_cast<int64_t>(answers.truth.size()))));
  html += html_table(agreement_table(answers));
  for (const LabelChange& change : choose_examples(answers, changes, examples)) {
    MarkupWriter example;
    example.open("div", {{"class", "example"}});
    example.text("p", {}, shortened_text(answers.text(change.row), longest_shown_text));
    example.text("p", {{"class", "quiet"}},
                 fmt::format("Row {}, true label: {}", change.row + 1,
                             answers.labels[static_cast<size_t>(answers.truth[change.row])]));
    write_answers(example, answers, change.row);
    html += example.finish();
  }
  return html;
}

}  // namespace headroom::report
