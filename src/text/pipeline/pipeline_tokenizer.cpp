#include "text/pipeline/pipeline_tokenizer.h"

#include <algorithm>
#include <utility>

#include "text/pipeline/byte_alphabet.h"
#include "text/unicode/unicode.h"

namespace headroom {
namespace {

// Tokens that are looked for before or after normalising, in the form that they have there.
std::vector<AddedToken> tokens_found(const PipelineParts& parts, bool normalised) {
  std::vector<AddedToken> tokens;
  for (AddedToken token : parts.added) {
    if (token.normalized != normalised) continue;
    if (normalised && parts.normalizer) {
      AlignedText content(token.content, false);
      parts.normalizer->apply(content);
      token.content = content.text();
    }
    if (!token.content.empty()) tokens.push_back(std::move(token));
  }
  return tokens;
}

// Printable, without spaces at the ends or two in a row.
bool is_plain_ascii(std::string_view text) {
  char before = ' ';
  for (const char c : text) {
    if (c < ' ' || c > '~' || (c == ' ' && before == ' ')) return false;
    before = c;
  }
  return before != ' ';
}

bool is_trimmed(char32_t c) {
  return c == byte_alphabet[' '] || is_white_space(c);
}

// How many characters at the beginning and the end of a byte-level token are spaces.
std::pair<uint32_t, uint32_t> spaces_around(std::string_view token) {
  uint32_t leading = 0;
  uint32_t trailing = 0;
  bool only_spaces = true;
  while (!token.empty()) {
    const CodePoint point = decode_utf8(token);
    token.remove_prefix(static_cast<size_t>(point.bytes));
    if (is_trimmed(point.value)) {
      ++trailing;
      if (only_spaces) ++leading;
    } else {
      trailing = 0;
      only_spaces = false;
    }
  }
  return {leading, trailing};
}

// The same for what was found in the text as a whole: bytes.
std::pair<uint32_t, uint32_t> space_bytes_around(std::string_view found) {
  uint32_t leading = 0;
  uint32_t last = 0;  // where the last other character ends
  bool only_spaces = true;
  for (uint32_t i = 0; i < found.size();) {
    const CodePoint point = decode_utf8(found.substr(i));
    i += static_cast<uint32_t>(point.bytes);
    only_spaces = only_spaces && is_trimmed(point.value);
    if (only_spaces) leading = i;
    if (!is_trimmed(point.value)) last = i;
  }
  return {leading, static_cast<uint32_t>(found.size()) - last};
}

}  // namespace

PipelineTokenizer::PipelineTokenizer(PipelineParts parts, Vocabulary vocabulary, Framing framing)
    : Tokenizer(std::move(framing)),
      parts_(std::move(parts)),
      vocabulary_(std::move(vocabulary)),
      in_text_(tokens_found(parts_, false)),
      in_normalised_(tokens_found(parts_, true)),
      plain_ascii_stays_(!parts_.normalizer || parts_.normalizer->keeps_plain_ascii()) {
  for (const AddedToken& token : parts_.added) added_ids_.insert(token.id);
  const bool asks_for_place = parts_.pre_tokenizer && parts_.pre_tokenizer->needs_alignment();
  const bool hides_normalised =
      parts_.splitter && parts_.splitter->normalises() && !in_normalised_.empty();
  if (asks_for_place || hides_normalised) parts_.splitter.reset();
}

std::unique_ptr<PipelineTokenizer::Scratch> PipelineTokenizer::take_scratch() const {
  const std::scoped_lock lock(mutex_);
  if (scratches_.empty()) return std::make_unique<Scratch>();
  std::unique_ptr<Scratch> scratch = std::move(scratches_.back());
  scratches_.pop_back();
  return scratch;
}

void PipelineTokenizer::give_back(std::unique_ptr<Scratch> scratch) const {
  const std::scoped_lock lock(mutex_);
  scratches_.push_back(std::move(scratch));
}

// Added tokens, and the stretches between them, normalised.
std::vector<TextPiece> PipelineTokenizer::pieces_of(std::string_view text, bool aligned) const {
  std::vector<TextPiece> raw;
  in_text_.cut(AlignedText(text, aligned), raw);
  std::vector<TextPiece> pieces;
  for (TextPiece& piece : raw) {
    if (piece.token) {
      pieces.push_back(std::move(piece));
      continue;
    }
    if (parts_.normalizer) parts_.normalizer->apply(piece.text);
    in_normalised_.cut(piece.text, pieces);
  }
  return pieces;
}

void PipelineTokenizer::append_plain(std::string_view text, bool aligned, size_t limit,
                                     std::vector<int32_t>& ids,
                                     std::vector<TextSpan>* spans) const {
  const size_t most = ids.size() + std::min(limit, SIZE_MAX - ids.size());
  std::vector<AlignedText> words;
  std::vector<WordToken> tokens;
  for (TextPiece& piece : pieces_of(text, aligned)) {
    if (ids.size() >= most) return;
    if (piece.token) {
      ids.push_back(*piece.token);
      if (spans != nullptr) spans->push_back(added_span(piece.text, spans->empty()));
      continue;
    }
    words.clear();
    if (parts_.pre_tokenizer) {
      parts_.pre_tokenizer->cut(std::move(piece.text), words);
    } else {
      words.push_back(std::move(piece.text));
    }
    for (const AlignedText& word : words) {
      tokens.clear();
      parts_.model->cut(word.text(), tokens);
      for (const WordToken& token : tokens) {
        if (ids.size() >= most) return;
        ids.push_back(token.id);
        if (spans != nullptr) spans->push_back(word.origin(token.bytes.begin, token.bytes.end));
      }
    }
  }
}

// Of an added token, with the spaces that it took.
TextSpan PipelineTokenizer::added_span(const AlignedText& text, bool first) const {
  TextSpan span = text.origin(0, text.size());
  if (!parts_.trims_offsets) return span;
  auto [leading, trailing] = space_bytes_around(text.text());
  first = first || span.begin == 0;
  if (first && parts_.prefix_space_added && leading == 1) leading = 0;
  span.begin = std::min(span.begin + leading, span.end);
  span.end = std::max(span.end - trailing, span.begin);
  return span;
}

void PipelineTokenizer::append_with_spans(std::string_view text, size_t limit,
                                          std::vector<int32_t>& ids,
                                          std::vector<TextSpan>& spans) const {
  append_plain(text, true, limit, ids, &spans);
}

// A word of the splitter, from the cache or through the model.
void PipelineTokenizer::append_word(std::string_view word, Scratch& scratch,
                                    std::vector<int32_t>& ids) const {
  if (const auto known = scratch.cache.find(word)) {
    ids.insert(ids.end(), known->begin(), known->end());
    return;
  }
  scratch.tokens.clear();
  if (const PreTokenizer* rest = parts_.splitter->rest()) {
    std::vector<AlignedText> words;
    rest->cut(AlignedText(word, false), words);
    for (const AlignedText& part : words) parts_.model->cut(part.text(), scratch.tokens);
  } else {
    parts_.model->cut(word, scratch.tokens);
  }
  scratch.ids.clear();
  for (const WordToken& token : scratch.tokens) scratch.ids.push_back(token.id);
  scratch.cache.add(word, scratch.ids);
  ids.insert(ids.end(), scratch.ids.begin(), scratch.ids.end());
}

// One text through the splitter and the cache.
class PipelineTokenizer::Run {
 public:
  Run(const PipelineTokenizer& tokenizer, size_t most, std::vector<int32_t>& ids)
      : tokenizer_(tokenizer), most_(most), ids_(ids), scratch_(tokenizer.take_scratch()) {}
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run() { tokenizer_.give_back(std::move(scratch_)); }

  void add(std::string_view text) {
    const AddedTokenSet& tokens = tokenizer_.in_text_;
    size_t last = 0;
    while (ids_.size() < most_ && !tokens.empty()) {
      const auto match = tokens.find(text, last);
      if (!match) break;
      add_stretch(text.substr(last, match->bytes.begin - last));
      if (ids_.size() < most_) ids_.push_back(match->id);
      last = match->bytes.end;
    }
    add_stretch(text.substr(last));
  }

 private:
  void add_stretch(std::string_view text) {
    if (text.empty() || ids_.size() >= most_) return;
    const bool as_it_is = tokenizer_.parts_.splitter->normalises() ||
                          !tokenizer_.parts_.normalizer ||
                          (tokenizer_.plain_ascii_stays_ && is_plain_ascii(text));
    if (as_it_is && tokenizer_.in_normalised_.empty()) {
      add_words(text);
      return;
    }
    AlignedText normalised(text, false);
    if (!as_it_is) tokenizer_.parts_.normalizer->apply(normalised);
    std::vector<TextPiece> pieces;
    tokenizer_.in_normalised_.cut(normalised, pieces);
    for (const TextPiece& piece : pieces) {
      if (ids_.size() >= most_) return;
      if (piece.token) {
        ids_.push_back(*piece.token);
      } else {
        add_words(piece.text.text());
      }
    }
  }

  void add_words(std::string_view text) {
    const auto take = [](void* context, std::string_view word) {
      auto& run = *static_cast<Run*>(context);
      run.tokenizer_.append_word(word, *run.scratch_, run.ids_);
      return run.ids_.size() < run.most_;
    };
    tokenizer_.parts_.splitter->walk(text, take, this);
    ids_.resize(std::min(ids_.size(), most_));
  }

  const PipelineTokenizer& tokenizer_;
  size_t most_;
  std::vector<int32_t>& ids_;
  std::unique_ptr<Scratch> scratch_;
};

void PipelineTokenizer::append_pieces(std::string_view text, size_t limit,
                                      std::vector<int32_t>& ids) const {
  if (parts_.splitter) {
    Run(*this, ids.size() + std::min(limit, SIZE_MAX - ids.size()), ids).add(text);
    return;
  }
  const bool aligned = parts_.pre_tokenizer && parts_.pre_tokenizer->needs_alignment();
  append_plain(text, aligned, limit, ids, nullptr);
}

void PipelineTokenizer::adjust_offsets(std::span<const int32_t> ids,
                                       std::span<TextSpan> offsets) const {
  if (!parts_.trims_offsets) return;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (added_ids_.contains(ids[i])) continue;  // done where it was found
    auto [leading, trailing] = spaces_around(vocabulary_.token(ids[i]));
    TextSpan& span = offsets[i];
    const bool first = i == 0 || span.begin == 0;
    if (first && parts_.prefix_space_added && leading == 1) leading = 0;
    span.begin = std::min(span.begin + leading, span.end);
    if (span.end >= trailing) span.end = std::max(span.end - trailing, span.begin);
  }
}

}  // namespace headroom
