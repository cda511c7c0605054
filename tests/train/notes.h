// A progress sink that keeps what it is told.
#pragma once

#include <string>
#include <vector>

#include "base/progress.h"

namespace headroom::testing {

class Notes : public ProgressSink {
 public:
  void update(const ProgressUpdate& /*update*/) override {}
  void note(const std::string& line) override { lines.push_back(line); }

  bool hold(std::string_view fragment) const {
    for (const std::string& line : lines) {
      if (line.find(fragment) != std::string::npos) return true;
    }
    return false;
  }

  std::vector<std::string> lines;
};

}  // namespace headroom::testing
