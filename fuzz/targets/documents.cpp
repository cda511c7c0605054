// Plain text, gzip or not, as the documents and rows of pretraining.
#include "data/formats/documents.h"

#include "input.h"
#include "target.h"
#include "text/word_tokenizer.h"

namespace headroom::fuzz {
namespace {

const Target documents("documents", [](std::string_view input) {
  static const WordTokenizer tokenizer(Vocabulary::with_words({"a", "b"}));
  const MemoryFile memory(input);
  accepts({ErrorCode::bad_data}, [&] {
    RowPacker packer(tokenizer, 8);
    read_documents({"text:" + memory.path().string()}, ".",
                   [&](const std::string& document) { packer.add(document); });
    const PackedRows rows = packer.finish();
    require(rows.tokens.size() == static_cast<size_t>(rows.size()) * 8, "rows are full");
  });
});

}  // namespace
}  // namespace headroom::fuzz
