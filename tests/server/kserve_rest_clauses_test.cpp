// The Open Inference Protocol over REST, clause by clause.
#include <functional>

#include "base/json.h"
#include "server/api/dialects/kserve.h"
#include "server/fake_backend.h"
#include "server/kserve_clauses.h"
#include "server/telemetry/metrics.h"

namespace headroom::server {
namespace {
using namespace testing;

// The protocol's routes in front of the model "news", which has two labels.
class RestPeer {
 public:
  HttpResponse ask(const std::string& method, const std::string& path, const std::string& body = "",
                   const std::string& key = "key") {
    HttpResponse answer;
    HttpRequest request;
    request.head.method = method;
    request.head.target = path;
    request.head.authorization = "Bearer " + key;
    request.head.content_type = "application/json";
    request.body = body;
    request.arrived = std::chrono::steady_clock::now();
    router_.handle(std::move(request),
                   [&](HttpResponse response) { answer = std::move(response); });
    return answer;
  }
  Json json(const std::string& path) {
    const HttpResponse response = ask("GET", path);
    EXPECT_EQ(response.status, 200) << path << response.body;
    EXPECT_EQ(response.content_type, "application/json") << path;
    return Json::parse(response.body);
  }
  // An inference of one text whose request is changed first.
  HttpResponse infer(const std::function<void(Json& request)>& change = {}) {
    Json request = RestPeer::request();
    if (change) change(request);
    return ask("POST", "/v2/models/news/infer", request.dump());
  }
  Json answer(const std::function<void(Json& request)>& change = {}) {
    const HttpResponse response = infer(change);
    EXPECT_EQ(response.status, 200) << response.body;
    return Json::parse(response.body);
  }
  static Json request() {
    Json request;
    request["inputs"].push_back(text_input({"a"}));
    return request;
  }
  static Json text_input(const std::vector<std::string>& texts) {
    return {{"name", "text"},
            {"shape", std::vector<size_t>{texts.size()}},
            {"datatype", "BYTES"},
            {"data", texts}};
  }
  static Json named(const std::vector<std::string>& outputs) {
    Json list = Json::array();
    for (const std::string& name : outputs) list.push_back({{"name", name}});
    return list;
  }

  FakeBackend backend;

 private:
  Metrics metrics_{{"news"}};
  Router router_{kserve_routes(backend, {}), "key", metrics_, [] {}};
};

// An error status and {"error": text}, nothing else.
void expect_error(const HttpResponse& response) {
  EXPECT_GE(response.status, 400) << response.body;
  EXPECT_EQ(response.content_type, "application/json");
  const Json body = Json::parse(response.body);
  EXPECT_EQ(body.size(), 1U) << response.body;
  ASSERT_TRUE(body["error"].is_string()) << response.body;
  EXPECT_FALSE(body["error"].get<std::string>().empty());
}

void expect_parameters(const Json& parameters) {
  ASSERT_TRUE(parameters.is_object());
  for (const auto& [name, value] : parameters.items()) {
    EXPECT_TRUE(value.is_string() || value.is_number() || value.is_boolean()) << name;
  }
}

const std::vector<Clause<RestPeer>> clauses = {
    {"UrlsMayNameAVersion", "URLs: models are asked with and without /versions/VERSION",
     [](RestPeer& peer) {
       for (const std::string base : {"/v2/models/news", "/v2/models/news/versions/1"}) {
         EXPECT_EQ(peer.ask("GET", base).status, 200);
         EXPECT_EQ(peer.ask("GET", base + "/ready").status, 200);
         EXPECT_EQ(peer.ask("POST", base + "/infer", RestPeer::request().dump()).status, 200);
       }
     }},
    {"StringsAreCaseSensitive", "all strings in all contexts are case-sensitive",
     [](RestPeer& peer) {
       expect_error(peer.ask("GET", "/v2/models/News"));
       expect_error(peer.infer([](Json& r) { r["inputs"][0]["name"] = "Text"; }));
       expect_error(peer.infer([](Json& r) { r["inputs"][0]["datatype"] = "bytes"; }));
       expect_error(peer.infer([](Json& r) { r["outputs"] = RestPeer::named({"Label"}); }));
       expect_error(peer.infer([](Json& r) { r["Id"] = "7"; }));
     }},
    {"HealthIsAskedWithGet", "Health: an HTTP GET to a health endpoint",
     [](RestPeer& peer) {
       for (const char* path : {"/v2/health/live", "/v2/health/ready", "/v2/models/news/ready"}) {
         EXPECT_EQ(peer.ask("GET", path).status, 200) << path;
         EXPECT_EQ(peer.ask("POST", path, "{}").status, 405) << path;
       }
     }},
    {"LiveIsAStatusAndABoolean", "Server Live: 200 and {\"live\": $bool}, also while not ready",
     [](RestPeer& peer) {
       EXPECT_EQ(peer.json("/v2/health/live").dump(), R"({"live":true})");
       peer.backend.begin_drain();
       EXPECT_EQ(peer.json("/v2/health/live")["live"], true);
     }},
    {"ReadyIsAStatusAndABoolean",
     "Server Ready: 200 when all models are ready, an error status when not, and the boolean, "
     "which "
     "the document calls live",
     [](RestPeer& peer) {
       EXPECT_EQ(peer.json("/v2/health/ready").dump(), R"({"live":true,"ready":true})");
       peer.backend.begin_drain();
       const HttpResponse response = peer.ask("GET", "/v2/health/ready");
       EXPECT_GE(response.status, 400);
       EXPECT_EQ(response.body, R"({"live":false,"ready":false})");
     }},
    {"ModelReadyHasNameAndBoolean", "Model Ready: {\"name\", \"ready\"} of the model in the URL",
     [](RestPeer& peer) {
       EXPECT_EQ(peer.json("/v2/models/news/ready").dump(), R"({"name":"news","ready":true})");
       EXPECT_EQ(peer.json("/v2/models/news/versions/1/ready")["ready"], true);
       expect_error(peer.ask("GET", "/v2/models/other/ready"));
       expect_error(peer.ask("GET", "/v2/models/news/versions/2/ready"));
       peer.backend.begin_drain();
       EXPECT_GE(peer.ask("GET", "/v2/models/news/ready").status, 400);
     }},
    {"HealthNeedsNoKey", "Health: may be a Kubernetes probe as it is",
     [](RestPeer& peer) {
       EXPECT_EQ(peer.ask("GET", "/v2/health/live", "", "wrong").status, 200);
       EXPECT_EQ(peer.ask("GET", "/v2/health/ready", "", "wrong").status, 200);
     }},
    {"ServerMetadataHasNameVersionExtensions",
     "Server Metadata: GET v2 or v2/, 200, {\"name\", \"version\", \"extensions\": [$string]}",
     [](RestPeer& peer) {
       for (const char* path : {"/v2", "/v2/"}) {
         const Json server = peer.json(path);
         EXPECT_EQ(server["name"], "headroom");
         EXPECT_TRUE(server["version"].is_string());
         ASSERT_TRUE(server["extensions"].is_array());
         for (const Json& extension : server["extensions"]) EXPECT_TRUE(extension.is_string());
       }
     }},
    {"ServerMetadataErrors", "Server Metadata: a failure is an error status and {\"error\"}",
     [](RestPeer& peer) {
       expect_error(peer.ask("GET", "/v2", "", "wrong"));
       expect_error(peer.ask("POST", "/v2", "{}"));
     }},
    {"ModelMetadataHasItsFields",
     "Model Metadata: 200, {\"name\", \"versions\", \"platform\", \"inputs\", \"outputs\"}",
     [](RestPeer& peer) {
       const Json model = peer.json("/v2/models/news");
       EXPECT_EQ(model["name"], "news");
       EXPECT_TRUE(model["platform"].is_string());
       EXPECT_FALSE(model["inputs"].empty());
       EXPECT_FALSE(model["outputs"].empty());
     }},
    {"VersionsMayBeRequested", "Model Metadata: versions are those that may be named in the URL",
     [](RestPeer& peer) {
       const Json versions = peer.json("/v2/models/news")["versions"];
       ASSERT_FALSE(versions.empty());
       for (const Json& version : versions) {
         const std::string path = "/v2/models/news/versions/" + version.get<std::string>();
         EXPECT_EQ(peer.json(path)["name"], "news");
       }
     }},
    {"PlatformHasTwoParts", "Platforms: <project>_<format>",
     [](RestPeer& peer) {
       EXPECT_EQ(peer.json("/v2/models/news")["platform"], "headroom_safetensors");
     }},
    {"TensorMetadataHasItsFields",
     "Model Metadata: tensors are {\"name\", \"datatype\", \"shape\"}, -1 where the size varies",
     [](RestPeer& peer) {
       const Json model = peer.json("/v2/models/news");
       for (const char* side : {"inputs", "outputs"}) {
         for (const Json& tensor : model[side]) {
           EXPECT_TRUE(tensor["name"].is_string());
           EXPECT_TRUE(is_datatype(tensor["datatype"].get<std::string>()));
           ASSERT_TRUE(tensor["shape"].is_array());
           EXPECT_EQ(tensor["shape"][0], -1) << "as many texts as come";
           for (const Json& size : tensor["shape"]) EXPECT_TRUE(size.is_number_integer());
         }
       }
     }},
    {"OutputsAreThoseOfTheMetadata", "Model Metadata: outputs are what the model produces",
     [](RestPeer& peer) {
       const Json described = peer.json("/v2/models/news")["outputs"];
       const Json produced = peer.answer()["outputs"];
       ASSERT_EQ(described.size(), produced.size());
       for (size_t i = 0; i < described.size(); ++i) {
         EXPECT_EQ(described[i]["name"], produced[i]["name"]);
         EXPECT_EQ(described[i]["datatype"], produced[i]["datatype"]);
         EXPECT_EQ(described[i]["shape"].size(), produced[i]["shape"].size());
       }
     }},
    {"ModelMetadataErrors", "Model Metadata: a failure is an error status and {\"error\"}",
     [](RestPeer& peer) {
       expect_error(peer.ask("GET", "/v2/models/other"));
       expect_error(peer.ask("GET", "/v2/models/news/versions/2"));
       expect_error(peer.ask("GET", "/v2/models"));
     }},
    {"InferenceIsAPost", "Inference: an HTTP POST to an inference endpoint",
     [](RestPeer& peer) {
       EXPECT_EQ(peer.infer().status, 200);
       EXPECT_EQ(peer.ask("GET", "/v2/models/news/infer").status, 405);
     }},
    {"TheRequestObjectIsRequired", "Inference: the body must be the request object",
     [](RestPeer& peer) {
       for (const char* body : {"", "[]", "1", "{", "{}"}) {
         expect_error(peer.ask("POST", "/v2/models/news/infer", body));
       }
     }},
    {"AnIdComesBackAsItWasGiven", "Inference: id is optional, and returned if there is one",
     [](RestPeer& peer) {
       EXPECT_EQ(peer.answer([](Json& r) { r["id"] = "7"; })["id"], "7");
       EXPECT_EQ(peer.answer([](Json& r) { r["id"] = ""; })["id"], "");
       EXPECT_FALSE(peer.answer().contains("id"));
       expect_error(peer.infer([](Json& r) { r["id"] = 7; }));
     }},
    {"ParametersAreTextsNumbersOrBooleans",
     "Parameters: zero or more names with a $string, $number or $boolean",
     [](RestPeer& peer) {
       peer.answer([](Json& r) { r["parameters"] = Json::object(); });
       peer.answer([](Json& r) {
         r["parameters"] = {{"sequence_id", "s"}, {"priority", 1}, {"sequence_start", true}};
       });
       expect_error(peer.infer([](Json& r) { r["parameters"] = Json::array(); }));
       expect_error(peer.infer([](Json& r) { r["parameters"] = {{"priority", Json::object()}}; }));
       expect_error(peer.infer([](Json& r) { r["parameters"] = {{"priority", Json::array()}}; }));
     }},
    {"ServerSpecificParametersWork", "Parameters: a server may have its own",
     [](RestPeer& peer) {
       peer.answer([](Json& r) { r["parameters"] = {{"budget", 0.5}}; });
       EXPECT_EQ(peer.backend.last_call.budget, 0.5);
     }},
    {"InputsAreRequired", "Inference: inputs is a list, and not optional",
     [](RestPeer& peer) {
       expect_error(peer.infer([](Json& r) { r.erase("inputs"); }));
       expect_error(peer.infer([](Json& r) { r["inputs"] = Json::object(); }));
       expect_error(peer.infer([](Json& r) { r["inputs"] = Json::array(); }));
     }},
    {"OutputsAreOptional", "Inference: without outputs all that the model has are returned",
     [](RestPeer& peer) {
       const size_t all = peer.json("/v2/models/news")["outputs"].size();
       EXPECT_EQ(peer.answer()["outputs"].size(), all);
     }},
    {"OutputsSayWhichAreReturned", "Request Output: the tensors that are named are returned",
     [](RestPeer& peer) {
       const Json outputs = peer.answer([](Json& r) {
         r["outputs"] = RestPeer::named({"tokens", "label"});
       })["outputs"];
       ASSERT_EQ(outputs.size(), 2U);
       EXPECT_EQ(outputs[0]["name"], "tokens");
       EXPECT_EQ(outputs[1]["name"], "label");
       expect_error(peer.infer([](Json& r) { r["outputs"] = RestPeer::named({"color"}); }));
       expect_error(peer.infer([](Json& r) { r["outputs"].push_back(Json::object()); }));
     }},
    {"OutputsMayHaveParameters", "Request Output: parameters are optional",
     [](RestPeer& peer) {
       peer.answer([](Json& r) {
         r["outputs"] = RestPeer::named({"label"});
         r["outputs"][0]["parameters"]["classification"] = 1;
       });
       expect_error(peer.infer([](Json& r) {
         r["outputs"] = RestPeer::named({"label"});
         r["outputs"][0]["parameters"] = Json::array();
       }));
     }},
    {"InputFieldsAreRequired", "Request Input: name, shape, datatype and data are not optional",
     [](RestPeer& peer) {
       for (const std::string field : {"name", "shape", "datatype", "data"}) {
         SCOPED_TRACE(field);
         Json request = RestPeer::request();
         request["inputs"][0].erase(field);
         expect_error(peer.ask("POST", "/v2/models/news/infer", request.dump()));
       }
     }},
    {"ShapesAreUnsignedIntegers",
     "Request Input: every dimension is an integer representable as unsigned 64 bits",
     [](RestPeer& peer) {
       for (const char* shape : {"[-1]", "[1.5]", "[\"1\"]", "[18446744073709551616]", "[]", "1"}) {
         SCOPED_TRACE(shape);
         Json request = RestPeer::request();
         request["inputs"][0]["shape"] = Json::parse(shape);
         expect_error(peer.ask("POST", "/v2/models/news/infer", request.dump()));
       }
     }},
    {"ShapeAndDataAreOfTheWholeBatch",
     "Request Input: shape and data represent the entire batch, without stride or padding",
     [](RestPeer& peer) {
       const Json answer = peer.answer([](Json& r) {
         r["inputs"][0] = RestPeer::text_input({"a", "b", "c"});
       });
       EXPECT_EQ(peer.backend.last_texts, (std::vector<std::string>{"a", "b", "c"}));
       EXPECT_EQ(answer["outputs"][0]["shape"].dump(), "[3]");
       expect_error(peer.infer([](Json& r) { r["inputs"][0]["shape"][0] = 2; }));
       expect_error(peer.infer([](Json& r) { r["inputs"][0]["data"] = {"a", "b"}; }));
     }},
    {"DatatypesAreThoseOfTheModel", "Request Input: datatype is that of the tensor's elements",
     [](RestPeer& peer) {
       expect_error(peer.infer([](Json& r) { r["inputs"][0]["datatype"] = "FP32"; }));
       expect_error(peer.infer([](Json& r) { r["inputs"][0]["datatype"] = "TEXT"; }));
     }},
    {"InputsMayHaveParameters", "Request Input: parameters are optional",
     [](RestPeer& peer) {
       peer.answer([](Json& r) { r["inputs"][0]["parameters"] = {{"content_type", "str"}}; });
       expect_error(peer.infer([](Json& r) { r["inputs"][0]["parameters"] = 1; }));
     }},
    {"DataMayBeNestedOrFlat", "Tensor Data: in its natural form or flattened, in row-major order",
     [](RestPeer& peer) {
       for (const char* data : {R"(["a","b"])", R"([["a"],["b"]])"}) {
         peer.answer([&](Json& r) {
           r["inputs"][0]["shape"] = Json::parse("[2,1]");
           r["inputs"][0]["data"] = Json::parse(data);
         });
         EXPECT_EQ(peer.backend.last_texts, (std::vector<std::string>{"a", "b"})) << data;
       }
     }},
    {"UnexpectedElementsAreErrors",
     "Tensor Data: an element of an unexpected type is coerced or an error; here an error",
     [](RestPeer& peer) {
       for (const char* data : {"[1]", "[true]", "[null]", "[{}]", "[[[\"a\"]]]", "\"a\""}) {
         SCOPED_TRACE(data);
         expect_error(peer.infer([&](Json& r) { r["inputs"][0]["data"] = Json::parse(data); }));
       }
     }},
    {"TheResponseHasItsFields",
     "Inference Response: 200, {\"model_name\", \"model_version\", \"parameters\", \"outputs\"}",
     [](RestPeer& peer) {
       const Json answer = peer.answer();
       EXPECT_EQ(answer["model_name"], "news");
       EXPECT_EQ(answer["model_version"], "1") << "of a server that implements versions";
       expect_parameters(answer["parameters"]);
       EXPECT_TRUE(answer["outputs"].is_array());
     }},
    {"ResponseOutputsHaveTheirFields",
     "Response Output: {\"name\", \"shape\", \"datatype\", \"data\"}, as many elements as the "
     "shape "
     "says",
     [](RestPeer& peer) {
       const Json answer = peer.answer([](Json& r) {
         r["inputs"][0] = RestPeer::text_input({"a", "b"});
       });
       for (const Json& output : answer["outputs"]) {
         EXPECT_TRUE(output["name"].is_string());
         EXPECT_TRUE(is_datatype(output["datatype"].get<std::string>()));
         uint64_t elements = 1;
         for (const Json& size : output["shape"]) {
           ASSERT_TRUE(size.is_number_unsigned());
           elements *= size.get<uint64_t>();
         }
         EXPECT_EQ(output["data"].size(), elements) << output["name"];
       }
     }},
    {"ResponseDataIsRowMajor", "Response Output: the whole batch in row-major order",
     [](RestPeer& peer) {
       const Json scores = peer.answer([](Json& r) {
         r["inputs"][0] = RestPeer::text_input({"a", "b"});
         r["outputs"] = RestPeer::named({"scores"});
       })["outputs"][0];
       EXPECT_EQ(scores["shape"], Json({2, 2}));
       EXPECT_EQ(scores["data"], Json({0.25, 0.75, 0.25, 0.75}));
     }},
    {"InferenceErrors", "Inference Response: a failure is an error status and {\"error\"}",
     [](RestPeer& peer) {
       expect_error(peer.ask("POST", "/v2/models/other/infer", "{}"));
       peer.backend.refusal = {Refusal::queue_full, 3, "the queue is full"};
       expect_error(peer.infer());
       peer.backend.refusal = {Refusal::draining, 0, ""};
       expect_error(peer.infer());
     }},
    {"ExtensionsAreTold", "extensions: what a server has besides is listed, and works",
     [](RestPeer& peer) {
       EXPECT_EQ(peer.json("/v2")["extensions"], Json({"binary_tensor_data", "headroom_budget"}));
       const HttpResponse binary = peer.infer([](Json& r) {
         r["parameters"] = {{"binary_data_output", true}};
       });
       EXPECT_EQ(binary.content_type, "application/octet-stream");
     }},
};

class OpenInferenceRest : public ::testing::TestWithParam<Clause<RestPeer>> {};

TEST_P(OpenInferenceRest, Clause) {
  SCOPED_TRACE(GetParam().says);
  RestPeer peer;
  GetParam().check(peer);
}

INSTANTIATE_TEST_SUITE_P(, OpenInferenceRest, ::testing::ValuesIn(clauses), clause_name<RestPeer>);

}  // namespace
}  // namespace headroom::server
