#include "text/pipeline/regex/regex.h"

#include <algorithm>
#include <optional>

#include "text/pipeline/regex/regex_parser.h"
#include "text/unicode/unicode.h"

namespace headroom {
namespace {

bool has_property(char32_t c, Regex::Property property) {
  using Property = Regex::Property;
  const CharacterKind kind = kind_of(c);
  switch (property) {
    case Property::letter:
      return kind == CharacterKind::letter;
    case Property::mark:
      return is_any_mark(c);
    case Property::number:
      return is_number(c);
    case Property::punctuation:
      return kind == CharacterKind::punctuation;
    case Property::symbol:
      return kind == CharacterKind::symbol;
    case Property::separator:
      return kind == CharacterKind::separator;
    case Property::other:
      return kind == CharacterKind::other || kind == CharacterKind::control ||
             kind == CharacterKind::format || kind == CharacterKind::private_use;
    case Property::space:
      return is_white_space(c);
    case Property::word:
      return is_word_character(c);
    case Property::digit:
      return kind == CharacterKind::number;  // letters that are numbers, such as Roman ones, too
  }
  return false;
}

std::optional<char32_t> character_before(std::string_view text, size_t position) {
  if (position == 0) return std::nullopt;
  size_t begin = position - 1;
  while (begin > 0 && (static_cast<unsigned char>(text[begin]) & 0xC0U) == 0x80U) --begin;
  return decode_utf8(text.substr(begin)).value;
}

std::optional<CodePoint> character_at(std::string_view text, size_t position) {
  if (position >= text.size()) return std::nullopt;
  return decode_utf8(text.substr(position));
}

}  // namespace

bool Regex::CharacterSet::contains(char32_t c) const {
  const bool in_range = std::any_of(ranges.begin(), ranges.end(), [c](const Range& range) {
    return c >= range.first && c <= range.last;
  });
  const bool found =
      in_range || std::any_of(members.begin(), members.end(), [c](const Member& member) {
        return has_property(c, member.property) != member.negated;
      });
  return found != negated;
}

void Regex::CharacterSet::complete() {
  for (size_t c = 0; c < ascii.size(); ++c) ascii[c] = contains(static_cast<char32_t>(c));
}

Regex::Regex(std::string_view expression) {
  RegexParser parser(expression);
  program_ = parser.parse();
  sets_ = parser.take_sets();
  for (CharacterSet& set : sets_) set.complete();
  for (Instruction& instruction : program_) {
    if (instruction.kind == Instruction::Kind::split) instruction.number = splits_++;
  }
}

// Tries the program at one position after another. A split that failed at a position is remembered:
// whoever comes there again fails too.
class Regex::Search {
 public:
  Search(const Regex& regex, std::string_view text)
      : regex_(regex), text_(text), failed_((text.size() + 1) * regex.splits_, false) {}

  // The end of the match that begins at `start`.
  std::optional<size_t> match_at(size_t start) {
    pending_.assign(1, {0, start});
    while (!pending_.empty()) {
      const State state = pending_.back();
      pending_.pop_back();
      if (const auto end = follow(state)) {
        forget(start, *end);
        return end;
      }
    }
    return std::nullopt;
  }

 private:
  struct State {
    size_t instruction, position;
  };

  bool holds(const Instruction& instruction, size_t position) const {
    using Kind = Instruction::Kind;
    const auto word_at = [](const std::optional<char32_t>& c) {
      return c && is_word_character(*c);
    };
    const std::optional<CodePoint> next = character_at(text_, position);
    const std::optional<char32_t> behind = character_before(text_, position);
    switch (instruction.kind) {
      case Kind::begin:
        return position == 0;
      case Kind::end:
        return position == text_.size();
      case Kind::boundary:
        return (word_at(behind) != (next && is_word_character(next->value))) != instruction.negated;
      case Kind::ahead:
        return (next && in_set(instruction.set, next->value)) != instruction.negated;
      default:
        return (behind && in_set(instruction.set, *behind)) != instruction.negated;
    }
  }

  bool in_set(size_t set, char32_t c) const {
    const CharacterSet& all = regex_.sets_[set];
    return c < all.ascii.size() ? all.ascii[c] : all.contains(c);
  }

  // Runs on until the program matches or fails.
  std::optional<size_t> follow(State state) {
    using Kind = Instruction::Kind;
    while (true) {
      const Instruction& instruction = regex_.program_[state.instruction];
      switch (instruction.kind) {
        case Kind::match:
          return state.position;
        case Kind::jump:
          break;
        case Kind::take: {
          const auto next = character_at(text_, state.position);
          if (!next || !in_set(instruction.set, next->value)) return std::nullopt;
          state.position += static_cast<size_t>(next->bytes);
          break;
        }
        case Kind::split: {
          const size_t slot = state.position * regex_.splits_ + instruction.number;
          if (failed_[slot]) return std::nullopt;
          failed_[slot] = true;
          pending_.push_back({instruction.other, state.position});
          break;
        }
        default:
          if (!holds(instruction, state.position)) return std::nullopt;
      }
      state.instruction = instruction.next;
    }
  }

  // What was on the way to a match did not fail.
  void forget(size_t begin, size_t end) {
    std::fill(failed_.begin() + static_cast<std::ptrdiff_t>(begin * regex_.splits_),
              failed_.begin() + static_cast<std::ptrdiff_t>((end + 1) * regex_.splits_), false);
  }

  const Regex& regex_;
  std::string_view text_;
  std::vector<bool> failed_;
  std::vector<State> pending_;
};

void Regex::find_all(std::string_view text, std::vector<TextSpan>& matches) const {
  Search search(*this, text);
  std::optional<size_t> last;  // where the last match ended
  for (size_t start = 0; start <= text.size();) {
    const std::optional<size_t> end = search.match_at(start);
    const bool empty_again = end == start && last == start;
    if (end && !empty_again) {
      matches.push_back({static_cast<uint32_t>(start), static_cast<uint32_t>(*end)});
      last = *end;
    }
    if (end && *end > start) {
      start = *end;
    } else if (const auto next = character_at(text, start)) {
      start += static_cast<size_t>(next->bytes);
    } else {
      break;
    }
  }
}

}  // namespace headroom
