#include "engine/tags/tag.h"

#include <algorithm>

#include "base/error.h"
#include "engine/tags/entities.h"

namespace headroom {
namespace {

// WordPiece marks pieces inside words, and its alphabet is marked too, whatever file it came from.
bool marks_pieces(const Vocabulary& vocabulary) {
  constexpr std::string_view letters[] = {"##a", "##e", "##s", "##0", "##1"};
  return std::any_of(std::begin(letters), std::end(letters),
                     [&](std::string_view letter) { return vocabulary.find(letter).has_value(); });
}

// Whether a piece goes on with the word before it. A vocabulary that marks such pieces spells them
// with characters that the text does not have; where none does, what follows no space goes on.
class WordBoundaries {
 public:
  WordBoundaries(const Tokenizer& tokenizer, std::string_view text)
      : vocabulary_(tokenizer.vocabulary()),
        marked_(marks_pieces(vocabulary_)),
        text_(text),
        starts_(character_starts(text)) {}

  bool continues(const WindowPiece& piece) const {
    const int64_t length = piece.span.end - piece.span.begin;
    if (piece.id == vocabulary_.unknown_id()) return false;
    if (marked_) {
      const std::string_view token = vocabulary_.token(piece.id);
      return static_cast<int64_t>(character_starts(token).size()) - 1 != length;
    }
    return piece.span.begin > 0 && !is_space(piece.span.begin - 1) && !is_space(piece.span.begin);
  }

 private:
  bool is_space(size_t character) const {
    return character + 1 < starts_.size() && text_[starts_[character]] == ' ';
  }

  const Vocabulary& vocabulary_;
  bool marked_;
  std::string_view text_;
  std::vector<size_t> starts_;
};

TaggedToken token_tag(const Vocabulary& vocabulary, const WindowPiece& piece,
                      std::span<const double> scores) {
  TaggedToken tag;
  tag.token = vocabulary.token(piece.id);
  tag.start = piece.span.begin;
  tag.end = piece.span.end;
  tag.label = static_cast<size_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
  tag.scores.assign(scores.begin(), scores.end());
  return tag;
}

}  // namespace

TextWindows windows_of(const EngineModel& model, const Text& text) {
  if (text.pair) throw Error(ErrorCode::bad_data, "tag", "a tagger reads one text, not two");
  return {model.tokenizer(), text.text, model.config().longest_input()};
}

Answer tagged_answer(const Tokenizer& tokenizer, const ModelConfig& config, std::string_view text,
                     const TextWindows& windows, std::span<const Answer> answers,
                     const AnswerOptions& options) {
  Answer answer;
  for (const Answer& window : answers) {
    answer.budget = std::min(answer.budget, window.budget);
    answer.active_heads = std::min(answer.active_heads, window.active_heads);
    answer.active_ffn = std::min(answer.active_ffn, window.active_ffn);
    answer.tokens += window.tokens;
    answer.milliseconds = std::max(answer.milliseconds, window.milliseconds);
    if (window.predicted_milliseconds) {
      answer.predicted_milliseconds =
          answer.predicted_milliseconds.value_or(0) + *window.predicted_milliseconds;
    }
  }
  const WordBoundaries words(tokenizer, text);
  const auto scores = windows.scores(answers, config.labels.size());
  std::vector<ScoredPiece> pieces;
  for (size_t i = 0; i < scores.size(); ++i) {
    const WindowPiece& piece = windows.pieces()[i];
    pieces.push_back({piece.span.begin, piece.span.end, words.continues(piece), scores[i]});
    if (options.token_tags) {
      answer.token_tags.push_back(token_tag(tokenizer.vocabulary(), piece, scores[i]));
    }
  }
  answer.entities = find_entities(text, pieces, config.labels, options.aggregation);
  return answer;
}

}  // namespace headroom
