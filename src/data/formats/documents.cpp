#include "data/formats/documents.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "base/error.h"
#include "data/input/input_stream.h"
#include "data/input/line_reader.h"
#include "data/load.h"
#include "text/unicode/utf8.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;
using Take = std::function<void(const std::string&)>;

int64_t read_text_file(const std::string& path, const Take& take) {
  InputStream input(path);
  LineReader reader(input);
  int64_t count = 0;
  std::string document;
  const auto close = [&] {
    if (document.empty()) return;
    take(document);
    ++count;
    document.clear();
  };
  for (std::string line; reader.next(line);) {
    if (find_invalid_utf8(line)) {
      require_utf8(line, "read text", fmt::format("{} line {}", path, reader.line_number()));
    }
    if (line.find_first_not_of(" \t\r\f\v") == std::string::npos) {
      close();
      continue;
    }
    if (!document.empty()) document += '\n';
    document += line;
  }
  close();
  return count;
}

int64_t read_rows(const DataSpec& spec, const fs::path& data_dir, const Take& take) {
  int64_t count = 0;
  stream_text_rows(spec, data_dir, nullptr, [&](const TextRow& row, const RowOrigin& /*origin*/) {
    for (const std::string* text : {&row.text, &row.text_pair}) {
      if (text->empty()) continue;
      take(*text);
      ++count;
    }
  });
  return count;
}

// What is neither a file nor looks like a SPEC is a file that is missing.
DataSpec parse_source(const std::string& source) {
  try {
    return parse_data_spec(source);
  } catch (const Error&) {
    if (source.find_first_of(":?") != std::string::npos) throw;
    throw Error(ErrorCode::usage, "read text",
                fmt::format("{} is neither a file nor a known data set", source));
  }
}

int64_t read_source(const std::string& source, const fs::path& data_dir, const Take& take) {
  if (source == "-" || fs::is_regular_file(source)) return read_text_file(source, take);
  const DataSpec spec = parse_source(source);
  int64_t count = 0;
  for (const DataSource& part : spec.sources) {
    if (part.kind == SourceKind::text) {
      for (const std::string& path : part.paths) count += read_text_file(path, take);
    } else {
      count += read_rows({{part}, part.spelled}, data_dir, take);
    }
  }
  return count;
}

}  // namespace

void read_documents(const std::vector<std::string>& sources, const fs::path& data_dir,
                    const Take& take) {
  for (const std::string& source : sources) {
    if (read_source(source, data_dir, take) > 0) continue;
    throw Error(ErrorCode::bad_data, "read text",
                fmt::format("{} holds no text; is the file empty?", source));
  }
}

RowPacker::RowPacker(const Tokenizer& tokenizer, int64_t row_tokens, uint64_t max_memory)
    : tokenizer_(tokenizer), memory_(max_memory, "read text", "tokens") {
  if (row_tokens < 8) {
    throw Error(ErrorCode::usage, "pack text",
                fmt::format("rows of {} tokens were asked for, at least 8 are needed", row_tokens));
  }
  rows_.row_tokens = row_tokens;
}

void RowPacker::add(const std::string& document) {
  const std::vector<int32_t> ids = tokenizer_.encode(document, std::numeric_limits<int32_t>::max());
  ++documents_;
  if (!memory_.take(ids.size() * sizeof(int32_t))) {
    memory_.fail(fmt::format("document {}", documents_));
  }
  const auto length = static_cast<size_t>(rows_.row_tokens);
  for (size_t i = 1; i < ids.size(); ++i) {  // its [CLS] is left out, its [SEP] stays
    if (rows_.tokens.size() % length == 0) rows_.tokens.push_back(ids[0]);
    rows_.tokens.push_back(ids[i]);
  }
}

PackedRows RowPacker::finish() {
  rows_.tokens.resize(static_cast<size_t>(rows_.size() * rows_.row_tokens));
  PackedRows done{rows_.row_tokens, std::move(rows_.tokens)};
  rows_.tokens.clear();
  return done;
}

}  // namespace headroom
