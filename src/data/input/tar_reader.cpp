#include "data/input/tar_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <system_error>

namespace headroom {
namespace {

// The POSIX ustar header: offset and length of the fields we read.
struct Field {
  size_t offset;
  size_t length;
};
constexpr Field name_field = {0, 100};
constexpr Field size_field = {124, 12};
constexpr Field checksum_field = {148, 8};
constexpr size_t type_offset = 156;
constexpr Field magic_field = {257, 5};
constexpr Field prefix_field = {345, 155};

// Names and pax records are small; a larger claim means a damaged header.
constexpr uint64_t max_meta_bytes = uint64_t{1} << 20;

std::string_view slice(std::string_view block, Field field) {
  return block.substr(field.offset, field.length);
}

std::string text_of(std::string_view block, Field field) {
  const std::string_view bytes = slice(block, field);
  return std::string(bytes.substr(0, std::min(bytes.find('\0'), bytes.size())));
}

// Octal digits padded with spaces or NULs, or GNU's base-256 form for sizes of 8 GiB and more.
std::optional<uint64_t> number_of(std::string_view bytes) {
  uint64_t value = 0;
  if ((static_cast<unsigned char>(bytes[0]) & 0x80U) != 0) {
    for (size_t i = 1; i < bytes.size(); ++i) {
      if (value >> 55U != 0) return std::nullopt;
      value = (value << 8U) | static_cast<unsigned char>(bytes[i]);
    }
    return bytes[0] == '\x80' ? std::optional(value) : std::nullopt;
  }
  const size_t begin = bytes.find_first_not_of(' ');
  if (begin == std::string_view::npos) return std::nullopt;
  const size_t end = std::min(bytes.find_first_of(std::string_view(" \0", 2), begin), bytes.size());
  const auto [stop, problem] = std::from_chars(bytes.data() + begin, bytes.data() + end, value, 8);
  if (problem != std::errc() || stop != bytes.data() + end) return std::nullopt;
  return value;
}

// The sum of the header's bytes with the checksum itself taken as spaces.
bool checksum_matches(std::string_view block) {
  const auto add = [](uint64_t sum, char c) { return sum + static_cast<unsigned char>(c); };
  uint64_t sum = std::accumulate(block.begin(), block.end(), uint64_t{0}, add);
  for (const char c : slice(block, checksum_field))
    sum += ' ' - uint64_t{static_cast<unsigned char>(c)};
  return number_of(slice(block, checksum_field)) == sum;
}

TarEntryKind kind_of(char type) {
  if (type == '0' || type == '\0' || type == '7') return TarEntryKind::file;
  if (type == '5') return TarEntryKind::directory;
  return TarEntryKind::other;
}

}  // namespace

TarReader::TarReader(InputStream& input) : input_(input) {}

void TarReader::fail(std::string_view message) const {
  if (current_.empty()) input_.fail(fmt::format("tar archive: {}", message));
  input_.fail(fmt::format("tar entry {}: {}", current_, message));
}

std::string TarReader::read_content(uint64_t limit) {
  if (content_left_ > limit) {
    fail(fmt::format("is {} bytes, more than the limit of {}", content_left_, limit));
  }
  std::string content(content_left_, '\0');
  if (input_.read(content.data(), content.size()) < content.size()) fail_truncated();
  content_left_ = 0;
  return content;
}

void TarReader::skip_rest() {
  uint64_t left = content_left_ + padding_left_;
  while (left > 0) {
    const size_t step = std::min<uint64_t>(input_.peek().size(), left);
    if (step == 0) fail_truncated();
    input_.consume(step);
    left -= step;
  }
  content_left_ = 0;
  padding_left_ = 0;
}

void TarReader::fail_truncated() const {
  fail("the archive ends in the middle of it; an incomplete download?");
}

// Reads one 512-byte header; false at the zero block that ends an archive.
bool TarReader::read_header(Header& header) {
  std::array<char, block_bytes> bytes = {};
  const size_t got = input_.read(bytes.data(), bytes.size());
  if (got == 0 && any_entry_) fail("ends without its end marker; an incomplete download?");
  if (got < bytes.size()) fail("a header is cut off; is this a tar archive, and complete?");
  const std::string_view block(bytes.data(), bytes.size());
  if (std::all_of(block.begin(), block.end(), [](char c) { return c == '\0'; })) return false;
  if (!checksum_matches(block)) {
    fail("a header's checksum is wrong; is this a tar archive, and undamaged?");
  }
  header.name = text_of(block, name_field);
  const bool ustar = slice(block, magic_field) == "ustar";
  const bool gnu = ustar && block[magic_field.offset + magic_field.length] == ' ';
  const std::string prefix = ustar && !gnu ? text_of(block, prefix_field) : "";
  if (!prefix.empty()) header.name = prefix + "/" + header.name;
  current_ = header.name;
  header.type = block[type_offset];
  const std::optional<uint64_t> size = number_of(slice(block, size_field));
  if (!size) fail("its size field is not a number");
  set_size(*size);
  any_entry_ = true;
  return true;
}

void TarReader::set_size(uint64_t size) {
  if (size >> 60U != 0) fail(fmt::format("claims to be {} bytes long; a damaged header?", size));
  content_left_ = size;
  padding_left_ = (block_bytes - size % block_bytes) % block_bytes;
}

// Records "LENGTH key=value\n"; only path and size concern us.
void TarReader::read_pax(std::string_view records, Overrides& overrides) const {
  while (!records.empty() && records[0] != '\0') {
    size_t length = 0;
    const auto [stop, problem] =
        std::from_chars(records.data(), records.data() + records.size(), length);
    const size_t digits = static_cast<size_t>(stop - records.data());
    if (problem != std::errc() || length > records.size() || length < digits + 2 ||
        records[digits] != ' ' || records[length - 1] != '\n') {
      fail("its pax header is malformed");
    }
    const std::string_view record = records.substr(digits + 1, length - digits - 2);
    const size_t equals = std::min(record.find('='), record.size());
    const std::string_view value = record.substr(std::min(equals + 1, record.size()));
    if (record.substr(0, equals) == "path") overrides.name = std::string(value);
    if (record.substr(0, equals) == "size") {
      uint64_t size = 0;
      const auto parsed = std::from_chars(value.data(), value.data() + value.size(), size);
      if (parsed.ec != std::errc() || parsed.ptr != value.data() + value.size()) {
        fail("its pax size is not a number");
      }
      overrides.size = size;
    }
    records.remove_prefix(length);
  }
}

bool TarReader::next(TarEntry& entry) {
  Overrides overrides;
  Header header;
  while (true) {
    skip_rest();
    current_.clear();
    if (!read_header(header)) return false;
    if (header.type == 'L') {  // GNU: the content is the next entry's name
      const std::string name = read_content(max_meta_bytes);
      overrides.name = name.substr(0, std::min(name.find('\0'), name.size()));
    } else if (header.type == 'x') {  // pax: the content describes the next entry
      read_pax(read_content(max_meta_bytes), overrides);
    } else if (header.type != 'g' && header.type != 'K') {  // those two say nothing about names
      break;
    }
  }
  if (overrides.name) current_ = *overrides.name;
  if (overrides.size) set_size(*overrides.size);
  const bool without_content = header.type >= '2' && header.type <= '6';  // links, devices, folders
  if (without_content) set_size(0);
  entry.name = current_;
  entry.kind = kind_of(header.type);
  entry.size = content_left_;
  return true;
}

}  // namespace headroom
