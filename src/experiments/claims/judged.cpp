#include "experiments/claims/judged.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/files/file.h"
#include "base/json.h"

namespace headroom::experiments {
namespace {

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

// Settings that were chosen afterwards are judged by themselves: they take no part in the family.
void judge(JudgedClaim& judged) {
  for (const bool afterwards : {false, true}) {
    std::vector<const Finding*> findings;
    std::vector<Statement*> family;
    for (Statement& statement : judged.statements) {
      if ((statement.afterwards != nullptr) != afterwards) continue;
      findings.push_back(&statement.finding);
      family.push_back(&statement);
    }
    const std::vector<std::vector<Tails>> tails = corrected_tails(judged.claim, findings);
    for (size_t i = 0; i < family.size(); ++i) {
      family[i]->tails = tails[i];
      std::vector<Verdict> verdicts;
      for (const Tails& each : tails[i]) verdicts.push_back(verdict_of(each));
      family[i]->verdict = combined(verdicts, judged.claim.combination);
    }
  }
}

// What bench-attention left; nothing where it was not run.
Json whole_model_times(const std::filesystem::path& results) {
  const std::filesystem::path file = results / "attention-kinds.json";
  if (!std::filesystem::exists(file)) return Json::object();
  return parse_json(read_file(file, ErrorCode::bad_data), ErrorCode::bad_data, file.string());
}

}  // namespace

std::string page_file(const Claim& claim) {
  return fmt::format("claims/{:02}.md", claim.number);
}

std::vector<JudgedClaim> judge_all(const std::vector<ResultsFolder>& folders,
                                   const std::filesystem::path& results) {
  std::vector<JudgedClaim> judged;
  for (const Claim& claim : published_claims()) judged.push_back({claim, {}});
  const auto add = [&](const std::vector<Finding>& findings, const std::string& subject,
                       const ResultsFolder* folder) {
    for (const Finding& finding : findings) {
      if (finding.evidence.empty()) continue;  // its arms were not run
      JudgedClaim& about = judged.at(static_cast<size_t>(finding.claim - 1));
      if (folder != nullptr && !is_about(about.claim, *folder)) continue;
      about.statements.push_back({subject, folder, finding,
                                  folder == nullptr ? nullptr : chosen_afterwards(folder->name)});
    }
  };
  for (const ResultsFolder& folder : folders) {
    const ClaimSource* source = source_of(folder.experiment);
    if (source != nullptr) add(source->read(folder), title_of(folder), &folder);
  }
  add(variants::size_findings(folders), "three sizes", nullptr);
  add(variants::time_findings(whole_model_times(results)), "whole models", nullptr);
  add(counted_findings(), "counted", nullptr);
  for (JudgedClaim& each : judged) judge(each);
  return judged;
}

}  // namespace headroom::experiments
