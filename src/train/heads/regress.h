// The scale of a regression's numbers, in its data and in its last layer.
#pragma once

#include "data/encoded.h"
#include "model/weights.h"

namespace headroom {
inline namespace train {

struct NumberScale {
  double mean = 0;
  double spread = 1;  // standard deviation; 1 where all are equal
};

NumberScale number_scale(const EncodedDataset& rows);

// A model that was trained on scaled numbers then gives those of the data.
void number_in_units(const NumberScale& scale, ModelWeights& weights);

}  // namespace train
}  // namespace headroom
