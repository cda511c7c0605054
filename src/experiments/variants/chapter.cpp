#include "experiments/variants/chapter.h"

#include <fmt/format.h>

#include "experiments/chapter_parts.h"
#include "experiments/variants/kind_budgets_summary.h"
#include "experiments/variants/summary.h"
#include "report/html_parts.h"

namespace headroom {
namespace {

// The first column of a table named by its rows, and what it is about by its heading.
std::string first_numbers(const Table& table) {
  std::vector<KeyNumber> numbers;
  for (const std::vector<std::string>& row : table.rows) {
    numbers.push_back({row[1], fmt::format("{}: {}", row[0], table.header[1])});
  }
  return key_numbers(numbers);
}

std::vector<ReportSection> budget_sections(const ResultsFolder& folder) {
  std::vector<ReportSection> sections;
  for (const auto& [title, table] : summarise_kind_budgets(folder.runs).tables) {
    sections.push_back({fmt::format("table-{}", sections.size() + 1), title, html_table(table)});
  }
  return sections;
}

std::vector<ReportSection> kind_sections(const ResultsFolder& folder) {
  const VariantsSummary summary = summarise_variants(folder.runs, folder.timing);
  return {
      {"scores", "Scores",
       first_numbers(summary.score_table) +
           html_figure(summary.scores, "Fewer attention parameters are to the left.") +
           html_table(summary.score_table)},
      {"macs", "MACs of one layer",
       html_figure(summary.macs, "Super's mixing costs more the longer the text.")},
      {"time", "Measured time",
       html_figure(summary.latency, "One attention layer on one sequence, all kinds in turns.") +
           html_table(summary.time_table)},
  };
}

}  // namespace

ReportChapter variants_chapter(const ResultsFolder& folder) {
  ReportChapter chapter = chapter_about(folder);
  chapter.sections =
      folder.task == kind_budgets_results ? budget_sections(folder) : kind_sections(folder);
  chapter.sections.insert(chapter.sections.begin(),
                          {"setting", "Setting", html_table(setting_table(folder.runs))});
  chapter.sections.push_back({"commands", "Commands", experiment_command(folder)});
  return chapter;
}

}  // namespace headroom
