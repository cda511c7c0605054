// The stored inputs of every fuzz target, as they are, cut short and with bytes changed: seconds of
// fuzzing with any compiler, under whatever sanitizers this was built with.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/files/file.h"
#include "base/random.h"
#include "target.h"

namespace headroom {
namespace {

constexpr size_t changes_an_input = 60;

std::map<std::string, std::string> stored_inputs(std::string_view target) {
  std::map<std::string, std::string> inputs;
  const auto folder = std::filesystem::path(HEADROOM_SOURCE_DIR "/fuzz/corpus") / target;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    inputs[entry.path().filename().string()] = read_file(entry.path(), ErrorCode::runtime);
  }
  return inputs;
}

class Corpus : public ::testing::TestWithParam<fuzz::Target> {
 protected:
  Corpus() : inputs_(stored_inputs(GetParam().name)) {}

  std::map<std::string, std::string> inputs_;
};

INSTANTIATE_TEST_SUITE_P(Of, Corpus, ::testing::ValuesIn(fuzz::targets()),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST_P(Corpus, HoldsAsItIs) {
  ASSERT_FALSE(inputs_.empty());
  GetParam().run("");
  for (const auto& [name, input] : inputs_) {
    SCOPED_TRACE(name);
    EXPECT_NO_THROW(GetParam().run(input));
  }
}

TEST_P(Corpus, HoldsWhenItIsCutShort) {
  for (const auto& [name, input] : inputs_) {
    SCOPED_TRACE(name);
    const size_t step = 1 + input.size() / changes_an_input;
    for (size_t length = 0; length < input.size(); length += step) {
      EXPECT_NO_THROW(GetParam().run(std::string_view(input).substr(0, length)));
    }
  }
}

TEST_P(Corpus, HoldsWithBytesChanged) {
  Random random{1};
  for (const auto& [name, input] : inputs_) {
    SCOPED_TRACE(name);
    for (size_t i = 0; i < changes_an_input && !input.empty(); ++i) {
      std::string changed = input;
      for (size_t bytes = 1 + random.below(3); bytes > 0; --bytes) {
        changed[random.below(changed.size())] = static_cast<char>(random.below(256));
      }
      EXPECT_NO_THROW(GetParam().run(changed));
    }
  }
}

}  // namespace
}  // namespace headroom
