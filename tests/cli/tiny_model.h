// A model of 3,000 weights, trained once per test program, and the rows it was trained on.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/files/file.h"
#include "cli/contract.h"
#include "cli/process.h"
#include "support.h"

namespace headroom::testing {

// 150 rows "label,words": the words of sport and money do not overlap.
inline std::string separable_rows() {
  const std::vector<std::string> sport = {"goal", "match", "team", "score", "coach"};
  const std::vector<std::string> money = {"stock", "market", "bank", "price", "profit"};
  std::string rows;
  for (size_t i = 0; i < 150; ++i) {
    const auto& words = i % 2 == 0 ? sport : money;
    rows += i % 2 == 0 ? "sport,the" : "money,the";
    for (size_t j = 0; j < 6; ++j) rows += " " + words[(i + j * (1 + i / 10)) % words.size()];
    rows += "\n";
  }
  return rows;
}

inline Arguments joined(Arguments first, const Arguments& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

class TinyModel {
 public:
  TinyModel() : rows_(folder_.write("rows.csv", separable_rows())) {
    trained_ =
        run(joined(training(model()), {"--method", "budgeted", "--epochs", "3", "--soft-epochs",
                                       "2", "--hard-epochs", "1", "--lr", "0.01", "--json"}));
    EXPECT_EQ(trained_.exit_code, 0) << transcript(trained_);
  }

  std::string model() const { return (folder_.path() / "model").string(); }
  std::string data() const { return "csv:" + rows_.string(); }
  const Outcome& trained() const { return trained_; }

  // `headroom train` of a model this small into `out`; how long is the caller's choice.
  Arguments training(const std::filesystem::path& out) const {
    return {"train", "--data",       data(), "--out",     out.string(), "--layers",
            "1",     "--width",      "16",   "--heads",   "2",          "--ffn",
            "32",    "--max-tokens", "12",   "--threads", "1"};
  }

 private:
  TemporaryFolder folder_;
  std::filesystem::path rows_;
  Outcome trained_;
};

inline const TinyModel& tiny_model() {
  static const TinyModel model;
  return model;
}

// For suites that start verbs of the training half: skipped where that half is not built.
class TrainingHalf : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(bin_directory() / "headroom-train")) {
      GTEST_SKIP() << "built without the training half";
    }
  }
};

inline std::string bytes_of(const std::filesystem::path& file) {
  return read_file(file, ErrorCode::runtime);
}

}  // namespace headroom::testing
