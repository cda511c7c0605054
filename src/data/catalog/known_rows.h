// Rows of the data sets in the catalogue, each in its own published form.
#pragma once

#include <string>
#include <vector>

#include "data/catalog/catalog.h"
#include "data/rows.h"

namespace headroom {

// The set's class names in their order; empty when only its rows tell.
std::vector<std::string> known_labels(const FoundPart& found);

// Throws ErrorCode::bad_data naming file and line; ErrorCode::usage when the set is not text.
void read_known_rows(const FoundPart& found, const RowSink& sink);

}  // namespace headroom
