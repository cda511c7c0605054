// policy.json and rung_zero.safetensors: the first byte says which. What is accepted can be
// written, read and followed.
#include <cmath>

#include "base/files/scratch_folder.h"
#include "checkpoint/policy_file.h"
#include "input.h"
#include "target.h"

namespace headroom::fuzz {
namespace {

void check_policy(const Policy& policy) {
  const Json written = to_json(policy);
  require(to_json(policy_from_json(written)) == written, "a policy comes back");
  const std::vector<double> scores = {0.6, 0.3, 0.1};
  for (size_t level = 0; level < policy.levels.size(); ++level) {
    for (size_t rung = 0; rung < policy.rungs.size(); ++rung) {
      const bool stops =
          policy.settles(rung, level, scores, rung == 0 ? std::span<const double>{} : scores);
      require(stops || rung + 1 < policy.rungs.size(), "the last rung settles all");
    }
    const double cost = policy.expected(level, [](double budget) { return budget; });
    require(cost >= 0 && std::isfinite(cost), "a cost is a cost");
  }
  for (const double budget : {0.0, 0.3, 1.0}) {
    require(policy.temperature_of(budget) > 0, "a temperature is above 0");
  }
}

void check_bag(const NgramBag& bag) {
  const std::vector<int32_t> ids = {0, 0};
  double sum = 0;
  for (const double score : bag.scores(ids, {})) sum += score;
  require(std::abs(sum - 1) < 1e-6, "scores add up to 1");
}

const Target policy_target("policy", [](std::string_view input) {
  static const ScratchFolder folder;
  Numbers numbers(input);
  const bool bag = numbers.flag();
  accepts({ErrorCode::bad_model}, [&] {
    if (bag) {
      overwrite(folder.path() / "rung_zero.safetensors", numbers.rest());
      check_bag(read_rung_zero(folder.path() / "rung_zero.safetensors"));
    } else {
      check_policy(
          policy_from_json(parse_json(numbers.rest(), ErrorCode::bad_model, "policy.json")));
    }
  });
});

}  // namespace
}  // namespace headroom::fuzz
