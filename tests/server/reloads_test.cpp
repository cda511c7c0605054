// Reloading on a thread of its own.
#include "server/service/reloads.h"

#include <gtest/gtest.h>

#include <future>
#include <stdexcept>

namespace headroom::server {
namespace {

TEST(Reloads, EveryPartIsReloadedAndWhatFailsIsTold) {
  std::promise<std::string> certificate;
  std::promise<std::string> keys;
  Reloads reloads(
      {{"certificate", [] { throw std::runtime_error("no such file"); }}, {"keys", [] {}}},
      [&](const std::string& part, const std::optional<std::string>& why) {
        (part == "keys" ? keys : certificate).set_value(why.value_or("done"));
      });
  reloads.request();
  EXPECT_EQ(certificate.get_future().get(), "no such file");
  EXPECT_EQ(keys.get_future().get(), "done") << "in spite of it";
}

TEST(Reloads, AThreadThatIsNeverAskedEnds) {
  const Reloads reloads({}, [](const std::string&, const std::optional<std::string>&) {});
}

}  // namespace
}  // namespace headroom::server
