// Our config.json: what is accepted can be written, read and asked for any budget.
#include "checkpoint/config.h"

#include "target.h"

namespace headroom::fuzz {
namespace {

void check_budgets(const ModelConfig& config) {
  Selection former;
  for (const double budget : {0.01, 0.3, 0.5, 0.99, 1.0}) {
    Selection selection;
    if (!accepts({ErrorCode::usage}, [&] { selection = config.selection(budget); })) continue;
    require(selection.layers() == config.shape.layers, "a selection has every layer");
    const bool nested = config.order || (config.gates && config.gates->shared_slope());
    if (nested && former.layers() > 0) {
      require(is_subset(former, selection), "a smaller budget's units are among a larger one's");
    }
    former = selection;
  }
}

const Target config_target("config", [](std::string_view input) {
  ModelConfig config;
  const bool accepted = accepts({ErrorCode::bad_model}, [&] {
    config = config_from_json(parse_json(input, ErrorCode::bad_model, "config.json"));
  });
  if (!accepted) return;
  const Json written = config_to_json(config);
  require(config_to_json(config_from_json(written)) == written, "a config comes back");
  if (config.shape.total_heads() <= 4096) check_budgets(config);
});

}  // namespace
}  // namespace headroom::fuzz
