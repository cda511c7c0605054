// The one secret of a server: whoever sends it may ask.
#pragma once

#include <string>
#include <string_view>

namespace headroom::server {

class ApiKey {
 public:
  explicit ApiKey(std::string key) : key_(std::move(key)) {}  // empty: everybody may ask

  // Whether an Authorization field is "Bearer KEY". Takes the same time wherever the first wrong
  // byte is, so that timing tells nothing about the key but the length of what was sent.
  bool admits(std::string_view authorization) const;

 private:
  std::string key_;
};

}  // namespace headroom::server
