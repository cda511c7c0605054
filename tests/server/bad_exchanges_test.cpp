// Bytes that no server should stumble over: each row is sent over a real socket to the real door,
// must get the status and error code it deserves, and must leave a server that still answers.
// Rows with a CVE number broke another server that way.
#include <gtest/gtest.h>

#include "server/door.h"
#include "server/raw_client.h"

namespace headroom::server {
namespace {
using namespace testing;

struct Exchange {
  const char* name;
  std::string bytes;
  int status;
  const char* code;
};

std::string repeated(std::string_view part, size_t times) {
  std::string text;
  for (size_t i = 0; i < times; ++i) text += part;
  return text;
}

std::string classify(std::string_view body) {
  return post("/v1/classify", body);
}

std::string infer(std::string_view body) {
  return post("/v2/models/news/infer", body);
}

// A POST whose fields after Host and whose body are as given.
std::string raw_post(std::string_view fields, std::string_view body,
                     std::string_view version = "HTTP/1.1") {
  const bool typed = fields.find("Content-Type") != std::string_view::npos;
  return "POST /v1/classify " + std::string(version) + "\r\nHost: test\r\n" +
         (typed ? "" : "Content-Type: application/json\r\n") + std::string(fields) + "\r\n" +
         std::string(body);
}

std::string chunked(std::string_view body) {
  return raw_post("Transfer-Encoding: chunked\r\n", body);
}

constexpr size_t body_limit = 4000;
constexpr size_t header_limit = 2000;

std::vector<Exchange> broken_http() {
  const std::string filler(header_limit, 'a');
  return {
      {"a TLS hello", "\x16\x03\x01\x02\x05\x01\x03\x03\r\n\r\n", 400, "bad_request"},
      {"no target", "GET\r\n\r\n", 400, "bad_request"},
      {"HTTP/9.9", "GET / HTTP/9.9\r\nHost: t\r\n\r\n", 400, "bad_request"},
      {"HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, "bad_request"},
      {"no Host", "GET / HTTP/1.1\r\n\r\n", 400, "bad_request"},
      {"two Hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400, "bad_request"},
      {"space before colon", get("/", "Content-Length : 3\r\n"), 400, "bad_request"},
      {"bare line feeds", "GET / HTTP/1.1\nHost: t\n\n", 400, "bad_request"},
      {"zero byte in a field", get("/", std::string("X: a\0b\r\n", 8)), 400, "bad_request"},
      {"one field too large (CVE-2025-52887)", get("/", "X: " + filler + "\r\n"), 431,
       "headers_too_large"},
      {"too many fields (CVE-2025-52887)", get("/", repeated("X: y\r\n", 1000)), 431,
       "headers_too_large"},
      {"target too long", get("/" + filler), 431, "headers_too_large"},
      {"body too large (CVE-2025-33201)", raw_post("Content-Length: 4001\r\n", ""), 413,
       "payload_too_large"},
      {"two gigabytes announced", raw_post("Content-Length: 2147483648\r\n", ""), 413,
       "payload_too_large"},
      {"length above 64 bits", raw_post("Content-Length: 18446744073709551617\r\n", ""), 400,
       "bad_request"},
      {"negative length", raw_post("Content-Length: -1\r\n", ""), 400, "bad_request"},
      {"lengths that differ", raw_post("Content-Length: 2\r\nContent-Length: 3\r\n", "{} "), 400,
       "bad_request"},
      {"length and chunks", raw_post("Content-Length: 2\r\nTransfer-Encoding: chunked\r\n", "{}"),
       400, "bad_request"},
      {"chunks and length", raw_post("Transfer-Encoding: chunked\r\nContent-Length: 2\r\n", "{}"),
       400, "bad_request"},
      {"gzip and chunks", raw_post("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n"), 400,
       "bad_request"},
      {"chunks not last", raw_post("Transfer-Encoding: chunked, gzip\r\n", "0\r\n\r\n"), 400,
       "bad_request"},
      {"unknown transfer coding", raw_post("Transfer-Encoding: xchunked\r\n", "0\r\n\r\n"), 400,
       "bad_request"},
      {"a field that is folded", "GET / HTTP/1.1\r\nHost: t\r\nX-A: a\r\n b\r\n\r\n", 400,
       "bad_request"},
      {"chunks in a folded field", raw_post("Transfer-Encoding:\r\n chunked\r\n", "0\r\n\r\n"), 400,
       "bad_request"},
      {"a length folded with a tab", raw_post("Content-Length:\r\n\t2\r\n", "{}"), 400,
       "bad_request"},
      {"a hundred and one fields", get("/", repeated("a:\r\n", 101)), 431, "headers_too_large"},
      {"chunked twice",
       raw_post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"), 400,
       "bad_request"},
      {"chunks in HTTP/1.0", raw_post("Transfer-Encoding: chunked\r\n", "0\r\n\r\n", "HTTP/1.0"),
       400, "bad_request"},
      {"one chunk too large (CVE-2025-46728)", chunked("fa1\r\n"), 413, "payload_too_large"},
      {"chunks too large together (CVE-2025-46728)",
       chunked(repeated("3e8\r\n" + std::string(1000, ' ') + "\r\n", 5)), 413, "payload_too_large"},
      {"negative chunk size (CVE-2026-45352)", chunked("-1\r\n{}\r\n0\r\n\r\n"), 400,
       "bad_request"},
      {"chunk size above 64 bits", chunked("10000000000000000\r\n"), 400, "bad_request"},
      {"chunk size that is no number", chunked("zz\r\n{}\r\n"), 400, "bad_request"},
      {"chunk size with 0x", chunked("0x2\r\n{}\r\n0\r\n\r\n"), 400, "bad_request"},
      {"chunk longer than it says", chunked("1\r\n{}\r\n0\r\n\r\n"), 400, "bad_request"},
      {"chunk header without an end", chunked("2;" + std::string(2 * header_limit, 'x')), 431,
       "headers_too_large"},
      {"a chunk for every byte (CVE-2025-23310)", chunked(repeated("1\r\n \r\n", 3000)), 413,
       "payload_too_large"},
      {"trailers without an end", chunked("0\r\n" + repeated("X: y\r\n", 1000)), 431,
       "headers_too_large"},
      {"header that stops", "POST /v1/classify HTTP/1.1\r\nHost: t", 408, "request_timeout"},
      {"body that stops", raw_post("Content-Length: 20\r\n", "{\"inputs\":"), 408,
       "request_timeout"},
      {"chunks that stop", chunked("2\r\n{}\r\n"), 408, "request_timeout"},
  };
}

std::vector<Exchange> wrong_requests() {
  return {
      {"unknown path", get("/v1/frobnicate"), 404, "not_found"},
      {"path outside", get("/../../etc/passwd"), 404, "not_found"},
      {"encoded path outside", get("/%2e%2e/%2e%2e/etc/passwd"), 404, "not_found"},
      {"damaged percent sequence", get("/v1/%zz"), 400, "bad_request"},
      {"encoded zero byte", get("/v1/plan?model=news%00"), 400, "bad_request"},
      {"query key twice", get("/v1/plan?budget=1&budget=0.5"), 400, "bad_request"},
      {"wrong method", "DELETE /v1/classify HTTP/1.1\r\nHost: t\r\n\r\n", 405,
       "method_not_allowed"},
      {"unknown method", "FROB /v1/classify HTTP/1.1\r\nHost: t\r\n\r\n", 405,
       "method_not_allowed"},
      {"reading what is written to", get("/v1/classify"), 405, "method_not_allowed"},
      {"no type (as any web page can send)",
       "POST /v1/classify HTTP/1.1\r\nHost: t\r\nContent-Length: 2\r\n\r\n{}", 415,
       "unsupported_media_type"},
      {"plain text", raw_post("Content-Type: text/plain\r\nContent-Length: 2\r\n", "{}"), 415,
       "unsupported_media_type"},
      {"a form",
       raw_post("Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 2\r\n", "{}"),
       415, "unsupported_media_type"},
      {"another charset",
       raw_post("Content-Type: application/json; charset=latin1\r\nContent-Length: 2\r\n", "{}"),
       415, "unsupported_media_type"},
      {"a gzip bomb (CVE-2026-28435)",
       raw_post("Content-Encoding: gzip\r\nContent-Length: 4\r\n", "\x1f\x8b\x08\x01"), 415,
       "unsupported_media_type"},
      {"plan of no budget", get("/v1/plan?budget=nan"), 422, "unprocessable"},
      {"plan of another model", get("/v1/plan?model=other"), 404, "not_found"},
  };
}

std::vector<Exchange> wrong_bodies() {
  return {
      {"no body", classify(""), 400, "bad_request"},
      {"no JSON", classify("inputs=x"), 400, "bad_request"},
      {"half of it", classify(R"({"inputs":"x")"), 400, "bad_request"},
      {"a list", classify("[]"), 400, "bad_request"},
      {"deep lists", classify(std::string(body_limit, '[')), 400, "bad_request"},
      {"deep objects", classify(repeated("{\"a\":", body_limit / 5)), 400, "bad_request"},
      {"numbers without an end", classify("[1" + repeated(",1", body_limit / 2 - 2) + "]"), 400,
       "bad_request"},
      {"a key twice", classify(R"({"inputs":"x","budget":0.1,"budget":1})"), 400, "bad_request"},
      {"bytes that are no UTF-8", classify("{\"inputs\":\"\xff\xfe\"}"), 422, "unprocessable"},
      {"half a surrogate pair", classify(R"({"inputs":"\ud800"})"), 400, "bad_request"},
      {"no inputs", classify("{}"), 400, "bad_request"},
      {"inputs that are a number", classify(R"({"inputs":1})"), 400, "bad_request"},
      {"an empty list", classify(R"({"inputs":[]})"), 422, "unprocessable"},
      {"too many texts", classify("{\"inputs\":[\"a\"" + repeated(",\"a\"", 32) + "]}"), 422,
       "unprocessable"},
      {"a list in a list", classify(R"({"inputs":[["a"]]})"), 400, "bad_request"},
      {"an object without text", classify(R"({"inputs":[{"text_pair":"a"}]})"), 400, "bad_request"},
      {"a pair that is a number", classify(R"({"inputs":[{"text":"a","text_pair":1}]})"), 400,
       "bad_request"},
      {"budget as text", classify(R"({"inputs":"x","budget":"0.5"})"), 400, "bad_request"},
      {"budget NaN", classify(R"({"inputs":"x","budget":NaN})"), 400, "bad_request"},
      {"budget null", classify(R"({"inputs":"x","budget":null})"), 400, "bad_request"},
      {"budget below 0", classify(R"({"inputs":"x","budget":-0.1})"), 422, "unprocessable"},
      {"budget below 0 (CVE-2026-21869)", classify(R"({"inputs":"x","budget":-1})"), 422,
       "unprocessable"},
      {"budget above 1", classify(R"({"inputs":"x","budget":1.5})"), 422, "unprocessable"},
      {"budget 1e999", classify(R"({"inputs":"x","budget":1e999})"), 400, "bad_request"},
      {"budget of 60 digits", classify(R"({"inputs":"x","budget":)" + std::string(60, '9') + "}"),
       422, "unprocessable"},
      {"no time at all", classify(R"({"inputs":"x","latency_ms":0})"), 422, "unprocessable"},
      {"time before now", classify(R"({"inputs":"x","latency_ms":-5})"), 422, "unprocessable"},
      {"a misspelt field", classify(R"({"inputs":"x","bugdet":0.5})"), 400, "bad_request"},
      {"another model", classify(R"({"inputs":"x","model":"other"})"), 404, "not_found"},
  };
}

// Under /v2 an error is a plain string, as KServe has it: no code to compare.
std::vector<Exchange> wrong_tensors() {
  const auto tensor = [](const std::string& fields) {
    return infer(R"({"inputs":[{"name":"text",)" + fields + "}]}");
  };
  return {
      {"no inputs", infer("{}"), 400, ""},
      {"no such model", post("/v2/models/other/infer", "{}"), 404, ""},
      {"no such version", post("/v2/models/news/versions/2/infer", "{}"), 404, ""},
      {"fewer values than the shape says", tensor(R"("shape":[2],"datatype":"BYTES","data":["a"])"),
       400, ""},
      {"a shape that overflows (CVE-2026-24173)",
       tensor(R"("shape":[4611686018427387905,4],"datatype":"BYTES","data":["a"])"), 400, ""},
      {"a shape below 0", tensor(R"("shape":[-1],"datatype":"BYTES","data":["a"])"), 400, ""},
      {"no shape", tensor(R"("datatype":"BYTES","data":["a"])"), 400, ""},
      {"numbers for text", tensor(R"("shape":[1],"datatype":"FP32","data":[1.0])"), 400, ""},
      {"data of another type", tensor(R"("shape":[1],"datatype":"BYTES","data":[1])"), 400, ""},
      {"an output it does not have",
       infer(R"({"inputs":[{"name":"text","shape":[1],"datatype":"BYTES","data":["a"]}],)"
             R"("outputs":[{"name":"weights"}]})"),
       400, ""},
      {"the same output over and over (CVE-2026-24146)",
       infer(R"({"inputs":[{"name":"text","shape":[1],"datatype":"BYTES","data":["a"]}],)"
             R"("outputs":[{"name":"scores"})" +
             repeated(R"(,{"name":"scores"})", 100) + "]}"),
       400, ""},
      {"body too large", raw_post("Content-Length: 4001\r\n", ""), 413, "payload_too_large"},
  };
}

void expect_all_refused(const std::vector<Exchange>& exchanges) {
  DoorSettings settings;
  settings.limits.body_bytes = body_limit;
  settings.limits.header_bytes = header_limit;
  settings.limits.read = std::chrono::milliseconds(200);
  Door door(settings);
  for (const Exchange& exchange : exchanges) {
    SCOPED_TRACE(exchange.name);
    RawClient client(door.port);
    const RawResponse response = client.exchange(exchange.bytes);
    EXPECT_EQ(response.status, exchange.status) << response.body;
    EXPECT_EQ(response.error_code(), exchange.code) << response.body;
    const Json body = response.json();
    EXPECT_TRUE(body.is_object() && body.contains("error")) << response.body;
    EXPECT_EQ(response.body.find("exception"), std::string::npos) << response.body;
    EXPECT_LT(response.body.size(), 800U);
    RawClient next(door.port);
    EXPECT_EQ(next.exchange(classify(R"({"inputs":"still there?"})")).status, 200);
  }
}

TEST(BadExchanges, WhatIsNoHttpIsRefused) {
  expect_all_refused(broken_http());
}

TEST(BadExchanges, WrongPathsMethodsAndTypesAreRefused) {
  expect_all_refused(wrong_requests());
}

TEST(BadExchanges, WrongBodiesAreRefused) {
  expect_all_refused(wrong_bodies());
}

TEST(BadExchanges, WrongTensorsAreRefused) {
  expect_all_refused(wrong_tensors());
}

}  // namespace
}  // namespace headroom::server
