#include "experiments/claims/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/join.h"
#include "base/table.h"
#include "experiments/claims/claims.h"

namespace headroom::experiments {
namespace {

// What one folder, or arithmetic, says about one claim.
struct Statement {
  std::string subject;                    // "agnews-pretrained": a column of the matrix
  const ResultsFolder* folder = nullptr;  // none: from several folders, or counted
  Finding finding;
};

struct JudgedClaim {
  Claim claim;
  std::vector<Statement> statements;
};

const ClaimSource* source_of(std::string_view experiment) {
  const auto sources = claim_sources();
  const auto found = std::find_if(sources.begin(), sources.end(), [&](const ClaimSource& source) {
    return source.experiment == experiment;
  });
  return found == sources.end() ? nullptr : &*found;
}

bool is_about(const Claim& claim, const ResultsFolder& folder) {
  return claim.experiment == folder.experiment &&
         std::find(claim.tasks.begin(), claim.tasks.end(), folder.task) != claim.tasks.end();
}

// "agnews-pretrained" of the folder adaptive-agnews-pretrained.
std::string title_of(const ResultsFolder& folder) {
  const std::string prefix = folder.experiment + "-";
  return folder.name.rfind(prefix, 0) == 0 ? folder.name.substr(prefix.size()) : folder.task;
}

std::vector<JudgedClaim> judge_all(const std::vector<ResultsFolder>& folders) {
  std::vector<JudgedClaim> judged;
  for (const Claim& claim : published_claims()) judged.push_back({claim, {}});
  const auto add = [&](const std::vector<Finding>& findings, const std::string& subject,
                       const ResultsFolder* folder) {
    for (const Finding& finding : findings) {
      if (!finding.verdict) continue;  // its arms were not run
      JudgedClaim& about = judged.at(static_cast<size_t>(finding.claim - 1));
      if (folder != nullptr && !is_about(about.claim, *folder)) continue;
      about.statements.push_back({subject, folder, finding});
    }
  };
  for (const ResultsFolder& folder : folders) {
    const ClaimSource* source = source_of(folder.experiment);
    if (source != nullptr) add(source->read(folder), title_of(folder), &folder);
  }
  add(variants::size_findings(folders), "three sizes", nullptr);
  add(counted_findings(), "counted", nullptr);
  return judged;
}

std::string page_file(const Claim& claim) {
  return fmt::format("claims/{:02}.md", claim.number);
}

std::string verdict_in(const JudgedClaim& judged, const std::string& subject) {
  for (const Statement& statement : judged.statements) {
    if (statement.subject == subject) return std::string(verdict_name(*statement.finding.verdict));
  }
  return "";
}

// A row per claim of the paper, a column per data set that says something about one of them.
Table matrix_of(const Paper& paper, const std::vector<JudgedClaim>& all) {
  std::vector<std::string> subjects;
  for (const JudgedClaim& judged : all) {
    if (judged.claim.paper != paper.id) continue;
    for (const Statement& statement : judged.statements) {
      const bool known =
          std::find(subjects.begin(), subjects.end(), statement.subject) != subjects.end();
      if (!known) subjects.push_back(statement.subject);
    }
  }
  Table table{{"#", "claim"}, {}};
  table.header.insert(table.header.end(), subjects.begin(), subjects.end());
  for (const JudgedClaim& judged : all) {
    if (judged.claim.paper != paper.id) continue;
    std::vector<std::string> row = {
        fmt::format("[{}]({})", judged.claim.number, page_file(judged.claim)), judged.claim.claim};
    for (const std::string& subject : subjects) row.push_back(verdict_in(judged, subject));
    if (judged.statements.empty()) row[1] += " (not run)";
    table.rows.push_back(row);
  }
  return table;
}

Table folder_table(const std::vector<ResultsFolder>& folders) {
  Table table{{"results", "experiment", "task", "seeds", "date"}, {}};
  for (const ResultsFolder& folder : folders) {
    table.rows.push_back({fmt::format("[{0}]({0}/README.md)", folder.name), folder.experiment,
                          folder.task, fmt::format("{}", folder.runs.size()),
                          folder.results.value("date", "-")});
  }
  return table;
}

// "3 reproduced" for each verdict, counted over claims and data sets.
std::string tally(const std::vector<JudgedClaim>& all) {
  std::map<std::string, int> counts;
  for (const JudgedClaim& judged : all) {
    if (judged.statements.empty()) ++counts["not run"];
    for (const Statement& statement : judged.statements) {
      ++counts[std::string(verdict_name(*statement.finding.verdict))];
    }
  }
  std::vector<std::string> parts;
  for (const auto& [verdict, count] : counts) parts.push_back(fmt::format("{} {}", count, verdict));
  return join(parts, ", ");
}

std::string matrix_page(const std::vector<JudgedClaim>& all,
                        const std::vector<ResultsFolder>& folders) {
  std::string text = fmt::format(
      "# What the papers claim, and what we found\n\n"
      "Each claim has a page with its rule, our numbers and the commands. Verdicts follow from the "
      "JSON files beside this page by that rule; models and samples differ from the papers', so "
      "comparisons between arms are tested, not absolute accuracies.\n\n"
      "Over claims and data sets: {}.\n",
      tally(all));
  for (const Paper& paper : papers()) {
    text +=
        fmt::format("\n## {}\n\n{}",
                    paper.id == "ours" ? paper.title : fmt::format("{}: {}", paper.id, paper.title),
                    markdown(matrix_of(paper, all)));
  }
  return text + fmt::format(
                    "\nAn empty cell: the experiment on that data set does not speak about the "
                    "claim.\n\n## Stored experiments\n\n{}\n"
                    "Made by `headroom report --claims docs/results --out docs/results/README.md`; "
                    "a test compares.\n",
                    markdown(folder_table(folders)));
}

std::string describe_statement(const Statement& statement) {
  const Finding& finding = statement.finding;
  std::string text = fmt::format("\n### {}: {}\n\n{}.", statement.subject,
                                 verdict_name(*finding.verdict), finding.found);
  if (!finding.words.empty()) text += fmt::format(" In words: {}.", finding.words);
  if (statement.folder != nullptr) {
    text += fmt::format("\n\n[{0}](../{0}/README.md), made by `{1}`.", statement.folder->name,
                        statement.folder->results.value("command", "not recorded"));
  }
  return text + "\n";
}

std::string claim_text(const JudgedClaim& judged) {
  const Claim& claim = judged.claim;
  const auto paper = std::find_if(papers().begin(), papers().end(),
                                  [&](const Paper& each) { return each.id == claim.paper; });
  std::string text = fmt::format(
      "# Claim {}: {}\n\n"
      "- **Paper**: {}.\n- **Their data**: {}.\n- **Their number**: {}.\n- **What decides**: "
      "{}.\n\n"
      "[All claims](../README.md). ± is half the 95 % interval over seeds; a \"reported\" number "
      "is "
      "from people who read the paper, the others from abstracts and captions.\n\n"
      "## What we found\n",
      claim.number, claim.claim, paper == papers().end() ? claim.paper : paper->title, claim.data,
      claim.published, claim.rule);
  for (const Statement& statement : judged.statements) text += describe_statement(statement);
  if (judged.statements.empty()) {
    text += claim.tasks.empty()
                ? "\nNot run.\n"
                : fmt::format("\nNot run. `headroom reproduce {} --task {}` would.\n",
                              claim.experiment, claim.tasks.front());
  }
  return text;
}

}  // namespace

ClaimPages claim_pages(const std::filesystem::path& results) {
  const std::vector<ResultsFolder> folders = read_all_results(results);
  const std::vector<JudgedClaim> all = judge_all(folders);
  ClaimPages pages;
  pages.matrix = matrix_page(all, folders);
  for (const JudgedClaim& judged : all) {
    pages.claims.push_back({page_file(judged.claim), claim_text(judged)});
  }
  return pages;
}

}  // namespace headroom::experiments
