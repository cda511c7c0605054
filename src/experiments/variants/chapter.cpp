#include "experiments/variants/chapter.h"

#include <fmt/format.h>

#include "experiments/summary/chapter_parts.h"
#include "experiments/variants/kind_budgets_summary.h"
#include "experiments/variants/summary.h"
#include "report/html_parts.h"

namespace headroom::experiments::variants {
namespace {

// The first column of a table named by its rows, and what it is about by its heading.
std::string first_numbers(const Table& table) {
  std::vector<KeyNumber> numbers;
  for (const std::vector<std::string>& row : table.rows) {
    numbers.push_back({row[1], fmt::format("{}: {}", row[0], table.header[1])});
  }
  return key_numbers(numbers);
}

std::vector<Section> budget_sections(const ResultsFolder& folder) {
  std::vector<Section> sections;
  for (const auto& [title, table] : kind_budget_tables(folder.runs)) {
    sections.push_back({fmt::format("table-{}", sections.size() + 1), title, html_table(table)});
  }
  return sections;
}

std::vector<Section> kind_sections(const ResultsFolder& folder) {
  const Page page = summarise(folder.runs, folder.timing);
  const Table scores = score_table(folder.runs);
  std::vector<Section> sections = {
      {"scores", "Scores",
       first_numbers(scores) +
           html_figure(page.svg("scores.svg"), "Fewer attention parameters are to the left.") +
           html_table(scores)},
      {"macs", "MACs of one layer",
       html_figure(page.svg("macs.svg"), "Super's mixing costs more the longer the text.")}};
  if (folder.timing.contains("cells")) {
    sections.push_back({"time", "Measured time",
                        html_figure(page.svg("latency.svg"),
                                    "One attention layer on one sequence, all kinds in turns.") +
                            html_table(time_table(folder.timing))});
  }
  return sections;
}

}  // namespace

Chapter chapter(const ResultsFolder& folder) {
  Chapter about = chapter_about(folder);
  about.sections =
      folder.task == kind_budgets_task ? budget_sections(folder) : kind_sections(folder);
  about.sections.insert(about.sections.begin(),
                        {"setting", "Setting", html_table(setting_table(folder.runs))});
  about.sections.push_back({"commands", "Commands", experiment_command(folder)});
  return about;
}

}  // namespace headroom::experiments::variants
