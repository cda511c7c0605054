// What a data set holds, for `headroom data check`: counts that show at a glance whether the files
// are complete and what lengths to expect.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "data/catalog/spec.h"

namespace headroom {

struct ClassSummary {
  std::string label;
  int64_t rows = 0;
  std::optional<int64_t> expected;  // known sets only
};

struct DataSummary {
  std::string name;
  bool pairs = false;
  std::vector<std::string> columns;  // of each delimited file
  int64_t rows = 0;
  std::optional<int64_t> expected_rows;  // known sets only
  std::optional<int64_t> expected_classes;
  std::vector<ClassSummary> classes;
  int64_t text_bytes = 0;  // UTF-8 bytes of all texts
  int64_t min_words = 0;   // words of a row; a pair's two texts together
  double mean_words = 0;
  int64_t max_words = 0;
  int64_t duplicates = 0;  // rows whose texts appeared in an earlier row
  int64_t empty = 0;       // rows without a single word

  bool as_expected() const;  // true too when nothing was expected
};

DataSummary check_data(const DataSpec& spec, const std::filesystem::path& data_dir);

}  // namespace headroom
