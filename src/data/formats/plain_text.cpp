#include "data/formats/plain_text.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/memory_allowance.h"
#include "data/catalog/catalog.h"
#include "data/catalog/spec.h"
#include "data/input/input_stream.h"
#include "data/input/line_reader.h"
#include "data/sources.h"
#include "text/unicode/utf8.h"

namespace headroom {
namespace fs = std::filesystem;
namespace {

std::string read_text(const fs::path& path, MemoryAllowance& memory) {
  InputStream input(path);
  std::string text;
  while (true) {
    const std::string_view block = input.peek();
    if (block.empty()) break;
    if (!memory.take(block.size())) memory.fail(input.name());
    text.append(block);
    input.consume(block.size());
  }
  require_utf8(text, "read text", input.name());
  return text;
}

// Where the first nine tenths of the characters end.
size_t nine_tenths(std::string_view text) {
  const size_t wanted = count_characters(text) * 9 / 10;
  size_t offset = 0;
  for (size_t i = 0; i < wanted; ++i) {
    offset += static_cast<size_t>(decode_utf8(text.substr(offset)).bytes);
  }
  return offset;
}

std::string known_text(const DataSource& source, const fs::path& data_dir,
                       MemoryAllowance& memory) {
  const FoundPart found = part_for(source, data_dir, Task::lm);
  std::string text;
  for (const fs::path& file : found.files) text += read_text(file, memory);
  if (found.layout->format != FileFormat::split_text) return text;
  const size_t end = nine_tenths(text);
  return source.part == DataPart::train ? text.substr(0, end) : text.substr(end);
}

uint64_t memory_of(const SentencePair& pair) {
  return sizeof(SentencePair) + heap_bytes(pair.source) + heap_bytes(pair.target);
}

void read_pairs(const fs::path& source, const fs::path& target, MemoryAllowance& memory,
                std::vector<SentencePair>& pairs) {
  InputStream source_input(source);
  InputStream target_input(target);
  LineReader sources(source_input);
  LineReader targets(target_input);
  const auto check = [](const std::string& line, const InputStream& input, int64_t number) {
    if (!find_invalid_utf8(line)) return;
    require_utf8(line, "load data", fmt::format("{} line {}", input.name(), number));
  };
  for (SentencePair pair;;) {
    const bool has_source = sources.next(pair.source);
    const bool has_target = targets.next(pair.target);
    if (!has_source && !has_target) return;
    if (!has_source || !has_target) {
      const InputStream& shorter = has_source ? target_input : source_input;
      shorter.fail("has fewer lines than the file it runs parallel to; an incomplete download?");
    }
    check(pair.source, source_input, sources.line_number());
    check(pair.target, target_input, targets.line_number());
    if (!memory.take(memory_of(pair))) {
      memory.fail(fmt::format("{} line {}", source_input.name(), sources.line_number()));
    }
    pairs.push_back(pair);
  }
}

}  // namespace

std::string load_plain_text(std::string_view spec, const fs::path& data_dir, uint64_t max_memory) {
  std::string text;
  MemoryAllowance memory(max_memory, "load data", "texts");
  for (const DataSource& source : parse_data_spec(spec).sources) {
    if (source.kind == SourceKind::text) {
      text += read_text(source.paths[0], memory);
    } else if (source.kind == SourceKind::named) {
      text += known_text(source, data_dir, memory);
    } else {
      throw Error(ErrorCode::usage, "load data",
                  fmt::format("{} is not running text: text:FILE, shakespeare or wikitext2",
                              source.spelled));
    }
  }
  if (text.empty()) {
    throw Error(ErrorCode::bad_data, "load data", fmt::format("{} holds no text", spec));
  }
  return text;
}

std::vector<SentencePair> load_parallel(std::string_view spec, const fs::path& data_dir,
                                        uint64_t max_memory) {
  std::vector<SentencePair> pairs;
  MemoryAllowance memory(max_memory, "load data", "sentences");
  for (const DataSource& source : parse_data_spec(spec).sources) {
    if (source.kind == SourceKind::parallel) {
      read_pairs(source.paths[0], source.paths[1], memory, pairs);
    } else if (source.kind == SourceKind::named) {
      const FoundPart found = part_for(source, data_dir, Task::translate);
      read_pairs(found.files[0], found.files[1], memory, pairs);
    } else {
      throw Error(ErrorCode::usage, "load data",
                  fmt::format("{} holds no translations: parallel:SOURCE,TARGET or multi30k",
                              source.spelled));
    }
  }
  if (pairs.empty()) {
    throw Error(ErrorCode::bad_data, "load data", fmt::format("{} holds no sentences", spec));
  }
  return pairs;
}

}  // namespace headroom
