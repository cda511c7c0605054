// The longest token of a vocabulary that a text begins with, found in one walk over its bytes.
// Nodes lie in order of depth, so that the children of a node are neighbours and their labels can
// be searched with one memchr; building is linear in the bytes of the tokens, and BERT's 30,522
// take 0.6 MB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headroom {

class PieceTrie {
 public:
  using Node = int32_t;
  static constexpr Node root = 0;
  static constexpr Node nowhere = -1;

  struct Match {
    int32_t id = -1;
    size_t bytes = 0;  // 0 when nothing matches
  };

  // The id of a token is its index. Tokens are distinct and not empty.
  explicit PieceTrie(const std::vector<std::string>& tokens);

  // The node that `bytes` lead to from `node`, or nowhere.
  Node descend(Node node, std::string_view bytes) const;

  // The longest way from `node` along the start of `text` that ends at a token.
  Match longest(Node node, std::string_view text) const;

 private:
  Node child(Node node, char label) const;

  // Node i is reached over labels_[i], its children are [children_[i], children_[i + 1]), and the
  // token that ends there is ids_[i], or -1.
  std::vector<char> labels_;
  std::vector<Node> children_;
  std::vector<int32_t> ids_;
};

}  // namespace headroom
