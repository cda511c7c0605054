// The file of keys that a server admits, a JSON object a line:
//   {"name":"search","sha256":"9f86…","models":["news"],"requests_per_minute":600}
// Of a key only its hash is kept: who reads the file cannot ask with it. Keys are 192 random bits,
// so that a plain SHA-256 of one tells nothing.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/service/priority.h"

namespace headroom::server {

struct KeyRules {
  std::string name;                      // in logs and messages
  std::string sha256;                    // of the key, in hexadecimal
  std::vector<std::string> models = {};  // that it may ask; none: all
  bool read_only = false;                // it may look (GET), not ask
  bool admin = false;                    // it may also load and unload models
  Priority priority = Priority::normal;  // the highest that it may ask with
  std::optional<double> requests_per_minute = {};
  std::optional<double> compute_seconds_per_minute = {};
};

std::string sha256_hex(std::string_view bytes);
std::string new_key();  // "hr-" and 48 hexadecimal digits

std::string key_line(const KeyRules& rules);

// Empty lines and those that begin with # are skipped. Throws ErrorCode::usage when there is no
// file, ErrorCode::bad_data naming the line that is wrong, or has a name or hash of another.
std::vector<KeyRules> read_key_file(const std::filesystem::path& path);

// Appends a line; a new file is for its owner alone. Throws ErrorCode::usage when the file has a
// key of this name, ErrorCode::runtime when it cannot be written.
void append_key(const std::filesystem::path& path, const KeyRules& rules);

}  // namespace headroom::server
