// Where a served model's latency table comes from.
#include "server/models/served_model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/measure/machine.h"
#include "checkpoint/latency_file.h"
#include "checkpoint/score_file.h"
#include "engine/session.h"
#include "server/test_service.h"

namespace headroom::server {
namespace {

using testing::letters_checkpoint;
using testing::RandomCheckpoint;

ServedModel load(const RandomCheckpoint& checkpoint) {
  SilentProgress silent;
  return load_served_model("letters", checkpoint.path(), {Precision::fp32}, silent);
}

TEST(ServedModel, WithoutATableOneIsMeasuredAndNotStored) {
  const ServedModel model = load(letters_checkpoint());
  EXPECT_EQ(model.table_source, TableSource::measured);
  EXPECT_EQ(model.table.budgets().back(), 1);
  EXPECT_EQ(model.table.lengths().back(), 12) << "the longest that it reads";
  EXPECT_FALSE(std::filesystem::exists(letters_checkpoint().path() / "latency.json"));
}

TEST(ServedModel, TellsTheCurveOfWhateverItsTaskIsJudgedBy) {
  const RandomCheckpoint checkpoint(letters_checkpoint().config().shape);
  EXPECT_TRUE(load(checkpoint).scores.is_null());
  BudgetScore score;
  score.measure = Measure::named;
  score.measures = {{"f1", 0.75}, {"recall", 0.5}};
  score.examples = 10;
  score.parameters = 1;
  write_scores(checkpoint.path(), {"conll2003:test", "fp32", "2026-01-02", {score}});
  const Json scores = load(checkpoint).scores;
  EXPECT_EQ(scores["measure"], "f1");
  EXPECT_EQ(scores["curve"][0]["value"], 0.75);
}

// A table of this machine that says `factor` times what was measured.
TableSource source_with_times(double factor) {
  const RandomCheckpoint checkpoint(letters_checkpoint().config().shape);
  LatencyTable table = load(checkpoint).table;
  for (LatencyCell& cell : table.cells) {
    cell.median_ms *= factor;
    cell.p90_ms *= factor;
  }
  table.machine = cpu_name();
  store_latency_table(checkpoint.path(), table);
  return load(checkpoint).table_source;
}

TEST(ServedModel, AStoredTableThatIsFarOffIsReplaced) {
  EXPECT_EQ(source_with_times(1e6), TableSource::replaced);
  EXPECT_EQ(source_with_times(1e-6), TableSource::replaced);
}

TEST(LatencyCheck, BelievesATableThatIsNearAndNoOther) {
  const LatencyTable table{"", "fp32", 1, "", {{0.25, 8, 2, 2}, {1, 8, 4, 4}}};
  const auto holds = [&](double at_least, double at_most) {
    return table_holds(
        table, [=](double budget, int64_t) { return budget == 1 ? 4 * at_most : 2 * at_least; });
  };
  EXPECT_TRUE(holds(1, 1));
  EXPECT_TRUE(holds(0.6, 1.9));
  EXPECT_FALSE(holds(1, 3));
  EXPECT_FALSE(holds(0.01, 1));
  EXPECT_FALSE(holds(1, std::nan("")));
}

TEST(SelfTest, AnswersThatAreNoneAreABadModel) {
  ServedModel model = testing::letters_model();
  EXPECT_NO_THROW(self_test(model));
  for (const double score : {std::nan(""), 0.25, std::numeric_limits<double>::infinity()}) {
    model.make_runner = [score](int) -> RunBatch {
      return [score](std::span<const Tokens>, double, std::optional<size_t>) {
        Answer answer;
        answer.scores = {score, score};
        return std::vector<Answer>{answer};
      };
    };
    testing::expect_error(ErrorCode::bad_model, "add up to", [&] { self_test(model); });
  }
}

TEST(ServedModel, ItsRunnerIsTheEngine) {
  const ServedModel model = load(letters_checkpoint());
  const Tokens input = model.tokenise({"a b"});
  Session session(EngineModel::load(letters_checkpoint().path()));
  EXPECT_EQ(model.make_runner(1)(std::span(&input, 1), 0.5, {}).at(0).scores,
            session.run(std::span(&input, 1), Budget{0.5}).at(0).scores);
}

}  // namespace
}  // namespace headroom::server
