#include "report/plot/colour_ramp.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace headroom::report {
namespace {

using Rgb = std::array<double, 3>;  // 0 to 255

// Nine even samples; the ramp is smooth enough that straight lines between them are not visible.
constexpr std::array<Rgb, 9> samples = {{{0x44, 0x01, 0x54},
                                         {0x47, 0x2d, 0x7b},
                                         {0x3b, 0x52, 0x8b},
                                         {0x2c, 0x72, 0x8e},
                                         {0x21, 0x91, 0x8c},
                                         {0x28, 0xae, 0x80},
                                         {0x5e, 0xc9, 0x62},
                                         {0xad, 0xdc, 0x30},
                                         {0xfd, 0xe7, 0x25}}};

Rgb mix(double value) {
  const double position = std::clamp(value, 0.0, 1.0) * (samples.size() - 1);
  const size_t below = std::min(static_cast<size_t>(position), samples.size() - 2);
  const double share = position - static_cast<double>(below);
  Rgb colour;
  for (size_t i = 0; i < colour.size(); ++i) {
    colour[i] = (1 - share) * samples[below][i] + share * samples[below + 1][i];
  }
  return colour;
}

// WCAG 2 relative luminance, 0 for black and 1 for white.
double luminance(const Rgb& colour) {
  constexpr Rgb weights = {0.2126, 0.7152, 0.0722};
  double sum = 0;
  for (size_t i = 0; i < colour.size(); ++i) {
    const double c = colour[i] / 255;
    sum += weights[i] * (c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4));
  }
  return sum;
}

}  // namespace

std::string ramp_colour(double value) {
  const Rgb colour = mix(value);
  return fmt::format("#{:02x}{:02x}{:02x}", std::lround(colour[0]), std::lround(colour[1]),
                     std::lround(colour[2]));
}

std::string_view text_colour_on_ramp(double value) {
  const double background = luminance(mix(value));
  const double with_white = 1.05 / (background + 0.05);
  const double with_black = (background + 0.05) / 0.05;
  return with_white > with_black ? "#ffffff" : "#000000";
}

}  // namespace headroom::report
