// policy.json and rung_zero.safetensors: bound to the weights, and refused when damaged.
#include "checkpoint/policy_file.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/files/file.h"
#include "checkpoint/small_checkpoint.h"
#include "checkpoint/small_policy.h"
#include "support.h"

namespace headroom {
namespace {
using namespace testing;

Policy two_rungs() {
  return testing::two_rungs({{0, 1.5}, {1, 1.2}});
}

NgramBag small_bag() {
  NgramBag bag{{6, 4, 2, 2}, std::vector<int8_t>(20, 3), std::vector<float>(10, 0.5F)};
  bag.weights[7] = -8;
  return bag;
}

class PolicyFile : public ::testing::Test {
 protected:
  PolicyFile() { write_small_checkpoint(path()); }
  std::filesystem::path path() const { return folder_.path() / "model"; }
  StoredPolicy read() const { return read_policy(path(), read_config(path())); }
  void store() const { write_policy(path(), two_rungs(), small_bag()); }
  void change(const auto& how) const {
    Json json = Json::parse(read_file(path() / "policy.json", ErrorCode::bad_model));
    how(json);
    write_file_atomically(path() / "policy.json", json.dump());
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(PolicyFile, IsNothingWithoutAFile) {
  const StoredPolicy stored = read();
  EXPECT_FALSE(stored.policy);
  EXPECT_FALSE(stored.rung_zero);
  EXPECT_EQ(stored.note, "");
}

TEST_F(PolicyFile, IsReadAsItWasWritten) {
  store();
  const StoredPolicy stored = read();
  ASSERT_TRUE(stored.policy && stored.rung_zero);
  EXPECT_EQ(stored.policy->rungs.size(), 2U);
  EXPECT_EQ(stored.policy->weights_checksum, *read_config(path()).weights_checksum);
  EXPECT_EQ(stored.rung_zero->weights, small_bag().weights);
  EXPECT_EQ(stored.rung_zero->scales, small_bag().scales);
  EXPECT_EQ(stored.rung_zero->table.vocabulary, 6);
  EXPECT_EQ(stored.rung_zero->table.buckets, 4);
}

TEST_F(PolicyFile, OfOtherWeightsIsIgnoredWithANote) {
  store();
  change([](Json& json) { json["weights_xxh64"] = "0000000000000001"; });
  const StoredPolicy stored = read();
  EXPECT_FALSE(stored.policy);
  EXPECT_NE(stored.note.find("0000000000000001"), std::string::npos) << stored.note;
  EXPECT_NE(stored.note.find("headroom tune"), std::string::npos) << stored.note;
}

TEST_F(PolicyFile, OfBudgetsThatTheModelLacksIsRefused) {
  store();
  change([](Json& json) { json["rungs"][0]["budget"] = 0.5; });
  expect_error(ErrorCode::bad_model, "budget 0.5", [&] { read(); });
}

TEST_F(PolicyFile, WithoutItsRungZeroIsRefused) {
  store();
  std::filesystem::remove(path() / "rung_zero.safetensors");
  expect_error(ErrorCode::bad_model, "is missing", [&] { read(); });
}

TEST_F(PolicyFile, WithADamagedRungZeroIsRefused) {
  store();
  std::string bytes = read_file(path() / "rung_zero.safetensors", ErrorCode::bad_model);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  write_file_atomically(path() / "rung_zero.safetensors", bytes);
  expect_error(ErrorCode::bad_model, "checksum", [&] { read(); });
}

TEST_F(PolicyFile, WithARungZeroOfOtherLabelsIsRefused) {
  NgramBag bag = small_bag();
  bag.table.labels = 1;
  bag.weights.resize(10);
  write_policy(path(), two_rungs(), bag);
  expect_error(ErrorCode::bad_model, "1 labels", [&] { read(); });
}

TEST_F(PolicyFile, ThatIsNoJsonIsRefused) {
  write_file_atomically(path() / "policy.json", "{");
  expect_error(ErrorCode::bad_model, "policy.json", [&] { read(); });
}

TEST_F(PolicyFile, WithoutRungZeroTakesTheOldOneAway) {
  store();
  Policy policy = two_rungs();
  policy.rungs.erase(policy.rungs.begin());
  policy.temperatures.erase(policy.temperatures.begin());
  policy.levels = {{{}, {1}, 1, {}, 1}};
  write_policy(path(), policy, std::nullopt);
  EXPECT_FALSE(std::filesystem::exists(path() / "rung_zero.safetensors"));
  EXPECT_TRUE(read().policy);
}

TEST_F(PolicyFile, ComesWithItsCheckpointInOneStep) {
  const std::vector<std::byte> one(4);
  CheckpointContent content;
  content.config = read_config(path());
  content.tensors = {{"a", DType::f32, {1}, one}};
  content.policy = {two_rungs(), small_bag(), ""};
  const std::filesystem::path fresh = path().parent_path() / "fresh";
  write_checkpoint(fresh, content);
  const StoredPolicy stored = read_policy(fresh, read_config(fresh));
  EXPECT_TRUE(stored.policy && stored.rung_zero) << stored.note;
  store();
  content.policy.rung_zero->scales.clear();  // cannot be written
  expect_error(ErrorCode::runtime, "scales", [&] { write_checkpoint(path(), content); });
  EXPECT_TRUE(read().policy) << "the checkpoint that was there is untouched";
}

}  // namespace
}  // namespace headroom
