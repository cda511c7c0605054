// Plain text as documents, and documents as rows of tokens: what pretraining reads.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/memory_allowance.h"
#include "text/tokenizer.h"

namespace headroom {

// Hands out every document of the sources, in order. A source is a file of plain text (gzip or not;
// documents are separated by blank lines) or a data SPEC, whose texts are the documents and whose
// labels are not looked at. Throws ErrorCode::bad_data when a source is missing, empty or not
// UTF-8.
void read_documents(const std::vector<std::string>& sources, const std::filesystem::path& data_dir,
                    const std::function<void(const std::string&)>& take);

// Rows without padding: the documents end to end, each closed by [SEP], cut into rows that begin
// with [CLS]. The rest that does not fill a row is left out.
struct PackedRows {
  int64_t row_tokens = 0;
  std::vector<int32_t> tokens;  // size() rows end to end

  int64_t size() const {
    return row_tokens > 0 ? static_cast<int64_t>(tokens.size()) / row_tokens : 0;
  }
};

class RowPacker {
 public:
  // `tokenizer` must outlive the packer; `row_tokens` is at least 8. Tokens that take more than
  // `max_memory` bytes (0: what is available) are ErrorCode::runtime.
  RowPacker(const Tokenizer& tokenizer, int64_t row_tokens, uint64_t max_memory = 0);

  void add(const std::string& document);

  // The rows so far; the packer is empty afterwards.
  PackedRows finish();

 private:
  const Tokenizer& tokenizer_;
  MemoryAllowance memory_;
  int64_t documents_ = 0;
  PackedRows rows_;
};

}  // namespace headroom
