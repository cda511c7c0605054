// Words without the detour over plain steps. Where cutting a text into words first and doing
// everything else word by word gives the same tokens, a word's tokens can be remembered; this says
// for which pre-tokenizers that holds, and finds the words.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/json.h"
#include "text/pipeline/pre_tokenizer.h"
#include "text/pipeline/regex/pattern.h"
#include "text/wordpiece/bert_normalizer.h"

namespace headroom {

class WordSplitter {
 public:
  virtual ~WordSplitter() = default;

  // Calls take(word) with one word of `text` after the other until it says false.
  using Take = bool (*)(void* context, std::string_view word);
  virtual void walk(std::string_view text, Take take, void* context) const = 0;

  // What is left to do to each word.
  const PreTokenizer* rest() const { return rest_.get(); }
  // Whether it takes texts as they are and does the normaliser's work too.
  virtual bool normalises() const { return false; }

 protected:
  explicit WordSplitter(std::unique_ptr<PreTokenizer> rest) : rest_(std::move(rest)) {}

 private:
  std::unique_ptr<PreTokenizer> rest_;
};

// Null where words have to be found in plain steps. Either part may be null.
std::unique_ptr<WordSplitter> make_word_splitter(const Json& normalizer, const Json& pre_tokenizer);

}  // namespace headroom
