#include "server/keys/key_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/sha.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <span>

#include "base/files/file.h"
#include "base/json.h"

namespace headroom::server {
namespace {

std::string hexadecimal(std::span<const unsigned char> bytes) {
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

bool is_sha256(const std::string& text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

std::optional<double> quota(const JsonFields& fields, const char* key) {
  constexpr double most = 1e9;
  if (!fields.has(key)) return std::nullopt;
  const double value = fields.number(key, 0, most);
  if (value == 0) fields.fail(key, "is 0; leave the line out to admit nobody");
  return value;
}

KeyRules parse_line(const std::string& line, const std::string& origin) {
  const Json json = parse_json(line, ErrorCode::bad_data, origin, {.keys = 16, .values = 1024});
  const JsonFields fields(json, ErrorCode::bad_data, origin);
  for (const auto& [key, value] : json.items()) {
    constexpr std::string_view known[] = {"name",
                                          "sha256",
                                          "models",
                                          "read_only",
                                          "admin",
                                          "priority",
                                          "requests_per_minute",
                                          "compute_seconds_per_minute"};
    if (std::find(std::begin(known), std::end(known), key) == std::end(known)) {
      fields.fail(key, "is no rule of a key");
    }
  }
  KeyRules rules{fields.text("name"), fields.text("sha256")};
  if (rules.name.empty()) fields.fail("name", "is empty");
  if (!is_sha256(rules.sha256)) fields.fail("sha256", "is not 64 hexadecimal digits in lower case");
  if (fields.has("models")) {
    for (const Json& model : fields.array("models")) {
      if (!model.is_string()) fields.fail("models", "has something else than names");
      rules.models.push_back(model.get<std::string>());
      if (rules.models.back().find('@') == std::string::npos) continue;
      fields.fail("models", "has a version; a key is for all versions of a model");
    }
    if (rules.models.empty()) fields.fail("models", "is empty; leave it out to allow all");
  }
  rules.read_only = fields.boolean_or("read_only", false);
  rules.admin = fields.boolean_or("admin", false);
  if (rules.admin && rules.read_only) fields.fail("admin", "cannot go with read_only");
  if (fields.has("priority")) {
    const std::optional<Priority> priority = priority_table.find(fields.text("priority"));
    if (!priority) fields.fail("priority", "is not one of " + priority_table.list());
    rules.priority = *priority;
  }
  rules.requests_per_minute = quota(fields, "requests_per_minute");
  rules.compute_seconds_per_minute = quota(fields, "compute_seconds_per_minute");
  return rules;
}

}  // namespace

std::string sha256_hex(std::string_view bytes) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data());
  return hexadecimal(digest);
}

std::string new_key() {
  std::array<unsigned char, 24> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw Error(ErrorCode::runtime, "make a key", "the system has no random bytes");
  }
  return "hr-" + hexadecimal(bytes);
}

std::string key_line(const KeyRules& rules) {
  Json json = {{"name", rules.name}, {"sha256", rules.sha256}};
  if (!rules.models.empty()) json["models"] = rules.models;
  if (rules.read_only) json["read_only"] = true;
  if (rules.admin) json["admin"] = true;
  if (rules.priority != Priority::normal) {
    json["priority"] = priority_table.name(rules.priority);
  }
  if (rules.requests_per_minute) json["requests_per_minute"] = *rules.requests_per_minute;
  if (rules.compute_seconds_per_minute) {
    json["compute_seconds_per_minute"] = *rules.compute_seconds_per_minute;
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::vector<KeyRules> read_key_file(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    throw Error(ErrorCode::usage, "read " + path.string(),
                "there is no such file; headroom key makes one");
  }
  const std::string content = read_file(path, ErrorCode::bad_data);
  std::vector<KeyRules> keys;
  size_t number = 0;
  for (size_t begin = 0; begin < content.size();) {
    const size_t end = std::min(content.find('\n', begin), content.size());
    std::string line = content.substr(begin, end - begin);
    begin = end + 1;
    ++number;
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty() || line[0] == '#') continue;
    const std::string origin = fmt::format("{}, line {}", path.string(), number);
    KeyRules rules = parse_line(line, origin);
    for (const KeyRules& known : keys) {
      if (known.name != rules.name && known.sha256 != rules.sha256) continue;
      throw Error(ErrorCode::bad_data, "read " + origin,
                  fmt::format("key \"{}\" has the name or the hash of key \"{}\" above it",
                              rules.name, known.name));
    }
    keys.push_back(std::move(rules));
  }
  return keys;
}

void append_key(const std::filesystem::path& path, const KeyRules& rules) {
  const std::string line = key_line(rules);
  parse_line(line, path.string());  // what could not be read is not written
  std::error_code error;
  if (std::filesystem::exists(path, error)) {
    for (const KeyRules& known : read_key_file(path)) {
      if (known.name != rules.name) continue;
      throw Error(ErrorCode::usage, "write " + path.string(),
                  fmt::format("it has a key named \"{}\"; remove that line first, or choose "
                              "another name",
                              rules.name));
    }
  }
  const int descriptor = open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) {
    throw Error(ErrorCode::runtime, "write " + path.string(), std::strerror(errno));
  }
  try {
    write_all(descriptor, line, path);
  } catch (...) {
    close(descriptor);
    throw;
  }
  close(descriptor);
}

}  // namespace headroom::server
