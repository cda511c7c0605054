#include "server/http/url.h"

#include <fmt/format.h>

#include "server/http/error.h"

namespace headroom {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string percent_decoded(std::string_view text, bool plus_is_space) {
  std::string decoded;
  decoded.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += plus_is_space && text[i] == '+' ? ' ' : text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
    if (high < 0 || low < 0 || (high == 0 && low == 0)) {
      throw HttpError(HttpErrorCode::bad_request, "the path or query has a damaged %-sequence");
    }
    decoded += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return decoded;
}

// The part before the first `separator`, which is taken off `rest` with it.
std::string_view take_until(std::string_view& rest, char separator) {
  const size_t end = std::min(rest.find(separator), rest.size());
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return part;
}

void read_query(std::string_view text, Url& url) {
  while (!text.empty()) {
    std::string_view value = take_until(text, '&');
    if (value.empty()) continue;
    const std::string key = percent_decoded(take_until(value, '='), true);
    if (!url.query.emplace(key, percent_decoded(value, true)).second) {
      throw HttpError(HttpErrorCode::bad_request, fmt::format("query has {} twice", key));
    }
  }
}

}  // namespace

Url parse_url(std::string_view target) {
  if (target.starts_with("http://")) {
    target.remove_prefix(std::min(target.find('/', 7), target.size()));
  }
  Url url;
  std::string_view path = take_until(target, '?');
  read_query(target, url);
  if (path.starts_with('/')) path.remove_prefix(1);
  while (!path.empty()) url.segments.push_back(percent_decoded(take_until(path, '/'), false));
  return url;
}

}  // namespace headroom
