#include "experiments/claims/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.h"
#include "base/files/file.h"
#include "base/join.h"
#include "base/json.h"
#include "base/table.h"
#include "experiments/claims/judged.h"
#include "experiments/claims/missing.h"

namespace headroom::experiments {
namespace {

std::string verdict_in(const JudgedClaim& judged, const std::string& subject) {
  for (const Statement& statement : judged.statements) {
    if (statement.subject != subject) continue;
    return fmt::format("{}{}", verdict_name(statement.verdict),
                       statement.afterwards == nullptr ? "" : "†");
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
    table.rows.push_back({fmt::format("[{0}]({0}/README.md){1}", folder.name,
                                      chosen_afterwards(folder.name) == nullptr ? "" : "†"),
                          folder.experiment, folder.task, fmt::format("{}", folder.runs.size()),
                          folder.results.value("date", "-")});
  }
  return table;
}

constexpr const char* rule_text =
    "**One rule** makes every verdict. A claim is one or more statements that an effect lies above "
    "or below a threshold; directions and thresholds are data (`claims.json`), the same for all "
    "data sets, and were fixed before any run that is made from now on, not before those stored "
    "here; the margins (1 point, 1 BLEU, 0.02 nats) were fixed 2026-11-15, with the first runs. A "
    "statement is *shown* when a one-sided t-test over seeds puts the effect on its side "
    "of the threshold, *refuted* when it puts it on the other side, each at 2.5 % after Holm's "
    "correction over data sets; otherwise it is *open*. All shown: **reproduced**. Some shown: "
    "**partly**. None shown and one refuted: **not reproduced**. Else **inconclusive**. What was "
    "not run, or is not matched, is open. Counted numbers and those measured "
    "once stand as they are, without a p.\n\n"
    "The uncertainty is that over seeds: all seeds of an experiment share one test set and, unless "
    "made with `--vary-split`, one split. What another sample of test rows would change is in "
    "standard errors and p only where a page says \"test rows included\": records from before "
    "2026-11-18 do not hold which rows were right. † marks a setting that was chosen when test "
    "results were known; it is judged by itself and not counted.\n";

// A line for each data set of the stored results that is not what its name says.
std::string data_list(const std::vector<ResultsFolder>& folders) {
  std::string lines;
  for (const DataNote& note : data_notes()) {
    const bool stored = std::any_of(folders.begin(), folders.end(), [&](const ResultsFolder& each) {
      return each.task == note.task;
    });
    if (stored) lines += fmt::format("- `{}`: {}.\n", note.task, note.what);
  }
  return lines.empty()
             ? ""
             : "Data sets that are less than their names say, or ours:\n\n" + lines + "\n";
}

// A line for each stored folder whose setting was chosen afterwards.
std::string afterwards_list(const std::vector<ResultsFolder>& folders) {
  std::string lines;
  for (const ResultsFolder& folder : folders) {
    const ChosenAfterwards* const chosen = chosen_afterwards(folder.name);
    if (chosen != nullptr) lines += fmt::format("- `{}`: {}.\n", folder.name, chosen->why);
  }
  return lines.empty() ? "" : "† chosen when test results were known:\n\n" + lines + "\n";
}

// "3 reproduced" for each verdict, counted over claims and data sets.
std::string tally(const std::vector<JudgedClaim>& all) {
  std::map<std::string, int> counts;
  for (const JudgedClaim& judged : all) {
    if (judged.statements.empty()) ++counts["not run"];
    for (const Statement& statement : judged.statements) {
      if (statement.afterwards != nullptr) continue;
      ++counts[std::string(verdict_name(statement.verdict))];
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
      "Each claim has a page with what is compared, its thresholds, our numbers and the commands. "
      "Models and samples differ from the papers', so comparisons between arms are tested, not "
      "absolute accuracies.\n\n{}\n"
      "Over claims and data sets: {}. [verdicts.md](verdicts.md) has what they were before this "
      "rule, [missing.md](missing.md) what each still needs.\n",
      rule_text, tally(all));
  for (const Paper& paper : papers()) {
    text +=
        fmt::format("\n## {}\n\n{}",
                    paper.id == "ours" ? paper.title : fmt::format("{}: {}", paper.id, paper.title),
                    markdown(matrix_of(paper, all)));
  }
  return text + fmt::format(
                    "\nAn empty cell: the experiment on that data set does not speak about the "
                    "claim.\n\n{}## Stored experiments\n\n{}\n{}"
                    "Made by `headroom report --claims docs/results --out docs/results/README.md`; "
                    "a test compares.\n",
                    data_list(folders), markdown(folder_table(folders)), afterwards_list(folders));
}

const char* direction_word(Direction direction) {
  switch (direction) {
    case Direction::above:
      return "above";
    case Direction::below:
      return "below";
    case Direction::within:
      return "within ±";
  }
  return "";
}

const char* outcome(const Tails& tails) {
  switch (verdict_of(tails)) {
    case Verdict::reproduced:
      return "shown";
    case Verdict::not_reproduced:
      return "refuted";
    default:
      return "open";
  }
}

std::string p_value(double p) {
  return p < 0.001 ? "< 0.001" : fmt::format("{:.3f}", p);
}

// Sums that cancel leave a rest of rounding, which is no number of ours.
double without_rounding(double mean) {
  return std::abs(mean) < 1e-9 ? 0 : mean;
}

// p on one side, or why there is none.
std::string p_cell(const Evidence& evidence, double p) {
  if (!evidence.tails && evidence.effect.spread == Spread::counted) return "counted";
  if (!evidence.tails && evidence.effect.spread == Spread::timed_once) return "measured once";
  return p_value(p);
}

Table evidence_table(const Claim& claim, const Statement& statement) {
  Table table{{"statement", "found", "must be", "p for", "p against", ""}, {}};
  for (size_t i = 0; i < claim.tests.size(); ++i) {
    const Criterion& test = claim.tests[i];
    const auto& all = statement.finding.evidence;
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const Evidence& each) { return each.test == test.test; });
    const bool was_run = found != all.end() && found->effect.was_run();
    const std::string unit = found == all.end() ? "" : found->effect.unit;
    const double threshold =
        test.in_margins && unit.empty() ? test.threshold : threshold_for(test, unit);
    const std::string number =
        !was_run ? "not run"
        : found->effect.error == 0
            ? fmt::format("{:.3g} {}", without_rounding(found->effect.mean), unit)
            : fmt::format("{:.3g} {} (standard error {:.2g}{})",
                          without_rounding(found->effect.mean), unit, found->effect.error,
                          found->effect.rows > 0 ? ", test rows included" : "");
    const bool decides = was_run && found->open.empty();
    table.rows.push_back(
        {test.test, number, fmt::format("{} {:.3g}", direction_word(test.direction), threshold),
         decides ? p_cell(*found, statement.tails[i].supports) : "-",
         decides ? p_cell(*found, statement.tails[i].refutes) : "-",
         was_run && !found->open.empty() ? "open: " + found->open : outcome(statement.tails[i])});
  }
  return table;
}

std::string describe_statement(const Claim& claim, const Statement& statement) {
  const Finding& finding = statement.finding;
  std::string text =
      fmt::format("\n### {}: {}\n\n{}.\n\n{}", statement.subject, verdict_name(statement.verdict),
                  finding.found, markdown(evidence_table(claim, statement)));
  if (statement.afterwards != nullptr) {
    text += fmt::format("\nNot counted: {}.\n", statement.afterwards->why);
  }
  if (statement.folder != nullptr) {
    const DataNote* const note = data_note(statement.folder->task);
    if (note != nullptr) text += fmt::format("\nThe data: {}.\n", note->what);
    text += fmt::format("\n[{0}](../{0}/README.md), made by `{1}`.\n", statement.folder->name,
                        statement.folder->results.value("command", "not recorded"));
  }
  return text;
}

std::string claim_text(const JudgedClaim& judged) {
  const Claim& claim = judged.claim;
  const auto paper = std::find_if(papers().begin(), papers().end(),
                                  [&](const Paper& each) { return each.id == claim.paper; });
  std::string text = fmt::format(
      "# Claim {}: {}\n\n"
      "- **Paper**: {}.\n- **Their data**: {}.\n- **Their number**: {}.\n- **What is compared**: "
      "{}; {}.\n\n"
      "[All claims](../README.md), with the rule. ± is half the 95 % interval over seeds; standard "
      "errors and p cover test rows only where it says so; p is one-sided, after Holm's correction "
      "over data sets. A \"reported\" "
      "number is from people who read the paper, the others from abstracts and captions.\n\n"
      "## What we found\n",
      claim.number, claim.claim, paper == papers().end() ? claim.paper : paper->title, claim.data,
      claim.published, claim.rule,
      claim.combination == Combination::any ? "one statement suffices"
                                            : "every statement must be shown");
  for (const Statement& statement : judged.statements) text += describe_statement(claim, statement);
  if (judged.statements.empty()) {
    text += claim.tasks.empty()
                ? "\nNot run.\n"
                : fmt::format("\nNot run. `headroom reproduce {} --task {}` would.\n",
                              claim.experiment, claim.tasks.front());
  }
  return text;
}

// What a stored list of earlier verdicts says beside today's; empty without that list.
std::string change_page(const std::vector<JudgedClaim>& all, const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return "";
  const Json before =
      parse_json(read_file(file, ErrorCode::bad_data), ErrorCode::bad_data, file.string());
  constexpr const char* names[] = {"reproduced", "partly", "not reproduced", "inconclusive"};
  std::map<std::pair<std::string, std::string>, int> counts;
  Table changes{{"#", "claim", "data set", "before", "now"}, {}};
  int compared = 0;
  int changed = 0;
  for (const JudgedClaim& judged : all) {
    const Json claim =
        before.at("verdicts").value(fmt::format("{}", judged.claim.number), Json::object());
    for (const Statement& statement : judged.statements) {
      const std::string was = claim.value(statement.subject, "");
      if (was.empty()) continue;
      const std::string now(verdict_name(statement.verdict));
      const bool counts_here = statement.afterwards == nullptr;
      if (counts_here) {
        ++counts[{was, now}];
        ++compared;
      }
      if (was == now) continue;
      if (counts_here) ++changed;
      changes.rows.push_back({fmt::format("[{}]({})", judged.claim.number, page_file(judged.claim)),
                              judged.claim.claim, statement.subject, was,
                              now + (statement.afterwards == nullptr ? "" : "†")});
    }
  }
  Table matrix{{"before \\ now"}, {}};
  for (const char* now : names) matrix.header.emplace_back(now);
  matrix.header.emplace_back("all");
  for (const char* was : names) {
    std::vector<std::string> row = {was};
    int sum = 0;
    for (const char* now : names) {
      sum += counts[{was, now}];
      row.push_back(fmt::format("{}", counts[{was, now}]));
    }
    row.push_back(fmt::format("{}", sum));
    matrix.rows.push_back(row);
  }
  return fmt::format(
      "# Verdicts before and after the one rule\n\n"
      "Until {} each claim had a rule of its own, and noise improved some verdicts. [One rule]"
      "(README.md) judges all of them now, from the same records: {} of {} verdicts change.\n\n{}\n"
      "## Those that change\n\n{}\n"
      "† its setting was chosen when test results were known: shown, not counted. Earlier "
      "verdicts: "
      "[verdicts-before.json](verdicts-before.json). Made by `headroom report --claims`.\n",
      before.value("commit", "an earlier commit"), changed, compared, markdown(matrix),
      markdown(changes));
}

}  // namespace

ClaimPages claim_pages(const std::filesystem::path& results) {
  const std::vector<ResultsFolder> folders = read_all_results(results);
  const std::vector<JudgedClaim> all = judge_all(folders, results);
  ClaimPages pages;
  pages.matrix = matrix_page(all, folders);
  for (const JudgedClaim& judged : all) {
    pages.claims.push_back({page_file(judged.claim), claim_text(judged)});
  }
  const std::string changes = change_page(all, results / "verdicts-before.json");
  if (!changes.empty()) pages.claims.push_back({"verdicts.md", changes});
  pages.claims.push_back({"missing.md", missing_page(all, folders)});
  return pages;
}

}  // namespace headroom::experiments
