#include "experiments/claims/missing.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/join.h"
#include "base/table.h"
#include "experiments/variants/measures.h"

namespace headroom::experiments {
namespace {

// Tests of a claim that nothing was found for, or only what decides nothing.
std::vector<std::string> open_tests(const Claim& claim, const Statement& statement) {
  std::vector<std::string> open;
  for (const Criterion& test : claim.tests) {
    const auto& all = statement.finding.evidence;
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const Evidence& each) { return each.test == test.test; });
    if (found == all.end() || !found->effect.was_run()) {
      open.push_back(fmt::format("{}: not run", test.test));
    } else if (!found->open.empty()) {
      open.push_back(fmt::format("{}: {}", test.test, found->open));
    }
  }
  return open;
}

std::string or_dash(const std::string& text) {
  return text.empty() ? "-" : text;
}

Table remake_table(const std::vector<ResultsFolder>& folders) {
  Table table{{"results", "seeds", "not one commit's", "arms of some seeds only", "made by"}, {}};
  for (const ResultsFolder& folder : folders) {
    const std::string gap = provenance_gap(folder);
    const std::vector<std::string> partial = partial_arms(folder);
    if (gap.empty() && partial.empty()) continue;
    table.rows.push_back({fmt::format("[{0}]({0}/README.md)", folder.name),
                          fmt::format("{}", folder.runs.size()), or_dash(gap),
                          or_dash(join(partial, ", ")),
                          fmt::format("`{}`", folder.results.value("command", "not recorded"))});
  }
  return table;
}

// A row for each claim and data set of which a test is missing or decides nothing.
Table claim_table(const std::vector<JudgedClaim>& all) {
  Table table{{"#", "claim", "data set", "tests that cannot decide"}, {}};
  for (const JudgedClaim& judged : all) {
    for (const Statement& statement : judged.statements) {
      const std::vector<std::string> open = open_tests(judged.claim, statement);
      if (open.empty()) continue;
      table.rows.push_back({fmt::format("[{}]({})", judged.claim.number, page_file(judged.claim)),
                            judged.claim.claim, statement.subject, join(open, "; ")});
    }
  }
  return table;
}

// Folders of which most runs validated best at the last step.
Table short_table(const std::vector<ResultsFolder>& folders) {
  Table table{{"results", "best at the last step"}, {}};
  for (const ResultsFolder& folder : folders) {
    const variants::LastBest best = variants::last_best(folder.runs);
    if (!best.most()) continue;
    table.rows.push_back({fmt::format("[{0}]({0}/README.md)", folder.name),
                          fmt::format("{} of {} runs", best.last, best.runs)});
  }
  return table;
}

// Data sets that claims are to be tried on and no folder is about.
Table unrun_table(const std::vector<JudgedClaim>& all, const std::vector<ResultsFolder>& folders) {
  Table table{{"data set", "claims", "made by"}, {}};
  std::set<std::string> told;
  for (const JudgedClaim& judged : all) {
    const Claim& claim = judged.claim;
    for (const std::string& task : claim.tasks) {
      const bool stored =
          std::any_of(folders.begin(), folders.end(), [&](const ResultsFolder& folder) {
            return folder.experiment == claim.experiment && folder.task == task;
          });
      if (stored || !told.insert(claim.experiment + " " + task).second) continue;
      std::vector<std::string> numbers;
      for (const JudgedClaim& other : all) {
        const auto& tasks = other.claim.tasks;
        const bool about = other.claim.experiment == claim.experiment &&
                           std::find(tasks.begin(), tasks.end(), task) != tasks.end();
        if (about) numbers.push_back(fmt::format("{}", other.claim.number));
      }
      table.rows.push_back({task, join(numbers, ", "),
                            fmt::format("`headroom reproduce {} --task {} --seeds 1,2,3,4,5`",
                                        claim.experiment, task)});
    }
  }
  return table;
}

std::string section(const std::string& title, const std::string& text, const Table& table) {
  return fmt::format("## {}\n\n{}\n\n{}\n", title, text,
                     table.rows.empty() ? "None.\n" : markdown(table));
}

}  // namespace

std::string provenance_gap(const ResultsFolder& folder) {
  std::set<std::string> commits;
  size_t unnamed = 0;
  for (const Record& run : folder.runs) {
    if (run.commit.empty()) ++unnamed;
    for (const NamedArm& named : run.arms) {
      if (!named.arm.commit.empty()) commits.insert(named.arm.commit);
    }
  }
  std::vector<std::string> reasons;
  if (unnamed > 0) {
    reasons.push_back(unnamed == folder.runs.size() ? "stored before commits and whole recipes were"
                                                    : fmt::format("{} of {} seeds name no commit",
                                                                  unnamed, folder.runs.size()));
  }
  if (commits.size() > 1) {
    reasons.push_back("of " + join(commits, ", "));
  }
  for (const std::string& commit : commits) {
    if (!names_a_commit(commit))
      reasons.push_back(fmt::format("{}: not a commit others have", commit));
  }
  return join(reasons, "; ");
}

std::vector<std::string> partial_arms(const ResultsFolder& folder) {
  std::vector<std::string> names;
  for (const Record& run : folder.runs) {
    for (const NamedArm& named : run.arms) {
      if (std::find(names.begin(), names.end(), named.name) == names.end()) {
        names.push_back(named.name);
      }
    }
  }
  std::vector<std::string> partial;
  for (const std::string& name : names) {
    const auto held = std::count_if(folder.runs.begin(), folder.runs.end(),
                                    [&](const Record& run) { return run.find(name) != nullptr; });
    if (static_cast<size_t>(held) == folder.runs.size()) continue;
    partial.push_back(fmt::format("{} ({} of {} seeds)", name, held, folder.runs.size()));
  }
  return partial;
}

std::string missing_page(const std::vector<JudgedClaim>& all,
                         const std::vector<ResultsFolder>& folders) {
  return "# What the claims still need\n\n"
         "A row of [the claims](README.md) stands when all arms behind it were made by one commit "
         "with one recipe, and each of its tests was run. This page is what the stored records "
         "lack of that; whoever has a GPU can finish it.\n\n"
         "1. Move the folder's `runs` away: records of another recipe are refused.\n"
         "2. Run its command with `--device cuda --out docs/results/FOLDER`. `--arms` and "
         "`--runs-only` share it among processes; what was interrupted goes on.\n"
         "3. `headroom report --claims docs/results --out docs/results/README.md` judges "
         "again.\n\n" +
         section("Folders to make again",
                 "Their numbers stand as they were measured; no one commit makes them today.",
                 remake_table(folders)) +
         section(
             "Trained too short",
             "More steps may change which arm is ahead; today's recipes of these tasks have more.",
             short_table(folders)) +
         section("Tests that cannot decide", "Their arms were not run, or do not match.",
                 claim_table(all)) +
         section("Data sets not run", "Claims name them; no folder holds them.",
                 unrun_table(all, folders)) +
         "Made by `headroom report --claims docs/results --out docs/results/README.md`; a test "
         "compares.\n";
}

}  // namespace headroom::experiments
