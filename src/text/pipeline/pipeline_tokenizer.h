// A tokenizer as Hugging Face's tokenizer.json describes it: normalise, cut into words, cut words
// into tokens of the model, put special tokens around them; with tokens, types and offsets equal to
// theirs.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <unordered_set>
#include <vector>

#include "text/pipeline/added_tokens.h"
#include "text/pipeline/models/word_cache.h"
#include "text/pipeline/normalizer.h"
#include "text/pipeline/pre_tokenizer.h"
#include "text/pipeline/token_model.h"
#include "text/pipeline/word_splitter.h"
#include "text/tokenizer.h"

namespace headroom {

// The parts of a tokenizer; those that are null do nothing.
struct PipelineParts {
  std::unique_ptr<Normalizer> normalizer;
  std::unique_ptr<PreTokenizer> pre_tokenizer;
  std::unique_ptr<WordSplitter> splitter;  // the fast way, where there is one
  std::unique_ptr<TokenModel> model;
  std::vector<AddedToken> added;
  // Offsets leave out the spaces at the ends of byte-level tokens; with prefix_space_added not the
  // one that was put in front of a text.
  bool trims_offsets = false;
  bool prefix_space_added = false;
};

class PipelineTokenizer : public Tokenizer {
 public:
  PipelineTokenizer(PipelineParts parts, Vocabulary vocabulary, Framing framing);

  const Vocabulary& vocabulary() const override { return vocabulary_; }

 protected:
  void append_pieces(std::string_view text, size_t limit, std::vector<int32_t>& ids) const override;
  void append_with_spans(std::string_view text, size_t limit, std::vector<int32_t>& ids,
                         std::vector<TextSpan>& spans) const override;
  void adjust_offsets(std::span<const int32_t> ids, std::span<TextSpan> offsets) const override;

 private:
  // What one thread needs to run, kept for the next.
  struct Scratch {
    WordCache cache;
    std::vector<WordToken> tokens;
    std::vector<int32_t> ids;
  };
  class Run;

  std::unique_ptr<Scratch> take_scratch() const;
  void give_back(std::unique_ptr<Scratch> scratch) const;

  std::vector<TextPiece> pieces_of(std::string_view text, bool aligned) const;
  void append_plain(std::string_view text, bool aligned, size_t limit, std::vector<int32_t>& ids,
                    std::vector<TextSpan>* spans) const;
  TextSpan added_span(const AlignedText& text, bool first) const;
  void append_word(std::string_view word, Scratch& scratch, std::vector<int32_t>& ids) const;

  PipelineParts parts_;
  Vocabulary vocabulary_;
  AddedTokenSet in_text_;        // found before normalising
  AddedTokenSet in_normalised_;  // and after
  std::unordered_set<int32_t> added_ids_;
  bool plain_ascii_stays_ = false;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Scratch>> scratches_;
};

}  // namespace headroom
