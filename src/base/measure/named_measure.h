// A number that says how good something is, under its name.
#pragma once

#include <string>

namespace headroom {

struct NamedMeasure {
  std::string name;  // as eval's JSON spells it: "f1", "spearman", "ndcg"
  double value = 0;

  bool operator==(const NamedMeasure&) const = default;
};

}  // namespace headroom
