#include "text/pipeline/word_splitter.h"

#include <algorithm>
#include <utility>

#include "text/unicode/unicode.h"

namespace headroom {
namespace {

bool has_type(const Json& json, std::string_view type) {
  return json.is_object() && json.contains("type") && json["type"] == type;
}

bool flag_of(const Json& json, const char* key, bool fallback) {
  return json.contains(key) && json[key].is_boolean() ? json[key].get<bool>() : fallback;
}

// ByteLevel with GPT-2's words.
class ByteLevelWords : public WordSplitter {
 public:
  explicit ByteLevelWords(bool prefix_space)
      : WordSplitter(make_pre_tokenizer(
            {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}})),
        prefix_space_(prefix_space) {}

  void walk(std::string_view text, Take take, void* context) const override {
    std::string prefixed;
    if (prefix_space_ && !text.starts_with(' ')) {
      // Only the first word has the space: the rest stays where it is.
      prefixed = ' ' + std::string(text.substr(0, first_stretch));
      const size_t end = gpt2_word_end(prefixed, 0);
      if (end == prefixed.size() && text.size() > first_stretch) {
        prefixed = ' ' + std::string(text);
        text = prefixed;
      } else {
        if (!take(context, std::string_view(prefixed).substr(0, end))) return;
        text.remove_prefix(end - 1);
      }
    }
    while (!text.empty()) {
      const size_t end = gpt2_word_end(text, 0);
      if (!take(context, text.substr(0, end))) return;
      text.remove_prefix(end);
    }
  }

 private:
  static constexpr size_t first_stretch = 64;
  bool prefix_space_;
};

// Metaspace alone: a word begins at every space and at every mark.
class MarkedWords : public WordSplitter {
 public:
  MarkedWords(const Json& metaspace, std::string mark)
      : WordSplitter(make_pre_tokenizer(metaspace)), mark_(std::move(mark)) {}

  void walk(std::string_view text, Take take, void* context) const override {
    while (!text.empty()) {
      const size_t space = std::min(text.find(' ', 1), text.size());
      const size_t end = std::min(text.substr(0, space).find(mark_, 1), space);
      if (!take(context, text.substr(0, end))) return;
      text.remove_prefix(end);
    }
  }

 private:
  std::string mark_;
};

// WhitespaceSplit in front of something that does each of its words for itself.
class SpacedWords : public WordSplitter {
 public:
  explicit SpacedWords(const Json& rest) : WordSplitter(make_pre_tokenizer(rest)) {}

  void walk(std::string_view text, Take take, void* context) const override {
    size_t begin = 0;
    const auto word = [&](size_t end) {
      return begin == end || take(context, text.substr(begin, end - begin));
    };
    for (size_t i = 0; i < text.size();) {
      const CodePoint point = static_cast<unsigned char>(text[i]) < 0x80
                                  ? CodePoint{static_cast<char32_t>(text[i]), 1}
                                  : decode_utf8(text.substr(i));
      const size_t next = i + static_cast<size_t>(point.bytes);
      if (is_white_space(point.value)) {
        if (!word(i)) return;
        begin = next;
      }
      i = next;
    }
    word(text.size());
  }
};

// BERT's normaliser and pre-tokenizer in one.
class BertWords : public WordSplitter {
 public:
  explicit BertWords(bool lower_case) : WordSplitter(nullptr), lower_case_(lower_case) {}

  void walk(std::string_view text, Take take, void* context) const override {
    BertWordScanner scanner(lower_case_);
    scanner.reset(text);
    while (scanner.next()) {
      if (!take(context, scanner.word())) return;
    }
  }
  bool normalises() const override { return true; }

 private:
  bool lower_case_;
};

std::unique_ptr<WordSplitter> metaspace_words(const Json& json) {
  const std::string mark = json.contains("replacement") && json["replacement"].is_string()
                               ? json["replacement"].get<std::string>()
                               : "\u2581";
  if (mark.empty() || !flag_of(json, "split", true)) return nullptr;
  return std::make_unique<MarkedWords>(json, mark);
}

std::unique_ptr<WordSplitter> bert_words(const Json& normalizer) {
  const bool lower_case = flag_of(normalizer, "lowercase", true);
  const bool usual = flag_of(normalizer, "clean_text", true) &&
                     flag_of(normalizer, "handle_chinese_chars", true) &&
                     flag_of(normalizer, "strip_accents", lower_case) == lower_case;
  return usual ? std::make_unique<BertWords>(lower_case) : nullptr;
}

}  // namespace

std::unique_ptr<WordSplitter> make_word_splitter(const Json& normalizer,
                                                 const Json& pre_tokenizer) {
  if (has_type(pre_tokenizer, "ByteLevel") && flag_of(pre_tokenizer, "use_regex", true)) {
    return std::make_unique<ByteLevelWords>(flag_of(pre_tokenizer, "add_prefix_space", true));
  }
  if (has_type(pre_tokenizer, "Metaspace")) return metaspace_words(pre_tokenizer);
  if (has_type(pre_tokenizer, "BertPreTokenizer") && has_type(normalizer, "BertNormalizer")) {
    return bert_words(normalizer);
  }
  if (has_type(pre_tokenizer, "Sequence") && pre_tokenizer.contains("pretokenizers")) {
    const Json& parts = pre_tokenizer["pretokenizers"];
    if (parts.is_array() && parts.size() == 2 && has_type(parts[0], "WhitespaceSplit")) {
      return std::make_unique<SpacedWords>(parts[1]);
    }
  }
  return nullptr;
}

}  // namespace headroom
