// Networks of families that differ from BERT in more than names, from token ids to logits, against
// what Transformers computed.
#include <gtest/gtest.h>

#include "checkpoint/hf/export.h"
#include "checkpoint/imported_network.h"
#include "engine/model.h"
#include "hf_model.h"
#include "support.h"

namespace headroom {
namespace {
using namespace testing;

constexpr const char* networks[] = {"modernbert-cls", "deberta-v2-cls"};

// The largest difference over all texts and classes.
double logit_error(const std::string& name, const std::filesystem::path& checkpoint,
                   const EngineOptions& options) {
  const auto model = EngineModel::load(checkpoint, options);
  Arena arena;
  double largest = 0;
  for (const HfCase& each : hf_cases(name)) {
    std::vector<float> logits(each.logits.size());
    const Tokens tokens = {each.tokens.ids, {}};
    model->encoder().run({&tokens, 1}, model->plan(1.0), logits, arena);
    for (size_t i = 0; i < logits.size(); ++i) {
      largest = std::max(largest, std::abs(logits[i] - each.logits[i]));
    }
  }
  return largest;
}

class HfNetwork : public ::testing::TestWithParam<Isa> {};

INSTANTIATE_TEST_SUITE_P(On, HfNetwork, ::testing::ValuesIn(usable_isas()),
                         [](const auto& tested) { return std::string(isa_name(tested.param)); });

TEST_P(HfNetwork, GivesIdsTheLogitsOfTransformers) {
  for (const char* name : networks) {
    const TemporaryFolder folder;
    import_network(hf_model_folder(name), folder.path() / "model");
    const auto error = [&](Precision precision) {
      return logit_error(name, folder.path() / "model", {precision, GetParam()});
    };
    EXPECT_LT(error(Precision::fp32), 2e-5) << name;
    EXPECT_LT(error(Precision::bf16), 0.3) << name;
    EXPECT_LT(error(Precision::int8), 0.3) << name;
  }
}

TEST_P(HfNetwork, GivesTheSameAfterExportAndImport) {
  for (const char* name : networks) {
    const TemporaryFolder folder;
    import_network(hf_model_folder(name), folder.path() / "in");
    export_hf_folder(folder.path() / "in", 1.0, HfForm::dense_equivalent, folder.path() / "out");
    import_network(folder.path() / "out", folder.path() / "again");
    EXPECT_LT(logit_error(name, folder.path() / "again", {Precision::fp32, GetParam()}), 2e-5);
  }
}

}  // namespace
}  // namespace headroom
