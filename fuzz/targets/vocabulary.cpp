// vocab.txt.
#include "text/vocabulary.h"

#include "target.h"
#include "text/piece_trie.h"

namespace headroom::fuzz {
namespace {

const Target vocabulary_target("vocabulary", [](std::string_view input) {
  accepts({ErrorCode::bad_model}, [&] {
    const Vocabulary vocabulary = Vocabulary::from_text(input);
    require(Vocabulary::from_text(vocabulary.to_text()) == vocabulary, "a vocabulary comes back");
    const PieceTrie trie(vocabulary.tokens());
    for (int32_t id = 0; id < vocabulary.size(); ++id) {
      const std::string& token = vocabulary.token(id);
      require(vocabulary.find(token) == id, "a token is found under its number");
      require(trie.longest(PieceTrie::root, token).id == id, "the trie finds it too");
    }
  });
});

}  // namespace
}  // namespace headroom::fuzz
