// Running text for language models, and sentences with their translations.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace headroom {

// The whole text of a data SPEC: text:FILE, shakespeare, wikitext2; several follow one another.
// shakespeare has no official split: its training part is the first 90 % of the characters, its
// validation and test parts are the last 10 %. Throws ErrorCode::bad_data when it is empty or not
// UTF-8, ErrorCode::runtime when it takes more than `max_memory` bytes (0: what is available).
std::string load_plain_text(std::string_view spec, const std::filesystem::path& data_dir,
                            uint64_t max_memory = 0);

struct SentencePair {
  std::string source;
  std::string target;
};

// The pairs of a data SPEC: parallel:SOURCE,TARGET, multi30k. Throws ErrorCode::bad_data when one
// file has more lines than the other, or a line is not UTF-8, and ErrorCode::runtime as above.
std::vector<SentencePair> load_parallel(std::string_view spec,
                                        const std::filesystem::path& data_dir,
                                        uint64_t max_memory = 0);

}  // namespace headroom
