// The best way to spread a budget, if what units lose were a sum over layers and kinds.
#pragma once

#include <vector>

#include "budget/allocation/unit_counts.h"

namespace headroom {

// What the loss gains when a layer keeps fewer units than it has now, everything else as it is.
struct AddedLoss {
  // By layer; entry k - 1 is for keeping k units, the last one for keeping all of now.
  std::vector<std::vector<double>> heads;
  std::vector<std::vector<double>> groups;  // empty: heads only
};

struct UnitMacs {
  double head = 0;
  double group = 0;
};

// The counts of least added loss that cost at most `room`; of equals those that use more of it.
// Exact: a sum over layers depends on how many units they keep together, so that the best for every
// such total follows layer by layer. Every layer keeps a unit of each kind, whatever that costs.
UnitCounts best_counts(const AddedLoss& added, const UnitMacs& macs, double room);

}  // namespace headroom
