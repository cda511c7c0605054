// Texts that nobody labelled, or whose labels do not matter, for a finished model to learn from
// itself.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/task.h"
#include "data/encoded.h"

namespace headroom {

struct UnlabelledText {
  std::string text;
  std::optional<std::string> pair = std::nullopt;

  auto operator<=>(const UnlabelledText&) const = default;
};

struct UnlabelledTexts {
  std::string name;
  std::vector<UnlabelledText> texts;  // each once, in the order of the file
  int64_t blank = 0;                  // that were left out
  int64_t repeated = 0;               // likewise
};

// `source` is a file of texts, one a line (of a task of pairs both with a tab between them), or a
// data SPEC. For vectors every text of a row is a text. Throws ErrorCode::bad_data naming the line
// of a text that is not UTF-8 or lacks its pair, ErrorCode::usage for rows of another task.
UnlabelledTexts load_unlabelled(const std::string& source, const std::filesystem::path& data_dir,
                                Task task, uint64_t max_memory = 0);

// As the model will read them, `prompt` in front of each. A tagger's long texts become several
// rows, with 0 in place of the tag of every token of the text.
EncodedDataset encode_unlabelled(const UnlabelledTexts& all, std::span<const int32_t> numbers,
                                 Task task, const Tokenizer& tokenizer, int max_tokens,
                                 const std::string& prompt = {});

}  // namespace headroom
