#include "checkpoint/score_file.h"

#include <algorithm>

#include "base/files/file.h"
#include "checkpoint/checkpoint.h"

namespace headroom {
namespace {

constexpr const char* file_name = "scores.json";
constexpr uint64_t scores_limit = 1ULL << 20;  // a budget takes 300 bytes

std::vector<BudgetScore> read_curve(const JsonFields& fields) {
  std::vector<BudgetScore> curve;
  for (const Json& entry : fields.array("curve")) {
    curve.push_back(budget_score_from_json(entry));
    if (curve.size() == 1) continue;
    const BudgetScore& former = curve[curve.size() - 2];
    if (curve.back().budget <= former.budget) fields.fail("curve", "has budgets that do not rise");
    if (curve.back().examples != former.examples) {
      fields.fail("curve", "has budgets measured on different numbers of examples");
    }
  }
  if (curve.empty()) fields.fail("curve", "is empty");
  return curve;
}

}  // namespace

std::optional<SavedScores> read_scores(const std::filesystem::path& checkpoint) {
  const std::filesystem::path file = checkpoint / file_name;
  if (!std::filesystem::exists(file)) return std::nullopt;
  const Json json =
      parse_json(read_checkpoint_file(file, scores_limit), ErrorCode::bad_model, file_name);
  const JsonFields fields(json, ErrorCode::bad_model, file_name);
  return SavedScores{fields.text("data"), fields.text("precision"), fields.text("date"),
                     read_curve(fields)};
}

void write_scores(const std::filesystem::path& checkpoint, SavedScores scores) {
  std::vector<BudgetScore>& curve = scores.curve;
  std::stable_sort(curve.begin(), curve.end(),
                   [](const BudgetScore& a, const BudgetScore& b) { return a.budget < b.budget; });
  const auto same_budget = [](const BudgetScore& a, const BudgetScore& b) {
    return a.budget == b.budget;
  };
  curve.erase(std::unique(curve.begin(), curve.end(), same_budget), curve.end());
  Json json = {{"data", scores.data},
               {"precision", scores.precision},
               {"date", scores.date},
               {"curve", Json::array()}};
  for (const BudgetScore& score : curve) json["curve"].push_back(to_json(score));
  write_file_atomically(checkpoint / file_name, json.dump(1) + "\n");
}

}  // namespace headroom
