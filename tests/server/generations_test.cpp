// Models that are exchanged while others use them.
#include "server/service/generations.h"

#include <gtest/gtest.h>

#include <future>

#include "base/files/file.h"
#include "server/test_service.h"
#include "support.h"

namespace headroom::server {
namespace {
using namespace testing;

class GenerationsTest : public ::testing::Test {
 protected:
  // A folder that looks like a checkpoint with this content.
  void store(const std::string& name, const std::string& content) {
    std::filesystem::create_directories(folder_.path() / name);
    write_file_atomically(folder_.path() / name / "config.json", content);
  }
  Generations::Parts parts() {
    return {[this] { return models_in_folder(folder_.path()); },
            [this](const Generations::Source& source) {
              if (read_file(source.directory / "config.json", ErrorCode::bad_model) == "damaged") {
                throw Error(ErrorCode::bad_model, "load", "damaged");
              }
              loaded_.push_back(source.name);
              return letters_model(source.name);
            },
            [this](Service& service, std::shared_ptr<void> in_use) {
              service_ = &service;
              in_use_ = std::move(in_use);
              published_.set_value();
            }};
  }
  std::vector<std::string> served() const {
    std::vector<std::string> names;
    for (const ServedModel& model : service_->models()) names.push_back(model.name);
    return names;
  }
  // Requests let go at once.
  bool reload(Generations& generations) {
    published_ = {};
    in_use_.reset();
    loaded_.clear();
    return generations.reload();
  }

  TemporaryFolder folder_;
  std::vector<std::string> loaded_;
  Service* service_ = nullptr;
  std::shared_ptr<void> in_use_;
  std::promise<void> published_;
};

using Names = std::vector<std::string>;

TEST_F(GenerationsTest, FoldersWithAConfigAreModels) {
  store("news", "1");
  store("mail", "1");
  std::filesystem::create_directories(folder_.path() / "empty");
  write_file_atomically(folder_.path() / "README.md", "");
  const auto sources = models_in_folder(folder_.path());
  ASSERT_EQ(sources.size(), 2U);
  EXPECT_EQ(sources[0].name, "mail");
  EXPECT_EQ(sources[1].directory, folder_.path() / "news");
  EXPECT_THROW(models_in_folder(folder_.path() / "nowhere"), Error);
}

TEST_F(GenerationsTest, OnlyWhatChangedIsLoadedAgain) {
  store("news", "1");
  store("mail", "1");
  Generations generations(parts(), one_worker(), nobody());
  generations.publish();
  EXPECT_EQ(loaded_, (Names{"mail", "news"}));
  EXPECT_FALSE(reload(generations)) << "nothing changed";
  EXPECT_EQ(loaded_, Names{});
  store("news", "another one");
  store("spam", "1");
  EXPECT_TRUE(reload(generations));
  EXPECT_EQ(loaded_, (Names{"news", "spam"}));
  EXPECT_EQ(served(), (Names{"mail", "news", "spam"}));
  std::filesystem::remove_all(folder_.path() / "mail");
  EXPECT_TRUE(reload(generations));
  EXPECT_EQ(loaded_, Names{});
  EXPECT_EQ(served(), (Names{"news", "spam"}));
  EXPECT_EQ(Asked(*service_, {"a"}, {}, "spam").answer().texts.size(), 1U);
}

TEST_F(GenerationsTest, AModelThatCannotBeLoadedChangesNothing) {
  store("news", "1");
  Generations generations(parts(), one_worker(), nobody());
  generations.publish();
  store("mail", "1");
  store("news", "damaged");
  EXPECT_THROW(reload(generations), Error);
  EXPECT_EQ(served(), Names{"news"});
  EXPECT_EQ(Asked(*service_, {"a"}, {}, "news").answer().texts.size(), 1U);
}

TEST_F(GenerationsTest, WhoIsHereIsAnsweredByTheOldModels) {
  store("news", "1");
  Generations generations(parts(), one_worker(), nobody());
  generations.publish();
  Service& old = *service_;
  std::shared_ptr<void> request = std::move(in_use_);
  published_ = {};
  store("news", "another one");
  auto reloaded = std::async(std::launch::async, [&] { return generations.reload(); });
  published_.get_future().wait();
  EXPECT_NE(service_, &old);
  EXPECT_EQ(Asked(old, {"a"}, {}, "news").answer().texts.size(), 1U) << "not answered before";
  EXPECT_EQ(Asked(*service_, {"a"}, {}, "news").answer().texts.size(), 1U) << "those who come now";
  in_use_.reset();
  request.reset();
  EXPECT_TRUE(reloaded.get());
}

TEST_F(GenerationsTest, NoGenerationFollowsOneThatDrains) {
  store("news", "1");
  Generations generations(parts(), one_worker(), nobody());
  generations.publish();
  generations.begin_drain();
  store("news", "another one");
  EXPECT_FALSE(reload(generations));
  generations.with_current([](Service& service) { EXPECT_FALSE(service.ready()); });
}

}  // namespace
}  // namespace headroom::server
