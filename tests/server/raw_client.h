// A client that sends exactly the bytes it is told to and takes responses apart: what a
// well-behaved HTTP library would never send is what a server must survive.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"

namespace headroom::testing {

struct RawResponse {
  int status = 0;  // 0: the connection closed, or nothing came for ten seconds
  std::map<std::string, std::string> fields;  // names in lower case
  std::string body;

  Json json() const { return Json::parse(body, nullptr, /*allow_exceptions=*/false); }
  // {"error":{"code":…}}; empty for other bodies.
  std::string error_code() const;
};

// The response at the front of `received`, which is taken off it; `fill` appends more and is false
// at the end.
RawResponse receive_response(std::string& received, bool head_only,
                             const std::function<bool()>& fill);

class RawClient {
 public:
  explicit RawClient(int port, int receive_buffer = 0);  // 0: as the system likes
  ~RawClient();
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  // False when the server has closed the connection.
  bool send(std::string_view bytes) const;
  RawResponse receive(bool head_only = false);
  RawResponse exchange(std::string_view bytes, bool head_only = false);

  // Whether the server hangs up, saying nothing more.
  bool closed_silently();
  // Whether the server hangs up, whatever it says before.
  bool hung_up_on();
  // Waits for a reset without reading anything.
  bool wait_for_reset() const;
  void close();

 private:
  bool fill();  // reads more; false at the end

  int socket_ = -1;
  std::string received_;
};

std::string post(std::string_view path, std::string_view body, std::string_view fields = "");
std::string get(std::string_view path, std::string_view fields = "");

}  // namespace headroom::testing
