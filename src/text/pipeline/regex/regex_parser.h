// Reads a regular expression into the program that text/pipeline/regex.h runs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/pipeline/regex/regex.h"

namespace headroom {

class RegexParser {
 public:
  explicit RegexParser(std::string_view expression);

  std::vector<Regex::Instruction> parse();
  std::vector<Regex::CharacterSet> take_sets() { return std::move(sets_); }

 private:
  using Set = Regex::CharacterSet;
  struct Node {
    enum class Kind { empty, set, sequence, alternatives, repeat, assertion };
    Kind kind = Kind::empty;
    std::vector<Node> children = {};
    size_t set = 0;
    size_t least = 0, most = 0;  // repeat
    bool lazy = false, possessive = false;
    Regex::Instruction::Kind assertion = Regex::Instruction::Kind::begin;
    bool negated = false;
  };

  [[noreturn]] void fail(const std::string& why) const;
  bool at_end() const { return position_ == expression_.size(); }
  bool take(std::string_view text);
  char32_t next_character();

  Node parse_alternatives(int depth);
  Node parse_sequence(int depth);
  Node parse_repeats(Node atom);
  bool parse_counts(size_t& least, size_t& most);
  size_t parse_number();
  Node parse_atom(int depth);
  Node parse_group(int depth);
  Node parse_look(Regex::Instruction::Kind kind, bool negated, int depth);
  Node parse_escape();
  size_t parse_set();
  void parse_set_item(Set& set);
  bool parse_class_escape(Set& set);
  char32_t parse_character_escape();
  void add_literal(Set& set, char32_t first, char32_t last) const;

  Node set_node(Set set);
  Node assertion_node(Regex::Instruction::Kind kind, bool negated = false, size_t set = 0) const;

  size_t emit(Regex::Instruction instruction);
  void compile(const Node& node);
  void compile_repeat(const Node& node);
  void compile_possessive(const Node& node);

  std::string_view expression_;
  size_t position_ = 0;
  bool ignore_case_ = false;
  std::vector<Set> sets_;
  std::vector<Regex::Instruction> program_;
};

}  // namespace headroom
