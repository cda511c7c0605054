// What tests of the parts of a tokenizer share.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "text/pipeline/normalizer.h"
#include "text/pipeline/pre_tokenizer.h"
#include "text/pipeline/read_tokenizer.h"

namespace headroom::testing {

inline std::string normalised(const Json& json, std::string_view text) {
  AlignedText aligned(text, true);
  make_normalizer(json)->apply(aligned);
  return aligned.text();
}

// The bytes of the original that each character of the normalised text stands for.
inline std::vector<TextSpan> origins(const Json& json, std::string_view text) {
  AlignedText aligned(text, true);
  make_normalizer(json)->apply(aligned);
  std::vector<TextSpan> spans;
  aligned.for_each(
      [&](char32_t, size_t begin, size_t end) { spans.push_back(aligned.origin(begin, end)); });
  return spans;
}

inline std::vector<std::string> words(const Json& json, std::string_view text) {
  std::vector<AlignedText> cut;
  make_pre_tokenizer(json)->cut(AlignedText(text, true), cut);
  std::vector<std::string> texts;
  for (const AlignedText& word : cut) texts.push_back(word.text());
  return texts;
}

inline std::vector<TextSpan> word_origins(const Json& json, std::string_view text) {
  std::vector<AlignedText> cut;
  make_pre_tokenizer(json)->cut(AlignedText(text, true), cut);
  std::vector<TextSpan> spans;
  for (const AlignedText& word : cut) spans.push_back(word.origin(0, word.size()));
  return spans;
}

inline std::unique_ptr<Tokenizer> tokenizer_of(const Json& json, const Json& config = {}) {
  return read_tokenizer({json.dump(), config.is_null() ? "" : config.dump()});
}

inline std::vector<std::string> tokens(const Tokenizer& tokenizer, const Text& text,
                                       int limit = 1 << 20) {
  std::vector<std::string> all;
  for (const int32_t id : tokenizer.encode_with_offsets(text, limit).ids) {
    all.push_back(tokenizer.vocabulary().token(id));
  }
  return all;
}

}  // namespace headroom::testing

namespace headroom {
inline void PrintTo(const TextSpan& span, std::ostream* stream) {
  *stream << "[" << span.begin << "," << span.end << ")";
}
}  // namespace headroom
