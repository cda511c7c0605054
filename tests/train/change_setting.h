// Another value for any setting, within its limits.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "base/settings.h"

namespace headroom::testing {

template <typename T>
void change(const Setting& setting, T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    value = !value;
  } else if constexpr (std::is_enum_v<T>) {
    const auto& entries = table_of(value).entries;
    value = entries[entries[0].value == value ? 1 : 0].value;
  } else if constexpr (std::is_integral_v<T>) {
    value += static_cast<double>(value) < setting.most ? 1 : -1;
  } else if constexpr (std::is_same_v<T, double>) {
    const double most = std::isfinite(setting.most) ? setting.most : value + 2;
    value = value < most ? (value + most) / 2 : value / 2;
  } else if constexpr (std::is_same_v<T, std::string>) {
    value += "changed";
  } else if constexpr (std::is_same_v<T, std::vector<double>>) {
    value.push_back(0.375);
  } else {
    value = 0.375;
  }
}

// Changes the setting at `index` of `settings` and returns its description; nothing beyond the
// last.
template <typename Settings>
std::optional<Setting> change_setting(Settings& settings, int index) {
  std::optional<Setting> changed;
  int next = 0;
  visit_settings(settings, [&](const Setting& setting, auto& value) {
    if (next++ != index) return;
    change(setting, value);
    changed = setting;
  });
  return changed;
}

}  // namespace headroom::testing
