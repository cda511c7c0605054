#include "text/pipeline/regex/regex_parser.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/error.h"

namespace headroom {
namespace {

constexpr size_t endless = SIZE_MAX;
constexpr size_t max_repeats = 1000;
constexpr size_t max_instructions = 10'000;
constexpr size_t max_expression = 10'000;
constexpr int max_groups_deep = 50;
constexpr char32_t last_character = 0x10FFFF;

struct NamedProperty {
  std::string_view name;
  Regex::Property property;
};
constexpr std::array<NamedProperty, 14> named_properties = {{
    {"L", Regex::Property::letter},
    {"Letter", Regex::Property::letter},
    {"M", Regex::Property::mark},
    {"Mark", Regex::Property::mark},
    {"N", Regex::Property::number},
    {"Number", Regex::Property::number},
    {"P", Regex::Property::punctuation},
    {"Punctuation", Regex::Property::punctuation},
    {"S", Regex::Property::symbol},
    {"Symbol", Regex::Property::symbol},
    {"Z", Regex::Property::separator},
    {"Separator", Regex::Property::separator},
    {"C", Regex::Property::other},
    {"Other", Regex::Property::other},
}};

using Kind = Regex::Instruction::Kind;

}  // namespace

RegexParser::RegexParser(std::string_view expression) : expression_(expression) {
  if (expression.size() > max_expression) fail("it is longer than 10,000 bytes");
  if (find_invalid_utf8(expression)) fail("it is not UTF-8");
}

void RegexParser::fail(const std::string& why) const {
  throw Error(ErrorCode::bad_model, "read tokenizer.json",
              fmt::format("the regular expression \"{}\" cannot be run: {} (byte {})",
                          expression_.substr(0, 200), why, position_));
}

bool RegexParser::take(std::string_view text) {
  if (!expression_.substr(position_).starts_with(text)) return false;
  position_ += text.size();
  return true;
}

char32_t RegexParser::next_character() {
  if (at_end()) fail("it ends too early");
  const CodePoint point = decode_utf8(expression_.substr(position_));
  position_ += static_cast<size_t>(point.bytes);
  return point.value;
}

std::vector<Regex::Instruction> RegexParser::parse() {
  const Node all = parse_alternatives(0);
  if (!at_end()) fail("a ) closes nothing");
  compile(all);
  emit({Kind::match});
  return std::move(program_);
}

RegexParser::Node RegexParser::parse_alternatives(int depth) {
  if (depth > max_groups_deep) fail("groups are nested too deep");
  Node all{Node::Kind::alternatives};
  do {
    all.children.push_back(parse_sequence(depth));
  } while (take("|"));
  if (all.children.size() > 1) return all;
  Node only = std::move(all.children.front());
  return only;
}

RegexParser::Node RegexParser::parse_sequence(int depth) {
  Node sequence{Node::Kind::sequence};
  while (!at_end() && expression_[position_] != '|' && expression_[position_] != ')') {
    sequence.children.push_back(parse_repeats(parse_atom(depth)));
  }
  return sequence;
}

RegexParser::Node RegexParser::parse_repeats(Node atom) {
  while (!at_end()) {
    Node repeat{Node::Kind::repeat};
    bool counted = false;
    if (take("*")) {
      repeat.most = endless;
    } else if (take("+")) {
      repeat.least = 1;
      repeat.most = endless;
    } else if (take("?")) {
      repeat.most = 1;
    } else if (parse_counts(repeat.least, repeat.most)) {
      counted = true;
    } else {
      break;
    }
    repeat.lazy = take("?");
    if (!repeat.lazy && !at_end() && expression_[position_] == '+') {
      if (counted) fail("a + behind {} is read differently by different programs");
      repeat.possessive = take("+");
      if (atom.kind != Node::Kind::set) fail("a possessive repeat of more than one character");
    }
    repeat.children.push_back(std::move(atom));
    atom = std::move(repeat);
  }
  return atom;
}

// "{2}", "{2,}", "{2,5}" or "{,5}"; anything else in braces is plain text.
bool RegexParser::parse_counts(size_t& least, size_t& most) {
  const size_t before = position_;
  if (!take("{")) return false;
  const auto digit = [&] {
    return !at_end() && expression_[position_] >= '0' && expression_[position_] <= '9';
  };
  const bool has_least = digit();
  least = has_least ? parse_number() : 0;
  most = least;
  bool has_most = has_least;
  if (take(",")) {
    has_most = digit() || has_least;
    most = digit() ? parse_number() : endless;
  }
  if (!has_most || !take("}")) {
    position_ = before;
    return false;
  }
  if (most < least) fail("the counts of {} are the wrong way round");
  return true;
}

size_t RegexParser::parse_number() {
  size_t number = 0;
  while (!at_end() && expression_[position_] >= '0' && expression_[position_] <= '9') {
    number = number * 10 + static_cast<size_t>(expression_[position_++] - '0');
    if (number > max_repeats) fail("more than 1,000 repeats");
  }
  return number;
}

RegexParser::Node RegexParser::parse_atom(int depth) {
  if (take("(")) return parse_group(depth + 1);
  if (take("[")) {
    Node node{Node::Kind::set};
    node.set = parse_set();
    return node;
  }
  if (take("^")) return assertion_node(Kind::begin);
  if (take("$")) return assertion_node(Kind::end);
  if (take(".")) {
    Set set;
    set.ranges.push_back({'\n', '\n'});
    set.negated = true;
    return set_node(std::move(set));
  }
  if (take("\\")) return parse_escape();
  if (!at_end() && std::string_view("*+?").find(expression_[position_]) != std::string_view::npos) {
    fail("there is nothing to repeat");
  }
  const char32_t c = next_character();
  Set set;
  add_literal(set, c, c);
  return set_node(std::move(set));
}

RegexParser::Node RegexParser::parse_group(int depth) {
  const bool outer_case = ignore_case_;
  if (take("?=")) return parse_look(Kind::ahead, false, depth);
  if (take("?!")) return parse_look(Kind::ahead, true, depth);
  if (take("?<=")) return parse_look(Kind::behind, false, depth);
  if (take("?<!")) return parse_look(Kind::behind, true, depth);
  if (take("?i:")) {
    ignore_case_ = true;
  } else if (!take("?:") && take("?")) {
    fail("groups that begin with (? and are none of (?: (?i: (?= (?! (?<= (?<! are not read here");
  }
  Node group = parse_alternatives(depth);
  ignore_case_ = outer_case;
  if (!take(")")) fail("a ( is not closed");
  return group;
}

RegexParser::Node RegexParser::parse_look(Kind kind, bool negated, int depth) {
  Node body = parse_alternatives(depth);
  if (!take(")")) fail("a ( is not closed");
  if (body.kind == Node::Kind::sequence && body.children.size() == 1) {
    Node only = std::move(body.children.front());
    body = std::move(only);
  }
  if (body.kind != Node::Kind::set) fail("looking around is read for one character only");
  return assertion_node(kind, negated, body.set);
}

RegexParser::Node RegexParser::parse_escape() {
  if (take("b")) return assertion_node(Kind::boundary);
  if (take("B")) return assertion_node(Kind::boundary, true);
  if (take("A")) return assertion_node(Kind::begin);
  if (take("z")) return assertion_node(Kind::end);
  Set set;
  if (!parse_class_escape(set)) {
    const char32_t c = parse_character_escape();
    add_literal(set, c, c);
  }
  return set_node(std::move(set));
}

// \s, \w, \d, \p{L} and their opposites.
bool RegexParser::parse_class_escape(Set& set) {
  using Property = Regex::Property;
  constexpr std::array<std::pair<char, Property>, 3> short_classes = {
      {{'s', Property::space}, {'w', Property::word}, {'d', Property::digit}}};
  for (const auto& entry : short_classes) {
    const char upper = static_cast<char>(entry.first - 'a' + 'A');
    if (take({&entry.first, 1})) {
      set.members.push_back({entry.second, false});
      return true;
    }
    if (take({&upper, 1})) {
      set.members.push_back({entry.second, true});
      return true;
    }
  }
  const bool negated = take("P{");
  if (!negated && !take("p{")) return false;
  const bool opposite = take("^");
  const size_t end = expression_.find('}', position_);
  if (end == std::string_view::npos) fail("a { is not closed");
  const std::string_view name = expression_.substr(position_, end - position_);
  for (const NamedProperty& each : named_properties) {
    if (each.name != name) continue;
    position_ = end + 1;
    set.members.push_back({each.property, negated != opposite});
    return true;
  }
  fail(fmt::format("the class {} is not one of L, M, N, P, S, Z, C", name));
}

char32_t RegexParser::parse_character_escape() {
  const char32_t c = next_character();
  switch (c) {
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'f':
      return '\f';
    case 'v':
      return '\v';
    case '0':
      return 0;
    default:
      break;
  }
  if (c == 'x' || c == 'u') {
    const bool braces = c == 'x' && take("{");
    const size_t digits = braces ? 6 : c == 'x' ? 2 : 4;
    char32_t value = 0;
    size_t count = 0;
    for (; count < digits && !at_end(); ++count) {
      const char digit = expression_[position_];
      const size_t number =
          std::string_view("0123456789abcdef")
              .find(static_cast<char>(digit >= 'A' && digit <= 'F' ? digit - 'A' + 'a' : digit));
      if (number == std::string_view::npos) break;
      value = value * 16 + static_cast<char32_t>(number);
      ++position_;
    }
    if (count == 0 || (braces && !take("}")) || value > last_character)
      fail("no hexadecimal number");
    return value;
  }
  const bool letter_or_digit =
      (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '1' && c <= '9');
  if (letter_or_digit) fail(fmt::format("\\{} is not read here", static_cast<char>(c)));
  return c;
}

size_t RegexParser::parse_set() {
  Set set;
  set.negated = take("^");
  if (take("]")) add_literal(set, ']', ']');  // the first in a set is itself
  while (!take("]")) {
    if (at_end()) fail("a [ is not closed");
    if (take("[")) fail("sets inside sets are not read here");
    if (take("&&")) fail("&& in a set is not read here");
    parse_set_item(set);
  }
  sets_.push_back(std::move(set));
  return sets_.size() - 1;
}

void RegexParser::parse_set_item(Set& set) {
  char32_t first = 0;
  if (take("\\")) {
    if (parse_class_escape(set)) return;
    first = take("b") ? U'\b' : parse_character_escape();
  } else {
    first = next_character();
  }
  char32_t last = first;
  const std::string_view rest = expression_.substr(position_);
  if (rest.size() > 1 && rest[0] == '-' && rest[1] != ']') {
    take("-");
    last = take("\\") ? parse_character_escape() : next_character();
    if (last < first) fail("a range in a set is the wrong way round");
  }
  add_literal(set, first, last);
}

void RegexParser::add_literal(Set& set, char32_t first, char32_t last) const {
  set.ranges.push_back({first, last});
  if (!ignore_case_) return;
  for (char32_t lower = 'a'; lower <= 'z'; ++lower) {
    const char32_t upper = lower - U'a' + U'A';
    const bool has_lower = lower >= first && lower <= last;
    const bool has_upper = upper >= first && upper <= last;
    if (!has_lower && !has_upper) continue;
    set.ranges.push_back({lower, lower});
    set.ranges.push_back({upper, upper});
    if (lower == 's') set.ranges.push_back({0x17F, 0x17F});    // long s
    if (lower == 'k') set.ranges.push_back({0x212A, 0x212A});  // kelvin
  }
}

RegexParser::Node RegexParser::set_node(Set set) {
  sets_.push_back(std::move(set));
  Node node{Node::Kind::set};
  node.set = sets_.size() - 1;
  return node;
}

RegexParser::Node RegexParser::assertion_node(Kind kind, bool negated, size_t set) const {
  Node node{Node::Kind::assertion};
  node.assertion = kind;
  node.negated = negated;
  node.set = set;
  return node;
}

size_t RegexParser::emit(Regex::Instruction instruction) {
  if (program_.size() == max_instructions) fail("it is too large");
  instruction.next = program_.size() + 1;
  program_.push_back(instruction);
  return program_.size() - 1;
}

void RegexParser::compile(const Node& node) {
  switch (node.kind) {
    case Node::Kind::empty:
      return;
    case Node::Kind::set:
      emit({Kind::take, node.set});
      return;
    case Node::Kind::sequence:
      for (const Node& child : node.children) compile(child);
      return;
    case Node::Kind::assertion: {
      Regex::Instruction assertion{node.assertion, node.set};
      assertion.negated = node.negated;
      emit(assertion);
      return;
    }
    case Node::Kind::alternatives: {
      std::vector<size_t> ends;
      for (size_t i = 0; i < node.children.size(); ++i) {
        const bool last = i + 1 == node.children.size();
        const size_t split = last ? 0 : emit({Kind::split});
        compile(node.children[i]);
        if (last) break;
        ends.push_back(emit({Kind::jump}));
        program_[split].other = program_.size();
      }
      for (const size_t end : ends) program_[end].next = program_.size();
      return;
    }
    case Node::Kind::repeat:
      compile_repeat(node);
      return;
  }
}

// As many as there are, and never fewer: behind them is no other.
void RegexParser::compile_possessive(const Node& node) {
  const Node& child = node.children.front();
  Regex::Instruction none_left{Kind::ahead, child.set};
  none_left.negated = true;
  if (node.most == endless) {
    Node greedy = node;
    greedy.possessive = false;
    compile_repeat(greedy);
    emit(none_left);
    return;
  }
  const size_t split = emit({Kind::split});
  compile(child);
  const size_t jump = emit({Kind::jump});
  program_[split].other = emit(none_left);
  program_[jump].next = program_.size();
}

void RegexParser::compile_repeat(const Node& node) {
  if (node.possessive) {
    compile_possessive(node);
    return;
  }
  const Node& child = node.children.front();
  for (size_t i = 0; i < node.least; ++i) compile(child);
  if (node.most == endless) {
    const size_t split = emit({Kind::split});
    compile(child);
    program_[emit({Kind::jump})].next = split;
    program_[split].other = program_.size();
    if (node.lazy) std::swap(program_[split].next, program_[split].other);
    return;
  }
  for (size_t i = node.least; i < node.most; ++i) {
    const size_t split = emit({Kind::split});
    compile(child);
    program_[split].other = program_.size();
    if (node.lazy) std::swap(program_[split].next, program_[split].other);
  }
}

}  // namespace headroom
