// Models that are exchanged while others use them.
#include "server/service/generations.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/files/file.h"
#include "server/service/model_control.h"
#include "server/test_service.h"
#include "support.h"

namespace headroom::server {
namespace {
using namespace testing;

using Names = std::vector<std::string>;

class GenerationsTest : public ::testing::Test {
 protected:
  // A folder that looks like a checkpoint with this content.
  void store(const std::string& name, const std::string& content = "1") {
    std::filesystem::create_directories(folder_.path() / name);
    write_file_atomically(folder_.path() / name / "config.json", content);
  }
  void start() {
    generations_.emplace(
        Generations::Parts{
            [this](const ModelSource& source, const std::vector<ServedModel>& beside) {
              beside_.clear();
              for (const ServedModel& other : beside) {
                beside_.push_back(other.name);
              }
              if (read_file(source.directory / "config.json", ErrorCode::bad_model) == "damaged") {
                throw Error(ErrorCode::bad_model, "load", "it is damaged");
              }
              loaded_.push_back(source.name);
              ServedModel model = letters_model(source.name);
              return model;
            },
            [this](Service& service, std::shared_ptr<void> in_use) {
              service_ = &service;
              in_use_ = std::move(in_use);
            }},
        plan_serving({}, folder_.path()), one_worker(), nobody());
    generations_->publish();
  }
  bool reload() {
    loaded_.clear();
    return generations_->change(
        [this](const ServingPlan&) { return plan_serving({}, folder_.path()); });
  }
  Names served() const {
    Names names;
    for (const ServedModel& model : service_->models()) names.push_back(model.name);
    return names;
  }
  std::string answering(const std::string& name) const {
    const ServedModel* model = service_->pick(name);
    return model == nullptr ? "nobody" : model->name;
  }

  TemporaryFolder folder_;
  Names loaded_;
  Names beside_;  // what was there when the last was loaded
  Service* service_ = nullptr;
  std::optional<Generations> generations_;
  std::shared_ptr<void> in_use_;
};

TEST_F(GenerationsTest, OnlyWhatChangedIsLoadedAgain) {
  store("news");
  store("mail");
  start();
  EXPECT_EQ(loaded_, (Names{"mail", "news"}));
  EXPECT_FALSE(reload()) << "nothing changed";
  EXPECT_EQ(loaded_, Names{});
  store("news", "another one");
  store("spam");
  EXPECT_TRUE(reload());
  EXPECT_EQ(loaded_, (Names{"news", "spam"}));
  EXPECT_EQ(beside_, (Names{"mail", "news"})) << "all that the new sessions are for";
  EXPECT_EQ(served(), (Names{"mail", "news", "spam"}));
  std::filesystem::remove_all(folder_.path() / "mail");
  EXPECT_TRUE(reload());
  EXPECT_EQ(loaded_, Names{});
  EXPECT_EQ(served(), (Names{"news", "spam"}));
  EXPECT_EQ(Asked(*service_, {"a"}, {}, "spam").answer().texts.size(), 1U);
}

TEST_F(GenerationsTest, AChangeInASubfolderMakesAnotherModel) {
  store("news");
  store("news/pooling");
  start();
  store("news/pooling", "another one");
  EXPECT_TRUE(reload());
  EXPECT_EQ(loaded_, Names{"news"});
}

TEST_F(GenerationsTest, AModelThatCannotBeLoadedChangesNothing) {
  store("news");
  start();
  store("mail");
  store("news", "damaged");
  EXPECT_THROW(reload(), Error);
  EXPECT_EQ(served(), Names{"news"});
  EXPECT_EQ(generations_->plan().models.size(), 1U);
  EXPECT_EQ(Asked(*service_, {"a"}, {}, "news").answer().texts.size(), 1U);
}

TEST_F(GenerationsTest, WhoIsHereIsAnsweredByTheOldModels) {
  store("news");
  start();
  Service& old = *service_;
  std::shared_ptr<void> request = in_use_;
  store("news", "another one");
  EXPECT_TRUE(reload()) << "without waiting for the request";
  EXPECT_NE(service_, &old);
  EXPECT_EQ(Asked(old, {"a"}, {}, "news").answer().texts.size(), 1U) << "not answered before";
  EXPECT_EQ(Asked(*service_, {"a"}, {}, "news").answer().texts.size(), 1U) << "those who come now";
}

TEST_F(GenerationsTest, TheLastRequestMayEndItOnOneOfItsOwnThreads) {
  store("news");
  start();
  auto request = std::make_shared<std::shared_ptr<void>>(std::move(in_use_));
  std::promise<void> answered;
  Call call{"news", {{"a"}}, {}, {}, "a client"};
  service_->submit(call, [request, &answered](const CallOutcome&) {
    request->reset();
    answered.set_value();
  });
  store("news", "another one");
  EXPECT_TRUE(reload());
  answered.get_future().wait();
  generations_.reset();
}

TEST_F(GenerationsTest, RoutesAloneKeepTheService) {
  store("news/1");
  store("news/2");
  write_file_atomically(folder_.path() / "routes.json", R"({"a": "news@1", "news": "news@2"})");
  start();
  const Service* before = service_;
  EXPECT_EQ(answering("a"), "news@1");
  EXPECT_EQ(answering("news"), "news@2");
  EXPECT_EQ(answering("news@1"), "news@1") << "by its own name";
  EXPECT_EQ(answering("mail"), "nobody");
  write_file_atomically(folder_.path() / "routes.json", R"({"a": "news@2", "news": "news@1"})");
  EXPECT_TRUE(reload());
  EXPECT_EQ(service_, before);
  EXPECT_EQ(answering("a"), "news@2");
}

TEST_F(GenerationsTest, NoGenerationFollowsOneThatDrains) {
  store("news");
  start();
  generations_->begin_drain();
  store("news", "another one");
  EXPECT_FALSE(reload());
  generations_->with_current([](Service& service) { EXPECT_FALSE(service.ready()); });
}

TEST_F(GenerationsTest, AtTheEndWhatWaitsInOldOnesIsToldToo) {
  const auto gate = std::make_shared<Gate>();
  const ServedModel model = gated_model(gate);
  std::vector<std::shared_ptr<void>> in_use;
  std::vector<Service*> services;
  store("letters");
  Generations generations({[&](const ModelSource&, const auto&) { return model; },
                           [&](Service& service, std::shared_ptr<void> use) {
                             services.push_back(&service);
                             in_use.push_back(std::move(use));
                           }},
                          plan_serving({}, folder_.path()), one_worker(), nobody());
  generations.publish();
  Asked running(*services[0], {"a"});
  gate->wait_for_workers(1);
  Asked waiting(*services[0], {"b"});
  store("letters", "another one");
  EXPECT_TRUE(generations.change([](const ServingPlan& now) { return now; }));
  auto ended = std::async(std::launch::async, [&] { generations.cut(); });
  EXPECT_EQ(waiting.refused().why, Refusal::draining);
  gate->open();
  ended.get();
  EXPECT_EQ(running.answer().texts.size(), 1U);
}

class ModelControlTest : public GenerationsTest {
 protected:
  using Problem = std::optional<Error>;

  void start_control() {
    start();
    control_.emplace(folder_.path(), *generations_);
  }
  Problem load(const LoadRequest& wanted) {
    return wait([&](ModelControl::Done done) { return control_->load(wanted, std::move(done)); });
  }
  Problem unload(const std::string& model, const std::optional<std::string>& version = {}) {
    return wait(
        [&](ModelControl::Done done) { return control_->unload(model, version, std::move(done)); });
  }
  // "news 1 READY 1 "
  Names index() const {
    Names lines;
    for (const ModelState& model : control_->index()) {
      const char* state = model.state == ModelState::ready ? "ready" : "unavailable";
      lines.push_back(fmt::format("{} {} {} {:.2g}{}", model.name, model.version, state,
                                  model.weight, model.reason));
    }
    return lines;
  }

  std::optional<ModelControl> control_;

 private:
  template <typename Post>
  Problem wait(Post post) {
    const auto told = std::make_shared<std::promise<Problem>>();
    EXPECT_TRUE(post([told](const Problem& problem) { told->set_value(problem); }));
    return told->get_future().get();
  }
};

TEST_F(ModelControlTest, ModelsComeAndGo) {
  store("mail");
  store("news/1");
  start_control();
  store("news/2");
  EXPECT_EQ(index(), (Names{"mail 1 ready 1", "news 1 ready 1", "news 2 unavailable 0"}));
  EXPECT_FALSE(load({"news", "2", 0.25}));
  EXPECT_EQ(index(), (Names{"mail 1 ready 1", "news 1 ready 0.75", "news 2 ready 0.25"}));
  EXPECT_FALSE(load({"news", {}, {}}));
  EXPECT_EQ(served(), (Names{"mail", "news@2"}));
  EXPECT_FALSE(unload("mail"));
  EXPECT_EQ(served(), Names{"news@2"});
  EXPECT_EQ(unload("news")->code(), ErrorCode::usage) << "the last one";
}

TEST_F(ModelControlTest, WhatFailedIsTold) {
  store("mail");
  start_control();
  store("news", "damaged");
  EXPECT_EQ(load({"news", {}, {}})->code(), ErrorCode::bad_model);
  EXPECT_EQ(index(), (Names{"mail 1 ready 1", "news 1 unavailable 0it is damaged"}));
  store("news", "mended");
  EXPECT_FALSE(load({"news", {}, {}}));
  EXPECT_EQ(index(), (Names{"mail 1 ready 1", "news 1 ready 1"}));
}

TEST_F(ModelControlTest, StoppedItTakesNothing) {
  store("mail");
  start_control();
  control_->stop();
  EXPECT_FALSE(control_->load({"mail", {}, {}}, [](const Problem&) { FAIL(); }));
}

}  // namespace
}  // namespace headroom::server
