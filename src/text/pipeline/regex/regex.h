// Regular expressions as tokenizer.json has them: Perl's syntax and choice of match (the first
// alternative that fits), Unicode classes, and looking around by one character. No expression takes
// more time than its length times the text's: what failed at a position once is not tried there
// again. What would break that (back references, groups that look around further) is refused by
// name.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "text/pipeline/aligned_text.h"

namespace headroom {

class Regex {
 public:
  // Throws ErrorCode::bad_model for an expression that is wrong or beyond what is read here.
  explicit Regex(std::string_view expression);

  // Appends the matches in valid UTF-8, in order, not overlapping.
  void find_all(std::string_view text, std::vector<TextSpan>& matches) const;

  enum class Property {
    letter,
    mark,
    number,
    punctuation,
    symbol,
    separator,
    other,
    space,
    word,
    digit
  };

  // One character out of ranges and properties, each possibly negated, the whole possibly negated.
  struct CharacterSet {
    struct Range {
      char32_t first, last;
    };
    struct Member {
      Property property;
      bool negated;
    };
    std::vector<Range> ranges;
    std::vector<Member> members;
    bool negated = false;
    std::array<bool, 128> ascii{};  // answers, once complete

    bool contains(char32_t c) const;
    void complete();
  };

  struct Instruction {
    enum class Kind { take, split, jump, match, ahead, behind, begin, end, boundary };
    Kind kind;
    size_t set = 0;        // take, ahead, behind
    size_t next = 0;       // where to go on
    size_t other = 0;      // split: where to go on if that fails
    size_t number = 0;     // split: its number among them
    bool negated = false;  // ahead, behind, boundary
  };

 private:
  class Search;

  std::vector<CharacterSet> sets_;
  std::vector<Instruction> program_;
  size_t splits_ = 0;
};

}  // namespace headroom
