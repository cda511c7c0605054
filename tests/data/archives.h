// Small gzip and tar files made by hand, so that tests can damage them.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace headroom::testing {

inline std::string gzip(std::string_view content) {
  z_stream stream = {};
  deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string result(deflateBound(&stream, content.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  deflate(&stream, Z_FINISH);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}

inline std::string padded(std::string_view content) {
  return std::string(content) + std::string((512 - content.size() % 512) % 512, '\0');
}

// A 512-byte ustar header with its checksum.
inline std::string tar_header(std::string_view name, uint64_t size, char type = '0',
                              std::string_view prefix = "") {
  std::string block(512, '\0');
  const auto put = [&](size_t offset, std::string_view text) {
    block.replace(offset, text.size(), text);
  };
  char octal[16];
  std::snprintf(octal, sizeof octal, "%011llo", static_cast<unsigned long long>(size));
  put(0, name.substr(0, 100));
  put(100, "0000644");
  put(124, octal);
  put(148, "        ");
  block[156] = type;
  put(257, std::string_view("ustar\00000", 8));
  put(345, prefix);
  unsigned sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  std::snprintf(octal, sizeof octal, "%06o", sum);
  put(148, std::string_view(octal, 7));
  return block;
}

inline std::string tar_entry(std::string_view name, std::string_view content, char type = '0',
                             std::string_view prefix = "") {
  return tar_header(name, content.size(), type, prefix) + padded(content);
}

inline std::string tar_end() {
  return std::string(1024, '\0');
}

}  // namespace headroom::testing
