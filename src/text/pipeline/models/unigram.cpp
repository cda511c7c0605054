// Unigram: the tokens of a word whose scores have the largest sum (Viterbi). A character that is no
// token costs ten more than the worst one; such characters in a row are one unknown token, or one
// token for each of their bytes where the vocabulary has those.
#include <fmt/format.h>

#include <algorithm>

#include "text/piece_trie.h"
#include "text/pipeline/token_model.h"

namespace headroom {
namespace {

constexpr double unknown_penalty = 10.0;

class Unigram : public TokenModel {
 public:
  Unigram(const JsonFields& fields, const ModelJson& json)
      : TokenModel(checked_table(fields, json)),
        trie_(table().tokens()),
        byte_fallback_(fields.boolean_or("byte_fallback", false)) {
    const auto count = static_cast<int64_t>(table().tokens().size());
    if (fields.has("unk_id")) {
      unknown_ = static_cast<int32_t>(fields.integer("unk_id", 0, count - 1));
    }
    const std::vector<double>& scores = table().scores();
    unknown_score_ = *std::min_element(scores.begin(), scores.end()) - unknown_penalty;
    for (int byte = 0; byte < 256 && byte_fallback_; ++byte) {
      byte_ids_.push_back(table().find(fmt::format("<0x{:02X}>", byte)).value_or(-1));
    }
  }

  void cut(std::string_view word, std::vector<WordToken>& tokens) const override {
    const std::vector<Node> best = best_paths(word);
    std::vector<WordToken> found;  // the last one first
    bool fusing = false;
    for (auto end = static_cast<uint32_t>(word.size()); end > 0;) {
      const Node& node = best[end];
      const bool is_unknown = unknown_ && node.id == *unknown_;
      if (fusing && is_unknown) {
        found.back().bytes.begin = node.begin;
      } else {
        found.push_back({node.id, {node.begin, end}});
      }
      fusing = is_unknown;
      end = node.begin;
    }
    for (auto each = found.rbegin(); each != found.rend(); ++each) add_token(word, *each, tokens);
  }

  std::optional<int32_t> unknown() const override { return unknown_; }

 private:
  // The best way to a position in the word: its sum, and the token that ends there.
  struct Node {
    double score = 0;
    uint32_t begin = 0;
    int32_t id = -1;  // -1: nothing ends here yet
  };

  static TokenTable checked_table(const JsonFields& fields, const ModelJson& json) {
    TokenTable table(json.vocabulary);
    if (table.scores().empty()) fields.fail("vocab", "has ids, expected a list of scores");
    return table;
  }

  std::vector<Node> best_paths(std::string_view word) const {
    const std::vector<double>& scores = table().scores();
    std::vector<Node> best(word.size() + 1);
    for (uint32_t begin = 0; begin < word.size();) {
      const double until_here = best[begin].score;
      const auto character = static_cast<uint32_t>(decode_utf8(word.substr(begin)).bytes);
      bool has_single = false;
      const auto reach = [&](uint32_t end, double score, int32_t id) {
        Node& node = best[end];
        if (node.id >= 0 && score <= node.score) return;
        node = {score, begin, id};
      };
      trie_.for_each_prefix(PieceTrie::root, word.substr(begin), [&](int32_t id, size_t bytes) {
        reach(begin + static_cast<uint32_t>(bytes), scores[static_cast<size_t>(id)] + until_here,
              id);
        has_single = has_single || bytes == character;
      });
      if (!has_single) {
        if (!unknown_) {
          throw Error(ErrorCode::bad_data, "tokenize text",
                      "a character is not in the vocabulary, which has no unknown token (unk_id)");
        }
        reach(begin + character, unknown_score_ + until_here, *unknown_);
      }
      begin += character;
    }
    return best;
  }

  // What was put together of unknown characters may be a token after all.
  void add_token(std::string_view word, const WordToken& token,
                 std::vector<WordToken>& tokens) const {
    if (!unknown_ || token.id != *unknown_) {
      tokens.push_back(token);
      return;
    }
    const std::string_view text =
        word.substr(token.bytes.begin, token.bytes.end - token.bytes.begin);
    const auto found = table().find(text);
    const auto is_known = [this](char byte) {
      return byte_ids_[static_cast<unsigned char>(byte)] >= 0;
    };
    if (!found && byte_fallback_ && std::all_of(text.begin(), text.end(), is_known)) {
      for (const char byte : text) {
        tokens.push_back({byte_ids_[static_cast<unsigned char>(byte)], token.bytes});
      }
      return;
    }
    tokens.push_back({found.value_or(*unknown_), token.bytes});
  }

  PieceTrie trie_;
  bool byte_fallback_;
  std::optional<int32_t> unknown_;
  double unknown_score_ = 0;
  std::vector<int32_t> byte_ids_;
};

}  // namespace

std::unique_ptr<TokenModel> make_unigram(const JsonFields& fields, const ModelJson& json) {
  return std::make_unique<Unigram>(fields, json);
}

}  // namespace headroom
