// A real service with an imported model of every output behind the API: vectors, ranker, tagger,
// flags. Tests of the API's dialects compare their answers with the engine's own.
#pragma once

#include <gtest/gtest.h>

#include <future>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "checkpoint/hf/import.h"
#include "engine/answers/answer_json.h"
#include "engine/answers/answer_texts.h"
#include "hf_model.h"
#include "server/api/api.h"
#include "server/service/service.h"
#include "server/simulated_time.h"
#include "server/telemetry/metrics.h"
#include "support.h"

namespace headroom::testing {
using namespace server;

inline const std::map<std::string, std::string> served = {{"vectors", "bert-embed-mean"},
                                                          {"ranker", "bert-rerank"},
                                                          {"tagger", "bert-ner"},
                                                          {"flags", "bert-multilabel"}};

// Imported once for all tests.
inline std::shared_ptr<const EngineModel> engine_of(const std::string& name) {
  static const TemporaryFolder folder;
  static std::map<std::string, std::shared_ptr<const EngineModel>> engines;
  auto& engine = engines[name];
  if (!engine) {
    import_hf_folder(hf_model_folder(served.at(name)), folder.path() / name);
    engine = EngineModel::load(folder.path() / name);
  }
  return engine;
}

inline std::vector<ServedModel> all_models() {
  std::vector<ServedModel> models;
  for (const auto& [name, folder] : served) {
    models.push_back(served_model(name, engine_of(name)));
    models.back().table = linear_table();
  }
  return models;
}

class OutputsApi : public ::testing::Test {
 protected:
  HttpResponse ask(const std::string& path, const Json& body) {
    std::promise<HttpResponse> promise;
    router_.handle({{"POST", path, "", "application/json", "", ""},
                    body.dump(),
                    std::chrono::steady_clock::now()},
                   [&](HttpResponse response) { promise.set_value(std::move(response)); });
    return promise.get_future().get();
  }
  Json answers(const std::string& path, const Json& body) {
    const HttpResponse response = ask(path, body);
    EXPECT_EQ(response.status, 200) << response.body;
    return Json::parse(response.body)["answers"];
  }
  std::string complaint(const std::string& path, const Json& body, int status) {
    const HttpResponse response = ask(path, body);
    EXPECT_EQ(response.status, status) << response.body;
    return Json::parse(response.body)["error"].value("message", "");
  }
  // What the engine itself says.
  Json expected(const std::string& model, const std::string& text,
                const AnswerOptions& options = {}) {
    Session session(engine_of(model));
    const Text one{text};
    const Budget budget;
    Json json;
    add_answer(session.model().config(),
               answer_texts(session, {&one, 1}, {&budget, 1}, options).at(0), false, json);
    return json;
  }

  ServiceObserver nobody_;
  static ServiceSettings one_thread() {
    ServiceSettings settings;
    settings.workers = 1;
    return settings;
  }
  Service service_{all_models(), one_thread(), nobody_};
  Metrics metrics_{{"vectors", "ranker", "tagger", "flags"}};
  Router router_{api_routes(service_, {"portable", {}, {}, 0.125, [] { return ""; }}), "", metrics_,
                 [] {}};
};

}  // namespace headroom::testing
