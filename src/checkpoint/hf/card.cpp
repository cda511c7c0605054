#include "checkpoint/hf/card.h"

namespace headroom {

std::string card_with_section(const std::string& former, const std::string& title,
                              const std::vector<std::string>& lines) {
  std::string card = former;
  if (card.empty()) {
    card =
        "---\nlibrary_name: headroom\n---\n\n# A BERT encoder\n\nIt came without a model card: "
        "nothing is known of its data and licence.\n";
  }
  if (!card.ends_with('\n')) card += '\n';
  card += "\n## " + title + "\n\n";
  for (const std::string& line : lines) card += "- " + line + "\n";
  return card;
}

}  // namespace headroom
