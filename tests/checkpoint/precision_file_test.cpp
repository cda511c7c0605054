#include "checkpoint/precision_file.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "checkpoint/small_checkpoint.h"
#include "support.h"

namespace headroom {
namespace {
using namespace testing;

PrecisionChoice choice_of(const std::string& machine, Precision precision) {
  return {machine, "2026-01-02", precision, 48, 1, 0.004, 1.8};
}

TEST(PrecisionFile, IsNotThereUntilSomethingIsStored) {
  const TemporaryFolder folder;
  EXPECT_FALSE(find_precision_choice(folder.path(), small_config(), "a CPU"));
}

TEST(PrecisionFile, KeepsAChoicePerMachineAndReplacesIt) {
  const TemporaryFolder folder;
  const ModelConfig config = small_config();
  store_precision_choice(folder.path(), config, choice_of("a CPU", Precision::int8));
  store_precision_choice(folder.path(), config, choice_of("another CPU", Precision::int8));
  store_precision_choice(folder.path(), config, choice_of("a CPU", Precision::bf16));
  const auto found = find_precision_choice(folder.path(), config, "a CPU");
  ASSERT_TRUE(found);
  EXPECT_EQ(to_json(*found), to_json(choice_of("a CPU", Precision::bf16)));
  EXPECT_EQ(find_precision_choice(folder.path(), config, "another CPU")->precision,
            Precision::int8);
}

TEST(PrecisionFile, IsForTheWeightsItWasMadeWith) {
  const TemporaryFolder folder;
  ModelConfig config = small_config();
  config.weights_checksum = 1;
  store_precision_choice(folder.path(), config, choice_of("a CPU", Precision::bf16));
  EXPECT_TRUE(find_precision_choice(folder.path(), config, "a CPU"));
  config.weights_checksum = 2;
  EXPECT_FALSE(find_precision_choice(folder.path(), config, "a CPU"));
}

TEST(PrecisionFile, CpusOfOneNameAreToldApart) {
  const TemporaryFolder folder;
  const ModelConfig config = small_config();
  store_precision_choice(folder.path(), config, choice_of("a CPU", Precision::bf16), "with AMX");
  store_precision_choice(folder.path(), config, choice_of("a CPU", Precision::int8), "without");
  const auto found = [&](const char* kind) {
    return find_precision_choice(folder.path(), config, "a CPU", kind);
  };
  EXPECT_EQ(found("with AMX")->precision, Precision::bf16);
  EXPECT_EQ(found("without")->precision, Precision::int8);
  EXPECT_FALSE(found("another"));
  store_precision_choice(folder.path(), config, choice_of("old", Precision::int8), "");
  EXPECT_TRUE(find_precision_choice(folder.path(), config, "old", "with AMX"));
}

TEST(PrecisionFile, ADamagedFileIsABadModelAndIsNotOverwritten) {
  const TemporaryFolder folder;
  const auto file = folder.write("precision.json", "{\"choices\": [{}]}");
  expect_error(ErrorCode::bad_model, "precision.json",
               [&] { find_precision_choice(folder.path(), small_config(), "a CPU"); });
  expect_error(ErrorCode::bad_model, "precision.json", [&] {
    store_precision_choice(folder.path(), small_config(), choice_of("a CPU", Precision::bf16));
  });
  EXPECT_EQ(std::filesystem::file_size(file), 17U);
}

}  // namespace
}  // namespace headroom
