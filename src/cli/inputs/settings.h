// Options for settings that describe themselves (base/settings.h).
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <concepts>
#include <string>
#include <type_traits>
#include <vector>

#include "base/error.h"
#include "base/settings.h"
#include "cli/options.h"

namespace headroom {

// A visitor that adds one option a setting, with its help, limits and present value. The settings
// must outlive the app.
class SettingOptions {
 public:
  explicit SettingOptions(CLI::App& app) : app_(app) {}

  template <typename T>
  void operator()(const Setting& setting, T& value) const {
    if (*setting.group == '\0') return;
    const std::string name = "--" + setting.name;
    if constexpr (std::same_as<T, bool>) {
      app_.add_flag(name, value, setting.help)->group(setting.group);
    } else if constexpr (std::is_enum_v<T>) {
      add_choice(name, value, setting);
    } else {
      CLI::Option* const option = app_.add_option(name, value, setting.help);
      option->group(setting.group);
      if constexpr (std::is_arithmetic_v<T>) limit<T>(*option, setting);
      if constexpr (std::same_as<T, std::vector<double>>) option->delimiter(',');
    }
  }

 private:
  template <typename T>
  static void limit(CLI::Option& option, const Setting& setting) {
    using Number = std::conditional_t<std::is_integral_v<T>, int64_t, double>;
    if (std::isfinite(setting.most)) {
      option.check(
          CLI::Range(static_cast<Number>(setting.least), static_cast<Number>(setting.most)));
    } else if (setting.least == 0) {
      option.check(CLI::NonNegativeNumber);
    }
  }

  template <typename Enum>
  void add_choice(const std::string& name, Enum& value, const Setting& setting) const {
    const auto choose = [name, &value](const std::string& text) {
      const auto found = table_of(value).find(text);
      if (!found) {
        throw Error(ErrorCode::usage, "read options",
                    fmt::format("{} {} is not supported; this version has: {}", name, text,
                                table_of(value).list()));
      }
      value = *found;
    };
    app_.add_option_function<std::string>(name, choose, setting.help)
        ->default_str(std::string(table_of(value).name(value)))
        ->type_name(choice_type(table_of(value)))
        ->group(setting.group);
  }

  CLI::App& app_;
};

}  // namespace headroom
