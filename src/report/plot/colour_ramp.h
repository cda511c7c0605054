// A colour ramp with even perceived steps from dark violet to yellow (the viridis ramp, sampled),
// readable with every common colour blindness and in grey.
#pragma once

#include <string>
#include <string_view>

namespace headroom::report {

// "#rrggbb" for a value from 0 to 1; values outside get the colour of the nearer end.
std::string ramp_colour(double value);

// Black or white, whichever contrasts more with ramp_colour(value).
std::string_view text_colour_on_ramp(double value);

}  // namespace headroom::report
