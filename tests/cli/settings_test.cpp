// Every setting of a training run that is to have an option has one, and it sets that field.
#include "cli/inputs/settings.h"

#include <gtest/gtest.h>

#include "support.h"
#include "train/change_setting.h"
#include "train/settings.h"

namespace headroom {
namespace {

std::string as_argument(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

TEST(SettingOptions, SetTheirFieldsAndNoOthers) {
  for (int index = 0;; ++index) {
    TrainRequest changed;
    const auto setting = testing::change_setting(changed, index);
    if (!setting) break;
    SCOPED_TRACE(setting->name);
    TrainRequest parsed;
    CLI::App app;
    visit_settings(parsed, SettingOptions(app));
    const std::string option = "--" + setting->name;
    ASSERT_EQ(app.get_option_no_throw(option) != nullptr, *setting->group != '\0');
    if (*setting->group == '\0') continue;
    const Json json = settings_to_json(changed);
    app.parse(option + "=" + as_argument(json[setting->name]));
    EXPECT_EQ(settings_to_json(parsed), json);
  }
}

TEST(SettingOptions, OfAWrongNameSayWhichThereAre) {
  TrainRequest request;
  CLI::App app;
  visit_settings(request, SettingOptions(app));
  testing::expect_error(ErrorCode::usage,
                        "--allocation even is not supported; this version has: uniform, ranked, "
                        "depth, searched",
                        [&] { app.parse("--allocation=even"); });
}

TEST(SettingOptions, KeepTheLimitsOfTheirSettings) {
  TrainRequest request;
  CLI::App app;
  visit_settings(request, SettingOptions(app));
  EXPECT_THROW(app.parse("--batch=0"), CLI::ValidationError);
  EXPECT_THROW(app.parse("--clip=-1"), CLI::ValidationError);
  EXPECT_THROW(app.parse("--width=1.5"), CLI::ParseError);
}

}  // namespace
}  // namespace headroom
