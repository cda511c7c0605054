#include "text/piece_trie.h"

#include <algorithm>
#include <numeric>

namespace headroom {
namespace {

// A node while the trie is built: the tokens [first, last) of the sorted list share its `depth`
// bytes.
struct Range {
  size_t first;
  size_t last;
  size_t depth;
};

}  // namespace

PieceTrie::PieceTrie(const std::vector<std::string>& tokens) {
  std::vector<int32_t> sorted(tokens.size());
  std::iota(sorted.begin(), sorted.end(), 0);
  const auto token = [&](size_t index) -> const std::string& {
    return tokens[static_cast<size_t>(sorted[index])];
  };
  std::stable_sort(sorted.begin(), sorted.end(), [&](int32_t a, int32_t b) {
    return tokens[static_cast<size_t>(a)] < tokens[static_cast<size_t>(b)];
  });

  std::vector<Range> nodes = {{0, tokens.size(), 0}};
  labels_.push_back(0);  // the root has none
  for (size_t i = 0; i < nodes.size(); ++i) {
    const Range node = nodes[i];
    children_.push_back(static_cast<Node>(nodes.size()));
    size_t index = node.first;
    // A token that ends here sorts before all that go on.
    int32_t ending = -1;
    while (index < node.last && token(index).size() == node.depth) ending = sorted[index++];
    ids_.push_back(i == 0 ? -1 : ending);
    while (index < node.last) {
      const size_t first = index;
      const char label = token(first)[node.depth];
      while (index < node.last && token(index)[node.depth] == label) ++index;
      labels_.push_back(label);
      nodes.push_back({first, index, node.depth + 1});
    }
  }
  children_.push_back(static_cast<Node>(nodes.size()));
}

PieceTrie::Node PieceTrie::descend(Node node, std::string_view bytes) const {
  for (const char byte : bytes) {
    if (node == nowhere) break;
    node = child(node, byte);
  }
  return node;
}

PieceTrie::Match PieceTrie::longest(Node node, std::string_view text) const {
  Match best;
  for (size_t i = 0; i < text.size() && node != nowhere; ++i) {
    node = child(node, text[i]);
    if (node == nowhere) break;
    const int32_t id = ids_[static_cast<size_t>(node)];
    if (id >= 0) best = {id, i + 1};
  }
  return best;
}

}  // namespace headroom
