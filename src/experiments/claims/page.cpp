#include "experiments/claims/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/join.h"
#include "base/table.h"
#include "experiments/claims/claims.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

// What one place says about one claim.
struct Statement {
  std::string subject;  // the task; empty for what is counted
  std::string ours;
  std::string verdict;
  std::string how;  // command and page
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

std::string page_link(const ResultsFolder& folder) {
  return fmt::format("[{0}]({0}/README.md)", folder.name);
}

// "agnews-pretrained" of the folder adaptive-agnews-pretrained.
std::string title_of(const ResultsFolder& folder) {
  const std::string prefix = folder.experiment + "-";
  return folder.name.rfind(prefix, 0) == 0 ? folder.name.substr(prefix.size()) : folder.task;
}

std::vector<Statement> statements_about(const Claim& claim,
                                        const std::vector<ResultsFolder>& folders) {
  std::vector<Statement> statements;
  for (const ResultsFolder& folder : folders) {
    const ClaimSource* source = source_of(folder.experiment);
    if (source == nullptr || !is_about(claim, folder)) continue;
    const std::string how = fmt::format(
        "`{}` ({})", folder.results.value("command", "not recorded"), page_link(folder));
    const std::vector<Finding> findings = source->read(folder);
    const auto found = std::find_if(findings.begin(), findings.end(), [&](const Finding& finding) {
      return finding.claim == claim.number;
    });
    if (found == findings.end()) continue;  // its arms were not run
    statements.push_back(
        {title_of(folder), found->ours, std::string(verdict_name(found->verdict)), how});
  }
  const auto add = [&](const std::vector<Finding>& findings, const std::string& how) {
    for (const Finding& finding : findings) {
      if (finding.claim != claim.number) continue;
      statements.push_back({"", finding.ours, std::string(verdict_name(finding.verdict)), how});
    }
  };
  add(size_findings(folders), "`headroom reproduce variants` on the three sizes");
  add(counted_findings(), "counted when this page is written");
  return statements;
}

// The command that would test a claim.
std::string command_to_run(const Claim& claim) {
  if (claim.tasks.empty()) return "-";
  return fmt::format("`headroom reproduce {} --task {}`", claim.experiment, claim.tasks.front());
}

std::string for_cell(const std::string& text) {
  std::string cell;
  for (const char c : text) {
    if (c == '|') cell += '\\';
    cell += c;
  }
  return cell;
}

// One line per statement; what two of them say alike is said once.
template <typename Part>
std::string lines_of(const std::vector<Statement>& statements, const Part& part) {
  std::vector<std::string> lines;
  for (const Statement& statement : statements) {
    const std::string text = part(statement);
    if (std::find(lines.begin(), lines.end(), text) == lines.end()) lines.push_back(text);
  }
  return join(lines, "<br>");
}

Table claim_table(const std::vector<ResultsFolder>& folders) {
  Table table{{"#", "paper", "claim", "their data", "their number", "ours", "verdict", "command"},
              {}};
  for (const Claim& claim : published_claims()) {
    const std::vector<Statement> statements = statements_about(claim, folders);
    const auto named = [&](std::string Statement::*field) {
      return lines_of(statements, [&](const Statement& statement) {
        return statement.subject.empty()
                   ? statement.*field
                   : fmt::format("{}: {}", statement.subject, statement.*field);
      });
    };
    const bool run = !statements.empty();
    table.rows.push_back(
        {fmt::format("{}", claim.number), std::string(claim.paper), std::string(claim.statement),
         std::string(claim.data), std::string(claim.published),
         run ? for_cell(named(&Statement::ours)) : "-",
         run ? named(&Statement::verdict) : "not run",
         run ? for_cell(lines_of(statements, [](const Statement& s) { return s.how; }))
             : command_to_run(claim)});
  }
  return table;
}

Table test_table() {
  Table table{{"#", "what decides"}, {}};
  for (const Claim& claim : published_claims()) {
    table.rows.push_back({fmt::format("{}", claim.number), std::string(claim.test)});
  }
  return table;
}

Table folder_table(const std::vector<ResultsFolder>& folders) {
  Table table{{"results", "experiment", "task", "seeds", "date"}, {}};
  for (const ResultsFolder& folder : folders) {
    table.rows.push_back({page_link(folder), folder.experiment, folder.task,
                          fmt::format("{}", folder.runs.size()),
                          folder.results.value("date", "-")});
  }
  return table;
}

// "verdict: 3 claims" for each verdict, counted over statements.
std::string tally(const std::vector<ResultsFolder>& folders) {
  std::map<std::string, int> counts;
  for (const Claim& claim : published_claims()) {
    const std::vector<Statement> statements = statements_about(claim, folders);
    if (statements.empty()) ++counts["not run"];
    for (const Statement& statement : statements) ++counts[statement.verdict];
  }
  std::vector<std::string> parts;
  for (const auto& [verdict, count] : counts) parts.push_back(fmt::format("{} {}", count, verdict));
  return join(parts, ", ");
}

}  // namespace

std::string claims_page(const fs::path& results) {
  const std::vector<ResultsFolder> folders = read_all_results(results);
  return fmt::format(
      "# What the papers claim, and what we found\n\n"
      "Made by `headroom report --claims docs/results --out docs/results/README.md` from the JSON "
      "files beside it; a test compares them. P1 is *Budgeted Attention Allocation* (arXiv "
      "2605.05697), P2 *BudgetFormer* (2604.22583), P3 *Optimized, Efficient and Super Attention* "
      "(2403.01643). Their numbers are from abstracts and captions; \"reported\" ones are from "
      "people who read the paper. Models and samples differ from theirs, so comparisons between "
      "arms are tested, not absolute accuracies.\n\n"
      "Verdicts, by claim and data set: {}.\n\n{}\n"
      "± is half the 95 % interval over seeds. \"Not run\" means that no stored result speaks "
      "about the claim.\n\n## What decides\n\n{}\n## Stored experiments\n\n{}",
      tally(folders), markdown(claim_table(folders)), markdown(test_table()),
      markdown(folder_table(folders)));
}

}  // namespace headroom
