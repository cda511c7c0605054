// The longest token of a vocabulary that a text begins with, found in one walk over its bytes.
// Nodes lie in order of depth, so that the children of a node are neighbours and their labels can
// be searched with one memchr; building is linear in the bytes of the tokens, and BERT's 30,522
// take 0.6 MB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
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

  // The id of a token is its index, of equal ones the last. Empty tokens are left out.
  explicit PieceTrie(const std::vector<std::string>& tokens);

  // The node that `bytes` lead to from `node`, or nowhere.
  Node descend(Node node, std::string_view bytes) const;

  // The longest way from `node` along the start of `text` that ends at a token.
  Match longest(Node node, std::string_view text) const;

  // Calls visit(id, bytes) for every token that `text` begins with on the way from `node`, the
  // shortest first.
  template <typename Visit>
  void for_each_prefix(Node node, std::string_view text, Visit visit) const {
    for (size_t i = 0; i < text.size(); ++i) {
      node = child(node, text[i]);
      if (node == nowhere) return;
      const int32_t id = ids_[static_cast<size_t>(node)];
      if (id >= 0) visit(id, i + 1);
    }
  }

 private:
  Node child(Node node, char label) const {
    const auto index = static_cast<size_t>(node);
    const Node first = children_[index];
    const auto count = static_cast<size_t>(children_[index + 1] - first);
    const void* found = std::memchr(labels_.data() + first, label, count);
    if (found == nullptr) return nowhere;
    return static_cast<Node>(static_cast<const char*>(found) - labels_.data());
  }

  // Node i is reached over labels_[i], its children are [children_[i], children_[i + 1]), and the
  // token that ends there is ids_[i], or -1.
  std::vector<char> labels_;
  std::vector<Node> children_;
  std::vector<int32_t> ids_;
};

}  // namespace headroom
