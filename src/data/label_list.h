// Gives each label its number: those of a model, or those found in the data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "data/rows.h"
#include "text/vocabulary.h"

namespace headroom {

class LabelList {
 public:
  // More classes than this means that a text column was taken for the label.
  static constexpr size_t max_labels = 10'000;

  // With `fixed`, those labels in that order and no others.
  explicit LabelList(const std::vector<std::string>* fixed);

  // Names of a set's class list, which keep their order and exist even without rows.
  void prefer(const std::vector<std::string>& names);

  // The provisional number of `label`. Throws ErrorCode::bad_data when it is empty or not among the
  // fixed ones.
  int32_t number(const std::string& label, const RowOrigin& origin);

  // The final order: fixed or preferred ones as given, the others by number when all are whole
  // numbers, else by bytes. `renumber[provisional]` is the final number.
  struct Order {
    std::vector<std::string> labels;
    std::vector<int32_t> renumber;
  };
  Order finish() const;

 private:
  int32_t insert(const std::string& label);
  [[noreturn]] void fail_unknown(const std::string& label, const RowOrigin& origin) const;

  bool fixed_;
  size_t preferred_ = 0;  // labels_[0, preferred_) keep their order
  std::vector<std::string> labels_;
  StringMap<int32_t> numbers_;
};

}  // namespace headroom
